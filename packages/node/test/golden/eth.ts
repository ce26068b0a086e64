import * as Option from "effect/Option"
import { log, logMeaning } from "./records.js"
import { alice, blockHash, bloom, bob, hash, json, other, payer, type Row, token, zeroHash } from "./row.js"
import { delegatedTransfer } from "./vectors.js"

const header = {
  number: "0x1b4",
  hash: blockHash,
  parentHash: other,
  sha3Uncles: hash,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  nonce: "0x0000000000000000",
  mixHash: zeroHash,
  logsBloom: bloom,
  miner: payer,
  difficulty: "0x1",
  extraData: "0x",
  size: "0x2fd",
  gasLimit: "0xe8d4a50fff",
  gasUsed: "0x0",
  timestamp: "0x5ff7db81",
  baseFeePerGas: "0x0"
}
const headerMeaning = {
  number: 436n,
  hash: blockHash,
  parentHash: other,
  sha3Uncles: hash,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  nonce: "0x0000000000000000",
  mixHash: zeroHash,
  logsBloom: bloom,
  miner: payer,
  difficulty: 1n,
  extraData: "0x",
  size: 765n,
  gasLimit: 999_999_999_999n,
  gasUsed: 0n,
  timestamp: 1_610_079_105,
  baseFeePerGas: 0n
}
const block = { ...header, uncles: [], transactions: [hash] }
const blockMeaning = { ...headerMeaning, uncles: [], transactions: [hash] }

const transaction = {
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
  hash,
  from: alice,
  to: null,
  nonce: "0x1",
  gas: "0x5208",
  gasPrice: "0x19",
  value: "0xa",
  input: "0x",
  type: "0x2",
  v: "0x1",
  r: "0x2",
  s: "0x3",
  chainId: "0x2019",
  accessList: [],
  maxFeePerGas: "0x19",
  maxPriorityFeePerGas: "0x0"
}
const transactionMeaning = {
  hash,
  from: alice,
  nonce: 1n,
  gas: 21_000n,
  gasPrice: 25n,
  value: 10n,
  input: "0x",
  type: 2,
  v: 1n,
  r: 2n,
  s: 3n,
  chainId: 8217n,
  accessList: [],
  maxFeePerGas: 25n,
  maxPriorityFeePerGas: 0n
}
const full = { ...header, uncles: [], transactions: [transaction] }
const fullMeaning = { ...headerMeaning, uncles: [], transactions: [transactionMeaning] }

const receipt = {
  blockHash,
  blockNumber: "0x1b4",
  transactionHash: hash,
  transactionIndex: "0x0",
  from: alice,
  to: token,
  gasUsed: "0x5208",
  cumulativeGasUsed: "0x5209",
  effectiveGasPrice: "0x19",
  contractAddress: null,
  logs: [log],
  logsBloom: bloom,
  status: "0x0",
  type: "0x0"
}
const receiptMeaning = {
  blockHash,
  blockNumber: 436n,
  transactionHash: hash,
  transactionIndex: 0n,
  from: alice,
  to: token,
  gasUsed: 21_000n,
  cumulativeGasUsed: 21_001n,
  effectiveGasPrice: 25n,
  logs: [logMeaning],
  logsBloom: bloom,
  status: 0,
  type: 0
}

const call = { to: token }
const proof = {
  address: alice,
  accountProof: [],
  balance: "0x1",
  codeHash: hash,
  nonce: "0x2",
  storageHash: other,
  storageProof: []
}

