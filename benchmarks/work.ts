/** What the SDK does in the figures that are measured in one process. Each effect returns how much was done. */
import type * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import { ethTwinMethods } from "@effect-klaytn/node/EthMethods"
import type * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Hex } from "viem"
import type { Ready } from "./Ready.js"

/** Counts the transfers of an account. */
export const streamed = (history: TransferHistory.Service, account: string, size: number, most?: number) => {
  const items = history.getTransfersByEoa.items({ address: account, size })
  return Stream.runFold(most === undefined ? items : Stream.take(items, most), 0, (records) => records + 1)
}

/** Calls one after the other. Counts those that found something. */
export const oneByOne = <E>(found: Effect.Effect<number, E>, calls: number) =>
  Effect.reduce(Array.from({ length: calls }), 0, (done) => Effect.map(found, (records) => done + Math.sign(records)))

export interface Caller {
  readonly hash: Hex
  readonly address: Hex
}

const isHex = (text: string): text is Hex => text.startsWith("0x")

/** One caller for each transaction. Equal reads of one batch are sent once; these are all different. */
export const callersOf = ({ transactionHashes }: Ready): ReadonlyArray<Caller> =>
  transactionHashes.filter(isHex).map((hash) => ({ hash, address: `0x${hash.slice(-40)}` }))

/** All callers run at the same time; each makes its calls one after the other. */
export const together = <E>(
  callers: ReadonlyArray<Caller>,
  callsEach: number,
  call: (caller: Caller) => Effect.Effect<unknown, E>
) =>
  Effect.suspend(() => {
    let done = 0
    return Effect.map(
      Effect.forEach(
        callers,
        (caller) =>
          Effect.gen(function*() {
            for (let i = 0; i < callsEach; i++) {
              yield* call(caller)
              done++
            }
          }),
        { concurrency: "unbounded", discard: true }
      ),
      () => done
    )
  })

const listed = 10_000
export const perRequest = 1_000
export const atOnce = 4

/** The accounts of a list of balances. */
export const accounts = Array.from({ length: listed }, (_, i): Hex => `0x${(i + 1).toString(16).padStart(40, "0")}`)

/** Reads the list, or the first accounts, and counts the balances. */
export const inList = (node: KlaytnNode.Service, most = listed) => {
  const asked = accounts.slice(0, most).map((account) => [account] as const)
  return Effect.map(
    node.runEach(ethTwinMethods.getBalance, asked, { concurrency: atOnce }),
    (balances) => balances.filter(Either.isRight).length
  )
}
