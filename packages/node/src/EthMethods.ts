/**
 * JSON-RPC methods of the `eth` namespace: the same chain in Ethereum's shapes.
 */
import * as Schema from "effect/Schema"
import { accountMethods } from "./AccountMethods.js"
import { blockMethods } from "./BlockMethods.js"
import type { BlockSelector } from "./BlockSelector.js"
import type { CallRequest, StateOverride } from "./CallRequest.js"
import { chainMethods } from "./ChainMethods.js"
import * as Eth from "./Eth.js"
import { gasMethods } from "./GasMethods.js"
import * as params from "./internal/methods/params.js"
import * as schemas from "./internal/records/schemas.js"
import { logMethods } from "./LogMethods.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { submitMethods, transactionMethods } from "./TransactionMethods.js"

const read = Method.makeIn("eth", "safe")
const once = Method.makeIn("eth", "once")
const eth = Method.inNamespace("eth")

/** The method with the same parameters whose result has Ethereum's shape. */
const inShape = <Args extends ReadonlyArray<unknown>, A, I>(
  method: Pick<Method.Method<Args, unknown, "safe">, "name" | "params">,
  result: Schema.Schema<A, I>
): Method.Method<Args, A, "safe"> => read(method.name, method.params, result)

/**
 * Methods that `klay` also has but answers in another shape. A missing block is none here, where the `klay` methods
 * fail with `BlockNotFound`.
 *
 * @category methods
 */
export const ethShapedMethods = {
  /**
   * [`eth_getBlockByNumber`](https://docs.kaia.io/references/json-rpc/eth/get-block-by-number/): like
   * `klay_getBlockByNumber`, in Ethereum's shape.
   */
  getBlockByNumber: inShape(blockMethods.getBlockByNumber, schemas.orNone(Eth.Block)),
  /**
   * [`eth_getBlockByNumber`](https://docs.kaia.io/references/json-rpc/eth/get-block-by-number/): like
   * `klay_getBlockByNumber` with full transactions, in Ethereum's shape.
   */
  getFullBlockByNumber: inShape(blockMethods.getFullBlockByNumber, schemas.orNone(Eth.FullBlock)),
  /**
   * [`eth_getBlockByHash`](https://docs.kaia.io/references/json-rpc/eth/get-block-by-hash/): like
   * `klay_getBlockByHash`, in Ethereum's shape.
   */
  getBlockByHash: inShape(blockMethods.getBlockByHash, schemas.orNone(Eth.Block)),
  /**
   * [`eth_getBlockByHash`](https://docs.kaia.io/references/json-rpc/eth/get-block-by-hash/): like `klay_getBlockByHash`
   * with full transactions, in Ethereum's shape.
   */
  getFullBlockByHash: inShape(blockMethods.getFullBlockByHash, schemas.orNone(Eth.FullBlock)),
  /**
   * [`eth_getHeaderByNumber`](https://docs.kaia.io/references/json-rpc/eth/get-header-by-number/): like
   * `klay_getHeaderByNumber`, in Ethereum's shape.
   */
  getHeaderByNumber: inShape(blockMethods.getHeaderByNumber, schemas.orNone(Eth.Header)),
  /**
   * [`eth_getHeaderByHash`](https://docs.kaia.io/references/json-rpc/eth/get-header-by-hash/): like
   * `klay_getHeaderByHash`, in Ethereum's shape.
   */
  getHeaderByHash: inShape(blockMethods.getHeaderByHash, schemas.orNone(Eth.Header)),
  /**
   * [`eth_getBlockReceipts`](https://docs.kaia.io/references/json-rpc/eth/get-block-receipts/): like
   * `klay_getBlockReceipts`, in Ethereum's shape.
   */
  getBlockReceipts: inShape(blockMethods.getBlockReceipts, Schema.Array(Eth.Receipt)),
  /**
   * [`eth_getTransactionByHash`](https://docs.kaia.io/references/json-rpc/eth/get-transaction-by-hash/): like
   * `klay_getTransactionByHash`, in Ethereum's shape.
   */
  getTransactionByHash: inShape(transactionMethods.getTransactionByHash, schemas.orNone(Eth.Transaction)),
  /**
   * [`eth_getTransactionByBlockHashAndIndex`](https://docs.kaia.io/references/json-rpc/eth/get-transaction-by-block-hash-and-index/):
   * like `klay_getTransactionByBlockHashAndIndex`, in Ethereum's shape.
   */
  getTransactionByBlockHashAndIndex: inShape(
    transactionMethods.getTransactionByBlockHashAndIndex,
    schemas.orNone(Eth.Transaction)
  ),
  /**
   * [`eth_getTransactionByBlockNumberAndIndex`](https://docs.kaia.io/references/json-rpc/eth/get-transaction-by-block-number-and-index/):
   * like `klay_getTransactionByBlockNumberAndIndex`, in Ethereum's shape.
   */
  getTransactionByBlockNumberAndIndex: inShape(
    transactionMethods.getTransactionByBlockNumberAndIndex,
    schemas.orNone(Eth.Transaction)
  ),
  /**
   * [`eth_getTransactionReceipt`](https://docs.kaia.io/references/json-rpc/eth/get-transaction-receipt/): like
   * `klay_getTransactionReceipt`, in Ethereum's shape.
   */
  getTransactionReceipt: inShape(transactionMethods.getTransactionReceipt, schemas.orNone(Eth.Receipt)),
  /** [`eth_call`](https://docs.kaia.io/references/json-rpc/eth/call/): what an execution returns. */
  call: read(
    "call",
    (
      call: CallRequest,
      block: BlockSelector = "latest",
      overrides?: Readonly<Record<string, StateOverride>>
    ) => [
      Param.call("call", call),
      Param.block("block", block),
      Param.optional(Param.overrides("overrides", overrides))
    ],
    schemas.Bytes
  )
}

