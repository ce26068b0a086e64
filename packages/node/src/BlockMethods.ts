/**
 * JSON-RPC methods that read blocks and the validators that make them.
 */
import * as Address from "@effect-klaytn/core/Address"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Schema from "effect/Schema"
import { Block, ConsensusBlock, FullBlock, Header } from "./Block.js"
import type { BlockNumber, BlockSelector } from "./BlockSelector.js"
import * as schemas from "./internal/schemas.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { Receipt } from "./Receipt.js"

const read = { namespace: "klay", safety: "safe" } as const

/**
 * Blocks, headers, block receipts, committee and council. The block defaults to `latest`. An unknown block fails with
 * `BlockNotFound`, except where a method's docs say that the answer is none.
 *
 * @category methods
 */
export const blockMethods = {
  /** [`klay_blockNumber`](https://docs.kaia.io/references/json-rpc/klay/block-number/): the height of the chain. */
  blockNumber: Method.make({
    ...read,
    name: "blockNumber",
    params: () => [],
    result: BigIntFromQuantity
  }),
  /**
   * [`klay_getBlockByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-number/): a block with the
   * hashes of its transactions.
   */
  getBlockByNumber: Method.make({
    ...read,
    name: "getBlockByNumber",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block), Param.fixed("full", false)],
    result: Block
  }),
  /**
   * [`klay_getBlockByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-number/): a block with its
   * transactions.
   */
  getFullBlockByNumber: Method.make({
    ...read,
    name: "getBlockByNumber",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block), Param.fixed("full", true)],
    result: FullBlock
  }),
  /**
   * [`klay_getBlockByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-hash/): a block with the hashes
   * of its transactions.
   */
  getBlockByHash: Method.make({
    ...read,
    name: "getBlockByHash",
    params: (hash: string) => [Param.hash("hash", hash), Param.fixed("full", false)],
    result: Block
  }),
  /**
   * [`klay_getBlockByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-hash/): a block with its
   * transactions.
   */
  getFullBlockByHash: Method.make({
    ...read,
    name: "getBlockByHash",
    params: (hash: string) => [Param.hash("hash", hash), Param.fixed("full", true)],
    result: FullBlock
  }),
  /**
   * [`klay_getHeaderByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-header-by-number/): a header. Nodes
   * since v1.7.
   */
  getHeaderByNumber: Method.make({
    ...read,
    name: "getHeaderByNumber",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: Header
  }),
  /**
   * [`klay_getHeaderByHash`](https://docs.kaia.io/references/json-rpc/klay/get-header-by-hash/): a header. Nodes since
   * v1.7.
   */
  getHeaderByHash: Method.make({
    ...read,
    name: "getHeaderByHash",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: Header
  }),
  /**
   * [`klay_getBlockReceipts`](https://docs.kaia.io/references/json-rpc/klay/get-block-receipts/): the receipts of all
   * transactions in a block; older nodes accept only a hash.
   */
  getBlockReceipts: Method.make({
    ...read,
    name: "getBlockReceipts",
    params: (block: BlockSelector) => [Param.block("block", block)],
    result: Schema.Array(Receipt)
  }),
  /**
   * [`klay_getBlockTransactionCountByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-transaction-count-by-number/):
   * how many transactions a block has; none if there is no such block.
   */
  getBlockTransactionCountByNumber: Method.make({
    ...read,
    name: "getBlockTransactionCountByNumber",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: schemas.CountOrNone
  }),
  /**
   * [`klay_getBlockTransactionCountByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-transaction-count-by-hash/):
   * how many transactions a block has; none if there is no such block.
   */
  getBlockTransactionCountByHash: Method.make({
    ...read,
    name: "getBlockTransactionCountByHash",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: schemas.CountOrNone
  }),
  /**
   * [`klay_getBlockWithConsensusInfoByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-with-consensus-info-by-number/):
   * a block with its receipts, its committee and its proposer.
   */
  getBlockWithConsensusInfoByNumber: Method.make({
    ...read,
    name: "getBlockWithConsensusInfoByNumber",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: ConsensusBlock
  }),
  /**
   * [`klay_getBlockWithConsensusInfoByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-with-consensus-info-by-hash/):
   * a block with its receipts, its committee and its proposer.
   */
  getBlockWithConsensusInfoByHash: Method.make({
    ...read,
    name: "getBlockWithConsensusInfoByHash",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: ConsensusBlock
  }),
  /**
   * [`klay_getBlockWithConsensusInfoByNumberRange`](https://docs.kaia.io/references/json-rpc/klay/get-block-with-consensus-info-by-number-range/):
   * at most 51 blocks by hex height, each as from `getBlockWithConsensusInfoByNumber`; none for a missing block. Newer
   * nodes only.
   */
  getBlockWithConsensusInfoByNumberRange: Method.make({
    ...read,
    name: "getBlockWithConsensusInfoByNumberRange",
    params: (start: bigint, end: bigint) => [
      Param.height("start", start),
      Param.height("end", end)
    ],
    result: Schema.Record({ key: Schema.String, value: schemas.orNone(ConsensusBlock) })
  }),
  /**
   * [`klay_getCommittee`](https://docs.kaia.io/references/json-rpc/klay/get-committee/): the validators in the
   * committee of a block.
   */
  getCommittee: Method.make({
    ...read,
    name: "getCommittee",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Array(Address.FromWire)
  }),
  /**
   * [`klay_getCommitteeSize`](https://docs.kaia.io/references/json-rpc/klay/get-committee-size/): the size of the
   * committee of a block.
   */
  getCommitteeSize: Method.make({
    ...read,
    name: "getCommitteeSize",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Int
  }),
  /** [`klay_getCouncil`](https://docs.kaia.io/references/json-rpc/klay/get-council/): all validators. */
  getCouncil: Method.make({
    ...read,
    name: "getCouncil",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Array(Address.FromWire)
  }),
  /**
   * [`klay_getCouncilSize`](https://docs.kaia.io/references/json-rpc/klay/get-council-size/): how many validators there
   * are.
   */
  getCouncilSize: Method.make({
    ...read,
    name: "getCouncilSize",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Schema.Int
  })
}
