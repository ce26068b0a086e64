/**
 * Gateways in front of a node of another program: anvil executes, an oracle computes from its blocks, receipts and traces
 * what each page has to hold, and every page of history and token data has to hold exactly that.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Gateway from "../../packages/gateway/src/Gateway.js"
import { random } from "../transaction/random.js"
import { result } from "./anvil.js"
import { exportOf, receiptsOf } from "./gatewayClients.js"
import { type Transfer, transfersOf } from "./oracle.js"
import { type Expected, expectedOf } from "./oraclePages.js"
import { addBlock, open, type World } from "./traffic.js"

/** How many blocks there are before the reorganisation. */
const steps = Number(process.env["FOLLOW_STEPS"] ?? 60)
const seed = Number(process.env["FOLLOW_SEED"] ?? 0xf0110)

/** How deep the reorganisation is. */
const depth = 5

const scope = Effect.runSync(Scope.make())

const startGateway = (world: World, trace: boolean): Promise<Gateway.Service> =>
  Effect.runPromise(
    Gateway.make({ node: { url: world.url }, database: ":memory:", access: "anyone", ...(trace && { trace }) }).pipe(
      Scope.extend(scope),
      Effect.provide(FetchHttpClient.layer)
    )
  )

let world: World
let gateways: { readonly plain: Gateway.Service; readonly traced: Gateway.Service }
beforeAll(async () => {
  world = await open()
  gateways = { plain: await startGateway(world, false), traced: await startGateway(world, true) }
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  world.close()
})

/** Waits until a gateway has the newest block of the node. */
const caughtUp = async (gateway: Gateway.Service, tries = 1200): Promise<void> => {
  const height = Number(await world.reader.getBlockNumber({ cacheTime: 0 }))
  const { index, isReady } = await Effect.runPromise(gateway.status)
  if (isReady && index.head?.number === height) return
  assert.isAbove(tries, 0, `the gateway is at block ${index.head?.number} of ${height}`)
  await new Promise((resolve) => setTimeout(resolve, 100))
  return caughtUp(gateway, tries - 1)
}

/** The sizes of pages: searches without filters are read in small and in large ones. */
const sizesOf = (path: string): ReadonlyArray<number> => /\?.+/.test(path) ? [7] : [3, 1000]

const get = async (url: string): Promise<{ readonly status: number; readonly body: { readonly cursor?: string } }> => {
  const response = await fetch(url)
  return { status: response.status, body: await response.json() as { readonly cursor?: string } }
}

/** Compares a list page by page; returns the number of pages. */
const compareList = async (
  { url }: Gateway.Service,
  { items, more, path }: Extract<Expected, { readonly items: unknown }>,
  size: number
): Promise<number> => {
  const query = `${path}${path.includes("?") ? "&" : "?"}size=${size}`
  let cursor = ""
  let pages = 0
  do {
    const page = `${query}${cursor === "" ? "" : `&cursor=${cursor}`}`
    const { body, status } = await get(url + page)
    cursor = body.cursor ?? ""
    const isLast = (pages + 1) * size >= items.length
    const expected = { items: items.slice(pages * size, (pages + 1) * size), ...more, isLast }
    const { cursor: _, ...found } = body
    assert.deepStrictEqual({ status, ...found, isLast: cursor === "" }, { status: 200, ...expected }, page)
    pages++
  } while (cursor !== "")
  return pages
}

/** Compares every answer; returns the number of pages. */
const compare = async (gateway: Gateway.Service, expected: ReadonlyArray<Expected>): Promise<number> => {
  let pages = 0
  for (const one of expected) {
    if ("items" in one) {
      for (const size of sizesOf(one.path)) pages += await compareList(gateway, one, size)
    } else {
      const { body, status } = await get(gateway.url + one.path)
      if (one.body === undefined) assert.strictEqual(status, 404, one.path)
      else assert.deepStrictEqual({ status, body }, { status: 200, body: one.body }, one.path)
      pages++
    }
  }
  return pages
}

/** Compares both gateways, of which one leaves out the coin that contracts moved. */
const compareBoth = async () => {
  await caughtUp(gateways.plain)
  await caughtUp(gateways.traced)
  const all = await transfersOf(world)
  const visible = all.filter(({ isOwn, kind }) => isOwn || kind !== "coin")
  assert.isBelow(visible.length, all.length)
  const pages = {
    plain: await compare(gateways.plain, await expectedOf(world, visible)),
    traced: await compare(gateways.traced, await expectedOf(world, all))
  }
  process.stdout.write(`${all.length} transfers; pages that are equal: ${JSON.stringify(pages)}\n`)
  return { types: [...new Set(all.map(({ transaction }) => transaction.typeInt))].sort((a, b) => a - b), pages }
}

/** The rows of a transfer in an export: one for each token of a multi token. */
const rowsOf = ({ from, ids, kind, to, transaction: { hash }, values }: Transfer): ReadonlyArray<string> =>
  values.map((value, index) => [hash, kind, from, to, ids[index], value].join(" "))

describe("gateways in front of a node of another program", () => {
  it("answer every page as the node's chain says, also after a reorganisation", async () => {
    const pick = random(seed)
    for (let step = 0; step < steps; step++) await addBlock(world, pick)
    const { pages, types } = await compareBoth()
    assert.deepStrictEqual(types, [0, 0x7801, 0x7802, 0x7803, 0x7804])
    assert.isAbove(pages.traced, 1000)

    await result(world.url, "anvil_reorg", depth, [])
    for (let step = 0; step < 10; step++) await addBlock(world, pick)
    await compareBoth()
    for (const { status } of Object.values(gateways)) {
      assert.strictEqual((await Effect.runPromise(status)).index.blocksReverted, depth)
    }
  }, 900_000)
  it("serve an export and the look-ups of the node client", async () => {
    const all = await transfersOf(world)
    const account = world.movers.get("sender")?.toLowerCase()
    assert.isDefined(account)
    const head = Number(await world.reader.getBlockNumber({ cacheTime: 0 }))
    const rows = await exportOf(gateways.traced, account, head)
    const own = all.filter(({ from, to }) => from === account || to === account)
    assert.deepStrictEqual(
      rows.map((row) =>
        [row.transaction_hash, row.kind, row.from_address, row.to_address, row.token_id, row.amount].join(" ")
          .toLowerCase()
      ).sort(),
      own.flatMap(rowsOf).sort()
    )

    const hashes = [...new Set(all.map(({ transaction }) => transaction.hash))]
    const receipts = await Promise.all(hashes.map((hash) => world.reader.getTransactionReceipt({ hash })))
    assert.deepStrictEqual(
      await receiptsOf(gateways.plain, [...hashes, `0x${"ab".repeat(32)}`]),
      [...receipts.map(({ blockNumber, gasUsed }) => [blockNumber, gasUsed] as const), undefined]
    )
  }, 120_000)
})
