/** The product in a few steps: `npx -y pnpm@10.34.9 tour`. */
import * as Amount from "@effect-klaytn/core/Amount"
import type { Transfer } from "@effect-klaytn/history/Transfer"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import * as Match from "effect/Match"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import { account, Service } from "./support/Service.js"

const describe = Match.type<Transfer>().pipe(
  Match.tag("CoinTransfer", (_) => Amount.format(_.value)),
  Match.tag("FtTransfer", (_) => `${_.formattedValue} ${_.contract.symbol}`),
  Match.tag("NftTransfer", (_) => `token ${_.tokenId}`),
  Match.tag("MtTransfer", (_) => `${_.ids.length} tokens`),
  Match.tag("UnknownTransfer", (_) => `a ${_.transferType}`),
  Match.exhaustive
)

const program = Effect.gen(function*() {
  const history = yield* TransferHistory.TransferHistory
  console.log(`1. The transfers of ${account}, newest first, over all pages`)
  const transfers = history.streamTransfersByEoa({ address: account }).pipe(
    Stream.tap((transfer) => Effect.sync(() => console.log(`   ${transfer._tag.padEnd(14)}${describe(transfer)}`)))
  )
  assert.equal(yield* Stream.runCount(transfers), 5)
})

await Effect.runPromise(Effect.provide(program, Service))
