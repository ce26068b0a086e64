import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"

const sandbox = Sandbox.layer({ seed: "params", clock: { start: 1_600_000_000, step: 1 } })

const owner = "0x1111111111111111111111111111111111111111"
const zero = `0x${"0".repeat(64)}`

/** Whatever a parameter is called, and the words in which it is refused (-32602). */
const invalid: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, message: string]> = [
  ["klay_getBalance", [], "missing value for required argument 0"],
  ["klay_getBalance", [owner], "missing value for required argument 1"],
  ["klay_getBalance", [owner, "latest", 1], "too many arguments, want at most 2"],
  [
    "klay_getBalance",
    [5, "latest"],
    "invalid argument 0: json: cannot unmarshal non-string into Go value of type common.Address"
  ],
  [
    "klay_getBalance",
    [owner.slice(2), "latest"],
    "invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type common.Address"
  ],
  [
    "eth_getBalance",
    ["0x111", "latest"],
    "invalid argument 0: json: cannot unmarshal hex string of odd length into Go value of type common.Address"
  ],
  [
    "eth_getBalance",
    ["0x11", "latest"],
    "invalid argument 0: hex string has length 2, want 40 for common.Address"
  ],
  [
    "eth_getBalance",
    [`0x${"zz".repeat(20)}`, "latest"],
    "invalid argument 0: json: cannot unmarshal invalid hex string into Go value of type common.Address"
  ],
  ["klay_getBalance", [owner, "newest"], "invalid argument 1: hex string without 0x prefix"],
  ["klay_getBalance", [owner, "0x"], "invalid argument 1: hex string \"0x\""],
  ["klay_getBalance", [owner, "0x01"], "invalid argument 1: hex number with leading zero digits"],
  ["klay_getBalance", [owner, ""], "invalid argument 1: empty hex string"],
  ["klay_getBalance", [owner, "12"], "invalid argument 1: hex string without 0x prefix"],
  ["klay_getBalance", [owner, "0x1ffffffffffffffff"], "invalid argument 1: hex number > 64 bits"],
  ["klay_getBalance", [owner, "0xffffffffffffffff"], "invalid argument 1: blocknumber too high"],
  ["klay_getBlockByNumber", ["0xffffffffffffffff", false], "invalid argument 0: Blocknumber too high"],
  [
    "klay_getBalance",
    [owner, { blockHash: zero, blockNumber: "0x0" }],
    "invalid argument 1: cannot specify both BlockHash and BlockNumber, choose one or the other"
  ],
  [
    "klay_getBalance",
    [owner, { blockNumber: "x" }],
    "invalid argument 1: json: cannot unmarshal object into Go value of type string"
  ],
  [
    "klay_getBalance",
    [owner, -1],
    "invalid argument 1: json: cannot unmarshal number into Go value of type string"
  ],
  [
    "klay_getBlockByNumber",
    ["latest", "yes"],
    "invalid argument 1: json: cannot unmarshal string into Go value of type bool"
  ],
  ["klay_getBlockByNumber", ["latest"], "missing value for required argument 1"],
  [
    "klay_getTransactionByHash",
    ["0x00"],
    "invalid argument 0: hex string has length 2, want 64 for common.Hash"
  ],
  [
    "klay_getLogs",
    [{ topics: "0x" }],
    "invalid argument 0: json: cannot unmarshal string into Go struct field input.topics of type []interface {}"
  ],
  // The first fault in the order of the object.
  [
    "klay_call",
    [{ Gas: "x", from: "y" }, "latest"],
    "invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go struct field CallArgs.gas of type hexutil.Uint64"
  ],
  ["eth_submitWork", ["1", zero, zero], "invalid argument 0: hex string without 0x prefix"],
  [
    "eth_submitWork",
    [1, zero, zero],
    "invalid argument 0: json: cannot unmarshal number into Go value of type *api.BlockNonce"
  ],
  [
    "klay_getTransactionByBlockNumberAndIndex",
    ["latest", 0],
    "invalid argument 1: json: cannot unmarshal non-string into Go value of type hexutil.Uint"
  ],
  [
    "klay_getTransactionByBlockNumberAndIndex",
    ["latest", "0x00"],
    "invalid argument 1: json: cannot unmarshal hex number with leading zero digits into Go value of type hexutil.Uint"
  ],
  [
    "klay_call",
    ["0x", "latest"],
    "invalid argument 0: json: cannot unmarshal string into Go value of type api.CallArgs"
  ],
  [
    "klay_call",
    [{ to: owner, gas: 21_000 }, "latest"],
    "invalid argument 0: json: cannot unmarshal non-string into Go struct field CallArgs.gas of type hexutil.Uint64"
  ],
  [
    "eth_call",
    [{ to: owner, value: "0x00" }, "latest"],
    "invalid argument 0: json: cannot unmarshal hex number with leading zero digits into Go struct field " +
    "EthTransactionArgs.value of type *hexutil.Big"
  ],
  ["klay_call", [{ to: owner }, "latest", {}, {}, 1], "too many arguments, want at most 4"],
  ["klay_call", [{ to: owner }], "missing value for required argument 1"],
  [
    "klay_getLogs",
    [{ blockHash: zero, fromBlock: "0x0" }],
    "invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other"
  ],
  ["klay_getLogs", [{ address: [5] }], "invalid argument 0: non-string address at index 0"],
  [
    "klay_getLogs",
    [{ address: ["0x11"] }],
    "invalid argument 0: invalid address at index 0: hex has invalid length 1 after decoding"
  ],
  ["klay_getLogs", [{ topics: [1] }], "invalid argument 0: invalid topic(s)"],
  [
    "klay_getLogs",
    [{ topics: ["0x11"] }],
    "invalid argument 0: hex has invalid length 1 after decoding"
  ],
  ["klay_feeHistory", ["0x01", "latest", []], "invalid argument 0: hex number with leading zero digits"],
  ["klay_feeHistory", ["0x1", "latest"], "missing value for required argument 2"],
  [
    "klay_sendRawTransaction",
    ["f8"],
    "invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type hexutil.Bytes"
  ]
]

