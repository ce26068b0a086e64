/**
 * The tables of the index. The records of `BlockRecord`, `TransactionRecord`, `TransferRecord` and `TokenRecord` are made of
 * them.
 */
import {
  amount,
  bigInteger,
  type Column,
  flag,
  generated,
  hex,
  integer,
  json,
  named,
  nullable,
  oneOf,
  smallInteger,
  text,
  withDefault
} from "@effect-klaytn/store/Column"
import { table } from "@effect-klaytn/store/Table"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"

/**
 * The version of these tables. Raise it with every change of them: a store writes it into its file, so that programs with
 * an older version refuse the file.
 *
 * @category tables
 */
export const indexVersion = 4

/**
 * Blocks: a row each.
 *
 * @category tables
 */
export const blocks = table("blocks", {
  /** Height. Block 0 is the genesis block and holds no transactions. */
  number: integer,
  hash: hex,
  parentHash: named("parent", hex),
  /** Unix seconds; never less than the parent's. */
  timestamp: integer,
  gasUsed: bigInteger,
  /** 256 bytes: the bloom filter over the addresses and topics of all logs. Empty for the blocks of a node. */
  logsBloom: named("bloom", hex),
  stateRoot: hex,
  transactionsRoot: hex,
  receiptsRoot: hex,
  /** The size of the header and all raw transactions, in bytes. */
  size: integer,
  transactionCount: named("transactions", smallInteger),
  transferCount: named("transfers", smallInteger),
  // Blocks of an older file and of a foreign chain have none of these.
  miner: nullable(hex),
  gasLimit: nullable(bigInteger),
  baseFeePerGas: named("base_fee", nullable(amount)),
  mixHash: nullable(hex)
}, {
  primaryKey: ["number"],
  indexes: { hash: { on: ["hash"], isUnique: true }, timestamp: { on: ["timestamp"] } }
})

/**
 * Transactions with their receipts: a row each, by the key of block and position.
 *
 * @category tables
 */
export const transactions = table("transactions", {
  id: integer,
  hash: hex,
  /** NULL if it equals the hash. */
  senderTxHash: named("sender_hash", nullable(hex)),
  /** 0 legacy, 8 value transfer, ..., 30722 dynamic fee: the numbers of the service's transaction table. */
  typeInt: named("type", smallInteger),
  from: named("sender", hex),
  /** Undefined if the transaction creates a contract, updates an account, cancels or anchors. */
  to: named("recipient", nullable(hex)),
  /** Coin that the transaction sends, peb. */
  value: amount,
  nonce: bigInteger,
  /** Gas limit. */
  gas: bigInteger,
  /** peb for one unit of gas, as charged. */
  gasPrice: amount,
  gasUsed: bigInteger,
  /** Gas used by the block up to and including this transaction. */
  cumulativeGasUsed: named("cumulative_gas", bigInteger),
  /** Gas used times gas price, and what was paid for blobs: the whole fee, also if it is shared. */
  fee: amount,
  /** Undefined if the sender pays. */
  feePayer: nullable(hex),
  /** Percentage that the fee payer pays, 1 to 99; undefined if it pays everything or nothing. */
  feeRatio: nullable(smallInteger),
  /** 1 success, 0 failure: a failed transaction is part of its block and has paid its fee. */
  status: oneOf(0, 1),
  /** Why it failed: the node's code, 0x2 to 0x1e. */
  txError: nullable(integer),
  /** The contract that the transaction created; undefined if it failed. */
  contractAddress: named("contract", nullable(hex)),
  /** The signed bytes; Ethereum types without the envelope byte 0x78. */
  raw: hex,
  firstLog: integer,
  logCount: named("logs", smallInteger),
  firstTransfer: integer,
  transferCount: named("transfers", smallInteger)
}, {
  primaryKey: ["id"],
  indexes: {
    hash: { on: ["hash"], isUnique: true },
    sender_hash: { on: ["senderTxHash"], where: "sender_hash IS NOT NULL" },
    fee_payer: { on: ["feePayer", "id"], where: "fee_payer IS NOT NULL" },
    contract: { on: ["contractAddress"], where: "contract IS NOT NULL" }
  }
})

