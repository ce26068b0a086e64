/** A node whose answers a test decides: a chain of coin and token transfers over JSON-RPC, and what can go wrong with it. */
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Testing from "@effect-klaytn/core/Testing"
import * as Driver from "@effect-klaytn/store/Driver"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import type * as IndexScope from "../../src/IndexScope.js"
import * as NodeSource from "../../src/NodeSource.js"
import * as SqliteIndex from "../../src/SqliteIndex.js"

export interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** An answer to a call without its ID. */
export type Reply = { readonly result: unknown } | {
  readonly error: { readonly code: number; readonly message: string }
}

const word = (n: number | bigint) => n.toString(16).padStart(64, "0")
const address = (n: number): Hex => `0x${n.toString(16).padStart(40, "0")}`
export const hash = (text: string): Hex => `0x${Buffer.from(text).toString("hex").padStart(64, "0").slice(-64)}`
/** The number at the end of the text that a hash was made of. */
const numberIn = (hash: string): number => Number(/(\d+)$/.exec(Buffer.from(hash.slice(2), "hex").toString())?.[1])
export const quantity = (n: number | bigint): Hex => `0x${n.toString(16)}`

export const token = address(0xc0)
export const [alice, bob] = [address(0xa11ce), address(0xb0b)]
export const amount = 5n

/** A log as a node sends it. */
export interface Log {
  readonly address: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: string
}

/** A log of the token about an event of one amount. */
export const log = (topic: Hex, parties: ReadonlyArray<Hex>, value = amount): Log => ({
  address: token,
  topics: [topic, ...parties.map((party) => `0x${word(BigInt(party))}` as const)],
  data: `0x${word(value)}`
})

/** The log of a transfer from Alice. */
export const transfer = (to: Hex, value = amount): Log => log(transferTopic, [alice, to], value)

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const balanceOf = "0x70a08231"

/** The error of a node for a contract that reverts. */
const reverted: Reply = { error: { code: 3, message: "execution reverted" } }
const missing: Reply = { result: null }

/**
 * Each block above 0 has a transaction from Alice to the token, and the token's transfer of {@link amount} to Bob. The type
 * of a block's transaction is what `typeOf` says.
 */
export class FakeNode {
  /** Names the chain from a height on: another name is another fork. */
  fork = (_height: number): string => "a"
  typeOf = (_height: number): Hex => "0x2"
  /** Blocks without a transaction. */
  isEmpty = (height: number): boolean => height === 0
  /** The logs of a block's transaction. */
  logsOf = (_height: number): ReadonlyArray<Log> => [transfer(bob)]
  /** What the token answers at the end of a block. */
  balanceOf = (owner: Hex, height: number): bigint => owner === bob ? amount * BigInt(height) : 0n
  /** Whether blocks have the bloom filter of their logs, and logs name their place. */
  isExact = false
  /** Replaces the answer to a call. */
  fault = (_call: Call): Reply | undefined => undefined
  /** Replaces the answer to a request. */
  refuse = (_calls: ReadonlyArray<Call>): Testing.Step | undefined => undefined
  readonly requests: Array<ReadonlyArray<Call>> = []

  constructor(public height: number) {}

  hashOf(height: number): Hex {
    return hash(`${this.fork(height)} ${height}`)
  }

  private transaction(height: number) {
    return {
      hash: hash(`${this.fork(height)} transaction ${height}`),
      type: this.typeOf(height),
      from: alice,
      to: token,
      value: "0x7",
      nonce: quantity(height),
      gas: "0x5208"
    }
  }

  private block(height: number, isFull: unknown): Reply {
    if (height > this.height) return missing
    const transactions = this.isEmpty(height) ? [] : [this.transaction(height)]
    return {
      result: {
        number: quantity(height),
        hash: this.hashOf(height),
        parentHash: height === 0 ? hash("none") : this.hashOf(height - 1),
        timestamp: quantity(1_700_000_000 + height),
        gasUsed: "0x0",
        stateRoot: hash("s"),
        transactionsRoot: hash("t"),
        receiptsRoot: hash("r"),
        size: "0x100",
        ...(this.isExact && { logsBloom: fromBytes(LogsBloom.of(this.isEmpty(height) ? [] : this.logsOf(height))) }),
        transactions: isFull === true ? transactions : transactions.map((one) => one.hash)
      }
    }
  }

