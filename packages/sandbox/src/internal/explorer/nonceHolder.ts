import type { DroppedTransaction } from "@effect-klaytn/local-chain/LocalChain"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ViewedChain } from "./ExplorerReads.js"

type Read = Pick<ViewedChain, "account" | "dropped" | "head" | "pendingTransaction" | "transactionsOf">

/** The transaction of a block that used the nonce; none if none did, or if something else did. */
const minedHolder = Effect.fnUntraced(
  function*(chain: Read, { from, nonce }: Pick<DroppedTransaction, "from" | "nonce">) {
    const isUsed = (height: number) =>
      Effect.map(chain.account(from, height), Option.exists((account) => account.nonce > nonce)).pipe(
        // The chain has gone back meanwhile.
        Effect.catchTag("BlockNotFound", () => Effect.succeed(false))
      )
    let [low, high] = [0, (yield* chain.head).number]
    if (!(yield* isUsed(high))) return undefined
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (yield* isUsed(middle)) high = middle
      else low = middle
    }
    return (yield* chain.transactionsOf(high)).find((one) => one.from === from && one.nonce === nonce)
  }
)

/** The transaction that waits in the place of one that was replaced, perhaps more than once. */
const waitingHolder = Effect.fnUntraced(function*(chain: Read, { replacedBy }: DroppedTransaction) {
  const dropped = new Map((yield* chain.dropped).map((one) => [one.hash, one]))
  let hash = replacedBy
  while (hash !== undefined && dropped.has(hash)) hash = dropped.get(hash)?.replacedBy
  return hash === undefined ? undefined : Option.getOrUndefined(yield* chain.pendingTransaction(hash))
})

/** The transaction that has the nonce of one that left the pool: in a block, or else waiting. */
export const nonceHolder = Effect.fnUntraced(function*(chain: Read, left: DroppedTransaction) {
  const mined = yield* minedHolder(chain, left)
  if (mined !== undefined) return { hash: mined.hash, block: mined.blockNumber }
  const waiting = yield* waitingHolder(chain, left)
  return waiting && { hash: waiting.hash, block: undefined }
})
