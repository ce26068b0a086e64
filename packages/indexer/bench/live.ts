/**
 * Whether an index stays at the head of a busy chain: a block of 420 transactions each second, from a node over HTTP that
 * answers every request after 20 ms. Prints one JSON line:
 *
 *     npx tsx packages/indexer/bench/run.ts live [--blocks 30]
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { cpuSeconds, percentile, print, rounded } from "./figures.js"
import { following } from "./following.js"
import { open } from "./IndexFile.js"
import { listen } from "./listen.js"
import { SyntheticNode } from "./SyntheticNode.js"

const transactions = 420
const blockMilliseconds = 1000
const latency = 20
/** How often the node is asked for a new block. */
const pollMilliseconds = 100
/** Blocks that are there from the beginning: they show the contracts. */
const first = 5

/** A node over HTTP. Prints its address, and has a new block each second from its first line of input on. */
export const serve = (blocks: number): void => {
  const node = new SyntheticNode(first, transactions)
  void listen((body) => node.answer(body), { latency })
    .then((port) => process.stdout.write(`http://127.0.0.1:${port}\n`))
  process.stdin.once("data", () => {
    const timer = setInterval(() => {
      if (++node.height === first + blocks) clearInterval(timer)
    }, blockMilliseconds)
  })
}

/** Starts the node in a process of its own. */
const startNode = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", "serve"], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    const url = await new Promise<string>((resolve) =>
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()))
    )
    return { url, begin: () => child.stdin.write("begin\n"), child }
  }),
  ({ child }) => Effect.sync(() => child.kill())
)

export const live = (blocks: number): Promise<void> =>
  Effect.gen(function*() {
    const node = yield* startNode
    const index = yield* Effect.acquireRelease(Effect.sync(open), (index) => Effect.sync(() => index.remove()))
    const catchUp = yield* following(index, node.url)
    yield* catchUp
    node.begin()
    const began = performance.now()
    const before = cpuSeconds()
    const late: Array<number> = []
    while (late.length < blocks) {
      const { indexed } = yield* catchUp
      const now = performance.now() - began
      for (let one = 0; one < indexed; one++) late.push(now - (late.length + 1) * blockMilliseconds)
      yield* Effect.sleep(pollMilliseconds)
    }
    print("blocks followed as they come", {
      transactions,
      latency,
      blocks,
      millisecondsLate: {
        median: Math.round(percentile(late, 0.5)),
        last: Math.round(late.at(-1) ?? 0),
        highest: Math.round(Math.max(...late))
      },
      cpuPerBlock: rounded((cpuSeconds() - before) / blocks)
    })
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer), Effect.runPromise)
