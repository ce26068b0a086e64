/** A server that behaves as an animal, in front of a real node. */
import { createServer } from "node:http"
import type { Animal, Call, Question } from "./animals.js"

interface Answer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

const callsIn = (text: string): { readonly calls: ReadonlyArray<Call>; readonly isBatch: boolean } => {
  const body = JSON.parse(text) as Call | ReadonlyArray<Call>
  return Array.isArray(body)
    ? { calls: body as ReadonlyArray<Call>, isBatch: true }
    : { calls: [body as Call], isBatch: false }
}

const numberOf = (value: unknown): number =>
  typeof value === "string" && /^0x[0-9a-f]{1,12}$/i.test(value) ? Number(value) : -1

/** The block of a call by number: that of a state, of a block, or the end of a filter. */
const blockOf = ({ method, params }: Call): number => {
  if (method.endsWith("_getLogs")) return numberOf((params[0] as { readonly toBlock?: unknown } | undefined)?.toBlock)
  return /BlockByNumber|HeaderByNumber|ByNumber$|BlockReceipts/.test(method)
    ? numberOf(params[0])
    : numberOf(params.at(-1))
}

/** What a node answers that does not have the newest blocks. */
const behind = (animal: Animal, call: Call, answer: Answer, head: number): Answer => {
  if (call.method.endsWith("_blockNumber")) return { result: `0x${head.toString(16)}` }
  // Of a state that it lacks, every node says so in an error.
  const isState = /_(?:getBalance|getTransactionCount|getCode|getStorageAt|call|getAccount)$/.test(call.method)
  const missing: Answer = animal.missing !== null && animal.missing !== undefined
    ? { error: animal.missing }
    : isState
    ? { error: { code: -32000, message: "header not found" } }
    : { result: null }
  if (call.method.endsWith("_getLogs")) {
    if (blockOf(call) <= head) return answer
    // Such a node leaves out what it does not have, unless it says that it lacks the block.
    if (animal.missing !== null && animal.missing !== undefined) return missing
    const logs = Array.isArray(answer.result) ? answer.result as ReadonlyArray<{ readonly blockNumber: string }> : []
    return { result: logs.filter(({ blockNumber }) => Number(blockNumber) <= head) }
  }
  if (blockOf(call) > head) return missing
  const { result } = answer
  const found = typeof result === "object" && result !== null && !Array.isArray(result)
    ? result as { readonly number?: unknown; readonly blockNumber?: unknown }
    : Array.isArray(result)
    ? (result[0] as { readonly blockNumber?: unknown; readonly number?: unknown } | undefined) ?? {}
    : {}
  return Math.max(numberOf(found.number), numberOf(found.blockNumber)) > head ? missing : answer
}

/** Starts a server in front of the node at `target`. */
export const keep = async (animal: Animal, target: string) => {
  const seen = { requests: 0, refused: 0, calls: 0 }
  const began = performance.now()
  const ask = async (body: string): Promise<unknown> => {
    const response = await fetch(target, { method: "POST", body, headers: { "content-type": "application/json" } })
    return response.json()
  }
  const headNow = async (): Promise<number> => {
    const { result } = await ask(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] })
    ) as Answer
    return Number(result)
  }
  const heads: Array<{ readonly height: number; readonly at: number }> = []
  /** The newest block that a node has which gets each block later; undefined if that is the newest of all. */
  const lateHead = async (late: number): Promise<number | undefined> => {
    const now = performance.now()
    const height = await headNow()
    if (heads.at(-1)?.height !== height) heads.push({ height, at: heads.length === 0 ? -Infinity : now })
    const head = heads.findLast(({ at }) => now - at >= late)?.height ?? height
    return head < height ? head : undefined
  }
  /** The newest block of the node that answers, if that node is behind. */
  const headOf = async (question: Question): Promise<number | undefined> => {
    const late = animal.late?.(question) ?? 0
    if (late > 0) return lateHead(late)
    // The chain stands still: a node that is behind gets the blocks that it lacks, one each second.
    const lag = Math.max(0, (animal.lag?.(question) ?? 0) - Math.floor((performance.now() - began) / 1000))
    return lag > 0 ? Math.max(0, await headNow() - lag) : undefined
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const question: Question = { ...callsIn(text), bytes: text.length, count: seen.requests++ }
      seen.calls += question.calls.length
      const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
        response.writeHead(status, { "content-type": "application/json", ...headers })
          .end(typeof body === "string" ? body : JSON.stringify(body))
      const refusal = animal.refuse?.(question)
      if (refusal !== undefined) seen.refused++
      if (refusal === "drop") return void request.socket.destroy()
      if (refusal !== undefined) return void send(refusal.status, refusal.body, refusal.headers)
      const answered = async () => {
        const head = await headOf(question)
        const body = await ask(
          head === undefined ? text : text.replaceAll(/"(?:latest|pending)"/g, `"0x${head.toString(16)}"`)
        )
        const byId = new Map(([body].flat() as ReadonlyArray<Answer>).map((answer) => [answer.id, answer]))
        const answers = question.calls.map((call) => {
          const real = byId.get(call.id) ?? {}
          const late = head === undefined ? real : behind(animal, call, real, head)
          return { jsonrpc: "2.0", id: call.id, ...withoutFrame(animal.answer?.(call, late, question) ?? late) }
        })
        send(200, question.isBatch ? answers.toReversed() : answers[0])
      }
      answered().catch(() => response.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    seen,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

const withoutFrame = ({ error, result }: Answer): Answer => error === undefined ? { result } : { error }
