/**
 * How long a page of 100 transfers of an account takes among many: the request in this process, answered with JSON.
 * Prints one JSON line:
 *
 *     npx tsx packages/indexer/bench/run.ts pages [--transfers 1000000]
 */
import { ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import * as HttpApp from "@effect/platform/HttpApp"
import * as Effect from "effect/Effect"
import * as Cursors from "../src/Cursors.js"
import * as DataApp from "../src/DataApp.js"
import type { DataChain } from "../src/DataChain.js"
import { cpuSeconds, percentile, print, rounded } from "./figures.js"
import { inProcess } from "./following.js"
import { chainId, type IndexFile, open } from "./IndexFile.js"
import { holderOf, SyntheticNode } from "./SyntheticNode.js"

/** Transactions in each block, of which ten make 16 transfers. */
const transactions = 100
const transfersPerBlock = transactions * 1.6
const size = 100
const accounts = 100
const pagesOfEach = 3

/** Answers the requests for pages. */
const serve = ({ reader }: IndexFile) =>
  Effect.gen(function*() {
    const chain: DataChain = {
      ...reader,
      chainId,
      now: Effect.orDie(Effect.map(reader.head, ({ timestamp }) => timestamp))
    }
    const app = yield* DataApp.make({
      chain: () => chain,
      callers: { check: () => "ok" },
      cursors: new Cursors.Cursors(new Uint8Array(32)),
      refusals: new ServiceRefusals({ next: () => "" }),
      coin: "klay"
    })
    const handle = HttpApp.toWebHandler(app)
    const headers = { "x-chain-id": String(chainId) }
    return (path: string) =>
      Effect.promise(async () => {
        const response = await handle(new Request(`http://localhost${path}`, { headers }))
        const text = await response.text()
        if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
        const { cursor, items }: { readonly cursor: string; readonly items: ReadonlyArray<unknown> } = JSON.parse(text)
        return { cursor, count: items.length }
      })
  })

export const pages = (transfers: number): Promise<void> =>
  Effect.gen(function*() {
    const index = yield* Effect.acquireRelease(Effect.sync(open), (index) => Effect.sync(() => index.remove()))
    const blocks = Math.ceil(transfers / transfersPerBlock)
    const node = new SyntheticNode(blocks, transactions, 500)
    // The index stays behind: transfer history needs no answers of contracts.
    node.ahead = 1000
    yield* inProcess(index, node)
    const get = yield* serve(index)
    const times: Array<number> = []
    const counts: Array<number> = []
    const before = cpuSeconds()
    for (let account = 0; account < accounts; account++) {
      const path = `/v2/transfer/account/${holderOf(account * 7)}?size=${size}`
      let cursor = ""
      for (let page = 0; page < pagesOfEach; page++) {
        const since = performance.now()
        const found = yield* get(cursor === "" ? path : `${path}&cursor=${cursor}`)
        times.push(performance.now() - since)
        counts.push(found.count)
        cursor = found.cursor
        if (cursor === "") break
      }
    }
    print("page of 100 transfers of an account", {
      transfers: blocks * transfersPerBlock,
      pages: times.length,
      found: percentile(counts, 0.5),
      milliseconds: { p50: rounded(percentile(times, 0.5)), p95: rounded(percentile(times, 0.95)) },
      cpuMilliseconds: rounded((cpuSeconds() - before) * 1000 / times.length)
    })
  }).pipe(Effect.scoped, Effect.runPromise)
