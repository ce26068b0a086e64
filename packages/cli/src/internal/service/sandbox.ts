/** A sandbox in this process, if its package is installed beside this one. */
import type * as Chain from "@effect-klaytn/core/Chain"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as beside from "../terminal/beside.js"
import { fromCause } from "../terminal/failureOf.js"

/** The same accounts, transfers and blocks at every start, so that a later run can continue an export. */
const world = { seed: "klaytn", clock: { start: 1_704_067_200, step: 86_400 } } as const
const generated = { seed: "klaytn", transfers: 300, accounts: 8 } as const

/** An export is continued only at the address where it was begun: always this port, unless it is taken. */
const port = 18_217

/** Loads the package by name. */
export const load = beside.load("sandbox", () => import("@effect-klaytn/sandbox/command"))

/** Starts one for a scope, with some generated transfers on the chain. */
export const start = Effect.fnUntraced(function*(chain: Chain.Chain) {
  const command = yield* load
  const running = yield* Effect.orElse(command.start({ ...world, port }), () => command.start(world))
  const { chains, feePayerStyle, url } = running
  const { accessKeyId, secretAccessKey } = yield* command.describe(running)
  const { blocks, busiest } = yield* command.generate(chains.chain(chain), generated)
  return {
    url,
    accessKeyId,
    secretAccessKey: Redacted.make(secretAccessKey),
    feePayerStyle,
    /** The account with the most transfers. */
    busiest: busiest.address,
    /** The times of its first and its last block, in Unix seconds. There is a block a day. */
    from: world.clock.start,
    to: world.clock.start + blocks * world.clock.step,
    /** Gives an account some coin. */
    fund: (address: string) =>
      chains.chain(chain).fund(`0x${address.slice(2)}`, 1000n * 10n ** 18n).pipe(
        Effect.catchAllCause(fromCause),
        Effect.asVoid
      )
  }
}, Effect.catchAllCause(fromCause))

export type Started = Effect.Effect.Success<ReturnType<typeof start>>
