/**
 * Transfers as the service records them.
 *
 * **Details**
 *
 * A tagged union: {@link CoinTransfer} (the native coin), {@link FtTransfer}, {@link NftTransfer}, {@link MtTransfer},
 * and {@link UnknownTransfer} for kinds this SDK does not know yet, which keeps the record. Moving a token means
 * calling its contract, so a token transfer may come with the coin transfer of the same transaction, whose value is
 * mostly 0 (the document); it may also come without it (seen). Records carry no ID and no log index: two equal records
 * of one transaction are two transfers. The fee stands in every record of a transaction; see `Transactions` for
 * counting it once.
 *
 * The fields are not shown in the document; all were seen in the public clients of the service. Addresses are lower
 * case, amounts and token IDs `bigint`, times Unix seconds. Fields that older records lack are optional; where one is
 * null, or an empty text that it can't have, it reads as missing. A record that is not read makes its page fail, unless
 * it is asked for with `unreadable: "keep"`, see `Paged`.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Schema from "effect/Schema"
import { JSONIdentifierAnnotationId } from "effect/SchemaAST"
import * as internal from "./internal/transfer.js"
import { BlockNumber } from "./Range.js"

const fees = {
  /** Fee of the whole transaction in peb: gas used times gas price. */
  fee: PebFromQuantity,
  /** Who paid the fee, if it was not the sender. */
  feePayer: internal.noneAsEmpty,
  /** The fee payer's share in percent, 1 to 99; 0 without partial delegation, also when the fee payer paid all. */
  feeRatio: Schema.Int
}

/**
 * A transfer of the native coin, or the coin side of a contract execution (then its value is mostly 0). `status` tells
 * whether the transaction succeeded: a failed one moved nothing but the fee. A status that is neither is kept as its
 * number. Reads both words for the coin, `klay` and `coin`, and writes `klay`, the only one seen in answers.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinTransfer = Schema.Struct({
  _tag: internal.tag(Schema.transformLiterals(["klay", "CoinTransfer"], ["coin", "CoinTransfer"])),
  from: Address.FromWire,
  /** The receiver, or the contract that was executed. */
  to: Address.FromWire,
  /** In peb. */
  value: PebFromQuantity,
  ...fees,
  status: Decoder.optional(internal.Status),
  transactionHash: Hash.FromWire,
  /** Position in the block. */
  transactionIndex: Decoder.optional(Schema.Int),
  blockNumber: Decoder.optional(BlockNumber),
  /** The number of the transaction type: 8 value transfer, 48 contract execution, 49 the same with a fee payer, ... */
  typeInt: Schema.Int,
  timestamp: Decoder.optional(UnixTime)
}).annotations({ identifier: "CoinTransfer" })

/**
 * A transfer of the native coin, or the coin side of a contract execution (then its value is mostly 0).
 *
 * @since 0.1.0
 * @category models
 */
export type CoinTransfer = typeof CoinTransfer.Type

/**
 * What a token transfer tells of its transaction. There is no receiver, no status and no position here.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionSummary = Schema.Struct({
  /** The sender of the transaction, who need not be the one whose tokens moved. */
  from: Address.FromWire,
  transactionHash: Hash.FromWire,
  blockNumber: Decoder.optional(BlockNumber),
  timestamp: Decoder.optional(UnixTime),
  typeInt: Schema.Int,
  /** Native coin sent with the execution, in peb. */
  value: PebFromQuantity,
  ...fees
}).annotations({ identifier: "TransactionSummary" })

/**
 * What a token transfer tells of its transaction.
 *
 * @since 0.1.0
 * @category models
 */
export type TransactionSummary = typeof TransactionSummary.Type

/**
 * What a token transfer tells of its contract; everything but the address may be missing.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ContractSummary = Schema.Struct({
  address: Address.FromWire,
  name: Decoder.optional(Schema.String),
  symbol: Decoder.optional(Schema.String),
  decimals: Decoder.optional(Schema.Int),
  /** Whether the service has labelled the contract. */
  status: Decoder.optional(Schema.String)
}).annotations({ identifier: "ContractSummary" })

