/** Transfers of one account: streamed over pages of two sizes, and one call at a time. */
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { compare } from "./Comparison.js"
import { peer } from "./Peer.js"
import { Server } from "./Server.js"

const calls = 200

export const history = Effect.gen(function*() {
  const { account, transactionHash } = yield* Server
  const { count, get } = yield* peer
  const sdk = yield* TransferHistory.TransferHistory

  for (const size of [1000, 100]) {
    const path = `/v2/transfer/account/${account}?size=${size}`
    const transfers = yield* Effect.promise(() => count(path))
    yield* compare({
      figure: `transfers streamed, pages of ${size}`,
      amount: transfers,
      runs: 15,
      sdk: Stream.runFold(sdk.getTransfersByEoa.items({ address: account, size }), 0, (records) => records + 1),
      peers: { fetch: Effect.promise(() => count(path)) }
    })
  }

  yield* compare({
    figure: "single calls, one after the other: the transfers of one transaction",
    amount: calls,
    runs: 15,
    sdk: Effect.reduce(
      Array.from({ length: calls }),
      0,
      (done) => Effect.map(sdk.getTransfersByTxHash({ transactionHash }), (found) => done + Math.sign(found.length))
    ),
    peers: {
      fetch: Effect.promise(async () => {
        let done = 0
        for (let i = 0; i < calls; i++) {
          done += Math.sign((await get(`/v2/transfer/tx/${transactionHash}`)).items.length)
        }
        return done
      })
    }
  })
})
