/** What a report reads from the chain: the blocks of a day, transactions with their fees, and the nonces of accounts. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire, noData } from "@effect-klaytn/core/HexEncoding"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Log } from "../arrivals.js"
import { type Node, quantity } from "../node.js"

/** A transaction that is in a block. */
export type Mined = ReturnType<typeof toMined>

/** The blocks of a time, the newest block, and whether the chain has blocks after the time. */
export type Blocks = Effect.Effect.Success<ReturnType<ChainView["blocksOf"]>>

const Counted = Schema.transform(BigIntFromQuantity, Schema.NonNegativeInt, {
  strict: true,
  decode: Number,
  encode: BigInt
})

const Block = Schema.Struct({ number: Counted, timestamp: Counted })

/** An answer about something else than was asked for: a copy of the node that is wrong gave it. */
const aboutAnother = (asked: string) =>
  new LookupFailed({ problem: `${asked} was asked for, and the node answered about another one` })

const absent = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

const Receipt = Schema.NullOr(Schema.Struct({
  transactionHash: Hash.FromWire,
  blockNumber: Counted,
  from: Address.FromWire,
  nonce: Counted,
  typeInt: absent(Schema.Int),
  to: absent(Address.FromWire),
  value: absent(Amount.FromQuantity),
  input: absent(HexDataFromWire),
  status: Counted,
  feePayer: absent(Address.FromWire),
  feeRatio: absent(Schema.Int),
  logs: absent(Schema.Array(Log)),
  gas: absent(BigIntFromQuantity),
  gasUsed: BigIntFromQuantity,
  gasPrice: absent(BigIntFromQuantity),
  effectiveGasPrice: absent(BigIntFromQuantity)
}))

const toMined = (receipt: NonNullable<typeof Receipt.Type>, price: bigint) => {
  const { blockNumber: block, feePayer, feeRatio = 100, from, gasUsed, status } = receipt
  const { gas = gasUsed } = receipt
  const bySender = (fee: bigint) => fee - fee * BigInt(feeRatio) / 100n
  return {
    ...Struct.pick(receipt, "transactionHash", "from", "nonce", "typeInt", "to", "logs"),
    value: receipt.value ?? Amount.zero,
    input: receipt.input ?? noData,
    block,
    succeeded: status === 1,
    paidBy: feePayer ?? from,
    /** In peb. */
    fee: gasUsed * price,
    /**
     * Of the fee, what the sender pays although another account is the fee payer: its part of all gas, less its part of the gas
     * that is left, as the chain rounds.
     */
    senderShare: bySender(gas * price) - bySender((gas - gasUsed) * price)
  }
}

/** The chain as a report reads it. */
export type ChainView = ReturnType<typeof make>

export const make = (node: Node, lookup: TransactionLookup.Service) => {
  const timeOf = (block: number) =>
    Effect.flatMap(
      node.read("klay_getBlockByNumber", [quantity(block), false], Block),
      ({ number, timestamp }) => number === block ? Effect.succeed(timestamp * 1000) : aboutAnother(`block ${block}`)
    )

  /** The first block that is not older than a time; the one after `head` if all are older. */
  const firstBlock = (since: number, head: number) =>
    Effect.gen(function*() {
      let [low, high] = [0, head + 1]
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        if ((yield* timeOf(middle)) < since) low = middle + 1
        else high = middle
      }
      return low
    })

  const byHash = (hash: Hash.Hash) =>
    Effect.gen(function*() {
      const receipt = yield* node.read("klay_getTransactionReceipt", [hash], Receipt)
      if (receipt === null) return Option.none()
      if (receipt.transactionHash !== hash) return yield* aboutAnother(`the receipt of ${hash}`)
      const price = receipt.effectiveGasPrice ?? receipt.gasPrice
      // A fee of 0 would be one that nobody paid.
      return price === undefined
        ? yield* new LookupFailed({
          problem: `klay_getTransactionReceipt: the receipt of ${hash} has no effectiveGasPrice and no gasPrice`
        })
        : Option.some(toMined(receipt, price))
    })

  return {
    byHash,

    byNonce: (from: Address.Address, nonce: number) =>
      Effect.flatMap(
        lookup.byNonce(from, nonce),
        (found) => Option.isSome(found) ? byHash(found.value.transactionHash) : Effect.succeedNone
      ),

    /** The blocks from a time, in Unix milliseconds, to another, which is excluded. */
    blocksOf: (start: number, end: number) =>
      Effect.gen(function*() {
        const head = yield* node.read("klay_blockNumber", [], Counted)
        const first = yield* firstBlock(start, head)
        const next = yield* firstBlock(end, head)
        return { first, last: next - 1, head, isOver: next <= head }
      }),

    /** How many transactions of an account are in the blocks up to this one. */
    countAt: (address: Address.Address, block: number) =>
      block < 0
        ? Effect.succeed(0)
        : node.read("klay_getTransactionCount", [address, quantity(block)], Counted)
  }
}