/**
 * Logs that contracts emitted, by transaction and position.
 *
 * @category tables
 */
export const logs = table("logs", {
  id: integer,
  tx: integer,
  address: hex,
  topic0: nullable(hex),
  topic1: nullable(hex),
  topic2: nullable(hex),
  topic3: nullable(hex),
  data: hex
}, {
  primaryKey: ["id"],
  indexes: {
    address: { on: ["address", "id"] },
    topic0: { on: ["topic0", "id"], where: "topic0 IS NOT NULL" }
  }
})

/**
 * Kinds of transfers. Coin transfers of value zero are a class of their own, so that a search can exclude them.
 *
 * @category tables
 */
export const transferClass = { coin: 0, ft: 1, nft: 2, mt: 3, zeroCoin: 4 } as const

const quantities = (joined = ""): ReadonlyArray<bigint> => joined === "" ? [] : joined.split(",").map(BigInt)

/** IDs and amounts of a multi-token transfer: `0x1,0x2/0x5,0x5`. */
const batch: Column<{ readonly ids: ReadonlyArray<bigint>; readonly values: ReadonlyArray<bigint> }> = {
  type: "TEXT",
  encode: ({ ids, values }) => [ids, values].map((all) => all.map(quantity).join(",")).join("/"),
  decode: (cell, name) => {
    const [ids, values] = text.decode(cell, name).split("/")
    return { ids: quantities(ids), values: quantities(values) }
  }
}

/**
 * Transfers: what moved coins or tokens, in the order in which transfer history lists them.
 *
 * @category tables
 */
export const transfers = table("transfers", {
  id: integer,
  tx: integer,
  class: oneOf(0, 1, 2, 3, 4),
  from: named("src", hex),
  /** Of coin: the contract that was executed or created, or the sender if the transaction names no other address. */
  to: named("dst", hex),
  contract: nullable(hex),
  operator: nullable(hex),
  /** The ID of a non-fungible token; 0 for multi tokens. */
  amount,
  batch: nullable(batch)
}, {
  primaryKey: ["id"],
  indexes: {
    src: { on: ["from", "class", "id"] },
    dst: { on: ["to", "class", "id"] },
    src_contract: { on: ["from", "contract", "class", "id"], where: "contract IS NOT NULL" },
    dst_contract: { on: ["to", "contract", "class", "id"], where: "contract IS NOT NULL" },
    contract: { on: ["contract", "class", "id"], where: "contract IS NOT NULL" },
    token: { on: ["contract", "amount", "id"], where: `class = ${transferClass.nft}` }
  }
})

/**
 * Token contracts, with the sums over all holders.
 *
 * @category tables
 */
export const contracts = table("contracts", {
  address: hex,
  kind: oneOf("ft", "nft", "mt"),
  standard: oneOf("KIP-7", "ERC-20", "KIP-17", "ERC-721", "KIP-37", "ERC-1155"),
  name: nullable(text),
  symbol: nullable(text),
  decimals: nullable(integer),
  block: integer,
  supply: withDefault(amount, 0n),
  holders: withDefault(integer, 0)
}, { primaryKey: ["address"], withoutRowid: true, indexes: { kind: { on: ["kind", "block"] } } })

/**
 * Non-fungible and multi tokens.
 *
 * @category tables
 */
