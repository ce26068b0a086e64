/**
 * Transfers as the service records them.
 *
 * **Details**
 *
 * A tagged union: {@link CoinTransfer} (the native coin), {@link FtTransfer}, {@link NftTransfer}, {@link MtTransfer},
 * and {@link UnknownTransfer} for kinds this SDK does not know yet, which keeps the record. Moving a token means
 * calling its contract, so a token transfer may come with the coin transfer of the same transaction, whose value is
 * mostly 0 (the API document); it may also come without it (seen). Records have no ID and no log index: two equal
 * records of one transaction are two transfers. Every record of a transaction repeats its fee; see
 * `TransactionGrouping` for counting it once.
 *
 * The API document does not show the fields; all were seen in the public clients of the service. Addresses are lower
 * case, amounts and token IDs are `bigint`, times are Unix seconds. Fields that older records lack are optional; a
 * `null`, or an empty string where none is valid, decodes as missing. An unreadable record makes its page fail, unless
 * the page is read with `unreadable: "keep"`, see `Paged`.
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { JSONIdentifierAnnotationId } from "effect/SchemaAST"
import * as internal from "./internal/transferSchemas.js"
import { BlockNumber } from "./Range.js"

const fees = {
  /** Fee of the whole transaction in peb: gas used times gas price. */
  fee: PebFromQuantity,
  /** Who paid the fee, if it was not the sender. */
  feePayer: internal.noneAsEmpty,
  /** The fee payer's share in percent, 1 to 99; 0 without partial delegation, also when the fee payer paid all. */
  feeRatio: Schema.Int
}

const coin = {
  /** The address of the sender. */
  from: Address.FromWire,
  /** The receiver, or the contract that was executed. */
  to: Address.FromWire,
  /** In peb. */
  value: PebFromQuantity,
  ...fees,
  /** 1: the transaction succeeded; 0: it failed, and moved nothing but the fee. */
  status: Decoder.optional(internal.Status),
  /** The hash of the transaction. */
  transactionHash: Hash.FromWire,
  /** Position in the block. */
  transactionIndex: Decoder.optional(Schema.Int),
  /** The number of the block. */
  blockNumber: Decoder.optional(BlockNumber),
  /** The number of the transaction type: 8 value transfer, 48 contract execution, 49 the same with a fee payer, ... */
  typeInt: Schema.Int,
  /** When it happened. */
  timestamp: Decoder.optional(UnixTime)
}

/**
 * A transfer of the native coin, or the coin side of a contract execution (then its value is mostly 0). `status` says
 * whether the transaction succeeded: a failed one moved nothing but the fee. Any other status is kept as its number.
 * Decodes both names of the coin, `klay` and `coin`, and encodes as `klay`, the only one seen in answers.
 *
 * @category schemas
 */
export const CoinTransfer = Schema.Struct({
  _tag: internal.tag(Schema.transformLiterals(["klay", "CoinTransfer"], ["coin", "CoinTransfer"])),
  ...coin
}).annotations({ identifier: "CoinTransfer" })

/**
 * A transfer of the native coin, or the coin side of a contract execution (then its value is mostly 0).
 *
 * @category models
 */
export type CoinTransfer = typeof CoinTransfer.Type

/**
 * The transaction of a token transfer, as its record describes it, without receiver, status or position.
 *
 * @category schemas
 */
export const TransactionSummary = Schema.Struct({
  /** The sender of the transaction, not necessarily the account whose tokens moved. */
  from: Address.FromWire,
  /** The hash of the transaction. */
  transactionHash: Hash.FromWire,
  /** The number of the block. */
  blockNumber: Decoder.optional(BlockNumber),
  /** When it happened. */
  timestamp: Decoder.optional(UnixTime),
  /** The number of the transaction type: 8 value transfer, 48 contract execution, 49 the same with a fee payer, ... */
  typeInt: Schema.Int,
  /** Native coin sent with the execution, in peb. */
  value: PebFromQuantity,
  ...fees
}).annotations({ identifier: "TransactionSummary" })

/**
 * The transaction of a token transfer, as its record describes it.
 *
 * @category models
 */
export type TransactionSummary = typeof TransactionSummary.Type

/**
 * The contract of a token transfer, as its record describes it; everything but the address may be missing.
 *
 * @category schemas
 */
export const ContractSummary = Schema.Struct({
  /** The address of the contract. */
  address: Address.FromWire,
  /** The name that the contract returns. */
  name: Decoder.optional(Schema.String),
  /** The symbol that the contract returns. */
  symbol: Decoder.optional(Schema.String),
  /** How many decimal places the token has. */
  decimals: Decoder.optional(Schema.Int),
  /** Whether the service has labelled the contract. */
  status: Decoder.optional(Schema.String)
}).annotations({ identifier: "ContractSummary" })

/**
 * The contract of a token transfer, as its record describes it; everything but the address may be missing.
 *
 * @category models
 */
export type ContractSummary = typeof ContractSummary.Type

const token = {
  /** Whose token moved; the zero address for a mint. */
  from: Address.FromWire,
  /** Who received it; the zero address for a burn. */
  to: Address.FromWire,
  /** The contract of the token. */
  contract: ContractSummary,
  /** The transaction that moved the token. */
  transaction: TransactionSummary
}

