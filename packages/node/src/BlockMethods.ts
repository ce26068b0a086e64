/**
 * JSON-RPC methods that read blocks and the validators that make them.
 */
import * as Schema from "effect/Schema"
import { Block, ConsensusBlock, FullBlock, Header } from "./Block.js"
import type { BlockNumber } from "./BlockSelector.js"
import * as params from "./internal/methods/params.js"
import * as schemas from "./internal/records/schemas.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { Receipt } from "./Receipt.js"

const read = Method.makeIn("klay", "safe")

/** `full`: with whole transactions instead of their hashes. */
const ofBlock = (full: boolean) => (block: BlockNumber = "latest") => [
  Param.blockNumber("block", block),
  Param.fixed("full", full)
]

const ofHash = (full: boolean) => (hash: string) => [Param.hash("hash", hash), Param.fixed("full", full)]

/**
 * Blocks, headers, block receipts, committee and council. The block defaults to `latest`. An unknown block fails with
 * `BlockNotFound`, except where a method's docs say that the answer is none.
 *
 * @category methods
 */
export const blockMethods = {
  /** [`klay_blockNumber`](https://docs.kaia.io/references/json-rpc/klay/block-number/): the height of the chain. */
  blockNumber: read("blockNumber", params.none, schemas.Quantity),
  /**
   * [`klay_getBlockByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-number/): a block with the
   * hashes of its transactions.
   */
  getBlockByNumber: read("getBlockByNumber", ofBlock(false), Block),
  /**
   * [`klay_getBlockByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-number/): a block with its
   * transactions.
   */
  getFullBlockByNumber: read("getBlockByNumber", ofBlock(true), FullBlock),
  /**
   * [`klay_getBlockByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-hash/): a block with the hashes
   * of its transactions.
   */
  getBlockByHash: read("getBlockByHash", ofHash(false), Block),
  /**
   * [`klay_getBlockByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-by-hash/): a block with its
   * transactions.
   */
  getFullBlockByHash: read("getBlockByHash", ofHash(true), FullBlock),
  /**
   * [`klay_getHeaderByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-header-by-number/): a header. Nodes
   * since v1.7.
   */
  getHeaderByNumber: read("getHeaderByNumber", params.block, Header),
  /**
   * [`klay_getHeaderByHash`](https://docs.kaia.io/references/json-rpc/klay/get-header-by-hash/): a header. Nodes since
   * v1.7.
   */
  getHeaderByHash: read("getHeaderByHash", params.hash, Header),
  /**
   * [`klay_getBlockReceipts`](https://docs.kaia.io/references/json-rpc/klay/get-block-receipts/): the receipts of all
   * transactions in a block; older nodes accept only a hash.
   */
  getBlockReceipts: read("getBlockReceipts", params.anyBlock, Schema.Array(Receipt)),
  /**
   * [`klay_getBlockTransactionCountByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-transaction-count-by-number/):
   * how many transactions a block has; none if there is no such block.
   */
  getBlockTransactionCountByNumber: read("getBlockTransactionCountByNumber", params.block, schemas.CountOrNone),
  /**
   * [`klay_getBlockTransactionCountByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-transaction-count-by-hash/):
   * how many transactions a block has; none if there is no such block.
   */
  getBlockTransactionCountByHash: read("getBlockTransactionCountByHash", params.hash, schemas.CountOrNone),
  /**
   * [`klay_getBlockWithConsensusInfoByNumber`](https://docs.kaia.io/references/json-rpc/klay/get-block-with-consensus-info-by-number/):
   * a block with its receipts, its committee and its proposer.
   */
  getBlockWithConsensusInfoByNumber: read("getBlockWithConsensusInfoByNumber", params.block, ConsensusBlock),
  /**
   * [`klay_getBlockWithConsensusInfoByHash`](https://docs.kaia.io/references/json-rpc/klay/get-block-with-consensus-info-by-hash/):
   * a block with its receipts, its committee and its proposer.
   */
  getBlockWithConsensusInfoByHash: read("getBlockWithConsensusInfoByHash", params.hash, ConsensusBlock),
  /**
   * [`klay_getBlockWithConsensusInfoByNumberRange`](https://docs.kaia.io/references/json-rpc/klay/get-block-with-consensus-info-by-number-range/):
   * at most 51 blocks by hex height, each as from `getBlockWithConsensusInfoByNumber`; none for a missing block. Newer
   * nodes only.
   */
  getBlockWithConsensusInfoByNumberRange: read(
    "getBlockWithConsensusInfoByNumberRange",
    (start: bigint, end: bigint) => [
      Param.height("start", start),
      Param.height("end", end)
    ],
    Schema.Record({ key: Schema.String, value: schemas.orNone(ConsensusBlock) })
  ),
  /**
   * [`klay_getCommittee`](https://docs.kaia.io/references/json-rpc/klay/get-committee/): the validators in the
   * committee of a block.
   */
  getCommittee: read("getCommittee", params.optionalBlock, Schema.Array(schemas.Address)),
  /**
   * [`klay_getCommitteeSize`](https://docs.kaia.io/references/json-rpc/klay/get-committee-size/): the size of the
   * committee of a block.
   */
  getCommitteeSize: read("getCommitteeSize", params.optionalBlock, Schema.Int),
  /** [`klay_getCouncil`](https://docs.kaia.io/references/json-rpc/klay/get-council/): all validators. */
  getCouncil: read("getCouncil", params.optionalBlock, Schema.Array(schemas.Address)),
  /**
   * [`klay_getCouncilSize`](https://docs.kaia.io/references/json-rpc/klay/get-council-size/): how many validators there
   * are.
   */
  getCouncilSize: read("getCouncilSize", params.optionalBlock, Schema.Int)
}
