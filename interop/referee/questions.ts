/** What both sides are asked about transactions, blocks, accounts and calls. */
import type { Random } from "../transaction/random.js"
import type { Call } from "./sides.js"
import type { Made, Traffic } from "./traffic.js"

/** A question, and its kind: what is compared under one name. */
export interface Question {
  readonly kind: string
  readonly call: Call
}

const namespaces = ["kaia", "klay", "eth"] as const

const hex = (number: number | bigint): string => `0x${number.toString(16)}`

/** The forms of a trace. */
const tracings: ReadonlyArray<readonly [string, object | undefined]> = [
  ["default", undefined],
  ["default with memory", { enableMemory: true, disableStack: true }],
  ["default, short", { limit: 5, disableStorage: true }],
  ["callTracer", { tracer: "callTracer" }],
  ["callTracer with logs", { tracer: "callTracer", tracerConfig: { withLog: true } }],
  ["callTracer, top", { tracer: "callTracer", tracerConfig: { onlyTopCall: true } }],
  ["prestateTracer", { tracer: "prestateTracer" }],
  ["prestateTracer diff", { tracer: "prestateTracer", tracerConfig: { diffMode: true } }],
  ["fastCallTracer", { tracer: "fastCallTracer" }],
  ["4byteTracer", { tracer: "4byteTracer" }],
  ["unigramTracer", { tracer: "unigramTracer" }],
  ["noopTracer", { tracer: "noopTracer" }],
  ["unknown tracer", { tracer: "thatIsNone" }]
]

/** One of each about a transaction. */
export const aboutTransaction = (r: Random, { hash, what }: Made): ReadonlyArray<Question> => {
  const [tracing, options] = tracings[r.int(tracings.length)] ?? ["default", undefined]
  const namespace = namespaces[r.int(3)] ?? "eth"
  return [
    ...namespaces.map((name) => ({
      kind: `receipt of ${name}`,
      call: [`${name}_getTransactionReceipt`, hash] as const
    })),
    { kind: `transaction of ${namespace}`, call: [`${namespace}_getTransactionByHash`, hash] },
    { kind: `raw transaction of ${namespace}`, call: [`${namespace}_getRawTransactionByHash`, hash] },
    ...(what.includes("EthereumBlob") || r.int(20) === 0
      ? [{ kind: "blobs of a transaction", call: ["eth_getBlobSidecarByTxHash", hash, r.int(4) === 0] as const }]
      : []),
    {
      kind: `trace ${tracing}`,
      call: options === undefined ? ["debug_traceTransaction", hash] : ["debug_traceTransaction", hash, options]
    },
    ...(namespace === "eth" ? [] : [
      { kind: "decoded", call: [`${namespace}_getTransactionReceiptBySenderTxHash`, hash] as const }
    ])
  ]
}

/** What a block has, by each namespace. */
export const aboutBlock = (r: Random, number: number): ReadonlyArray<Question> => {
  const at = hex(number)
  const namespace = namespaces[r.int(3)] ?? "eth"
  const klay = namespace === "eth" ? "kaia" : namespace
  const [tracing, options] = tracings[r.int(tracings.length)] ?? ["default", undefined]
  return [
    { kind: `block of ${namespace}`, call: [`${namespace}_getBlockByNumber`, at, r.int(2) === 0] },
    { kind: `block header of ${namespace}`, call: [`${namespace}_getHeaderByNumber`, at] },
    { kind: `receipts of a block by ${namespace}`, call: [`${namespace}_getBlockReceipts`, at] },
    { kind: `count of ${namespace}`, call: [`${namespace}_getBlockTransactionCountByNumber`, at] },
    {
      kind: `transaction of ${namespace} by its place`,
      call: [`${namespace}_getTransactionByBlockNumberAndIndex`, at, hex(r.int(4))]
    },
    { kind: `trace of a block, ${tracing}`, call: ["debug_traceBlockByNumber", at, ...(options ? [options] : [])] },
    { kind: "blobs of a block", call: ["eth_getBlobSidecars", at, r.int(4) === 0] },
    { kind: "rewards", call: [`${klay}_getRewards`, at] },
    { kind: "total supply", call: [`${klay}_getTotalSupply`, at] },
    {
      kind: "fee history",
      call: [`${namespace}_feeHistory`, hex(1 + r.int(4)), at, r.pick([[], [10, 50, 90], [50, 10]])]
    },
    {
      kind: `logs of ${namespace}`,
      call: [`${namespace}_getLogs`, { fromBlock: hex(Math.max(0, number - r.int(3))), toBlock: at }]
    }
  ]
}