export const tokens = table("tokens", {
  contract: hex,
  token: text,
  /** Owner of a non-fungible token; undefined for a multi token. */
  owner: nullable(hex),
  /** The previous owner; the zero address for a token that was never transferred. */
  previousOwner: nullable(hex),
  /** 1 for a non-fungible token. */
  supply: amount,
  /** The transfer that created it. */
  created: integer,
  /** The transfer that changed it last. */
  updated: integer,
  /** The URI that the contract reports; empty if there is none, or if it is not text. */
  uri: withDefault(text, "")
}, {
  primaryKey: ["contract", "token"],
  withoutRowid: true,
  indexes: {
    updated: { on: ["contract", "updated"] },
    owner: { on: ["contract", "owner", "updated"], where: "owner IS NOT NULL" }
  }
})

/**
 * How much an owner has of one token; `token` is empty for fungible tokens.
 *
 * @category tables
 */
export const holdings = table("holdings", {
  contract: hex,
  owner: hex,
  token: text,
  balance: amount,
  updated: integer
}, {
  primaryKey: ["contract", "owner", "token"],
  withoutRowid: true,
  indexes: { token: { on: ["contract", "token", "updated"] }, owner: { on: ["owner", "updated"] } }
})

/**
 * How much an owner has of all tokens of a contract.
 *
 * @category tables
 */
export const ownings = table("ownings", {
  contract: hex,
  owner: hex,
  balance: amount,
  /** Number of different tokens. */
  tokens: integer,
  updated: integer
}, {
  primaryKey: ["contract", "owner"],
  withoutRowid: true,
  indexes: { owner: { on: ["owner", "updated"] } }
})

/**
 * Questions that contracts have still to be asked, because the source no longer had the state at the end of a block. A
 * question is about the balance of an owner, with an empty `token` for fungible tokens; without an owner it is about a
 * token, or with `*` as the token about the contract.
 *
 * @category tables
 */
export const questions = table("questions", {
  contract: hex,
  owner: hex,
  token: text,
  /** The transfer that a change without a log is attributed to: the first of the transaction that touched it first. */
  transfer: integer,
  /** Whether the token may have another URI. */
  hasNewUri: named("uri", flag)
}, { primaryKey: ["contract", "owner", "token"], withoutRowid: true })

/**
 * Rows of the five tables above as they were before a block changed them. With `*` as the token it is a row of `ownings`,
 * or without an owner of `contracts`; with a token, of `holdings`, or without an owner of `tokens`; with `?` before the
 * token, of `questions`. With `-` as the token it is no row: the rows for reverting this block and earlier ones were removed.
 *
 * @category tables
 */
export const ownershipUndo = table("ownership_undo", {
  block: integer,
  contract: hex,
  owner: nullable(hex),
  token: text,
  /** As JSON; NULL if there was no row. */
  previous: nullable(text)
}, { indexes: { block: { on: ["block"] } } })

/**
 * Labels of token contracts, where they differ from the default.
 *
 * @category tables
 */
export const labels = table("labels", {
  address: hex,
  status: oneOf("completed", "processing", "failed", "cancelled"),
  createdAt: named("created", integer),
  updatedAt: named("updated", integer),
  /** When the label was removed. */
  deletedAt: named("deleted", nullable(integer))
}, { primaryKey: ["address"], withoutRowid: true })

/**
 * Presets: named sets of accounts and contracts that transfer history is searched by.
 *
 * @category tables
 */
export const presets = table("presets", {
  id: generated,
  name: text,
  accounts: json<ReadonlyArray<Hex>>(),
  contracts: json<ReadonlyArray<Hex>>()
}, { primaryKey: ["id"] })

/**
 * The scope of the index, as JSON of an `IndexScope`: one row, or none if the index keeps everything.
 *
 * @category tables
 */
export const scopes = table("scopes", { id: integer, scope: text }, { primaryKey: ["id"] })

/**
 * The tables of the index, one set for each chain.
 *
 * @category tables
 */
export const indexTables = [
  blocks,
  transactions,
  logs,
  transfers,
  contracts,
  tokens,
  holdings,
  ownings,
  questions,
  ownershipUndo,
  labels,
  presets,
  scopes
] as const
