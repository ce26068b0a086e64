/**
 * Time of a batch of 100 calls to the node side: answered in the process, and over loopback by `fetch` on one connection.
 * Prints one JSON line a figure, medians of 50 batches after 20 to warm up:
 *
 *     npx tsx packages/sandbox/bench/node.ts
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { respond } from "../src/internal/rpc/envelope.js"
import * as Sandbox from "../src/Sandbox.js"

const size = 100
const [warm, measured] = [20, 50]

const median = (times: ReadonlyArray<number>): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0

const program = Effect.gen(function*() {
  const { accessKeyId, chains, secretAccessKey, url } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const [alice, bob] = [chains.account("alice"), chains.account("bob")]
  yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 1n })
  const { hash } = (yield* chain.transactionsOf(1))[0] ?? { hash: "0x" }
  const calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>]> = [
    ["klay_blockNumber", []],
    ["klay_getBalance", [alice.address, "latest"]],
    ["eth_getBalance", [alice.address, "latest"]],
    ["eth_getBalance", [alice.address, "0x0"]],
    ["klay_getTransactionReceipt", [hash]],
    ["eth_getBlockByNumber", ["latest", true]],
    ["eth_call", [{ to: bob.address }, "latest"]]
  ]
  const headers = {
    authorization: `Basic ${Buffer.from(`${accessKeyId}:${Redacted.value(secretAccessKey)}`).toString("base64")}`,
    "x-chain-id": "1001",
    "content-type": "application/json"
  }
  const time = <E>(run: Effect.Effect<unknown, E>) =>
    Effect.gen(function*() {
      const times: Array<number> = []
      for (let i = 0; i < warm + measured; i++) {
        const start = performance.now()
        yield* run
        if (i >= warm) times.push(performance.now() - start)
      }
      return Number(median(times).toFixed(2))
    })
  for (const [method, params] of calls) {
    const body = JSON.stringify(Array.from({ length: size }, (_, id) => ({ jsonrpc: "2.0", id, method, params })))
    const inProcess = yield* time(respond(chain, body))
    const overHttp = yield* time(
      Effect.promise(async () => await (await fetch(`${url}/v1/klaytn`, { method: "POST", headers, body })).text())
    )
    const figure = { bench: "node", method, block: params[1], calls: size, inProcess, overHttp, unit: "ms" }
    process.stdout.write(`${JSON.stringify(figure)}\n`)
  }
})

await Effect.runPromise(Effect.provide(program, Sandbox.layer()))
