import * as Generator from "@effect-klaytn/sandbox/Generator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { onPostgres } from "../../engine/test/support/databases.js"
import { callers } from "../src/internal/command.js"
import * as world from "./support/world.js"

/** A chain with some transfers of every kind, and paths of pages about it. */
const chainOf = Effect.gen(function*() {
  const sandbox = yield* world.sandbox
  const chain = sandbox.chains.chain(world.chain)
  const { accounts, tokens } = yield* Generator.generate(chain, { seed: "postgres", transfers: 60, accounts: 4 })
  return {
    chain,
    sandbox,
    url: `${sandbox.url}/rpc/${world.chain}`,
    paths: [
      ...accounts.flatMap(({ address }) => [
        `/v2/transfer/account/${address}?size=1000`,
        `/v2/account/${address}/token?kind=ft,nft,mt`,
        `/v2/contract/mt/${tokens.mt.address}/owner/${address}`
      ]),
      "/v2/contract/ft",
      `/v2/contract/nft/${tokens.nft.address}/token`
    ]
  }
})

const shown = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) => name === "requestId" || name === "cursor" ? typeof value : value)

describe.each(onPostgres)("a gateway on %s", (_, database) => {
  const open = Effect.map(database, ({ url }) => ({ database: Redacted.value(url), schema: "test_index" }))

  it.scopedLive(
    "serves the pages of one on SQLite from every process, and one process follows",
    () =>
      Effect.gen(function*() {
        const { chain, paths, sandbox, url } = yield* chainOf
        const place = yield* open
        const [first, second, other] = [
          yield* world.open(url, place),
          yield* world.open(url, { ...place, role: "serve" }),
          yield* world.open(url)
        ]
        const compare = Effect.gen(function*() {
          const { number } = yield* chain.head
          for (const one of [first, second, other]) yield* world.reached(one, number)
          for (const one of [first, second, other]) yield* world.ready(one)
          for (const path of paths) {
            const [expected, ...found] = yield* Effect.forEach(
              [other, first, second],
              (one) => Effect.map(world.send(`${one.url}${path}`), ({ status, text }) => [path, status, shown(text)])
            )
            for (const one of found) assert.deepStrictEqual(one, expected)
          }
        })
        yield* compare
        const control = sandbox.control.chain(world.chain)
        const snapshot = yield* control.snapshot
        yield* control.transfer({ from: "alice", to: "bob", amount: 1n })
        yield* world.reached(second, (yield* chain.head).number)
        yield* control.revert(snapshot)
        yield* control.transfer({ from: "alice", to: "carol", amount: 2n })
        yield* control.transfer({ from: "alice", to: "dave", amount: 3n })
        yield* compare
        assert.deepStrictEqual(
          [(yield* first.status).isLeader, (yield* second.status).isLeader],
          [true, false]
        )
      }),
    60_000
  )

  it.scopedLive("follows in another process when the one that did has ended", () =>
    Effect.gen(function*() {
      const { chain, sandbox, url } = yield* chainOf
      const place = yield* open
      const second = yield* Effect.scoped(Effect.gen(function*() {
        const first = yield* world.open(url, place)
        yield* world.ready(first)
        return first
      })).pipe(Effect.zipRight(world.open(url, place)))
      yield* sandbox.control.chain(world.chain).transfer({ from: "alice", to: "bob", amount: 1n })
      yield* world.reached(second, (yield* chain.head).number)
      assert.isTrue((yield* second.status).isLeader)
    }), 60_000)

  it.scopedLive("lets in the callers of the database in every process", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const place = yield* open
      const gateways = [
        yield* world.open(url, { ...place, access: "callers" }),
        yield* world.open(url, { ...place, access: "callers", role: "serve" })
      ]
      const statusOf = (headers: Record<string, string> = {}) =>
        Effect.forEach(gateways, (one) =>
          Effect.map(world.send(`${one.url}/status`, { headers }), ({ status }) => status))
      assert.deepStrictEqual(yield* statusOf(), [401, 401])
      const { accessKeyId, secretAccessKey } = yield* callers.add(place.database, "accounting", {}, place.schema)
      const headers = {
        authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
      }
      yield* world.until(Effect.map(statusOf(headers), (all) =>
        all.every((status) => status === 200)))
      const listed = yield* callers.list(place.database, place.schema)
      assert.deepStrictEqual(listed.map(({ name }) => name), ["accounting"])
      yield* callers.revoke(place.database, "accounting", place.schema)
      yield* world.until(Effect.map(statusOf(headers), (all) => all.every((status) => status === 401)))
    }), 60_000)

  it.scopedLive("refuses a schema that is none, and tables of a newer program", () =>
    Effect.gen(function*() {
      const { url } = yield* chainOf
      const place = yield* open
      const reason = (options: Parameters<typeof world.open>[1]) =>
        Effect.map(Effect.flip(Effect.scoped(world.open(url, options))), ({ reason }) => reason)
      assert.strictEqual(yield* reason({ ...place, schema: "No-Schema" }), "Start")
      assert.strictEqual(yield* reason({ database: ":memory:", role: "serve" }), "Start")
      assert.strictEqual(yield* reason({ database: ":memory:", schema: "one" }), "Start")
    }), 60_000)
})
