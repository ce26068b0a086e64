/** Parameters that are wrong in each way that a parameter can be, for the methods that only read. */
import type { Random } from "../transaction/random.js"
import type { Question } from "./questions.js"

/** Values of every kind, of which one takes the place of a parameter. */
const odd: ReadonlyArray<unknown> = [
  null,
  "",
  "0x",
  "0x0",
  "0x01",
  "0x1g",
  "1",
  "latest",
  "pending",
  "earliest",
  "finalized",
  "safe",
  "Latest",
  0,
  1,
  -1,
  1.5,
  1e21,
  true,
  {},
  [],
  [[]],
  ["0x1"],
  `0x${"0".repeat(40)}`,
  `0x${"0".repeat(39)}`,
  `0x${"G".repeat(40)}`,
  `0x${"0".repeat(64)}`,
  `0x${"f".repeat(64)}`,
  `0x${"f".repeat(66)}`,
  "0xffffffffffffffff",
  "0x10000000000000000",
  { blockNumber: "0x1" },
  { blockHash: `0x${"0".repeat(64)}` },
  { from: "0x1" },
  { to: `0x${"0".repeat(40)}`, data: "0x0" },
  { fromBlock: "0x2", toBlock: "0x1" },
  { address: [`0x${"0".repeat(40)}`], topics: [[null], "0x"] },
  { tracer: 5 }
]