  private receipt(height: number) {
    const place = { transactionHash: this.transaction(height).hash, blockHash: this.hashOf(height) }
    return {
      ...place,
      status: "0x1",
      gasUsed: "0x10",
      effectiveGasPrice: "0x1",
      contractAddress: null,
      logs: this.isExact
        ? this.logsOf(height).map((log, index) => ({ ...log, ...place, logIndex: quantity(index), removed: false }))
        : this.logsOf(height)
    }
  }

  /** The height of a block of this fork, by number or hash. */
  private heightOf(block: unknown): number | undefined {
    const text = String(block)
    const isNumber = text.length < 66
    const height = isNumber ? Number(text) : numberIn(text)
    return height <= this.height && (isNumber || text === this.hashOf(height)) ? height : undefined
  }

  private answer({ method, params: [first, second] }: Call): Reply {
    switch (method) {
      case "eth_blockNumber":
        return { result: quantity(this.height) }
      case "eth_chainId":
        return { result: quantity(1001) }
      case "eth_getBlockByNumber":
        return this.block(Number(first), second)
      case "eth_getBlockReceipts": {
        const height = this.heightOf(first)
        return height === undefined ? missing : { result: this.isEmpty(height) ? [] : [this.receipt(height)] }
      }
      case "eth_getTransactionReceipt": {
        const height = numberIn(String(first))
        return this.transaction(height).hash === first ? { result: this.receipt(height) } : missing
      }
      case "eth_getCode":
        return { result: "0x00" }
      case "eth_call": {
        const height = this.heightOf(second)
        if (height === undefined) return { error: { code: -32000, message: "missing trie node" } }
        const data = String((first as { readonly data: string }).data)
        if (!data.startsWith(balanceOf)) return reverted
        return { result: `0x${word(this.balanceOf(`0x${data.slice(-40)}`, height))}` }
      }
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
    }
  }

  /** Answers requests, which are lists unless they have one call. */
  private readonly serve: Testing.Step = (sent) => {
    const body: Call | ReadonlyArray<Call> = JSON.parse(sent.body ?? "")
    const calls: ReadonlyArray<Call> = "method" in body ? [body] : body
    this.requests.push(calls)
    const refusal = this.refuse(calls)
    if (refusal !== undefined) return refusal(sent)
    const replies = calls.map((call) => ({ jsonrpc: "2.0", id: call.id, ...this.fault(call) ?? this.answer(call) }))
    const answer = Testing.json(200, "method" in body ? replies[0] : replies)(sent)
    // A network lets the test's runner work in between.
    return Effect.zipRight(Effect.promise(() => setImmediate()), answer)
  }

  /** What reaches it without a network. */
  get client(): HttpClient.HttpClient {
    return Testing.wire(this.serve).client
  }

  /** The node as a source of blocks, of which each call is made once unless `attempts` says otherwise. */
  source(options: NodeSource.Options = {}, attempts = 1) {
    return ServiceClient.make("node").pipe(
      Effect.provide(
        OwnNode.layer({
          chain: 1001,
          url: "http://127.0.0.1:8545",
          retry: RetryPolicy.make({ attempts, baseDelay: 0 })
        })
      ),
      Effect.provideService(HttpClient.HttpClient, this.client),
      Effect.flatMap((client) => NodeSource.make(client, options))
    )
  }
}

/** An empty database in memory. */
export const opened = Effect.acquireRelease(
  Effect.sync(() => Driver.open(":memory:")),
  (driver) => Effect.sync(() => driver.close())
)

/** An empty index in memory with a scope. */
const indexWith = (scope?: IndexScope.IndexScope) =>
  opened.pipe(
    Effect.flatMap((driver) => Effect.map(SqliteIndex.open(driver, 1001, scope), (index) => ({ driver, ...index }))),
    Effect.orDie
  )

/** An empty index in memory. */
export const emptyIndex = indexWith()