/**
 * A transfer of a fungible token. `value` is in the token's smallest unit; `formattedValue` is the same amount as the
 * service formats it in decimal.
 *
 * @category schemas
 */
export const FtTransfer = Schema.Struct({
  /** The kind of the transfer. */
  _tag: internal.tag(Schema.transformLiteral("ft", "FtTransfer")),
  ...token,
  /** The amount, in the token's smallest unit. */
  value: BigIntFromQuantity,
  /** The amount as the service writes it in decimal. */
  formattedValue: Decoder.optional(Schema.String)
}).annotations({ identifier: "FtTransfer" })

/**
 * A transfer of a fungible token.
 *
 * @category models
 */
export type FtTransfer = typeof FtTransfer.Type

/**
 * A transfer of a non-fungible token.
 *
 * @category schemas
 */
export const NftTransfer = Schema.Struct({
  /** The kind of the transfer. */
  _tag: internal.tag(Schema.transformLiteral("nft", "NftTransfer")),
  ...token,
  /** The ID of the token. */
  tokenId: BigIntFromQuantity
}).annotations({ identifier: "NftTransfer" })

/**
 * A transfer of a non-fungible token.
 *
 * @category models
 */
export type NftTransfer = typeof NftTransfer.Type

/**
 * A transfer of multi tokens: `values[i]` units of token `ids[i]`. The API document has this kind but describes no
 * record; this one was seen.
 *
 * @category schemas
 */
export const MtTransfer = Schema.Struct({
  /** The kind of the transfer. */
  _tag: internal.tag(Schema.transformLiteral("mt", "MtTransfer")),
  ...token,
  /** The account that carried out the transfer. */
  operator: Address.FromWire,
  /** The IDs of the tokens. */
  ids: Schema.Array(BigIntFromQuantity),
  /** How many units of each of `ids` moved. */
  values: Schema.Array(BigIntFromQuantity)
}).pipe(
  Schema.filter(({ ids, values }) => ids.length === values.length, {
    // A JSON schema name only, so that an error message shows the description instead.
    [JSONIdentifierAnnotationId]: "MtTransfer",
    description: "MtTransfer with as many values as ids"
  })
)

/**
 * A transfer of multi tokens: `values[i]` units of token `ids[i]`.
 *
 * @category models
 */
export type MtTransfer = typeof MtTransfer.Type

/**
 * A record of a kind this SDK does not know, kept as received. `transferType` is the kind's name on the wire.
 *
 * @category schemas
 */
export const UnknownTransfer = internal.UnknownTransfer

/**
 * A record of a kind this SDK does not know, kept as received.
 *
 * @category models
 */
export type UnknownTransfer = typeof UnknownTransfer.Type

// One schema for each name of the coin, since a union selects a member by a single literal.

/** A transfer of the native coin, under the name seen in answers. */
const KlayTransfer = Schema.Struct({
  /** The kind of the transfer. */
  _tag: internal.tag(Schema.transformLiteral("klay", "CoinTransfer")),
  ...coin
}).annotations({ identifier: "KlayTransfer" })

/** A transfer of the native coin, under the API document's name of the kind. Otherwise like `KlayTransfer`. */
const DocumentedTransfer = Schema.Struct({
  /** The kind of the transfer. */
  _tag: internal.tag(Schema.transformLiteral("coin", "CoinTransfer")),
  ...coin
}).annotations({ identifier: "CoinTransfer" })

/**
 * A transfer of any kind.
 *
 * **Example** (match on the kind)
 *
 * ```ts
 * import * as Amount from "@effect-klaytn/core/Amount"
 * import type * as Transfer from "@effect-klaytn/history/Transfer"
 * import * as Match from "effect/Match"
 *
 * export const describe = Match.type<Transfer.Transfer>().pipe(
 *   Match.tag("CoinTransfer", (_) => Amount.format(_.value)),
 *   Match.tag("FtTransfer", (_) => `${_.formattedValue} ${_.contract.symbol}`),
 *   Match.tag("NftTransfer", (_) => `token ${_.tokenId}`),
 *   Match.tag("MtTransfer", (_) => `${_.ids.length} tokens`),
 *   Match.tag("UnknownTransfer", (_) => `a ${_.transferType}`),
 *   Match.exhaustive
 * )
 * ```
 *
 * @category schemas
 */
export const Transfer = Schema.Union(
  KlayTransfer,
  DocumentedTransfer,
  FtTransfer,
  NftTransfer,
  MtTransfer,
  UnknownTransfer
)

/**
 * A transfer of any kind.
 *
 * @category models
 */
export type Transfer = typeof Transfer.Type

/**
 * The hash of the transaction that a transfer belongs to; `undefined` only for an unknown record that does not have it
 * where the known kinds do.
 *
 * @category accessors
 */
export const transactionHash = (transfer: Transfer): Hash.Hash | undefined => {
  switch (transfer._tag) {
    case "CoinTransfer":
      return transfer.transactionHash
    case "UnknownTransfer":
      return internal.hashOf(transfer.record)
    default:
      return transfer.transaction.transactionHash
  }
}
