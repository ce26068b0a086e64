/**
 * Transactions as `klay_` and `kaia_` methods return them.
 *
 * **Details**
 *
 * A tagged union with one member for each type of the chain, `ValueTransfer` to `EthereumSetCode`, named as in the
 * chain's documentation without `TxType`. A type that this SDK does not know becomes `UnknownTransaction`, which keeps
 * the record. The fields follow the node's code:
 *
 * - every type has `hash`, `typeInt`, `from`, `nonce`, `gas` (the limit), `gasPrice` in peb, `signatures`;
 * - fee-delegated types add `feePayer` and `feePayerSignatures`; those with a ratio also `feeRatio`, the percentage
 *   that the fee payer pays;
 * - `senderTxHash` equals `hash` unless the fee is delegated.
 *
 * `blockHash`, `blockNumber` and `transactionIndex` are absent while the transaction is pending: the node then sends
 * zeros, its documentation says null, and both are read.
 */
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"
import * as TransactionSchemas from "./TransactionSchemas.js"

/**
 * A transaction of any type.
 *
 * @category models
 */
export type Transaction = TransactionSchemas.AnyType & TransactionSchemas.TransactionFields

/**
 * A transaction of one type, by its tag.
 *
 * @category models
 */
export type Of<Tag extends Transaction["_tag"]> = Extract<Transaction, { readonly _tag: Tag }>

/**
 * A transaction of any type, discriminated by `_tag`.
 *
 * @category schemas
 */
export const Transaction: Schema.Schema<Transaction, unknown> = TransactionSchemas.transactions

/**
 * A signature of a sender or fee payer, as integers. On the wire its parts are named `V`, `R` and `S` and have no
 * leading zeros.
 *
 * @category schemas
 */
export const Signature = TransactionSchemas.Signature

/**
 * A signature of a sender or fee payer, as integers.
 *
 * @category models
 */
export type Signature = typeof Signature.Type

/**
 * Access lists: the addresses and storage slots, 32 bytes each, that a transaction declares in advance. Form as in the
 * node's code.
 *
 * @category schemas
 */
export const AccessList = TransactionSchemas.AccessList

/**
 * The addresses and storage slots that a transaction declares in advance.
 *
 * @category models
 */
export type AccessList = typeof AccessList.Type

/**
 * Authorizations of a set-code transaction.
 *
 * @category schemas
 */
export const AuthorizationList = TransactionSchemas.AuthorizationList

/**
 * Authorizations of a set-code transaction.
 *
 * @category models
 */
export type AuthorizationList = typeof AuthorizationList.Type

const anchoring = Schema.Union(
  Schema.Struct({
    blockHash: schemas.Hash,
    transactionsRoot: schemas.Hash,
    parentHash: schemas.Hash,
    receiptsRoot: schemas.Hash,
    stateRoot: schemas.Hash,
    blockNumber: schemas.BigNumber,
    blockCount: schemas.optional(schemas.BigNumber),
    txCount: schemas.optional(schemas.BigNumber)
  }),
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
).annotations({ identifier: "Anchoring" })

/**
 * Data that another chain anchored on this one: a summary of a block, or any other object if the anchor holds free-form
 * JSON. The capitalised keys of old nodes are read too.
 *
 * @category models
 */
export type Anchoring = typeof anchoring.Type

/**
 * The schema of anchored data.
 *
 * @category schemas
 */
export const Anchoring: Schema.Schema<Anchoring, unknown> = schemas.prepare(
  anchoring,
  schemas.respell({
    BlockHash: "blockHash",
    TxHash: "transactionsRoot",
    ParentHash: "parentHash",
    ReceiptHash: "receiptsRoot",
    StateRootHash: "stateRoot",
    BlockNumber: "blockNumber",
    BlockCount: "blockCount",
    TxCount: "txCount"
  })
)
