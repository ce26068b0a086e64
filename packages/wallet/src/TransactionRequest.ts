/**
 * The content of a transaction, apart from its fee payer: one case for each kind that the service supports.
 *
 * **Details**
 *
 * `Value` is the API document's value transfer. The other kinds are not in the API document; they were seen in public
 * clients. `Transactions` sends all of them.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import { Chain } from "@effect-klaytn/core/Chain"
import { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Key from "@effect-klaytn/transaction/AccountKey"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { toEither } from "./internal/contract/codec.js"
import * as fields from "./internal/contract/fields.js"

const from = Address.FromInput
const to = Address.FromInput

/** A copy, without what a caller's object may have beside the fields of a key. */
const readAccountKey = (value: unknown, _: unknown, ast: AST.Declaration) =>
  Either.mapLeft(toEither(Key.validate(value)), ({ message }) => new ParseResult.Type(ast, value, message))

const AccountKeyFromSelf = Schema.declare([], { decode: () => readAccountKey, encode: () => readAccountKey }, {
  identifier: "AccountKey",
  message: () => "expected an account key of @effect-klaytn/transaction/AccountKey"
})

const bytes = HexEncoding.HexDataFromWire

const kinds = <I>(amount: Schema.Schema<Amount.Peb, I>) =>
  Schema.Union(
    Schema.TaggedStruct("Value", { from, to, value: amount, memo: Schema.optional(Schema.String) }),
    Schema.TaggedStruct("Legacy", {
      from,
      to: Schema.optional(to),
      value: Schema.optional(amount),
      input: Schema.optional(bytes)
    }),
    Schema.TaggedStruct("Deploy", { from, input: bytes, value: Schema.optional(amount) }),
    Schema.TaggedStruct("Execute", { from, to, input: bytes, value: Schema.optional(amount) }),
    Schema.TaggedStruct("Anchor", { from, input: bytes }),
    Schema.TaggedStruct("Cancel", {
      from,
      nonce: Schema.optional(fields.Nonce),
      transactionHash: Schema.optional(Hash.FromWire)
    }).pipe(
      Schema.filter((cancel) =>
        (cancel.nonce === undefined) === (cancel.transactionHash === undefined)
          ? "name the transaction to cancel by its nonce or by its transactionHash, and not by both"
          : undefined
      )
    ),
    Schema.TaggedStruct("AccountUpdate", { from, accountKey: AccountKeyFromSelf }),
    Schema.TaggedStruct("Rlp", { rlp: bytes, from: Schema.optional(from) })
  )

/**
 * The kinds of transactions.
 *
 * - `Value`: moves `value` peb to `to`; `memo` is text whose UTF-8 bytes become the input, even if it looks like hex.
 * - `Legacy`: the oldest form; without `to` it creates a contract. Only the sender can pay.
 * - `Deploy`: creates a contract from the code in `input`.
 * - `Execute`: calls the contract at `to` with the call data in `input`.
 * - `Anchor`: anchors the data in `input`. An ordinary node refuses it from a client ("locally anchoring chaindata tx is not allowed in
 *   this node"): behind a gateway of your own it is `NotSent`, unless the node's operator allows it. The sandbox takes it. Any node takes
 *   data in a `Value` with a memo, or in an `Execute`.
 * - `Cancel`: replaces a waiting transaction, given by its `nonce` or its `transactionHash`. While it waits itself, a transaction
 *   with that nonce and a higher price replaces it: a block decides which of the two is executed.
 * - `AccountUpdate`: gives the account another key. The wallet can't use the account after that (seen).
 * - `Rlp`: a transaction that was built elsewhere, unsigned or signed; `from` only for the legacy form.
 *
 * @category schemas
 */
export const TransactionRequest = kinds(Amount.Peb).annotations({ identifier: "TransactionRequest" })

/**
 * A request in JSON, with amounts as decimal strings.
 *
 * @category schemas
 */
export const StoredRequest = kinds(Schema.compose(Schema.BigInt, Amount.Peb)).annotations({
  identifier: "StoredRequest"
})

/**
 * A transaction request of any kind, after validation.
 *
 * @category models
 */
export type TransactionRequest = typeof TransactionRequest.Type

/**
 * A request as a caller writes it: addresses and bytes as text, amounts as `bigint` in peb.
 *
 * @category models
 */
export type TransactionRequestInput = typeof TransactionRequest.Encoded

/**
 * One kind of request.
 *
 * @category models
 */
export type Of<Tag extends TransactionRequest["_tag"]> = Extract<TransactionRequest, { readonly _tag: Tag }>

/**
 * Everything that determines what is sent: a request, and how it is sent.
 *
 * @category schemas
 */
export const Contents = Schema.Struct({
  chain: Chain,
  /** The host of the wallet that it is sent to. */
  host: Schema.String,
  request: StoredRequest,
  ...fields.send,
  /** How the service that it is sent to reads the fee payer, as the configuration says. */
  feePayerStyle: FeePayerStyle,
  /** The value of the header `x-krn`. If absent, the customer's default pool is used. */
  pool: Schema.optional(Schema.String),
  /** If false, the transaction is only signed. */
  submit: Schema.Boolean
}).annotations({ identifier: "Contents" })

/**
 * Everything that determines what is sent.
 *
 * @category models
 */
export type Contents = typeof Contents.Type
