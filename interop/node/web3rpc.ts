import { createRequire } from "node:module"
import type { LogFact, Reader } from "./facts.js"
import type { World } from "./world.js"

/** The answer as it was in the body: the client itself returns a node's error as if it were a result. */
interface Response {
  readonly body: { readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } }
}

type Callback = (failure: Error | null, result: unknown, response: Response) => void

/** The part that is used: functions of parameters, then options where parameters are optional, then a callback. */
type Api = { readonly [method: string]: (...args: ReadonlyArray<unknown>) => unknown }

interface Web3rpc {
  readonly ApiClient: new(basePath: string) => { defaultHeaders: Record<string, string> }
  readonly KlayApi: { new(client: object): Api; readonly prototype: object }
  readonly KaiaApi: { new(client: object): Api; readonly prototype: object }
  readonly NetApi: new(client: object) => Api
}

// A CommonJS package without types.
const web3rpc: Web3rpc = createRequire(import.meta.url)("@kaiachain/web3rpc")

/** The error with which a node refused a call. */
export class Refused extends Error {
  constructor(readonly code: number, message: string, readonly data: unknown) {
    super(message)
  }
}

/** Names of all functions by the number of their parameters, without options and callback. */
const functionsOf = (prototype: object): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
      name !== "constructor" && typeof value === "function" ? [[name, value.length - 2] as const] : []
    )
  )

export const klayFunctions = functionsOf(web3rpc.KlayApi.prototype)
export const kaiaFunctions = functionsOf(web3rpc.KaiaApi.prototype)

/** It posts each method to its own path below the node's, always with the ID 1. */
const groupOf = (api: Api) => <A>(method: string, ...args: ReadonlyArray<unknown>): Promise<A> =>
  new Promise((resolve, reject) => {
    const callback: Callback = (failure, result, response) => {
      if (failure !== null) return reject(failure)
      const { error } = response.body
      // The caller knows what the method answers.
      return error === undefined ? resolve(result as A) : reject(new Refused(error.code, error.message, error.data))
    }
    const call = api[method]
    if (call === undefined) throw new Error(`web3rpc has no ${method}`)
    call.call(api, ...args, callback)
  })

export const clientOf = ({ node }: World) => {
  const client = new web3rpc.ApiClient(node.url)
  client.defaultHeaders = { ...client.defaultHeaders, ...node.headers }
  return {
    klay: groupOf(new web3rpc.KlayApi(client)),
    kaia: groupOf(new web3rpc.KaiaApi(client)),
    net: groupOf(new web3rpc.NetApi(client))
  }
}

type Client = ReturnType<typeof clientOf>

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
}

type Fields = Record<string, string>

const logOf = (log: Log): LogFact => ({
  address: log.address,
  topics: log.topics,
  data: log.data,
  block: BigInt(log.blockNumber),
  blockHash: log.blockHash,
  hash: log.transactionHash,
  transaction: Number(log.transactionIndex),
  index: Number(log.logIndex)
})

/** Reads by `klay` or, with the same functions, by `kaia`. */
export const readerOf = ({ klay, kaia }: Client, group: "klay" | "kaia" = "klay"): Reader => {
  const ask = group === "klay" ? klay : kaia
  const quantity = async (method: string, ...args: ReadonlyArray<unknown>) => BigInt(await ask<string>(method, ...args))
  return {
    chainId: async () => Number(await quantity("chainID", {})),
    height: () => quantity("blockNumber", {}),
    block: async (at) => {
      const block = typeof at === "number"
        ? await ask<Fields & { transactions: ReadonlyArray<string> }>(
          "getBlockByNumber",
          `0x${at.toString(16)}`,
          false,
          {}
        )
        : await ask<Fields & { transactions: ReadonlyArray<string> }>("getBlockByHash", at, false, {})
      return {
        number: BigInt(block["number"] ?? ""),
        hash: block["hash"] ?? "",
        parentHash: block["parentHash"] ?? "",
        timestamp: BigInt(block["timestamp"] ?? ""),
        gasUsed: BigInt(block["gasUsed"] ?? ""),
        baseFee: BigInt(block["baseFeePerGas"] ?? ""),
        stateRoot: block["stateRoot"] ?? "",
        receiptsRoot: block["receiptsRoot"] ?? "",
        transactions: block.transactions
      }
    },
    transaction: async (hash) => {
      const one = await ask<Fields>("getTransactionByHash", hash, {})
      return {
        hash: one["hash"] ?? "",
        block: BigInt(one["blockNumber"] ?? ""),
        blockHash: one["blockHash"] ?? "",
        index: Number(one["transactionIndex"]),
        from: one["from"] ?? "",
        to: one["to"] ?? null,
        value: BigInt(one["value"] ?? 0),
        input: one["input"] ?? "0x",
        nonce: Number(one["nonce"]),
        gas: BigInt(one["gas"] ?? ""),
        gasPrice: BigInt(one["gasPrice"] ?? "")
      }
    },
    receipt: async (hash) => {
      const one = await ask<Fields & { logs: ReadonlyArray<Log> }>("getTransactionReceipt", hash, {})
      return {
        hash: one["transactionHash"] ?? "",
        block: BigInt(one["blockNumber"] ?? ""),
        blockHash: one["blockHash"] ?? "",
        index: Number(one["transactionIndex"]),
        from: one["from"] ?? "",
        to: one["to"] ?? null,
        contract: one["contractAddress"] ?? null,
        succeeded: one["status"] === "0x1",
        gasUsed: BigInt(one["gasUsed"] ?? ""),
        gasPrice: BigInt(one["effectiveGasPrice"] ?? ""),
        logs: one.logs.map(logOf)
      }
    },
    logs: async ({ address, from, to, topics }) =>
      (await ask<ReadonlyArray<Log>>("getLogs", {
        fromBlock: `0x${from.toString(16)}`,
        toBlock: `0x${to.toString(16)}`,
        ...(address !== undefined && { address }),
        ...(topics !== undefined && { topics })
      }, {})).map(logOf),
    balance: (address, block) =>
      quantity("getBalance", address, block === undefined ? "latest" : `0x${block.toString(16)}`, {}),
    nonce: async (address) => Number(await quantity("getTransactionCount", address, "latest", {})),
    code: (address) => ask<string>("getCode", address, "latest", {}),
    storage: (address, slot) => ask<string>("getStorageAt", address, `0x${slot.toString(16)}`, "latest", {}),
    gasPrice: () => quantity("gasPrice", {}),
    call: (to, data) => ask<string>("call", { to, input: data }, "latest", {}),
    estimate: (from, to, data) => quantity("estimateGas", { from, to, input: data }, {})
  }
}
