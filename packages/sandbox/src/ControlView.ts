/**
 * The answers of the control interface.
 */
import { Chain } from "@effect-klaytn/core/Chain"
import * as Schema from "effect/Schema"
import { LabelStatus, Whole } from "./ControlInput.js"

const Hex = Schema.TemplateLiteral("0x", Schema.String)

/**
 * The state of a chain.
 *
 * @category schemas
 */
export const ChainState = Schema.Struct({
  chainId: Chain,
  /** Number of the newest block. */
  height: Schema.Int,
  blockHash: Hex,
  /** Equal for equal histories of the chain, different otherwise. */
  stateRoot: Hex,
  /** The chain's current time, Unix seconds. */
  now: Schema.Number,
  /** Transactions that wait for a block. */
  pending: Schema.Int,
  /** Only while no blocks can be built: since when (Unix seconds), the number of attempts, and the error. */
  stuck: Schema.optional(Schema.Struct({ since: Schema.Number, attempts: Schema.Int, message: Schema.String })),
  /** The base fee, in peb for one unit of gas; the least, where it moves. */
  unitPrice: Whole,
  /**
   * What transactions pay and how they run: what they offer, with contracts as on Kaia 2.2 (`kaiaExecution`), or, in a file of an
   * older version, the same with contracts as on Ethereum (`offeredPrice`), or the base fee alone (`constantPrice`).
   */
  rules: Schema.Literal("kaiaExecution", "offeredPrice", "constantPrice")
})

/**
 * The state of a chain.
 *
 * @category models
 */
export type ChainState = typeof ChainState.Type

/**
 * Where the sandbox differs from a node of Kaia, and why. The texts are to be shown, with code between backticks.
 *
 * @category schemas
 */
export const Deviation = Schema.Struct({
  here: Schema.String,
  /** The same on a node of release 2.2.1. */
  node: Schema.String,
  why: Schema.String
})

/**
 * Where the sandbox differs from a node of Kaia, and why.
 *
 * @category models
 */
export type Deviation = typeof Deviation.Type

/**
 * An account whose key the sandbox holds.
 *
 * @category schemas
 */
export const NamedAccount = Schema.Struct({
  name: Schema.String,
  address: Hex,
  /** peb */
  balance: Whole,
  nonce: Whole
})

/**
 * An account whose key the sandbox holds.
 *
 * @category models
 */
export type NamedAccount = typeof NamedAccount.Type

/**
 * A transaction of the sandbox, executed in a block.
 *
 * @category schemas
 */
export const Executed = Schema.Struct({
  transactionHash: Hex,
  blockNumber: Schema.Int,
  /** Unix seconds of the block. */
  timestamp: Schema.Number,
  from: Hex,
  to: Schema.optional(Hex),
  /** Coin that it sent, peb. */
  value: Whole,
  /** peb */
  fee: Whole,
  feePayer: Schema.optional(Hex),
  feeRatio: Schema.optional(Schema.Int)
})

/**
 * A transaction of the sandbox, executed in a block.
 *
 * @category models
 */
export type Executed = typeof Executed.Type

/**
 * A token contract.
 *
 * @category schemas
 */
export const Token = Schema.Struct({
  address: Hex,
  kind: Schema.Literal("ft", "nft", "mt"),
  minter: Schema.Literal("anyone", "deployer")
})

/**
 * A block that was just built.
 *
 * @category schemas
 */
export const MinedBlock = Schema.Struct({
  number: Schema.Int,
  hash: Hex,
  timestamp: Schema.Number,
  transactionCount: Schema.Int
})

/**
 * A block that was just built.
 *
 * @category models
 */
export type MinedBlock = typeof MinedBlock.Type

/**
 * A token contract and its label: whether and how the service lists it. Times are Unix seconds of the chain.
 *
 * @category schemas
 */
