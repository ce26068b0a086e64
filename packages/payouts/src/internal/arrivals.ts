/** What of a token arrived: by the logs of a receipt, since a token may return false, take a fee, or move another amount. */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/HexEncoding"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Content } from "../Payout.js"
import type * as PayoutState from "../PayoutState.js"
import type { Transfer } from "../TokenPayout.js"
import type { Context } from "./context.js"
import { fromContent } from "./moves.js"

/** `Transfer(address,address,uint256)`. */
const transferTopic: string = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** A log of a receipt. */
export const Log = Schema.Struct({
  address: Address.FromWire,
  topics: Schema.Array(HexDataFromWire),
  data: HexDataFromWire
})

const Receipt = Schema.NullOr(Schema.Struct({
  transactionHash: Hash.FromWire,
  blockNumber: BigIntFromQuantity,
  status: BigIntFromQuantity,
  logsBloom: Schema.optional(Schema.NullOr(HexDataFromWire)),
  logs: Schema.Array(Schema.Struct({
    ...Log.fields,
    transactionHash: Hash.FromWire,
    logIndex: BigIntFromQuantity,
    removed: Schema.optional(Schema.NullOr(Schema.Boolean))
  }))
}))

const emptyBloom = /^0x0*$/

/** Whether a receipt is the one of a transaction that succeeded in a block, and its logs are all of its own. */
const isWhole = (
  { blockNumber, logs, logsBloom, status, transactionHash }: Exclude<typeof Receipt.Type, null>,
  { block, transactionHash: hash }: Extract<PayoutState.PayoutEvent, { readonly _tag: "Found" }>
): boolean =>
  transactionHash === hash && Number(blockNumber) === block && status === 1n &&
  logs.every((log, at) =>
    log.transactionHash === hash && log.removed !== true &&
    (at === 0 || log.logIndex === (logs[at - 1]?.logIndex ?? 0n) + 1n)
  ) &&
  (logs.length > 0 || emptyBloom.test(logsBloom ?? "0x"))

const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`

/** What of a transfer arrived, by the logs of its receipt, in the smallest unit of the token. */
export const arrivedBy = (logs: ReadonlyArray<typeof Log.Type>, { from, to, token }: Transfer): bigint =>
  logs.reduce((sum, { address, data, topics: [event, sender, receiver] }) => {
    const isMeant = address === token && event === transferTopic && sender === wordOf(from) && receiver === wordOf(to)
    return isMeant && data.length === 66 ? sum + BigInt(data) : sum
  }, 0n)

/**
 * A payment that a block has, with what arrived if that is not what was asked for; none as long as the node does not have its receipt, or
 * gives one that is not its own or contradicts itself. Without a node nothing is known of it.
 */
export const seen = Effect.fnUntraced(function*(
  { node }: Pick<Context, "node">,
  content: Content,
  found: Extract<PayoutState.PayoutEvent, { readonly _tag: "Found" }>
) {
  const transfer = Option.getOrUndefined(fromContent(content))
  if (!found.succeeded || transfer === undefined || Option.isNone(node)) return found
  const receipt = yield* node.value.read("klay_getTransactionReceipt", [found.transactionHash], Receipt)
  if (receipt === null || !isWhole(receipt, found)) return undefined
  const arrived = arrivedBy(receipt.logs, transfer)
  return arrived === transfer.amount ? found : { ...found, moved: String(arrived) }
})
