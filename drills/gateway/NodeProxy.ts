/** A proxy between a gateway and its node, which answers some requests wrongly. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Random } from "../../packages/sandbox/src/internal/Random.js"
import { pause } from "./processes.js"

/** What the proxy does to a request or to one of its answers. */
export const faults = [
  "HTTP 503",
  "HTTP 429",
  "connection cut",
  "no JSON",
  "slow",
  "rate limit",
  "null",
  "left out",
  "behind",
  "wrong parent",
  "receipt dropped",
  "receipts of another block"
] as const

/** One of {@link faults}, or a way in which a node contradicts itself. */
export type Fault = (typeof faults)[number] | (typeof contradictions)[number]["name"]

interface Receipt {
  readonly logs: ReadonlyArray<object>
}

interface Trace {
  readonly result?: { readonly error?: string } | null
}

const elsewhere = `0x${"5a".repeat(32)}`

/** Changes the logs of a receipt that has any; undefined if none has. */
const withLogs = (change: (logs: ReadonlyArray<object>) => ReadonlyArray<object>) => (found: unknown) => {
  // A cast: these are what `getBlockReceipts` answers.
  const receipts = found as ReadonlyArray<Receipt>
  const at = receipts.findLastIndex(({ logs }) => logs.length > 0)
  return at < 0 ? undefined : receipts.map((one, index) => index === at ? { ...one, logs: change(one.logs) } : one)
}

const withLog = (fields: object) => withLogs(([first, ...rest]) => [{ ...first, ...fields }, ...rest])

/** Changes a list that has something. */
const withList = (change: (list: ReadonlyArray<object>) => ReadonlyArray<object>) => (found: unknown) => {
  const list = found as ReadonlyArray<object>
  return list.length === 0 ? undefined : change(list)
}

const failing = (found: unknown) => {
  const traces = found as ReadonlyArray<Trace>
  return traces.some(({ result }) => result && result.error === undefined)
    ? traces.map((one) => one.result ? { ...one, result: { ...one.result, error: "execution reverted" } } : one)
    : undefined
}

/**
 * The ways in which a node contradicts itself, each in the answers of a method whose name ends so: what it makes of the result, or undefined if
 * there is nothing to change.
 */
export const contradictions = [
  { name: "log lost", method: "_getBlockReceipts", change: withLogs((logs) => logs.slice(1)) },
  { name: "logs lost", method: "_getBlockReceipts", change: withLogs(() => []) },
  { name: "log twice", method: "_getBlockReceipts", change: withLogs((logs) => [...logs.slice(0, 1), ...logs]) },
  { name: "gap in logs", method: "_getBlockReceipts", change: withLog({ logIndex: "0x7fff" }) },
  { name: "log of another block", method: "_getBlockReceipts", change: withLog({ blockHash: elsewhere }) },
  { name: "log of another transaction", method: "_getBlockReceipts", change: withLog({ transactionHash: elsewhere }) },
  {
    name: "log of another contract",
    method: "_getBlockReceipts",
    change: withLog({ address: `0x${"5a".repeat(20)}` })
  },
  { name: "removed log", method: "_getBlockReceipts", change: withLog({ removed: true }) },
  {
    name: "receipt of another transaction",
    method: "_getBlockReceipts",
    change: withList(([first, ...rest]) => [{ ...first, transactionHash: elsewhere }, ...rest])
  },
  {
    name: "receipt of another block",
    method: "_getBlockReceipts",
    change: withList(([first, ...rest]) => [{ ...first, blockHash: elsewhere }, ...rest])
  },
  { name: "receipt lost", method: "_getBlockReceipts", change: withList((list) => list.slice(1)) },
  { name: "receipt twice", method: "_getBlockReceipts", change: withList((list) => [...list.slice(0, 1), ...list]) },
  { name: "trace failed", method: "_traceBlockByHash", change: failing },
  { name: "trace lost", method: "_traceBlockByHash", change: withList((list) => list.slice(1)) },
  {
    name: "parent of another chain",
    method: "_getBlockByNumber",
    change: (found: unknown) => found === null ? undefined : { ...Object(found), parentHash: elsewhere }
  },
  {
    name: "another bloom filter",
    method: "_getBlockByNumber",
    change: (found: unknown) => found === null ? undefined : { ...Object(found), logsBloom: `0x${"5a".repeat(256)}` }
  }
] as const

/** How the node refuses a request of too many calls: a status and a body, or no answer at all. */
const forms: ReadonlyArray<
  readonly [
    name: string,
    refuse: (calls: ReadonlyArray<Call>) => { readonly status: number; readonly body: unknown } | undefined
  ]
> = [
  ["413", () => ({ status: 413, body: "" })],
  ["400, text", () => ({ status: 400, body: "batch too large" })],
  ["one error", () => ({ status: 200, body: refusal(null) })],
  ["a list of one error", () => ({ status: 200, body: [refusal(null)] })],
  ["an error for the first call", ([first]) => ({ status: 200, body: [refusal(first?.id)] })],
  ["an error for each call", (calls) => ({ status: 200, body: calls.map(({ id }) => refusal(id)) })],
  ["429", () => ({ status: 429, body: refusal(null) })],
  ["500", () => ({ status: 500, body: "oops" })],
  ["a connection that breaks", () => undefined]
]

const refusal = (id: unknown) => ({ jsonrpc: "2.0", id, error: { code: -32600, message: "batch too large" } })

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

interface Answer {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: unknown
}