/**
 * Methods that `klay` also has and answers the same.
 *
 * @category methods
 */
export const ethTwinMethods = {
  /** [`eth_getBalance`](https://docs.kaia.io/references/json-rpc/eth/get-balance/): answers like `klay_getBalance`. */
  getBalance: eth(accountMethods.getBalance),
  /** [`eth_getCode`](https://docs.kaia.io/references/json-rpc/eth/get-code/): answers like `klay_getCode`. */
  getCode: eth(accountMethods.getCode),
  /**
   * [`eth_getStorageAt`](https://docs.kaia.io/references/json-rpc/eth/get-storage-at/): answers like
   * `klay_getStorageAt`.
   */
  getStorageAt: eth(accountMethods.getStorageAt),
  /**
   * [`eth_getTransactionCount`](https://docs.kaia.io/references/json-rpc/eth/get-transaction-count/): answers like
   * `klay_getTransactionCount`.
   */
  getTransactionCount: eth(accountMethods.getTransactionCount),
  /** [`eth_getProof`](https://docs.kaia.io/references/json-rpc/eth/get-proof/): answers like `klay_getProof`. */
  getProof: eth(accountMethods.getProof),
  /**
   * [`eth_blockNumber`](https://docs.kaia.io/references/json-rpc/eth/block-number/): answers like `klay_blockNumber`.
   */
  blockNumber: eth(blockMethods.blockNumber),
  /**
   * [`eth_getBlockTransactionCountByNumber`](https://docs.kaia.io/references/json-rpc/eth/get-block-transaction-count-by-number/):
   * answers like `klay_getBlockTransactionCountByNumber`.
   */
  getBlockTransactionCountByNumber: eth(blockMethods.getBlockTransactionCountByNumber),
  /**
   * [`eth_getBlockTransactionCountByHash`](https://docs.kaia.io/references/json-rpc/eth/get-block-transaction-count-by-hash/):
   * answers like `klay_getBlockTransactionCountByHash`.
   */
  getBlockTransactionCountByHash: eth(blockMethods.getBlockTransactionCountByHash),
  /**
   * [`eth_getRawTransactionByHash`](https://docs.kaia.io/references/json-rpc/eth/get-raw-transaction-by-hash/): like
   * `klay_getRawTransactionByHash`, without `0x78`.
   */
  getRawTransactionByHash: eth(transactionMethods.getRawTransactionByHash),
  /**
   * [`eth_getRawTransactionByBlockHashAndIndex`](https://docs.kaia.io/references/json-rpc/eth/get-raw-transaction-by-block-hash-and-index/):
   * like `klay_getRawTransactionByBlockHashAndIndex`, without `0x78`.
   */
  getRawTransactionByBlockHashAndIndex: eth(transactionMethods.getRawTransactionByBlockHashAndIndex),
  /**
   * [`eth_getRawTransactionByBlockNumberAndIndex`](https://docs.kaia.io/references/json-rpc/eth/get-raw-transaction-by-block-number-and-index/):
   * like `eth_getRawTransactionByBlockHashAndIndex`, by height.
   */
  getRawTransactionByBlockNumberAndIndex: eth(transactionMethods.getRawTransactionByBlockNumberAndIndex),
  /**
   * [`eth_estimateGas`](https://docs.kaia.io/references/json-rpc/eth/estimate-gas/): answers like `klay_estimateGas`.
   */
  estimateGas: eth(gasMethods.estimateGas),
  /**
   * [`eth_createAccessList`](https://docs.kaia.io/references/json-rpc/eth/create-access-list/): answers like
   * `klay_createAccessList`.
   */
  createAccessList: eth(gasMethods.createAccessList),
  /** [`eth_gasPrice`](https://docs.kaia.io/references/json-rpc/eth/gas-price/): answers like `klay_gasPrice`. */
  gasPrice: eth(gasMethods.gasPrice),
  /** `eth_upperBoundGasPrice`: answers like `klay_upperBoundGasPrice`. */
  upperBoundGasPrice: eth(gasMethods.upperBoundGasPrice),
  /** `eth_lowerBoundGasPrice`: answers like `klay_lowerBoundGasPrice`. */
  lowerBoundGasPrice: eth(gasMethods.lowerBoundGasPrice),
  /**
   * [`eth_maxPriorityFeePerGas`](https://docs.kaia.io/references/json-rpc/eth/max-priority-fee-per-gas/): answers like
   * `klay_maxPriorityFeePerGas`.
   */
  maxPriorityFeePerGas: eth(gasMethods.maxPriorityFeePerGas),
  /** [`eth_feeHistory`](https://docs.kaia.io/references/json-rpc/eth/fee-history/): answers like `klay_feeHistory`. */
  feeHistory: eth(gasMethods.feeHistory),
  /** [`eth_chainId`](https://docs.kaia.io/references/json-rpc/eth/chain-id/): answers like `klay_chainID`. */
  chainId: { ...eth(chainMethods.chainId), name: "chainId" },
  /** [`eth_syncing`](https://docs.kaia.io/references/json-rpc/eth/syncing/): answers like `klay_syncing`. */
  syncing: eth(chainMethods.syncing),
  /** [`eth_accounts`](https://docs.kaia.io/references/json-rpc/eth/accounts/): answers like `klay_accounts`. */
  accounts: eth(chainMethods.accounts),
  /** [`eth_getLogs`](https://docs.kaia.io/references/json-rpc/eth/get-logs/): answers like `klay_getLogs`. */
  getLogs: eth(logMethods.getLogs),
  /** [`eth_newFilter`](https://docs.kaia.io/references/json-rpc/eth/new-filter/): answers like `klay_newFilter`. */
  newFilter: eth(logMethods.newFilter),
  /**
   * [`eth_newBlockFilter`](https://docs.kaia.io/references/json-rpc/eth/new-block-filter/): answers like
   * `klay_newBlockFilter`.
   */
  newBlockFilter: eth(logMethods.newBlockFilter),
  /**
   * [`eth_newPendingTransactionFilter`](https://docs.kaia.io/references/json-rpc/eth/new-pending-transaction-filter/):
   * answers like `klay_newPendingTransactionFilter`.
   */
  newPendingTransactionFilter: eth(logMethods.newPendingTransactionFilter),
  /**
   * [`eth_getFilterChanges`](https://docs.kaia.io/references/json-rpc/eth/get-filter-changes/): answers like
   * `klay_getFilterChanges`.
   */
  getFilterChanges: eth(logMethods.getFilterChanges),
  /**
   * [`eth_getFilterLogs`](https://docs.kaia.io/references/json-rpc/eth/get-filter-logs/): answers like
   * `klay_getFilterLogs`.
   */
  getFilterLogs: eth(logMethods.getFilterLogs),
  /**
   * [`eth_uninstallFilter`](https://docs.kaia.io/references/json-rpc/eth/uninstall-filter/): answers like
   * `klay_uninstallFilter`.
   */
  uninstallFilter: eth(logMethods.uninstallFilter),
  /**
   * [`eth_sendRawTransaction`](https://docs.kaia.io/references/json-rpc/eth/send-raw-transaction/): submits a signed
   * Ethereum transaction, without `0x78`; returns its hash.
   */
  sendRawTransaction: eth(submitMethods.sendRawTransaction)
}

