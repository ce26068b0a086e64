/** What the methods of the public Ethereum execution API answer has the form that the specification gives, by a validator. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { createWalletClient, http } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { kairos } from "viem/chains"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { result } from "./anvil.js"
import { open, type World } from "./world.js"

// The forms are written down here from the specification (ethereum/execution-apis). Like there, an object has no other fields.

const pattern = (digits: string) => ({ type: "string", pattern: `^0x${digits}$` })
const uint = pattern("(0|[1-9a-f][0-9a-f]*)")
const bytes = pattern("([0-9a-f]{2})*")
const ofBytes = (length: number) => pattern(`[0-9a-f]{${2 * length}}`)
const address = pattern("[0-9a-fA-F]{40}")
const hash = ofBytes(32)
const flag = { type: "boolean" }
const text = { type: "string" }
const nothing = { type: "null" }
const either = (...schemas: ReadonlyArray<object>) => ({ anyOf: schemas })
const list = (items: object, minItems = 0) => ({ type: "array", items, minItems })

type Properties = Readonly<Record<string, object>>

/** An object that has the required fields, may have the others, and has no more. */
const exactly = (required: Properties, others: Properties = {}) => ({
  type: "object",
  properties: { ...required, ...others },
  required: Object.keys(required),
  additionalProperties: false
})

const accessList = list(exactly({ address, storageKeys: list(hash) }))
const signature = { r: uint, s: uint }
const authorization = exactly({ chainId: uint, address, nonce: uint, yParity: uint, ...signature })

/** Where the chain's own node and the sandbox differ from the specification. `v` is in typed transactions, `yParity` is not. */
const differences = {
  feeHistory: { blobBaseFeePerGas: list(uint) },
  /** Forks of this chain begin at a block; what there is none of is null. */
  config: { activationBlock: { type: "integer" } },
  /** A transaction that is no answer about a block has no price where it has a highest one. */
  filled: { gasPrice: either(uint, nothing) },
  signing: { maxFeePerGas: either(uint, nothing), maxPriorityFeePerGas: either(uint, nothing) }
}

const body = { nonce: uint, gas: uint, value: uint, input: bytes }
const dynamic = {
  ...body,
  gasPrice: uint,
  maxFeePerGas: uint,
  maxPriorityFeePerGas: uint,
  accessList,
  chainId: uint,
  v: uint
}
const kinds: ReadonlyArray<readonly [type: string, required: Properties]> = [
  ["0x0", { ...body, gasPrice: uint, v: uint }],
  ["0x1", { ...body, gasPrice: uint, accessList, chainId: uint, v: uint }],
  ["0x2", dynamic],
  ["0x4", { ...dynamic, authorizationList: list(authorization, 1) }]
]

/** A signed transaction of any type, with further fields. */
const signed = (further: Properties, others: Properties = {}) =>
  either(
    ...kinds.map(([type, required]) =>
      exactly(
        { type: { const: type }, to: either(address, nothing), ...required, ...signature, ...further },
        { chainId: uint, ...others }
      )
    )
  )

const transaction = signed(
  { blockHash: hash, blockNumber: uint, from: address, hash, transactionIndex: uint },
  { blockTimestamp: uint }
)

const log = exactly({ transactionHash: hash }, {
  removed: flag,
  logIndex: uint,
  transactionIndex: uint,
  blockHash: hash,
  blockNumber: uint,
  blockTimestamp: uint,
  address,
  data: bytes,
  topics: list(hash)
})

const receipt = exactly({
  blockHash: hash,
  blockNumber: uint,
  from: address,
  cumulativeGasUsed: uint,
  gasUsed: uint,
  logs: list(log),
  logsBloom: ofBytes(256),
  transactionHash: hash,
  transactionIndex: uint,
  effectiveGasPrice: uint
}, {
  type: uint,
  to: either(address, nothing),
  contractAddress: either(address, nothing),
  status: { enum: ["0x0", "0x1"] },
  root: hash,
  blobGasUsed: uint,
  blobGasPrice: uint
})

const block = (transactions: object) =>
  exactly({
    hash,
    parentHash: hash,
    sha3Uncles: hash,
    miner: address,
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    logsBloom: ofBytes(256),
    number: uint,
    gasLimit: uint,
    gasUsed: uint,
    timestamp: uint,
    extraData: bytes,
    mixHash: hash,
    nonce: ofBytes(8),
    size: uint,
    transactions: list(transactions),
    uncles: list(hash)
  }, {
    difficulty: uint,
    totalDifficulty: uint,
    baseFeePerGas: uint,
    withdrawalsRoot: hash,
    withdrawals: { type: "array" },
    blobGasUsed: uint,
    excessBlobGas: uint,
    parentBeaconBlockRoot: hash,
    requestsHash: hash
  })

const ratio = { type: "number", minimum: 0, maximum: 1 }
const feeHistory = exactly({ oldestBlock: uint, baseFeePerGas: list(uint, 1), gasUsedRatio: list(ratio, 1) }, {
  baseFeePerBlobGas: list(uint),
  blobGasUsedRatio: list(ratio),
  reward: list(list(uint)),
  ...differences.feeHistory
})

