/**
 * JSON-RPC methods that read blocks and the validators that make them.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { Block, ConsensusBlock, FullBlock, Header } from "./Block.js"
import type { BlockNumber, BlockSelector } from "./BlockSelector.js"
import { found, foundCount } from "./internal/results.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { Receipt } from "./Receipt.js"

const read = { namespace: "klay", safety: "safe" } as const

/**
 * Blocks, headers, block receipts, committee and council. The block defaults to `latest`. An unknown block fails with
 * `BlockNotFound`, except where the summary says that the answer is none.
 *
 * @since 0.1.0
 * @category methods
 */
export const blockMethods = {
  /** `klay_blockNumber`: the height of the chain. */
  blockNumber: Method.make({
    ...read,
    name: "blockNumber",
    summary: "The height of the chain",
    params: () => [],
    result: BigIntFromQuantity
  }),
  /** `klay_getBlockByNumber`: a block with the hashes of its transactions. */
  getBlockByNumber: Method.make({
    ...read,
    name: "getBlockByNumber",
    summary: "A block with the hashes of its transactions",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block), Param.fixed("full", false)],
    result: Block
  }),
  /** `klay_getBlockByNumber`: a block with its transactions. */
  getFullBlockByNumber: Method.make({
    ...read,
    name: "getBlockByNumber",
    summary: "A block with its transactions",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block), Param.fixed("full", true)],
    result: FullBlock
  }),
  /** `klay_getBlockByHash`: a block with the hashes of its transactions. */
  getBlockByHash: Method.make({
    ...read,
    name: "getBlockByHash",
    summary: "A block with the hashes of its transactions",
    params: (hash: string) => [Param.hash("hash", hash), Param.fixed("full", false)],
    result: Block
  }),
  /** `klay_getBlockByHash`: a block with its transactions. */
  getFullBlockByHash: Method.make({
    ...read,
    name: "getBlockByHash",
    summary: "A block with its transactions",
    params: (hash: string) => [Param.hash("hash", hash), Param.fixed("full", true)],
    result: FullBlock
  }),
  /** `klay_getHeaderByNumber`: a header. */
  getHeaderByNumber: Method.make({
    ...read,
    name: "getHeaderByNumber",
    summary: "A header",
    since: "v1.7",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: Header
  }),
  /** `klay_getHeaderByHash`: a header. */
  getHeaderByHash: Method.make({
    ...read,
    name: "getHeaderByHash",
    summary: "A header",
    since: "v1.7",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: Header
  }),
  /** `klay_getBlockReceipts`: the receipts of all transactions in a block; older nodes accept only a hash. */
  getBlockReceipts: Method.make({
    ...read,
    name: "getBlockReceipts",
    summary: "The receipts of all transactions in a block; older nodes accept only a hash",
    params: (block: BlockSelector) => [Param.block("block", block)],
    result: Schema.Array(Receipt)
  }),
  /** `klay_getBlockTransactionCountByNumber`: how many transactions a block has; none if there is no such block. */
  getBlockTransactionCountByNumber: Method.make({
    ...read,
    name: "getBlockTransactionCountByNumber",
    summary: "How many transactions a block has; none if there is no such block",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: foundCount
  }),
  /** `klay_getBlockTransactionCountByHash`: how many transactions a block has; none if there is no such block. */
  getBlockTransactionCountByHash: Method.make({
    ...read,
    name: "getBlockTransactionCountByHash",
    summary: "How many transactions a block has; none if there is no such block",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: foundCount
  }),
  /** `klay_getBlockWithConsensusInfoByNumber`: a block with its receipts, its committee and its proposer. */
  getBlockWithConsensusInfoByNumber: Method.make({
    ...read,
    name: "getBlockWithConsensusInfoByNumber",
    summary: "A block with its receipts, its committee and its proposer",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: ConsensusBlock
  }),
  /** `klay_getBlockWithConsensusInfoByHash`: a block with its receipts, its committee and its proposer. */
  getBlockWithConsensusInfoByHash: Method.make({
    ...read,
    name: "getBlockWithConsensusInfoByHash",
    summary: "A block with its receipts, its committee and its proposer",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: ConsensusBlock
  }),
  /**
   * `klay_getBlockWithConsensusInfoByNumberRange`: at most 51 blocks by hex height, each as from
   * `getBlockWithConsensusInfoByNumber`; none for a missing block.
   */
  getBlockWithConsensusInfoByNumberRange: Method.make({
    ...read,
    name: "getBlockWithConsensusInfoByNumberRange",
    summary:
      "At most 51 blocks by hex height, each as from `getBlockWithConsensusInfoByNumber`; none for a missing block",
    since: "newer nodes",
    params: (start: bigint, end: bigint) => [
      Param.height("start", start),
      Param.height("end", end)
    ],
    result: Schema.Record({ key: Schema.String, value: found(ConsensusBlock) })
  }),
  /** `klay_getCommittee`: the validators in the committee of a block. */
  getCommittee: Method.make({
    ...read,
    name: "getCommittee",
    summary: "The validators in the committee of a block",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Array(Address.FromWire)
  }),
  /** `klay_getCommitteeSize`: the size of the committee of a block. */
  getCommitteeSize: Method.make({
    ...read,
    name: "getCommitteeSize",
    summary: "The size of the committee of a block",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Int
  }),
  /** `klay_getCouncil`: all validators. */
  getCouncil: Method.make({
    ...read,
    name: "getCouncil",
    summary: "All validators",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Array(Address.FromWire)
  }),
  /** `klay_getCouncilSize`: how many validators there are. */
  getCouncilSize: Method.make({
    ...read,
    name: "getCouncilSize",
    summary: "How many validators there are",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Int
  })
}
