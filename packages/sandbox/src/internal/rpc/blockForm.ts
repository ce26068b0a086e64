import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type { BlockRecord } from "../../BlockRecord.js"
import { blockGasLimit } from "../evm/Evm.js"
import { randaoOf } from "../evm/Message.js"
import { quantity } from "./quantity.js"

/** Nobody is rewarded for a block here: fees are burnt, and no coin is made. */
const nobody: Hex = "0x0000000000000000000000000000000000000000"

/** The digest of a list without uncles. */
const noUncles: Hex = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"

/** A header as `klay` shows it. Every block scores 1, as on a chain whose blocks are final at once. */
export const klayHeader = (block: BlockRecord, unitPrice: bigint) => ({
  number: quantity(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  logsBloom: block.logsBloom,
  transactionsRoot: block.transactionsRoot,
  stateRoot: block.stateRoot,
  receiptsRoot: block.receiptsRoot,
  reward: nobody,
  blockScore: "0x1",
  extraData: "0x",
  gasUsed: quantity(block.gasUsed),
  timestamp: quantity(block.timestamp),
  timestampFoS: "0x0",
  governanceData: "0x",
  voteData: "0x",
  baseFeePerGas: quantity(unitPrice)
})

/** A block as `klay` shows it. */
export const klayBlock = (block: BlockRecord, unitPrice: bigint, transactions: ReadonlyArray<unknown>) => ({
  ...klayHeader(block, unitPrice),
  size: quantity(block.size),
  transactions
})

/** A header as `eth` shows it. */
export const ethHeader = (block: BlockRecord, unitPrice: bigint) => ({
  number: quantity(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  nonce: "0x0000000000000000",
  mixHash: fromBytes(randaoOf(block.parentHash)),
  sha3Uncles: noUncles,
  logsBloom: block.logsBloom,
  stateRoot: block.stateRoot,
  transactionsRoot: block.transactionsRoot,
  receiptsRoot: block.receiptsRoot,
  miner: nobody,
  difficulty: "0x1",
  extraData: "0x",
  size: quantity(block.size),
  gasLimit: quantity(blockGasLimit),
  gasUsed: quantity(block.gasUsed),
  timestamp: quantity(block.timestamp),
  baseFeePerGas: quantity(unitPrice)
})

/** A block as `eth` shows it. */
export const ethBlock = (block: BlockRecord, unitPrice: bigint, transactions: ReadonlyArray<unknown>) => ({
  ...ethHeader(block, unitPrice),
  transactions,
  uncles: []
})
