/**
 * The node of the bench of a first sync, as a process of its own: blocks and receipts that were recorded from a sandbox, from memory;
 * calls of contracts by the sandbox, each once. It answers each message with how often each method was called since the one before.
 */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { mineTraffic, names } from "./traffic.js"

/** What the node is started with. */
export interface NodeJob {
  readonly blocks: number
  readonly seed: string
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

// Written by the parent.
const { blocks, seed } = JSON.parse(process.env["BENCH_JOB"] ?? "{}") as NodeJob

/** Blocks that are recorded in a request. */
const recordedAtOnce = 50

const program = Effect.gen(function*() {
  const { accounts, chains, rpcUrl } = yield* Sandbox.make({
    seed,
    accounts: names,
    clock: { start: 1_700_000_000, step: 1 },
    explorer: false
  })
  const chain = chains.chain(1001)
  const height = yield* mineTraffic(chain, accounts, { blocks, seed })
  const url = rpcUrl(1001) ?? ""
  const ask = (calls: ReadonlyArray<Omit<Call, "id">>): Promise<ReadonlyArray<string>> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })))
    }).then(async (answer) => {
      // Written by the sandbox.
      const replies = (await answer.json()) as ReadonlyArray<Record<string, unknown> & { readonly id: number }>
      return replies.toSorted((one, other) => one.id - other.id).map(({ error, result }) =>
        JSON.stringify(error === undefined ? { result: result ?? null } : { error }).slice(1, -1)
      )
    })
  /** What was recorded, by method without its namespace and parameters. */
  const known = new Map<string, string>()
  const keyOf = ({ method, params }: Omit<Call, "id">): string =>
    `${method.replace(/^[a-z]+_/, "")}${JSON.stringify(params)}`
  const record = async (calls: ReadonlyArray<Omit<Call, "id">>): Promise<void> => {
    const answers = await ask(calls)
    calls.forEach((call, at) => known.set(keyOf(call), answers[at] ?? "\"result\":null"))
  }
  const quantity = (value: number) => `0x${value.toString(16)}`
  yield* Effect.promise(async () => {
    for (let from = 0; from <= height; from += recordedAtOnce) {
      const numbers = Array.from(
        { length: Math.min(recordedAtOnce, height + 1 - from) },
        (_, at) => quantity(from + at)
      )
      const calls = numbers.map((number) => ({ method: "kaia_getBlockByNumber", params: [number, true] }))
      await record(calls)
      // Written by the sandbox.
      const hashes = calls.map((call) =>
        (JSON.parse(`{${known.get(keyOf(call))}}`) as { readonly result: { readonly hash: string } }).result.hash
      )
      await record(hashes.map((hash) => ({ method: "kaia_getBlockReceipts", params: [hash] })))
    }
  })
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  const answer = async (body: string): Promise<string> => {
    // A request of JSON-RPC.
    const sent = JSON.parse(body) as Call | ReadonlyArray<Call>
    const calls = "method" in sent ? [sent] : sent
    count("requests")
    const others = calls.filter((call) => !known.has(keyOf(call)))
    if (others.length > 0) await record(others)
    const replies = calls.map((call) => {
      count(call.method)
      return `{"jsonrpc":"2.0","id":${call.id},${known.get(keyOf(call))}}`
    })
    return "method" in sent ? replies[0] ?? "" : `[${replies.join()}]`
  }
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part)).on("end", () => {
      void answer(Buffer.concat(parts).toString()).then((text) => {
        response.setHeader("content-type", "application/json")
        response.end(text)
      })
    })
  })
  yield* Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  process.on("message", () => {
    process.send?.(Object.fromEntries(counts))
    counts.clear()
  })
  process.once("disconnect", () => process.exit(0))
  const place = server.address()
  process.send?.({ height, port: typeof place === "object" && place !== null ? place.port : 0 })
  return yield* Effect.never
})

await program.pipe(Effect.scoped, Effect.runPromise)