/**
 * Methods that `klay` does not have. This chain has no uncles and no mining, so those answers are constant.
 *
 * @category methods
 */
export const ethOnlyMethods = {
  /**
   * [`eth_getUncleByBlockNumberAndIndex`](https://docs.kaia.io/references/json-rpc/eth/get-uncle-by-block-number-and-index/):
   * always none.
   */
  getUncleByBlockNumberAndIndex: read("getUncleByBlockNumberAndIndex", params.blockAndIndex, Schema.Null),
  /**
   * [`eth_getUncleByBlockHashAndIndex`](https://docs.kaia.io/references/json-rpc/eth/get-uncle-by-block-hash-and-index/):
   * always none.
   */
  getUncleByBlockHashAndIndex: read("getUncleByBlockHashAndIndex", params.hashAndIndex, Schema.Null),
  /**
   * [`eth_getUncleCountByBlockNumber`](https://docs.kaia.io/references/json-rpc/eth/get-uncle-count-by-block-number/):
   * always 0; none if there is no such block.
   */
  getUncleCountByBlockNumber: read("getUncleCountByBlockNumber", params.block, schemas.CountOrNone),
  /**
   * [`eth_getUncleCountByBlockHash`](https://docs.kaia.io/references/json-rpc/eth/get-uncle-count-by-block-hash/):
   * always 0; none if there is no such block.
   */
  getUncleCountByBlockHash: read("getUncleCountByBlockHash", params.hash, schemas.CountOrNone),
  /** [`eth_mining`](https://docs.kaia.io/references/json-rpc/eth/mining/): always false. */
  mining: read("mining", params.none, Schema.Boolean),
  /** [`eth_hashrate`](https://docs.kaia.io/references/json-rpc/eth/hashrate/): always 0. */
  hashrate: read("hashrate", params.none, schemas.Quantity),
  /** `eth_getHashrate`: always 0. */
  getHashrate: read("getHashrate", params.none, Schema.Union(schemas.BigNumber, schemas.Quantity)),
  /** `eth_getWork`: always fails: there is no mining work. */
  getWork: read("getWork", params.none, Schema.Array(Schema.String)),
  /** [`eth_submitWork`](https://docs.kaia.io/references/json-rpc/eth/submit-work/): always false. */
  submitWork: once(
    "submitWork",
    (nonce: string, hash: string, digest: string) => [
      Param.data("nonce", nonce),
      Param.hash("hash", hash),
      Param.hash("digest", digest)
    ],
    Schema.Boolean
  ),
  /** [`eth_submitHashrate`](https://docs.kaia.io/references/json-rpc/eth/submit-hashrate/): always false. */
  submitHashrate: once(
    "submitHashrate",
    (rate: bigint | number, id: string) => [Param.quantity("rate", rate), Param.hash("id", id)],
    Schema.Boolean
  ),
  /** [`eth_coinbase`](https://docs.kaia.io/references/json-rpc/eth/coinbase/): the node's address. */
  coinbase: read("coinbase", params.none, schemas.Address),
  /** [`eth_etherbase`](https://docs.kaia.io/references/json-rpc/eth/etherbase/): the node's address. */
  etherbase: read("etherbase", params.none, schemas.Address),
  /**
   * [`eth_fillTransaction`](https://docs.kaia.io/references/json-rpc/eth/fill-transaction/): an unsigned transaction,
   * completed with the node's defaults.
   */
  fillTransaction: read(
    "fillTransaction",
    (transaction: CallRequest) => [Param.call("transaction", transaction)],
    Schema.Struct({
      raw: schemas.Bytes,
      tx: Schema.Record({ key: Schema.String, value: Schema.Unknown })
    })
  ),
  /** `eth_blobBaseFee`: the price of blob gas in peb. Nodes since v2.2. */
  blobBaseFee: read("blobBaseFee", params.none, schemas.Peb),
  /** `eth_config`: the upgrades of the chain, in the node's own form. Nodes since v2.2. */
  config: read("config", params.none, Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  /**
   * `eth_getBlobSidecars`: the blobs of a block, in the node's own form; whole, or with the first 32 bytes of each. Nodes since v2.2. The
   * parameters are those of the node's source.
   */
  getBlobSidecars: read("getBlobSidecars", params.blockAndWhole, Schema.Unknown),
  /**
   * `eth_getBlobSidecarByTxHash`: the blobs of a transaction, in the node's own form; whole, or with the first 32 bytes of each. Nodes
   * since v2.2. The parameters are those of the node's source.
   */
  getBlobSidecarByTxHash: read("getBlobSidecarByTxHash", params.hashAndWhole, Schema.Unknown)
}