/** Things that a node says no to when it has understood the question (-32000). */
const refused: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, message: string]> = [
  ["klay_getBlockByNumber", ["0x64", false], "the block does not exist (block number: 100)"],
  [
    "klay_getBlockByNumber",
    [9_007_199_254_740_992, false],
    "the block does not exist (block number: 9007199254740992)"
  ],
  ["klay_getBlockByHash", [zero, false], `the block does not exist (block hash: ${zero})`],
  ["klay_getBlockReceipts", [100], "the block does not exist (block number: 100)"],
  ["eth_getBlockReceipts", [100], "the block does not exist (block number: 100)"],
  ["klay_getHeaderByNumber", ["0x64"], "the header does not exist (block number: 100)"],
  ["klay_getHeaderByHash", [zero], `the header does not exist (hash: ${zero})`],
  ["klay_getBalance", [owner, 100], "the header does not exist (block number: 100)"],
  ["klay_getBalance", [owner, zero], "header for hash not found"],
  ["klay_getBalance", [owner, {}], "invalid arguments; neither block nor hash specified"],
  ["klay_getLogs", [{ blockHash: `0x${"1".repeat(64)}` }], `the header does not exist (hash: 0x${"1".repeat(64)})`],
  ["klay_getLogs", [{ fromBlock: "0x5", toBlock: "0xffffff" }], "the header does not exist (block number: 5)"],
  ["klay_getLogs", [{ FromBlock: "0x5", TOBLOCK: "0xffffff" }], "the header does not exist (block number: 5)"],
  [
    "klay_getLogs",
    [{ fromBlock: "0x7fffffffffffffff", toBlock: "0x7fffffffffffffff" }],
    "the header does not exist (block number: 9223372036854775807)"
  ],
  ["klay_feeHistory", [1, "0xd9", []], "request beyond head block: requested 217, head 0"],
  ["klay_feeHistory", [1, "latest", [50, 10]], "invalid reward percentile: #0:50.000000 > #1:10.000000"],
  ["klay_feeHistory", [1, "latest", [100.5]], "invalid reward percentile: 100.500000"],
  ["klay_sendRawTransaction", ["0x"], "EOF"],
  ["eth_sendRawTransaction", ["0x"], "Empty input"],
  ["klay_sendRawTransaction", ["0x02c0"], "undefined tx type"],
  ["klay_sendRawTransaction", ["0x7803c0"], "unexpected EOF"],
  ["eth_sendRawTransaction", ["0x08c0"], "undefined tx type"],
  ["eth_sendRawTransaction", ["0x7802c0"], "undefined tx type"],
  ["klay_sendRawTransactions", [["0x"]], "Index 0: empty input"],
  ["klay_encodeAccountKey", [{}], "key type is not specified"],
  ["klay_encodeAccountKey", [{ keyType: 4, key: { threshold: 0 } }], "invalid threshold of the multiSigKey"],
  [
    "klay_call",
    [{ from: owner, to: owner, value: "0x1" }, "latest"],
    "err: insufficient balance for transfer (supplied gas 500000000)"
  ],
  ["klay_call", [{ to: owner, gas: "0x5207" }, "latest"], "intrinsic gas too low: msg.gas 20999, want 21000"],
  [
    "eth_call",
    [{ to: owner, gas: "0x1dcd6501" }, "latest"],
    "gas limit 500000001 exceeds the upper limit 500000000"
  ],
  [
    "klay_estimateComputationCost",
    [{ to: owner, gas: "0x12a05f1ff" }, "latest"],
    "gas limit 4999999999 exceeds the upper limit 500000000"
  ],
  [
    "klay_estimateComputationCost",
    [{ from: owner, to: owner, value: "0x1" }, "latest"],
    "err: insufficient balance for transfer (supplied gas 500000000)"
  ],
  [
    "klay_estimateGas",
    [{ to: owner, gas: "0x12a05f1ff" }],
    "gas limit 4999999999 exceeds the upper limit 500000000"
  ],
  [
    "eth_call",
    [{ to: owner, gasPrice: "0x1", maxFeePerGas: "0x1" }, "latest"],
    "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified"
  ],
  [
    "eth_estimateGas",
    [{ to: owner, maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x2" }],
    "insufficient funds for transfer"
  ],
  [
    "eth_call",
    [{ to: owner, maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x2" }, "latest"],
    "MaxPriorityFeePerGas is greater than MaxFeePerGas"
  ],
  ["eth_estimateGas", [{ from: owner, to: owner, gasPrice: "0x1" }], "insufficient funds for transfer"],
  ["eth_estimateGas", [{ to: owner, data: "0x00", gas: "0x5208" }], "gas required exceeds allowance (21000)"]
]

/** Things that are not there, or that a node has at once. */
const results: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, result: unknown]> = [
  ["klay_getLogs", [{ blockHash: zero }], []],
  ["eth_getBlockByNumber", ["0x64", false], null],
  ["eth_getBlockByHash", [zero, true], null],
  ["eth_getHeaderByNumber", [100], null],
  ["eth_getHeaderByHash", [zero], null],
  ["klay_getBlockTransactionCountByNumber", [100], null],
  ["klay_getBlockTransactionCountByNumber", ["pending"], "0x0"],
  ["klay_getBalance", [owner, "pending"], "0x0"],
  ["eth_call", [{ to: owner }, "pending"], "0x"],
  ["eth_estimateGas", [{ to: owner }, "pending"], "0x5208"],
  ["klay_getTransactionByHash", [zero], null],
  ["klay_getTransactionBySenderTxHash", [zero], null],
  ["klay_getTransactionReceipt", [zero], null],
  ["klay_getTransactionByBlockNumberAndIndex", ["latest", "0x0"], null],
  ["klay_getTransactionByBlockHashAndIndex", [zero, "0x0"], null],
  ["klay_getRawTransactionByHash", [zero], "0x"],
  ["eth_getRawTransactionByBlockNumberAndIndex", ["latest", "0x5"], "0x"],
  ["klay_getAccount", [owner, "latest"], null],
  ["klay_getAccountKey", [owner, "latest"], null],
  ["klay_accountCreated", [owner, "latest"], false],
  ["klay_isContractAccount", [owner, "latest"], false],
  ["klay_getBalance", [owner.toUpperCase().replace("0X", "0x"), "latest"], "0x0"],
  ["klay_getBalance", [owner, 0], "0x0"],
  ["klay_getBalance", [owner, "safe"], "0x0"],
  ["klay_getBalance", [owner, "finalized"], "0x0"],
  ["klay_getBalance", [owner, { blockNumber: "earliest" }], "0x0"],
  ["klay_getCode", [owner, "latest"], "0x"],
  ["klay_getStorageAt", [owner, "0x0", "latest"], zero],
  ["klay_getStorageAt", [owner, "1", "latest"], zero],
  ["klay_getTransactionCount", [owner, "pending"], "0x0"],
  ["klay_blockNumber", ["ignored"], "0x0"],
  ["klay_getLogs", [{}], []],
  ["klay_getLogs", [{ fromBlock: "0x5", toBlock: "0x1" }], []],
  ["klay_getLogs", [null], []],
  // Keys are read in any case, and of several the last.
  ["klay_getLogs", [{ FROMBLOCK: "0x5", ToBlock: "0x1" }], []],
  ["eth_getBalance", [owner, { BLOCKNUMBER: "0x0" }, "latest"].slice(0, 2), "0x0"],
  ["eth_call", [{ to: owner, To: null, DATA: "0x600160005260206000f3" }, "latest"], "0x"],
  ["klay_feeHistory", [1, "latest", [null]], {
    oldestBlock: "0x0",
    reward: [["0x0"]],
    baseFeePerGas: ["0x5d21dba00", "0x5d21dba00"],
    blobBaseFeePerGas: ["0x2e90edd000", "0x2e90edd000"],
    gasUsedRatio: [0]
  }],
  ["klay_feeHistory", [0, "latest", null], { oldestBlock: "0x0", gasUsedRatio: null }],
  [
    "klay_feeHistory",
    ["5", "latest", []],
    {
      oldestBlock: "0x0",
      baseFeePerGas: ["0x5d21dba00", "0x5d21dba00"],
      blobBaseFeePerGas: ["0x2e90edd000", "0x2e90edd000"],
      gasUsedRatio: [0]
    }
  ],
  ["klay_call", [{}, "latest"], "0x"],
  ["klay_call", [{ to: owner, gas: "0x1dcd6500" }, "latest"], "0x"],
  ["kaia_estimateComputationCost", [{ to: owner }, "latest"], "0x0"],
  ["klay_estimateComputationCost", [{ data: "0x600160020150" }, "latest"], "0x212"],
  ["klay_estimateComputationCost", [{ data: "0x5f5ffd" }, "latest"], "0xa0"],
  ["klay_estimateGas", [{ to: owner }], "0x5208"],
  ["klay_estimateGas", [{ to: owner, input: "0x0001" }, null, null], "0x523a"],
  ["klay_decodeAccountKey", ["0x01c0"], { keyType: 1, key: {} }],
  ["klay_encodeAccountKey", [{ keyType: 1, key: {} }], "0x01c0"],
  [
    "klay_decodeAccountKey",
    ["0x02a102dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8"],
    {
      keyType: 2,
      key: {
        x: "0xdbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8",
        y: "0x906d7170ba349c86879fb8006134cbf57bda9db9214a90b607b6b4ab57fc026e"
      }
    }
  ]
]

layer(sandbox, { excludeTestServices: true })("A node's method", (it) => {
  it.effect("refuses parameters in a node's words", () =>
    Effect.forEach(
      invalid,
      ([method, params, message]) =>
        Effect.map(Rpc.failure(method, ...params), (error) =>
          assert.deepStrictEqual(error, { code: -32602, message }, `${method} ${JSON.stringify(params)}`))
    ))

  it.effect("says no in a node's words", () =>
    Effect.forEach(
      refused,
      ([method, params, message]) =>
        Effect.map(Rpc.failure(method, ...params), (error) =>
          assert.deepStrictEqual(error, { code: -32000, message }, `${method} ${JSON.stringify(params)}`))
    ))

  it.effect("answers what is not there as its namespace does", () =>
    Effect.forEach(
      results,
      ([method, params, result]) =>
        Effect.map(Rpc.call(method, ...params), (answer) =>
          assert.deepStrictEqual(answer, result, `${method} ${JSON.stringify(params)}`))
    ))

  it.effect("answers the same under both names of the chain", () =>
    Effect.forEach([...invalid, ...refused], ([method, params]) =>
      method.startsWith("klay_")
        ? Effect.gen(function*() {
          const old = yield* Rpc.reply(method, ...params)
          assert.deepStrictEqual(yield* Rpc.reply(method.replace("klay", "kaia"), ...params), old)
        })
        : Effect.void))
})