/**
 * What a token transfer tells of its contract; everything but the address may be missing.
 *
 * @since 0.1.0
 * @category models
 */
export type ContractSummary = typeof ContractSummary.Type

const token = {
  /** Whose token moved; the zero address for a mint. */
  from: Address.FromWire,
  /** Who received it; the zero address for a burn. */
  to: Address.FromWire,
  contract: ContractSummary,
  transaction: TransactionSummary
}

/**
 * A transfer of a fungible token. `value` is in the token's smallest unit; `formattedValue` is the service's decimal
 * text of it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FtTransfer = Schema.Struct({
  _tag: internal.tag(Schema.transformLiteral("ft", "FtTransfer")),
  ...token,
  value: BigIntFromQuantity,
  formattedValue: Decoder.optional(Schema.String)
}).annotations({ identifier: "FtTransfer" })

/**
 * A transfer of a fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export type FtTransfer = typeof FtTransfer.Type

/**
 * A transfer of a non-fungible token.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NftTransfer = Schema.Struct({
  _tag: internal.tag(Schema.transformLiteral("nft", "NftTransfer")),
  ...token,
  tokenId: BigIntFromQuantity
}).annotations({ identifier: "NftTransfer" })

/**
 * A transfer of a non-fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export type NftTransfer = typeof NftTransfer.Type

/**
 * A transfer of multi tokens: `values[i]` pieces of token `ids[i]`. The document accepts the kind but describes no
 * record; this one was seen.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MtTransfer = Schema.Struct({
  _tag: internal.tag(Schema.transformLiteral("mt", "MtTransfer")),
  ...token,
  /** The account that carried out the transfer. */
  operator: Address.FromWire,
  ids: Schema.Array(BigIntFromQuantity),
  values: Schema.Array(BigIntFromQuantity)
}).pipe(
  Schema.filter(({ ids, values }) => ids.length === values.length, {
    // Named for the interface document only: a refusal then says what the record should be.
    [JSONIdentifierAnnotationId]: "MtTransfer",
    description: "MtTransfer with as many values as ids"
  })
)

/**
 * A transfer of multi tokens: `values[i]` pieces of token `ids[i]`.
 *
 * @since 0.1.0
 * @category models
 */
export type MtTransfer = typeof MtTransfer.Type

/**
 * A record of a kind this SDK does not know, kept as it came. `transferType` is its word for itself.
 *
 * @since 0.1.0
 * @category schemas
 */
export const UnknownTransfer = internal.UnknownTransfer

/**
 * A record of a kind this SDK does not know, kept as it came.
 *
 * @since 0.1.0
 * @category models
 */
export type UnknownTransfer = typeof UnknownTransfer.Type

/**
 * A transfer of any kind.
 *
 * **Example** (one answer for each kind)
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
 * @since 0.1.0
 * @category schemas
 */
export const Transfer = Schema.Union(
  // One member for each word of the coin: a member is picked by a single literal.
  Schema.Struct({ ...CoinTransfer.fields, _tag: internal.tag(Schema.transformLiteral("klay", "CoinTransfer")) })
    .annotations({ identifier: "KlayTransfer" }),
  Schema.Struct({ ...CoinTransfer.fields, _tag: internal.tag(Schema.transformLiteral("coin", "CoinTransfer")) })
    .annotations({ identifier: "CoinTransfer" }),
  FtTransfer,
  NftTransfer,
  MtTransfer,
  UnknownTransfer
)

/**
 * A transfer of any kind.
 *
 * @since 0.1.0
 * @category models
 */
export type Transfer = typeof Transfer.Type

/**
 * The hash of the transaction that a transfer belongs to; none only for an unknown record that does not show it where
 * the known ones do.
 *
 * @since 0.1.0
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
