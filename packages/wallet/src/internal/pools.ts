/** The header `x-krn` of a call, checked against the chain. */
import * as Chain from "@effect-klaytn/core/Chain"
import type { Settings } from "@effect-klaytn/core/ClientConfig"
import * as Krn from "@effect-klaytn/core/Krn"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CurrentFeePayerPool, CurrentPool } from "../Pool.js"

const refuse = (operation: string, path: string, problem: string): InvalidInput =>
  new InvalidInput({ operation, retrySafe: true, attempts: [], path: [path], problem })

const checked = (
  settings: Settings,
  operation: string,
  path: string,
  pool: Option.Option<Krn.Krn>
): Effect.Effect<string | undefined, InvalidInput> =>
  Option.match(pool, {
    onNone: () => Effect.succeed(undefined),
    onSome: (krn) =>
      krn.chain !== settings.chain
        ? refuse(
          operation,
          path,
          `it belongs to ${Chain.label(krn.chain)}, and the call would go to ${Chain.label(settings.chain)}`
        )
        : /^[\x21-\x7e]+$/.test(Krn.format(krn))
        ? Effect.succeed(Krn.format(krn))
        : refuse(operation, path, "a header can hold printable ASCII only, so this pool can't be named in one")
  })

/** The account pool: of this call, else of the configuration where the document lists the header. */
export const account = (settings: Settings, operation: string, listed: boolean) =>
  Effect.flatMap(
    CurrentPool,
    (current) => checked(settings, operation, "pool", listed ? Option.orElse(current, () => settings.pool) : current)
  )

/** Both pools in one text, for the paths of a user fee payer. */
export const withFeePayer = (
  settings: Settings,
  operation: string
): Effect.Effect<string | undefined, InvalidInput> =>
  Effect.gen(function*() {
    const own = yield* account(settings, operation, true)
    const payers = yield* checked(settings, operation, "feePayerPool", yield* CurrentFeePayerPool)
    if (own !== undefined && payers !== undefined) return `${own},${payers}`
    if (own === undefined && payers === undefined) return undefined
    return yield* refuse(
      operation,
      own === undefined ? "pool" : "feePayerPool",
      "the paths of a user fee payer name the account pool and the fee-payer pool together: set both " +
        "(Pool.withPool and Pool.withFeePayerPool), or neither"
    )
  })

export const header = (pool: string | undefined) => pool === undefined ? {} : { "x-krn": pool }