const shaped: ReadonlyArray<Row> = [
  ["eth_getBlockByNumber", (n) => n.eth.getBlockByNumber(), `["latest",false]`, json(block), Option.some(blockMeaning)],
  ["eth_getBlockByNumber", (n) => n.eth.getBlockByNumber(9n), `["0x9",false]`, "null", Option.none()],
  [
    "eth_getBlockByNumber",
    (n) => n.eth.getFullBlockByNumber(436n),
    `["0x1b4",true]`,
    json(full),
    Option.some(fullMeaning)
  ],
  [
    "eth_getBlockByHash",
    (n) => n.eth.getBlockByHash(blockHash),
    `["${blockHash}",false]`,
    json(block),
    Option.some(blockMeaning)
  ],
  ["eth_getBlockByHash", (n) => n.eth.getFullBlockByHash(hash), `["${hash}",true]`, "null", Option.none()],
  [
    "eth_getHeaderByNumber",
    (n) => n.eth.getHeaderByNumber(436n),
    `["0x1b4"]`,
    json(header),
    Option.some(headerMeaning)
  ],
  ["eth_getHeaderByHash", (n) => n.eth.getHeaderByHash(hash), `["${hash}"]`, "null", Option.none()],
  ["eth_getBlockReceipts", (n) => n.eth.getBlockReceipts(436n), `["0x1b4"]`, json([receipt]), [receiptMeaning]],
  [
    "eth_getTransactionByHash",
    (n) => n.eth.getTransactionByHash(hash),
    `["${hash}"]`,
    json(transaction),
    Option.some(transactionMeaning)
  ],
  [
    "eth_getTransactionByBlockHashAndIndex",
    (n) => n.eth.getTransactionByBlockHashAndIndex(hash, 1n),
    `["${hash}","0x1"]`,
    "null",
    Option.none()
  ],
  [
    "eth_getTransactionByBlockNumberAndIndex",
    (n) => n.eth.getTransactionByBlockNumberAndIndex(2n, 1n),
    `["0x2","0x1"]`,
    json({ ...transaction, blockHash, blockNumber: "0x2", transactionIndex: "0x1", to: bob }),
    Option.some({ ...transactionMeaning, blockHash, blockNumber: 2n, transactionIndex: 1n, to: bob })
  ],
  [
    "eth_getTransactionReceipt",
    (n) => n.eth.getTransactionReceipt(hash),
    `["${hash}"]`,
    json(receipt),
    Option.some(receiptMeaning)
  ],
  [
    "eth_call",
    (n) => n.eth.call(call, "latest", { [bob]: { code: "0x00", nonce: 1n } }),
    `[{"to":"${token}"},"latest",{"${bob}":{"nonce":"0x1","code":"0x00"}}]`,
    `"0x01"`,
    "0x01"
  ]
]

const twins: ReadonlyArray<Row> = [
  ["eth_getBalance", (n) => n.eth.getBalance(alice), `["${alice}","latest"]`, `"0x1"`, 1n],
  ["eth_getCode", (n) => n.eth.getCode(alice), `["${alice}","latest"]`, `"0x00"`, "0x00"],
  ["eth_getStorageAt", (n) => n.eth.getStorageAt(alice, 0n), `["${alice}","0x0","latest"]`, json(hash), hash],
  ["eth_getTransactionCount", (n) => n.eth.getTransactionCount(alice), `["${alice}","latest"]`, `"0x1"`, 1n],
  [
    "eth_getProof",
    (n) => n.eth.getProof(alice, []),
    `["${alice}",[],"latest"]`,
    json(proof),
    { ...proof, balance: 1n, nonce: 2n }
  ],
  ["eth_blockNumber", (n) => n.eth.blockNumber(), "[]", `"0x1"`, 1n],
  [
    "eth_getBlockTransactionCountByNumber",
    (n) => n.eth.getBlockTransactionCountByNumber(),
    `["latest"]`,
    `"0x1"`,
    Option.some(1n)
  ],
  [
    "eth_getBlockTransactionCountByHash",
    (n) => n.eth.getBlockTransactionCountByHash(hash),
    `["${hash}"]`,
    "null",
    Option.none()
  ],
  ["eth_getRawTransactionByHash", (n) => n.eth.getRawTransactionByHash(hash), `["${hash}"]`, `"0x"`, Option.none()],
  [
    "eth_getRawTransactionByBlockHashAndIndex",
    (n) => n.eth.getRawTransactionByBlockHashAndIndex(hash, 0n),
    `["${hash}","0x0"]`,
    `"0x02"`,
    Option.some("0x02")
  ],
  [
    "eth_getRawTransactionByBlockNumberAndIndex",
    (n) => n.eth.getRawTransactionByBlockNumberAndIndex(0n, 0n),
    `["0x0","0x0"]`,
    `"0x02"`,
    Option.some("0x02")
  ],
  ["eth_estimateGas", (n) => n.eth.estimateGas(call), `[{"to":"${token}"}]`, `"0x5208"`, 21_000n],
  [
    "eth_createAccessList",
    (n) => n.eth.createAccessList(call, 1n),
    `[{"to":"${token}"},"0x1"]`,
    json({ accessList: [], gasUsed: "0x1" }),
    { accessList: [], gasUsed: 1n }
  ],
  ["eth_gasPrice", (n) => n.eth.gasPrice(), "[]", `"0x1"`, 1n],
  ["eth_upperBoundGasPrice", (n) => n.eth.upperBoundGasPrice(), "[]", `"0x1"`, 1n],
  ["eth_lowerBoundGasPrice", (n) => n.eth.lowerBoundGasPrice(), "[]", `"0x1"`, 1n],
  ["eth_maxPriorityFeePerGas", (n) => n.eth.maxPriorityFeePerGas(), "[]", `"0x1"`, 1n],
  ["eth_feeHistory", (n) => n.eth.feeHistory(1, 5n), `["0x1","0x5",[]]`, `{"oldestBlock":"0x5"}`, { oldestBlock: 5n }],
  ["eth_chainId", (n) => n.eth.chainId(), "[]", `"0x3e9"`, 1001n],
  ["eth_syncing", (n) => n.eth.syncing(), "[]", "false", false],
  ["eth_accounts", (n) => n.eth.accounts(), "[]", "[]", []],
  ["eth_getLogs", (n) => n.eth.getLogs({}), "[{}]", json([log]), [logMeaning]],
  ["eth_newFilter", (n) => n.eth.newFilter({}), "[{}]", `"0x1"`, "0x1"],
  ["eth_newBlockFilter", (n) => n.eth.newBlockFilter(), "[]", `"0x1"`, "0x1"],
  ["eth_newPendingTransactionFilter", (n) => n.eth.newPendingTransactionFilter(), "[]", `"0x1"`, "0x1"],
  ["eth_getFilterChanges", (n) => n.eth.getFilterChanges("0x1"), `["0x1"]`, "[]", []],
  ["eth_getFilterLogs", (n) => n.eth.getFilterLogs("0x1"), `["0x1"]`, "[]", []],
  ["eth_uninstallFilter", (n) => n.eth.uninstallFilter("0x1"), `["0x1"]`, "true", true],
  [
    "eth_sendRawTransaction",
    (n) => n.eth.sendRawTransaction(delegatedTransfer.raw),
    `["${delegatedTransfer.raw}"]`,
    json(delegatedTransfer.hash),
    delegatedTransfer.hash
  ]
]