export const Label = Schema.Struct({
  contract: Hex,
  kind: Schema.Literal("ft", "nft", "mt"),
  status: LabelStatus,
  createdAt: Schema.Number,
  updatedAt: Schema.Number,
  /** When it was removed: since then the service does not find the contract. */
  deletedAt: Schema.optional(Schema.Number)
})

/**
 * A token contract and its label: whether and how the service lists it.
 *
 * @category models
 */
export type Label = typeof Label.Type

/**
 * A preset. Searches name it by its ID, as a string.
 *
 * @category schemas
 */
export const Preset = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  accounts: Schema.Array(Hex),
  contracts: Schema.Array(Hex)
})

/**
 * A credential of the service, without its secret.
 *
 * @category schemas
 */
export const Credential = Schema.Struct({ accessKeyId: Schema.String })

/**
 * A transaction that was taken in and left the pool without a block.
 *
 * @category schemas
 */
export const Dropped = Schema.Struct({
  transactionHash: Hex,
  from: Hex,
  nonce: Whole,
  /** Why, in human-readable words. */
  reason: Schema.String,
  /** The transaction that has its nonce instead, in the pool or in a block; that one may have been replaced since. */
  replacedBy: Schema.optional(Hex)
})

/**
 * A transaction that was taken in and left the pool without a block.
 *
 * @category models
 */
export type Dropped = typeof Dropped.Type

/**
 * How many waiting transactions an emptied pool had.
 *
 * @category schemas
 */
export const EmptiedPool = Schema.Struct({ dropped: Schema.Int })

/**
 * How many waiting transactions an emptied pool had.
 *
 * @category models
 */
export type EmptiedPool = typeof EmptiedPool.Type

/**
 * The health of the sandbox: both chains build blocks, and each service (history, tokens, wallet, node, resource)
 * answered a read just now, which faults and the request log don't see. Otherwise the answer is 503, `ServiceDown` or
 * `ChainStuck`.
 *
 * @category schemas
 */
export const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  chains: Schema.Array(ChainState)
})

/**
 * A credential of the service with its secret, shown when it is made and never again.
 *
 * @category schemas
 */
export const NewCredential = Schema.Struct({
  accessKeyId: Schema.String,
  secretAccessKey: Schema.Redacted(Schema.String)
})

/**
 * A credential of the service with its secret, shown when it is made and never again.
 *
 * @category models
 */
export type NewCredential = typeof NewCredential.Type

/**
 * The pools of a name, as the header `x-krn` takes them.
 *
 * @category schemas
 */
export const Pool = Schema.Struct({
  name: Schema.String,
  /** Resource name of the pool for accounts. */
  accounts: Schema.String,
  /** Resource name of the pool for fee payers. */
  feePayers: Schema.String,
  /** Resource name of the pool for keys that no account has. */
  keys: Schema.String
})

/**
 * The pools of a name, as the header `x-krn` takes them.
 *
 * @category models
 */
export type Pool = typeof Pool.Type

/**
 * A fee that the service's own fee payer has paid.
 *
 * @category schemas
 */
export const PaidFee = Schema.Struct({
  transactionHash: Hex,
  blockNumber: Schema.Int,
  /** Unix seconds of the block. */
  timestamp: Schema.Number,
  /** Sender of the transaction. */
  from: Hex,
  typeInt: Schema.Int,
  /** What it paid, peb. */
  paid: Whole,
  /** What it paid of the fee, percent; absent when it paid all. */
  feeRatio: Schema.optional(Schema.Int)
})

/**
 * The service's own fee payer and its ledger, newest entry first, at most 10,000. The ledger is read from the chain:
 * entries that a revert undoes disappear.
 *
 * @category schemas
 */
export const GlobalFeePayer = Schema.Struct({
  address: Hex,
  /** peb */
  balance: Whole,
  fees: Schema.Array(PaidFee)
})

/**
 * The service's own fee payer and its ledger, the newest entry first, 10,000 at most.
 *
 * @category models
 */
export type GlobalFeePayer = typeof GlobalFeePayer.Type
