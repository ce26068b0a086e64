/** Decoding of parsed answers, compared with parsing them and with `effect/Schema`. No server is involved. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { PageableTransfers } from "@effect-klaytn/history/HistoryApi"
import * as Eth from "@effect-klaytn/node/Eth"
import { Receipt } from "@effect-klaytn/node/Receipt"
import { PageableNfts } from "@effect-klaytn/tokens/TokensApi"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ethReceipts, receipts, tokens, transfers } from "./answers.js"
import { compare, runsOf } from "./Comparison.js"

const figure = <A, I>(name: string, schema: Schema.Schema<A, I>, answer: unknown, times: number) => {
  const text = JSON.stringify(answer)
  const value: unknown = JSON.parse(text)
  const read = Decoder.make(schema)
  const bySchema = Schema.decodeUnknownEither(schema)
  const side = (times: number, work: () => boolean) =>
    Effect.sync(() => {
      let done = 0
      for (let i = 0; i < times; i++) if (work()) done++
      return done
    })
  return compare({
    figure: `reading ${name}`,
    amount: times,
    runs: runsOf(15),
    sdk: side(times, () => Either.isRight(read(value))),
    peers: {
      "JSON.parse": side(times, () => JSON.parse(text) !== null),
      "effect/Schema": side(times, () => Either.isRight(bySchema(value)))
    }
  })
}

export const reader = Effect.all([
  figure("a page of 1,000 transfers of all kinds", PageableTransfers, transfers(1000), 20),
  figure("a page of 1,000 tokens", PageableNfts, tokens(1000), 20),
  figure("100 receipts, eth", Schema.Array(Eth.Receipt), ethReceipts(100), 40),
  figure("100 receipts, klay", Schema.Array(Receipt), receipts(100), 40)
], { discard: true })
