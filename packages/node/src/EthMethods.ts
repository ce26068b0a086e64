/**
 * JSON-RPC methods of the `eth` namespace: the same chain in Ethereum's shapes.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import { accountMethods } from "./AccountMethods.js"
import { blockMethods } from "./BlockMethods.js"
import type { BlockNumber, BlockSelector } from "./BlockSelector.js"
import type { CallRequest, StateOverride } from "./CallRequest.js"
import { chainMethods } from "./ChainMethods.js"
import { EthBlock, EthFullBlock, EthHeader } from "./EthBlock.js"
import { EthReceipt, EthTransaction } from "./EthTransaction.js"
import { gasMethods } from "./GasMethods.js"
import * as field from "./internal/field.js"
import { found, foundCount } from "./internal/results.js"
import { logMethods } from "./LogMethods.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { submitMethods } from "./SubmitMethods.js"
import { transactionMethods } from "./TransactionMethods.js"

const read = { namespace: "eth", safety: "safe" } as const
const eth = Method.inNamespace("eth")

/**
 * Methods that `klay` also has but answers in another shape. A missing block is none here, where the `klay` methods
 * fail with `BlockNotFound`.
 *
 * @since 0.1.0
 * @category methods
 */
export const ethShapedMethods = {
  getBlockByNumber: Method.make({
    ...eth(blockMethods.getBlockByNumber),
    result: found(EthBlock)
  }),
  getFullBlockByNumber: Method.make({
    ...eth(blockMethods.getFullBlockByNumber),
    result: found(EthFullBlock)
  }),
  getBlockByHash: Method.make({ ...eth(blockMethods.getBlockByHash), result: found(EthBlock) }),
  getFullBlockByHash: Method.make({ ...eth(blockMethods.getFullBlockByHash), result: found(EthFullBlock) }),
  getHeaderByNumber: Method.make({ ...eth(blockMethods.getHeaderByNumber), result: found(EthHeader) }),
  getHeaderByHash: Method.make({ ...eth(blockMethods.getHeaderByHash), result: found(EthHeader) }),
  getBlockReceipts: Method.make({ ...eth(blockMethods.getBlockReceipts), result: Schema.Array(EthReceipt) }),
  getTransactionByHash: Method.make({ ...eth(transactionMethods.getTransactionByHash), result: found(EthTransaction) }),
  getTransactionByBlockHashAndIndex: Method.make({
    ...eth(transactionMethods.getTransactionByBlockHashAndIndex),
    result: found(EthTransaction)
  }),
  getTransactionByBlockNumberAndIndex: Method.make({
    ...eth(transactionMethods.getTransactionByBlockNumberAndIndex),
    result: found(EthTransaction)
  }),
  getTransactionReceipt: Method.make({ ...eth(transactionMethods.getTransactionReceipt), result: found(EthReceipt) }),
  call: Method.make({
    ...read,
    name: "call",
    summary: gasMethods.call.summary,
    params: (
      call: CallRequest,
      block: BlockSelector = "latest",
      overrides?: Readonly<Record<string, StateOverride>>
    ) => [
      Param.call("call", call),
      Param.block("block", block),
      Param.optional(Param.overrides("overrides", overrides))
    ],
    result: HexDataFromWire
  })
}

/**
 * Methods that `klay` also has and answers the same.
 *
 * @since 0.1.0
 * @category methods
 */
export const ethTwinMethods = {
  getBalance: eth(accountMethods.getBalance),
  getCode: eth(accountMethods.getCode),
  getStorageAt: eth(accountMethods.getStorageAt),
  getTransactionCount: eth(accountMethods.getTransactionCount),
  getProof: eth(accountMethods.getProof),
  blockNumber: eth(blockMethods.blockNumber),
  getBlockTransactionCountByNumber: eth(blockMethods.getBlockTransactionCountByNumber),
  getBlockTransactionCountByHash: eth(blockMethods.getBlockTransactionCountByHash),
  getRawTransactionByHash: eth(transactionMethods.getRawTransactionByHash),
  getRawTransactionByBlockHashAndIndex: eth(transactionMethods.getRawTransactionByBlockHashAndIndex),
  getRawTransactionByBlockNumberAndIndex: eth(transactionMethods.getRawTransactionByBlockNumberAndIndex),
  estimateGas: eth(gasMethods.estimateGas),
  createAccessList: eth(gasMethods.createAccessList),
  gasPrice: eth(gasMethods.gasPrice),
  upperBoundGasPrice: eth(gasMethods.upperBoundGasPrice),
  lowerBoundGasPrice: eth(gasMethods.lowerBoundGasPrice),
  maxPriorityFeePerGas: eth(gasMethods.maxPriorityFeePerGas),
  feeHistory: eth(gasMethods.feeHistory),
  chainId: { ...eth(chainMethods.chainId), name: "chainId" },
  syncing: eth(chainMethods.syncing),
  accounts: eth(chainMethods.accounts),
  getLogs: eth(logMethods.getLogs),
  newFilter: eth(logMethods.newFilter),
  newBlockFilter: eth(logMethods.newBlockFilter),
  newPendingTransactionFilter: eth(logMethods.newPendingTransactionFilter),
  getFilterChanges: eth(logMethods.getFilterChanges),
  getFilterLogs: eth(logMethods.getFilterLogs),
  uninstallFilter: eth(logMethods.uninstallFilter),
  sendRawTransaction: eth(submitMethods.sendRawTransaction)
}

