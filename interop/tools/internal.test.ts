/** What contracts move of coin: anvil executes and traces, and the index has the same transfers as the sandbox. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as OwnNode from "../../packages/core/src/OwnNode.js"
import * as ServiceClient from "../../packages/core/src/ServiceClient.js"
import { catchUp } from "../../packages/indexer/src/CatchUp.js"
import * as NodeSource from "../../packages/indexer/src/NodeSource.js"
import * as SqliteIndex from "../../packages/indexer/src/SqliteIndex.js"
import { codes, type Move, moves, type Party } from "../../packages/sandbox/test/support/coinMoves.js"
import { contractOf } from "../../packages/sandbox/test/support/nodeWorld.js"
import * as Driver from "../../packages/store/src/Driver.js"
import { result, send, sender, startAnvil } from "./anvil.js"

type Hex = `0x${string}`

const shop: Hex = `0x${"5a".repeat(20)}`

let anvil: Awaited<ReturnType<typeof startAnvil>>
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => void anvil.process.kill())

/** Sends the transactions, and returns who is who. */
const play = async (url: string): Promise<ReadonlyMap<string, Party>> => {
  const addresses = new Map<Party, string>([["sender", sender], ["shop", shop]])
  for (const [name, code] of Object.entries(codes)) {
    const { contractAddress } = await send(url, { data: contractOf(code) })
    addresses.set(name as Party, contractAddress ?? "0x")
  }
  const word = (party: Party): string => (addresses.get(party) ?? "0x").slice(2).padStart(64, "0")
  for (const { data, to } of moves) {
    await send(url, {
      value: "0xa",
      ...(typeof to === "object"
        ? { data: to.code }
        : { to: addresses.get(to), data: `0x${data.map(word).join("")}` })
    })
  }
  return new Map([...addresses].map(([party, address]) => [address, party]))
}

/** The transfers of coin of the newest transactions, oldest first, each transaction's own one first. */
const indexed = (url: string, names: ReadonlyMap<string, Party>) =>
  Effect.gen(function*() {
    const driver = Driver.open(":memory:")
    const index = yield* SqliteIndex.open(driver, 1001)
    const client = yield* Effect.provide(
      ServiceClient.make("node"),
      [OwnNode.layer({ chain: 1001, url }), FetchHttpClient.layer]
    )
    yield* catchUp(index, yield* NodeSource.make(client, { trace: true }))
    const newest = yield* index.reader.transactions({ limit: moves.length })
    const named = (address: string): Party => names.get(address) ?? "created"
    return yield* Effect.forEach(newest.toReversed(), ({ hash }) =>
      Effect.map(index.reader.transfersOf(hash), (transfers) =>
        transfers.toReversed().map((one): Move["moved"][number] => [
          named(one.from),
          named(one.to),
          one.kind === "coin" ? Number(one.value) : 0
        ])))
  })

describe("the coin that contracts move", () => {
  it("is the same by the tracer of anvil", async () => {
    await result(anvil.url, "anvil_impersonateAccount", sender)
    await result(anvil.url, "anvil_setBalance", sender, "0xd3c21bcecceda1000000")
    const names = await play(anvil.url)
    const found = await Effect.runPromise(
      Effect.provide(Effect.scoped(indexed(anvil.url, names)), FetchHttpClient.layer)
    )
    assert.deepStrictEqual(
      moves.map(({ name }, index) => [name, found[index]]),
      moves.map(({ moved, name }) => [name, moved])
    )
  }, 120_000)
})