const alone: ReadonlyArray<Row> = [
  [
    "eth_getUncleByBlockNumberAndIndex",
    (n) => n.eth.getUncleByBlockNumberAndIndex(1n, 0n),
    `["0x1","0x0"]`,
    "null",
    null
  ],
  [
    "eth_getUncleByBlockHashAndIndex",
    (n) => n.eth.getUncleByBlockHashAndIndex(hash, 0n),
    `["${hash}","0x0"]`,
    "null",
    null
  ],
  ["eth_getUncleCountByBlockNumber", (n) => n.eth.getUncleCountByBlockNumber(), `["latest"]`, `"0x0"`, Option.some(0n)],
  ["eth_getUncleCountByBlockHash", (n) => n.eth.getUncleCountByBlockHash(hash), `["${hash}"]`, "null", Option.none()],
  ["eth_mining", (n) => n.eth.mining(), "[]", "false", false],
  ["eth_hashrate", (n) => n.eth.hashrate(), "[]", `"0x0"`, 0n],
  ["eth_getHashrate", (n) => n.eth.getHashrate(), "[]", "0", 0n],
  ["eth_getWork", (n) => n.eth.getWork(), "[]", json([hash]), [hash]],
  [
    "eth_submitWork",
    (n) => n.eth.submitWork("0x0000000000000001", hash, other),
    `["0x0000000000000001","${hash}","${other}"]`,
    "false",
    false
  ],
  ["eth_submitHashrate", (n) => n.eth.submitHashrate(5, hash), `["0x5","${hash}"]`, "false", false],
  ["eth_coinbase", (n) => n.eth.coinbase(), "[]", json(payer), payer],
  ["eth_etherbase", (n) => n.eth.etherbase(), "[]", json(payer), payer],
  [
    "eth_fillTransaction",
    (n) => n.eth.fillTransaction({ from: alice, to: bob, value: 1n }),
    `[{"from":"${alice}","to":"${bob}","value":"0x1"}]`,
    json({ raw: "0x02", tx: { nonce: "0x1" } }),
    { raw: "0x02", tx: { nonce: "0x1" } }
  ],
  ["eth_blobBaseFee", (n) => n.eth.blobBaseFee(), "[]", `"0x1"`, 1n],
  ["eth_config", (n) => n.eth.config(), "[]", `{"current":{}}`, { current: {} }],
  ["eth_getBlobSidecars", (n) => n.eth.getBlobSidecars("latest"), `["latest",true]`, "[]", []],
  ["eth_getBlobSidecarByTxHash", (n) => n.eth.getBlobSidecarByTxHash(hash, false), `["${hash}",false]`, "null", null]
]

export const eth: ReadonlyArray<Row> = [...shaped, ...twins, ...alone]
