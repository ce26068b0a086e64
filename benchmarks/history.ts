/** Transfers of one account: streamed over pages of two sizes, and one call at a time. */
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import { compare, runsOf } from "./Comparison.js"
import * as Others from "./Others.js"
import { counting, peer } from "./Peer.js"
import { Plain } from "./Plain.js"
import { Server } from "./Server.js"
import { oneByOne, streamed } from "./work.js"

const calls = 200

export const history = Effect.gen(function*() {
  const server = yield* Server
  const { account, transactionHash } = server
  const { count, get } = yield* peer
  const sdk = yield* TransferHistory.TransferHistory
  const plain = yield* Plain
  const text = Others.undici(server)
  const parsed = async (path: string) => JSON.parse(await text(path))
  const caver = Others.caver(server)

  for (const size of [1000, 100]) {
    const path = `/v2/transfer/account/${account}?size=${size}`
    const transfers = yield* Effect.promise(() => count(path))
    yield* compare({
      figure: `transfers streamed, pages of ${size}`,
      amount: transfers,
      runs: runsOf(15),
      sdk: streamed(sdk, account, size),
      peers: {
        fetch: Effect.promise(() => count(path)),
        undici: Effect.promise(() => counting(parsed)(path)),
        "bare Effect": plain.bareCount(path),
        "platform and Schema": plain.count(path),
        "caver-js-ext-kas": Effect.promise(async () => {
          let records = 0
          for (let cursor = "";;) {
            const page = await caver.getTransferHistoryByAccount(account, { size, cursor })
            records += page.items.length
            if (page.cursor === "") return records
            cursor = page.cursor
          }
        })
      }
    })
  }

  const inTurn = (call: () => Promise<{ readonly items: ReadonlyArray<unknown> }>) =>
    Effect.promise(async () => {
      let done = 0
      for (let i = 0; i < calls; i++) done += Math.sign((await call()).items.length)
      return done
    })
  const path = `/v2/transfer/tx/${transactionHash}`
  yield* compare({
    figure: "single calls, one after the other: the transfers of one transaction",
    amount: calls,
    runs: runsOf(15),
    sdk: oneByOne(Effect.map(sdk.getTransfersByTxHash({ transactionHash }), (found) => found.length), calls),
    peers: {
      fetch: inTurn(() => get(path)),
      undici: inTurn(() => parsed(path)),
      "bare Effect": oneByOne(plain.bareItems(path), calls),
      "platform and Schema": oneByOne(plain.transfersOf(transactionHash), calls),
      "caver-js-ext-kas": inTurn(() => caver.getTransferHistoryByTxHash(transactionHash))
    }
  })
})
