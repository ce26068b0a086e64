/**
 * The report of a day: what was paid, by token and state, with the fees, and every difference between the database and the
 * chain. {@link Payouts.Service.report} makes it.
 *
 * **Details**
 *
 * A day is 24 hours of UTC. A payment that is in a block counts on the day of its block, and all others on the day of their
 * last change. Amounts are those of the database; fees are those of the chain.
 *
 * Payouts need accounts that nothing else uses, so each transaction of the day must be a payment of the database, or move
 * nothing, as the transactions do that open an account or fill a nonce. Every account that pays in the database is checked.
 *
 * **Gotchas**
 *
 * The node must have the states of the first and the last block of the day. A full node drops old states, so make the
 * report soon, or ask an archive node.
 *
 * A report while payments are being settled may find that the database is behind the chain. It does not find this for a day
 * on which every payout has ended.
 */
import { Address } from "@effect-klaytn/core/Address"
import { Chain } from "@effect-klaytn/core/Chain"
import { Hash } from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import { Tag } from "./PayoutState.js"

/**
 * The payments of one token in one state. `token` is absent for KLAY; `amount` is in the smallest unit of the token, or in
 * peb. `fee` is in peb; it is 0 for payments that are in no block.
 *
 * @category schemas
 */
export const Total = Schema.Struct({
  token: Schema.optional(Address),
  state: Tag,
  count: Schema.Int,
  amount: Schema.BigInt,
  fee: Schema.BigInt
}).annotations({ identifier: "Total" })

/**
 * The payments of one token in one state.
 *
 * @category models
 */
export type Total = typeof Total.Type

/**
 * The fields of a payment that are compared with the chain.
 *
 * - `amount`, in the smallest unit of `token`, or in peb; `to`, `token`, `from`, `memo`, and the `input` of other calls.
 * - `nonce`, `block`, `transactionHash`, `paidBy` (the account that pays the fee).
 * - `state`: `Executed` or `Refused` on the chain, and another state in the database.
 *
 * @category schemas
 */
export const Field = Schema.Literal(
  "from",
  "token",
  "to",
  "amount",
  "memo",
  "input",
  "nonce",
  "block",
  "transactionHash",
  "paidBy",
  "state"
)

/**
 * A field of a payment.
 *
 * @category models
 */
export type Field = typeof Field.Type

/**
 * A difference between the database and the chain.
 *
 * - `NotOnChain`: the database has a payment in a block, and the chain has no such transaction.
 * - `Differs`: a payment is on the chain with another `field`. `token` is that of an `amount`.
 * - `ClaimedTwice`: several payments of the database name the same transaction.
 * - `Unexplained`: a transaction of an account that no payment of the database explains.
 *
 * @category schemas
 */
export const Difference = Schema.Union(
  Schema.TaggedStruct("NotOnChain", { key: Schema.String, transactionHash: Hash, block: Schema.Int }),
  Schema.TaggedStruct("Differs", {
    key: Schema.String,
    transactionHash: Hash,
    field: Field,
    database: Schema.String,
    chain: Schema.String,
    token: Schema.optional(Address)
  }),
  Schema.TaggedStruct("ClaimedTwice", { transactionHash: Hash, keys: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("Unexplained", {
    transactionHash: Hash,
    from: Address,
    nonce: Schema.Int,
    block: Schema.Int,
    to: Schema.optional(Address),
    /** In peb. */
    value: Schema.BigInt,
    input: Schema.String,
    /** The number of its type on the chain, as in `typeInt` of a receipt. */
    typeInt: Schema.optional(Schema.Int)
  })
).annotations({ identifier: "Difference" })

/**
 * A difference.
 *
 * @category models
 */
export type Difference = typeof Difference.Type

/**
 * The report. `blocks` are the first and the last of the day, absent if it has none; `isOver` says whether the chain has
 * later ones. `fees` are those of all transactions of the accounts in the day, by the account that paid; with a fee ratio
 * both accounts paid. `movedNothing` are the transactions that opened an account, filled a nonce or cancelled a payment.
 *
 * @category schemas
 */
export const DayReport = Schema.Struct({
  /** Such as `2026-11-23`. */
  day: Schema.String,
  timeZone: Schema.Literal("UTC"),
  chain: Chain,
  blocks: Schema.optional(Schema.Struct({ first: Schema.Int, last: Schema.Int })),
  isOver: Schema.Boolean,
  totals: Schema.Array(Total),
  movedNothing: Schema.Struct({ count: Schema.Int, fee: Schema.BigInt }),
  fees: Schema.Array(Schema.Struct({ paidBy: Address, count: Schema.Int, fee: Schema.BigInt })),
  differences: Schema.Array(Difference)
}).annotations({ identifier: "DayReport" })

/**
 * The report of a day.
 *
 * @category models
 */
export type DayReport = typeof DayReport.Type