const textOf = async (message: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const isReceipts = ({ method }: Call): boolean => method.endsWith("_getBlockReceipts")
const isBlock = ({ method }: Call): boolean => method.endsWith("_getBlockByNumber")
const heightOf = (call: Call): number => Number(call.params[0])

/** The answers of a node that some blocks are still missing from. */
const behind = (calls: ReadonlyArray<Call>, answers: ReadonlyArray<Answer>, blocks: number): ReadonlyArray<Answer> => {
  const height = answers.find((_, index) => calls[index]?.method.endsWith("_blockNumber"))
  const head = Math.max(0, Number(height?.result ?? 0) - blocks)
  return answers.map((answer, index) => {
    const call = calls[index]
    if (answer === height) return { ...answer, result: `0x${head.toString(16)}` }
    return call !== undefined && isBlock(call) && height !== undefined && heightOf(call) > head
      ? { ...answer, result: null }
      : answer
  })
}

/** Answers of which one was changed by a fault, or all of them as they were if the fault does not apply. */
const change = (
  fault: Fault,
  calls: ReadonlyArray<Call>,
  answers: ReadonlyArray<Answer>,
  random: Random
): ReadonlyArray<Answer> => {
  const at = random.between(0, answers.length - 1)
  const replace = (place: number, answer: Partial<Answer>) =>
    answers.map((one, index) => index === place ? { ...one, ...answer } : one)
  const receipts = calls.findIndex(isReceipts)
  const found = answers[receipts]?.result
  const block = calls.findIndex((call, index) => isBlock(call) && answers[index]?.result !== null)
  switch (fault) {
    case "rate limit":
      return replace(at, { result: undefined, error: { code: -32005, message: "daily request count exceeded" } })
    case "null":
      return replace(at, { result: null })
    case "left out":
      return answers.filter((_, index) => index !== at)
    case "behind":
      return behind(calls, answers, random.between(1, 5))
    case "wrong parent":
      return block < 0
        ? answers
        : replace(block, { result: { ...Object(answers[block]?.result), parentHash: `0x${"5a".repeat(32)}` } })
    case "receipt dropped":
      return Array.isArray(found) ? replace(receipts, { result: found.slice(0, -1) }) : answers
    case "receipts of another block": {
      const other = calls.findLastIndex(isReceipts)
      return other === receipts ? answers : replace(receipts, { result: answers[other]?.result })
    }
    default:
      return answers
  }
}

/** A proxy with seeded faults. */
export class NodeProxy {
  readonly counts = new Map<Fault, number>()
  readonly #target: string
  readonly #random: Random
  readonly #server: Server
  /** The share of requests that meet a fault. */
  share = 0
  /** In each of the ways, one answer in so many contradicts another one; none if it is 0. */
  contradicting = 0
  /** How many requests each form refused. */
  readonly refused = new Map<string, number>()
  #form = forms[0]
  #most = Number.POSITIVE_INFINITY

  constructor(target: string, random: Random) {
    this.#target = target
    this.#random = random
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, "127.0.0.1", resolve))
  }

  /** Takes another form, and another number of calls a request. */
  changeForm(): void {
    this.#form = this.#random.pick(forms)
    this.#most = this.#random.pick([1, 2, 5, 20, Number.POSITIVE_INFINITY]) ?? 1
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #count(fault: Fault): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
  }

  /** An answer, or in each way one in so many as a node gives it that contradicts itself. */
  #contradict(call: Call | undefined, answer: Answer): Answer {
    for (const { change, method, name } of contradictions) {
      if (answer.result === undefined || call?.method.endsWith(method) !== true) continue
      if (this.#random.fraction() >= 1 / this.contradicting) continue
      const result = change(answer.result)
      if (result === undefined) continue
      this.#count(name)
      return { ...answer, result }
    }
    return answer
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const calls = JSON.parse(body) as Call | ReadonlyArray<Call>
    const [name = "", refuse] = this.#form ?? []
    if (Array.isArray(calls) && calls.length > this.#most) {
      this.refused.set(name, (this.refused.get(name) ?? 0) + 1)
      const answer = refuse?.(calls)
      if (answer === undefined) return void response.destroy()
      const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body)
      return void response.writeHead(answer.status, { "content-type": "application/json" }).end(text)
    }
    const fault = this.#random.fraction() < this.share ? this.#random.pick(faults) : undefined
    const end = (status: number, text: string, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text)
    if (fault === "HTTP 503" || fault === "HTTP 429") {
      this.#count(fault)
      return void end(Number(fault.slice(5)), "{}", { "retry-after": "1" })
    }
    if (fault === "connection cut") {
      this.#count(fault)
      return void response.destroy()
    }
    if (fault === "slow") {
      this.#count(fault)
      await pause(this.#random.between(200, 2000))
    }
    const passed = await fetch(this.#target, { method: "POST", body, headers: { "content-type": "application/json" } })
    const text = await passed.text()
    if (fault === "no JSON") {
      this.#count(fault)
      return void end(200, text.slice(0, Math.floor(text.length / 2)))
    }
    const [asked, given] = [JSON.parse(body), JSON.parse(text)] as [Call | Array<Call>, Answer | Array<Answer>]
    if (this.contradicting > 0) {
      const [calls, answers] = [[asked].flat(), [given].flat()]
      const wrong = answers.map((one) => this.#contradict(calls.find(({ id }) => id === one.id), one))
      return void end(passed.status, JSON.stringify(Array.isArray(given) ? wrong : wrong[0]))
    }
    if (fault === undefined || !Array.isArray(asked) || !Array.isArray(given)) return void end(passed.status, text)
    const sorted = asked.flatMap(({ id }) => given.find((answer) => answer.id === id) ?? [])
    const changed = change(fault, asked, sorted, this.#random)
    if (changed !== sorted) this.#count(fault)
    end(passed.status, JSON.stringify(changed))
  }
}