const count = { type: "integer", minimum: 0 }
const addresses = { type: "object", additionalProperties: address }
const fork = exactly({
  activationTime: { type: "number" },
  blobSchedule: exactly({ baseFeeUpdateFraction: count, max: count, target: count }),
  chainId: uint,
  forkId: ofBytes(4),
  precompiles: addresses,
  systemContracts: addresses
}, differences.config)

const frame = {
  $id: "frame",
  type: "object",
  properties: {
    type: text,
    from: address,
    to: address,
    value: uint,
    gas: uint,
    gasUsed: uint,
    input: bytes,
    output: bytes,
    error: text,
    revertReason: text,
    reverted: exactly({ contract: address }, { message: text }),
    calls: list({ $ref: "frame" }),
    logs: list(exactly({ address, topics: list(hash), data: bytes, position: uint, index: uint }))
  },
  required: ["type", "from", "gas", "gasUsed", "input"],
  additionalProperties: false
}

let world: World
let facts: Readonly<Record<string, unknown>>
const ask = (method: string, ...params: ReadonlyArray<unknown>) => result(world.url, method, ...params)

const emitter = `0x${"e7".repeat(20)}`
const price = "0x5d21dba00"

/** Sends a transaction with an authorization (type 4), signed by a key: accounts of the node don't sign this type. */
const delegate = async (from: unknown) => {
  const account = privateKeyToAccount(generatePrivateKey())
  await ask("eth_sendTransaction", { from, to: account.address, value: "0xde0b6b3a7640000" })
  const wallet = createWalletClient({ chain: kairos, account, transport: http(world.url) })
  const authorization = await wallet.signAuthorization({ contractAddress: emitter, executor: "self" })
  return wallet.sendTransaction({ authorizationList: [authorization], to: emitter })
}

beforeAll(async () => {
  world = await open()
  const from = world.accounts[0]?.address
  // Emits a log with one topic: PUSH1 7 PUSH0 PUSH0 LOG1.
  await ask("anvil_setCode", emitter, "0x60075f5fa1")
  const common = { from, to: emitter, gas: "0x186a0" }
  const plain = await ask("eth_sendTransaction", { ...common, gasPrice: price })
  const listed = await ask("eth_sendTransaction", {
    ...common,
    gasPrice: price,
    accessList: [{ address: emitter, storageKeys: [`0x${"0".repeat(64)}`] }]
  })
  const dynamic = await ask("eth_sendTransaction", { ...common, maxFeePerGas: price, maxPriorityFeePerGas: "0x0" })
  const authorized = await delegate(from)
  const creation = await ask("eth_sendTransaction", { from, data: "0x60006000f3", gas: "0x186a0" })
  const number = await ask("eth_blockNumber")
  const { hash: blockHash } = await ask("eth_getBlockByNumber", number, false) as { readonly hash: string }
  const logs = await ask("eth_newFilter", { fromBlock: "0x0" })
  const blocks = await ask("eth_newBlockFilter")
  await ask("evm_mine")
  const signable = { ...common, gasPrice: price, nonce: "0x64" }
  const { raw } = await ask("eth_signTransaction", { ...signable, nonce: "0x5" }) as { readonly raw: string }
  facts = { from, plain, listed, dynamic, authorized, creation, number, blockHash, logs, blocks, signable, raw }
})
afterAll(() => world.close())

type Facts = Readonly<Record<string, unknown>>