/**
 * Methods that `klay` does not have. This chain has no uncles and no mining, so those answers are constant.
 *
 * @since 0.1.0
 * @category methods
 */
export const ethOnlyMethods = {
  getUncleByBlockNumberAndIndex: Method.make({
    ...read,
    name: "getUncleByBlockNumberAndIndex",
    summary: "Always none",
    params: (block: BlockNumber, index: bigint | number) => [
      Param.blockNumber("block", block),
      Param.quantity("index", index)
    ],
    result: Schema.Null
  }),
  getUncleByBlockHashAndIndex: Method.make({
    ...read,
    name: "getUncleByBlockHashAndIndex",
    summary: "Always none",
    params: (hash: string, index: bigint | number) => [Param.hash("hash", hash), Param.quantity("index", index)],
    result: Schema.Null
  }),
  getUncleCountByBlockNumber: Method.make({
    ...read,
    name: "getUncleCountByBlockNumber",
    summary: "Always 0; none if there is no such block",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: foundCount
  }),
  getUncleCountByBlockHash: Method.make({
    ...read,
    name: "getUncleCountByBlockHash",
    summary: "Always 0; none if there is no such block",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: foundCount
  }),
  mining: Method.make({ ...read, name: "mining", summary: "Always false", params: () => [], result: Schema.Boolean }),
  hashrate: Method.make({
    ...read,
    name: "hashrate",
    summary: "Always 0",
    params: () => [],
    result: BigIntFromQuantity
  }),
  getHashrate: Method.make({
    ...read,
    name: "getHashrate",
    summary: "Always 0",
    params: () => [],
    result: Schema.Union(field.BigNumber, BigIntFromQuantity)
  }),
  getWork: Method.make({
    ...read,
    name: "getWork",
    summary: "Always fails: there is no mining work",
    params: () => [],
    result: Schema.Array(Schema.String)
  }),
  submitWork: Method.make({
    namespace: "eth",
    safety: "once",
    name: "submitWork",
    summary: "Always false",
    params: (nonce: string, hash: string, digest: string) => [
      Param.data("nonce", nonce),
      Param.hash("hash", hash),
      Param.hash("digest", digest)
    ],
    result: Schema.Boolean
  }),
  submitHashrate: Method.make({
    namespace: "eth",
    safety: "once",
    name: "submitHashrate",
    summary: "Always false",
    params: (rate: bigint | number, id: string) => [Param.quantity("rate", rate), Param.hash("id", id)],
    result: Schema.Boolean
  }),
  coinbase: Method.make({
    ...read,
    name: "coinbase",
    summary: "The node's address",
    params: () => [],
    result: Address.FromWire
  }),
  etherbase: Method.make({
    ...read,
    name: "etherbase",
    summary: "The node's address",
    params: () => [],
    result: Address.FromWire
  }),
  fillTransaction: Method.make({
    ...read,
    name: "fillTransaction",
    summary: "An unsigned transaction, completed with the node's defaults",
    params: (transaction: CallRequest) => [Param.call("transaction", transaction)],
    result: Schema.Struct({
      raw: HexDataFromWire,
      tx: Schema.Record({ key: Schema.String, value: Schema.Unknown })
    })
  }),
  blobBaseFee: Method.make({
    ...read,
    name: "blobBaseFee",
    summary: "The price of blob gas in peb",
    since: "v2.2",
    params: () => [],
    result: PebFromQuantity
  }),
  config: Method.make({
    ...read,
    name: "config",
    summary: "The upgrades of the chain, in the node's own form",
    since: "v2.2",
    params: () => [],
    result: Schema.Record({ key: Schema.String, value: Schema.Unknown })
  }),
  getBlobSidecars: Method.make({
    ...read,
    name: "getBlobSidecars",
    summary: "The blobs of a block, in the node's own form (parameters inferred)",
    since: "v2.2",
    params: (block: BlockSelector) => [Param.block("block", block)],
    result: Schema.Unknown
  }),
  getBlobSidecarByTxHash: Method.make({
    ...read,
    name: "getBlobSidecarByTxHash",
    summary: "The blobs of a transaction, in the node's own form (parameters inferred)",
    since: "v2.2",
    params: (hash: string) => [Param.hash("hash", hash)],
    result: Schema.Unknown
  })
}
