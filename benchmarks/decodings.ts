/** Answers that are already parsed, and the ways to decode them. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import { PageableTransfers } from "@effect-klaytn/history/HistoryApi"
import * as Eth from "@effect-klaytn/node/Eth"
import { Receipt } from "@effect-klaytn/node/Receipt"
import { PageableNfts } from "@effect-klaytn/tokens/TokensApi"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ethReceipts, receipts, tokens, transfers } from "./answers.js"

const decoding = <A, I>(name: string, schema: Schema.Schema<A, I>, answer: unknown, times: number) => {
  const text = JSON.stringify(answer)
  const value: unknown = JSON.parse(text)
  const read = Decoder.make(schema)
  const bySchema = Schema.decodeUnknownEither(schema)
  const repeated = (isDone: () => boolean) => (): number => {
    let done = 0
    for (let i = 0; i < times; i++) if (isDone()) done++
    return done
  }
  return {
    name,
    /** How often a turn decodes. */
    times,
    sdk: repeated(() => Either.isRight(read(value))),
    parse: repeated(() => JSON.parse(text) !== null),
    schema: repeated(() => Either.isRight(bySchema(value)))
  }
}

export const decodings = [
  decoding("a page of 1,000 transfers of all kinds", PageableTransfers, transfers(1000), 20),
  decoding("a page of 1,000 tokens", PageableNfts, tokens(1000), 20),
  decoding("100 receipts, eth", Schema.Array(Eth.Receipt), ethReceipts(100), 40),
  decoding("100 receipts, klay", Schema.Array(Receipt), receipts(100), 40)
]