/** What an account has at the end of a block. */
export const aboutAccount = (r: Random, address: string, number: number): ReadonlyArray<Question> => {
  const at = hex(number)
  const namespace = namespaces[r.int(3)] ?? "eth"
  const klay = namespace === "eth" ? "kaia" : namespace
  return [
    { kind: "account", call: [`${klay}_getAccount`, address, at] },
    { kind: "account key", call: [`${klay}_getAccountKey`, address, at] },
    { kind: "balance", call: [`${namespace}_getBalance`, address, at] },
    { kind: "nonce", call: [`${namespace}_getTransactionCount`, address, r.pick([at, "latest", "pending"])] },
    { kind: "code", call: [`${namespace}_getCode`, address, at] },
    { kind: "slot", call: [`${namespace}_getStorageAt`, address, hex(r.int(7)), at] },
    { kind: "proof", call: [`${namespace}_getProof`, address, [hex(r.int(7))], at] },
    { kind: "is a contract", call: [`${klay}_isContractAccount`, address, at] }
  ]
}

/** A random call or estimate. */
export const aboutCall = (r: Random, traffic: Traffic, number: number): Question => {
  const code = traffic.code()
  const isCreation = r.int(4) === 0
  const fields = {
    ...(r.int(6) > 0 && { from: traffic.actors[r.int(traffic.actors.length)]?.owner.address }),
    ...(!isCreation && { to: traffic.address() }),
    ...(r.int(4) === 0 && { gas: r.pick(["0x0", "0x5208", "0x186a0", "0x1c9c380", "0xffffffffffff"]) }),
    ...(r.int(4) === 0 && { gasPrice: r.pick(["0x0", "0x1", "0x5d21dba00", "0xba43b7400", "0x9184e72a000"]) }),
    ...(r.int(6) === 0 && { maxFeePerGas: r.pick(["0x1", "0x5d21dba00", "0xba43b7400"]) }),
    ...(r.int(8) === 0 && { maxPriorityFeePerGas: r.pick(["0x0", "0x1", "0xba43b7400"]) }),
    ...(r.int(4) === 0 && { value: r.pick(["0x0", "0x1", "0xde0b6b3a7640000", "0xffffffffffffffffffffffff"]) }),
    ...(isCreation ? { data: `0x${code.creation(code.runtime())}` } : r.int(2) === 0 && { data: r.bytes(r.int(80)) })
  }
  const at = r.pick([hex(number), "latest", "latest"])
  const method = r.pick([
    "eth_call",
    "kaia_call",
    "klay_call",
    "eth_estimateGas",
    "kaia_estimateGas",
    "klay_estimateComputationCost",
    "eth_createAccessList",
    "kaia_createAccessList",
    "debug_traceCall"
  ])
  const kind = `${method.split("_")[1] ?? ""} of ${method.split("_")[0] ?? ""}`
  if (method.endsWith("estimateGas")) return { kind, call: [method, fields] }
  if (method === "debug_traceCall") return { kind, call: [method, fields, at, { tracer: "callTracer" }] }
  if (method === "eth_call" && r.int(4) === 0) {
    return { kind: `${kind} with overrides`, call: [method, fields, at, overrides(r, traffic)] }
  }
  return { kind, call: [method, fields, at] }
}

const overrides = (r: Random, traffic: Traffic): object =>
  Object.fromEntries(Array.from({ length: 1 + r.int(2) }, () => [
    traffic.address(),
    {
      ...(r.int(2) === 0 && { balance: hex(r.bigint(96)) }),
      ...(r.int(2) === 0 && { code: `0x${traffic.code().runtime()}` }),
      ...(r.int(3) === 0 && { nonce: hex(r.int(9)) }),
      ...(r.int(3) === 0 && { stateDiff: { [`0x${"0".repeat(63)}${r.int(6)}`]: r.bytes(32) } })
    }
  ]))