/** Right parameters of the methods that a node and the sandbox read by, without the namespace. */
const right: ReadonlyArray<readonly [namespaces: string, name: string, ...params: ReadonlyArray<unknown>]> = [
  ...[
    ["getBalance", `0x${"a".repeat(40)}`, "0x1"],
    ["getTransactionCount", `0x${"a".repeat(40)}`, "0x1"],
    ["getCode", `0x${"a".repeat(40)}`, "0x1"],
    ["getStorageAt", `0x${"a".repeat(40)}`, "0x0", "0x1"],
    ["getBlockByNumber", "0x1", false],
    ["getBlockByHash", `0x${"a".repeat(64)}`, false],
    ["getHeaderByNumber", "0x1"],
    ["getHeaderByHash", `0x${"a".repeat(64)}`],
    ["getBlockReceipts", "0x1"],
    ["getBlockTransactionCountByNumber", "0x1"],
    ["getBlockTransactionCountByHash", `0x${"a".repeat(64)}`],
    ["getTransactionByHash", `0x${"a".repeat(64)}`],
    ["getTransactionByBlockNumberAndIndex", "0x1", "0x0"],
    ["getTransactionByBlockHashAndIndex", `0x${"a".repeat(64)}`, "0x0"],
    ["getRawTransactionByHash", `0x${"a".repeat(64)}`],
    ["getRawTransactionByBlockNumberAndIndex", "0x1", "0x0"],
    ["getRawTransactionByBlockHashAndIndex", `0x${"a".repeat(64)}`, "0x0"],
    ["getTransactionReceipt", `0x${"a".repeat(64)}`],
    ["getLogs", { fromBlock: "0x1", toBlock: "0x2" }],
    ["call", { to: `0x${"a".repeat(40)}` }, "0x1"],
    ["estimateGas", { to: `0x${"a".repeat(40)}` }],
    ["createAccessList", { to: `0x${"a".repeat(40)}` }, "0x1"],
    ["feeHistory", "0x2", "0x2", [50]],
    ["getProof", `0x${"a".repeat(40)}`, ["0x0"], "0x1"],
    ["chainId"],
    ["syncing"],
    ["gasPrice"],
    ["maxPriorityFeePerGas"],
    ["lowerBoundGasPrice"],
    ["upperBoundGasPrice"],
    ["pendingTransactions"],
    ["sendRawTransaction", "0x01"]
  ].map(([name, ...params]) => ["eth kaia klay", String(name), ...params] as const),
  ...[
    ["getAccount", `0x${"a".repeat(40)}`, "0x1"],
    ["getAccountKey", `0x${"a".repeat(40)}`, "0x1"],
    ["accountCreated", `0x${"a".repeat(40)}`, "0x1"],
    ["isContractAccount", `0x${"a".repeat(40)}`, "0x1"],
    ["encodeAccountKey", { keyType: 1, key: {} }],
    ["decodeAccountKey", "0x01c0"],
    ["getTransactionBySenderTxHash", `0x${"a".repeat(64)}`],
    ["getTransactionReceiptBySenderTxHash", `0x${"a".repeat(64)}`],
    ["getBlockWithConsensusInfoByNumber", "0x1"],
    ["getBlockWithConsensusInfoByHash", `0x${"a".repeat(64)}`],
    ["getCouncil", "0x1"],
    ["getCouncilSize", "0x1"],
    ["getCommittee", "0x1"],
    ["getCommitteeSize", "0x1"],
    ["getChainConfig", "0x1"],
    ["getParams", "0x1"],
    ["getRewards", "0x1"],
    ["getStakingInfo", "0x1"],
    ["getTotalSupply", "0x1"],
    ["getCypressCredit", "0x1"],
    ["getBlsInfos", "0x1"],
    ["getAllRecordsFromRegistry", "Name", "0x1"],
    ["getActiveAddressFromRegistry", "Name", "0x1"],
    ["forkStatus", "0x1"],
    ["estimateComputationCost", { to: `0x${"a".repeat(40)}` }, "0x1"],
    ["sha3", "0x01"],
    ["nodeAddress"],
    ["rewardbase"],
    ["isParallelDBWrite"],
    ["isSenderTxHashIndexingEnabled"],
    ["isConsoleLogEnabled"],
    ["protocolVersion"],
    ["clientVersion"],
    ["recoverFromMessage", `0x${"a".repeat(40)}`, "0x01", `0x${"0".repeat(130)}`, "0x1"],
    ["recoverFromTransaction", "0x01", "0x1"]
  ].map(([name, ...params]) => ["kaia klay", String(name), ...params] as const),
  ["eth", "getUncleByBlockNumberAndIndex", "0x1", "0x0"],
  ["eth", "getUncleCountByBlockNumber", "0x1"],
  ["eth", "getUncleCountByBlockHash", `0x${"a".repeat(64)}`],
  ["eth", "mining"],
  ["eth", "hashrate"],
  ["eth", "getHashrate"],
  ["eth", "getWork"],
  ["eth", "submitWork", "0x0000000000000001", `0x${"a".repeat(64)}`, `0x${"a".repeat(64)}`],
  ["eth", "submitHashrate", "0x1", `0x${"a".repeat(64)}`],
  ["eth", "getBlobSidecars", "0x1"],
  ["eth", "getBlobSidecarByTxHash", `0x${"a".repeat(64)}`],
  ["net", "version"],
  ["net", "networkID"],
  ["net", "listening"],
  ["net", "peerCount"],
  ["web3", "sha3", "0x01"],
  ["txpool", "status"],
  ["txpool", "content"],
  ["txpool", "inspect"],
  ["rpc", "modules"],
  ["debug", "traceTransaction", `0x${"a".repeat(64)}`],
  ["debug", "traceBlockByNumber", "0x1"],
  ["debug", "traceBlockByHash", `0x${"a".repeat(64)}`],
  ["debug", "traceBlock", "0x01"],
  ["debug", "traceCall", { to: `0x${"a".repeat(40)}` }, "0x1"]
]

/** Every method once as it should be asked. */
export const rightOnes: ReadonlyArray<Question> = right.flatMap(([namespaces, name, ...params]) =>
  namespaces.split(" ").map((namespace) => ({
    kind: `parameters of ${namespace}_${name}`,
    call: [`${namespace}_${name}`, ...params] as const
  }))
)

/** A method with one of its parameters changed, one too many, or one missing. */
export const wrongOne = (r: Random): Question => {
  const { call: [method, ...params], kind } = rightOnes[r.int(rightOnes.length)] ?? {
    kind: "parameters of eth_chainId",
    call: ["eth_chainId"] as const
  }
  const value = odd[r.int(odd.length)]
  const at = r.int(params.length + 1)
  switch (r.int(8)) {
    case 0:
      return { kind, call: [method, ...params.slice(0, -1)] }
    case 1:
      return { kind, call: [method, ...params, value] }
    default:
      return { kind, call: [method, ...params.slice(0, at), value, ...params.slice(at + 1)] }
  }
}