/** A method, its parameters, and the form of its result. */
const methods: ReadonlyArray<readonly [method: string, params: (f: Facts) => ReadonlyArray<unknown>, form: object]> = [
  ["eth_accounts", () => [], list(address, 1)],
  ["eth_blobBaseFee", () => [], uint],
  ["eth_blockNumber", () => [], uint],
  ["eth_call", (f) => [{ from: f["from"], to: emitter }, "latest"], bytes],
  ["eth_chainId", () => [], uint],
  ["eth_coinbase", () => [], address],
  ["eth_config", () => [], exactly({ current: fork }, { next: either(fork, nothing), last: either(fork, nothing) })],
  [
    "eth_createAccessList",
    (f) => [{ from: f["from"], to: emitter }, "latest"],
    exactly({ accessList, gasUsed: uint }, { error: text })
  ],
  ["eth_estimateGas", (f) => [{ from: f["from"], to: emitter }], uint],
  ["eth_feeHistory", () => ["0x3", "latest", [10, 90]], feeHistory],
  ["eth_gasPrice", () => [], uint],
  ["eth_getBalance", (f) => [f["from"], "latest"], uint],
  ["eth_getBlockByHash", (f) => [f["blockHash"], false], block(hash)],
  ["eth_getBlockByHash", (f) => [f["blockHash"], true], block(transaction)],
  ["eth_getBlockByNumber", () => ["0x0", true], block(transaction)],
  ["eth_getBlockByNumber", () => ["0x64", true], nothing],
  ["eth_getBlockReceipts", (f) => [f["number"]], list(receipt, 1)],
  ["eth_getBlockTransactionCountByHash", (f) => [f["blockHash"]], uint],
  ["eth_getBlockTransactionCountByNumber", (f) => [f["number"]], uint],
  ["eth_getCode", () => [emitter, "latest"], bytes],
  ["eth_getFilterChanges", (f) => [f["blocks"]], list(hash, 1)],
  ["eth_getFilterLogs", (f) => [f["logs"]], list(log, 1)],
  ["eth_getLogs", () => [{ fromBlock: "0x0", toBlock: "latest" }], list(log, 1)],
  ["eth_getStorageAt", () => [emitter, "0x0", "latest"], ofBytes(32)],
  ["eth_getTransactionByBlockHashAndIndex", (f) => [f["blockHash"], "0x0"], transaction],
  ["eth_getTransactionByBlockNumberAndIndex", (f) => [f["number"], "0x0"], transaction],
  ...["plain", "listed", "dynamic", "authorized", "creation"].flatMap((name) =>
    [
      ["eth_getTransactionByHash", (f: Facts) => [f[name]], transaction],
      ["eth_getTransactionReceipt", (f: Facts) => [f[name]], receipt]
    ] as const
  ),
  ["eth_getTransactionByHash", () => [`0x${"0".repeat(64)}`], nothing],
  ["eth_getTransactionReceipt", () => [`0x${"0".repeat(64)}`], nothing],
  ["eth_getTransactionCount", (f) => [f["from"], "latest"], uint],
  ["eth_getUncleCountByBlockHash", (f) => [f["blockHash"]], uint],
  ["eth_getUncleCountByBlockNumber", (f) => [f["number"]], uint],
  ["eth_maxPriorityFeePerGas", () => [], uint],
  ["eth_newBlockFilter", () => [], { type: "string" }],
  ["eth_newFilter", () => [{}], { type: "string" }],
  ["eth_newPendingTransactionFilter", () => [], { type: "string" }],
  ["eth_sign", (f) => [f["from"], "0x6d"], ofBytes(65)],
  ["eth_syncing", () => [], either({ const: false }, { type: "object" })],
  ["eth_uninstallFilter", (f) => [f["blocks"]], flag],
  ["eth_sendRawTransaction", (f) => [f["raw"]], hash],
  ["eth_sendTransaction", (f) => [{ from: f["from"], to: emitter }], hash],
  ["debug_traceTransaction", (f) => [f["plain"], { tracer: "callTracer", tracerConfig: { withLog: true } }], {
    $ref: "frame"
  }],
  ["net_version", () => [], { type: "string", pattern: "^[0-9]+$" }],
  ["txpool_status", () => [], exactly({ pending: uint, queued: uint })],
  ["web3_clientVersion", () => [], text]
]

describe("A method of the execution API", () => {
  const validator = new Ajv2020({ allErrors: true, strict: true, strictTypes: false })
  validator.addSchema(frame)

  it.each(methods)("%s answers in the form of the specification (%#)", async (method, params, form) => {
    const answer = await ask(method, ...params(facts))
    const isValid = validator.validate(form, answer)
    assert.isTrue(isValid, `${JSON.stringify(answer).slice(0, 500)}: ${validator.errorsText()}`)
  })

  it.each([["plain", "0x0"], ["listed", "0x1"], ["dynamic", "0x2"], ["authorized", "0x4"]])(
    "was asked about a transaction of each type: %s",
    async (name, type) => {
      const found = await ask("eth_getTransactionByHash", facts[name]) as { readonly type: unknown }
      assert.strictEqual(found.type, type)
    }
  )

  it("answers eth_signTransaction with the bytes and the transaction, as nodes do and unlike the specification", async () => {
    const { raw, tx } = await ask("eth_signTransaction", facts["signable"]) as {
      readonly raw: unknown
      readonly tx: unknown
    }
    assert.isTrue(validator.validate(bytes, raw))
    assert.isTrue(
      validator.validate(signed({ hash }, differences.signing), tx),
      JSON.stringify(tx) + validator.errorsText()
    )
  })

  it("fills a transaction, and answers with the bytes and the transaction", async () => {
    const { raw, tx } = await ask("eth_fillTransaction", { from: facts["from"], to: emitter }) as {
      readonly raw: unknown
      readonly tx: unknown
    }
    assert.isTrue(validator.validate(bytes, raw))
    assert.isTrue(
      validator.validate(signed({ hash, ...differences.filled }, differences.signing), tx),
      JSON.stringify(tx) + validator.errorsText()
    )
  })

  it("refuses what the specification has besides and this chain has not", async () => {
    for (const method of ["eth_getProof", "eth_simulateV1", "eth_getBlockAccessList", "debug_getRawBlock"]) {
      const failure = await ask(method).then(() => "answered", String)
      assert.match(failure, /does not exist\/is not available/, method)
    }
  })
})
