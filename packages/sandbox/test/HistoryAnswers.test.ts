import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Executed } from "../src/ControlView.js"
import * as Sandbox from "../src/Sandbox.js"
import { get, page } from "./support/wire.js"

const klay = 10n ** 18n
const start = 1_600_000_000
const zero = "0x0000000000000000000000000000000000000000"

/** What happened on chain 1001 before the tests, one block of ten seconds for each line. */
class Story extends Context.Tag("test/Story")<Story, {
  readonly apples: string
  readonly cats: string
  readonly items: string
  readonly coin: Executed
  readonly shared: Executed
  readonly token: Executed
  readonly presets: { readonly people: number; readonly contract: number; readonly empty: number }
}>() {}

const story = Effect.gen(function*() {
  const { control } = yield* Sandbox.Sandbox
  const chain = control.chain(1001)
  const apples = (yield* chain.deploy({ kind: "ft", from: "dave", name: "Apple", symbol: "APL", decimals: 2 })).address
  const cats = (yield* chain.deploy({ kind: "nft", from: "dave", name: "Cats", symbol: "CAT" })).address
  const items = (yield* chain.deploy({ kind: "mt", from: "dave", uri: "ipfs://{id}" })).address
  yield* chain.mint(apples, { kind: "ft", from: "dave", to: "alice", amount: 1000n })
  yield* chain.mint(cats, { kind: "nft", from: "dave", to: "alice", tokenId: 450n, uri: "cat" })
  for (const tokenId of [2n, 16n]) {
    yield* chain.mint(items, { kind: "mt", from: "dave", to: "alice", tokenId, amount: 10n })
  }
  const coin = yield* chain.transfer({ from: "alice", to: "bob", amount: klay })
  const shared = yield* chain.transfer({ from: "alice", to: "bob", amount: 2n * klay, feePayer: "carol", feeRatio: 30 })
  const token = yield* chain.transferToken(apples, {
    kind: "ft",
    from: "alice",
    to: "bob",
    amount: 350n,
    feePayer: "carol"
  })
  yield* chain.transferToken(cats, { kind: "nft", from: "alice", to: "bob", tokenId: 450n })
  yield* chain.transferToken(items, { kind: "mt", from: "alice", to: "bob", ids: [2n, 16n], amounts: [3n, 10n] })
  const people = (yield* chain.createPreset({ name: "people", accounts: ["bob"] })).id
  const contract = (yield* chain.createPreset({ name: "contract", contracts: [apples] })).id
  const empty =
    (yield* chain.createPreset({ name: "empty", accounts: ["0x00000000000000000000000000000000000000ff"] })).id
  return { apples, cats, items, coin, shared, token, presets: { people, contract, empty } }
})

const options = { seed: "answers", clock: { start, step: 10 } } as const
const world = Layer.provideMerge(Layer.effect(Story, story), Sandbox.layer(options))

const address = (name: string) => Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account(name).address)

const kinds = (path: string) => Effect.map(page(path), ({ items }) => items.map(({ transferType }) => transferType))

layer(world, { excludeTestServices: true })("An answer", (it) => {
  it.effect("of coin has every field in its form", () =>
    Effect.gen(function*() {
      const { coin, shared } = yield* Story
      const { text } = yield* get(`/v2/transfer/tx/${coin.transactionHash}`)
      assert.strictEqual(
        text,
        `{"items":[{"transferType":"klay","from":"${yield* address("alice")}","to":"${yield* address("bob")}",` +
          `"value":"0xde0b6b3a7640000","fee":"0x20d3bb25b9800","feePayer":"","feeRatio":0,"status":1,` +
          `"transactionHash":"${coin.transactionHash}","transactionIndex":0,"blockNumber":8,"typeInt":8,` +
          `"timestamp":1600000080}]}`
      )
      const [half] = (yield* page(`/v2/transfer/tx/${shared.transactionHash}`)).items
      assert.deepInclude(half, {
        feePayer: yield* address("carol"),
        feeRatio: 30,
        typeInt: 10,
        value: "0x1bc16d674ec80000"
      })
    }))

  it.effect("by hash has the token before the coin of the same transaction, with every field in its form", () =>
    Effect.gen(function*() {
      const { apples, token } = yield* Story
      const { text } = yield* get(`/v2/transfer/tx/0x${token.transactionHash.slice(2).toUpperCase()}`)
      const [alice, bob, carol] = [yield* address("alice"), yield* address("bob"), yield* address("carol")]
      const fee = `0x${token.fee.toString(16)}`
      assert.strictEqual(
        text,
        `{"items":[{"transferType":"ft","from":"${alice}","to":"${bob}","value":"0x15e","formattedValue":"3.5",` +
          `"contract":{"address":"${apples}","name":"Apple","symbol":"APL","decimals":2},` +
          `"transaction":{"from":"${alice}","transactionHash":"${token.transactionHash}","blockNumber":10,` +
          `"timestamp":1600000100,"typeInt":49,"value":"0x0","fee":"${fee}","feePayer":"${carol}","feeRatio":0}},` +
          `{"transferType":"klay","from":"${alice}","to":"${apples}","value":"0x0","fee":"${fee}","feePayer":"${carol}",` +
          `"feeRatio":0,"status":1,"transactionHash":"${token.transactionHash}","transactionIndex":0,"blockNumber":10,` +
          `"typeInt":49,"timestamp":1600000100}]}`
      )
    }))

  it.effect("of non-fungible and multi tokens has the fields of its kind and no others", () =>
    Effect.gen(function*() {
      const { cats, items } = yield* Story
      const [alice, bob] = [yield* address("alice"), yield* address("bob")]
      const found = (yield* page(`/v2/transfer/account/${bob}?kind=nft,mt&exclude-zero-klay=true`)).items
      const [multi, cat] = found.map(({ transaction: _, ...record }) => record)
      assert.deepStrictEqual(multi, {
        transferType: "mt",
        operator: alice,
        from: alice,
        to: bob,
        ids: ["0x2", "0x10"],
        values: ["0x3", "0xa"],
        contract: { address: items }
      })
      assert.deepStrictEqual(cat, {
        transferType: "nft",
        from: alice,
        to: bob,
        tokenId: "0x1c2",
        contract: { address: cats, name: "Cats", symbol: "CAT" }
      })
      assert.deepStrictEqual(Object.keys(found[0]?.["transaction"] ?? {}), [
        "from",
        "transactionHash",
        "blockNumber",
        "timestamp",
        "typeInt",
        "value",
        "fee",
        "feePayer",
        "feeRatio"
      ])
    }))

  it.effect("to an unknown hash is no failure, and has no cursor", () =>
    Effect.gen(function*() {
      const { status, text } = yield* get(`/v2/transfer/tx/0x${"00".repeat(32)}`)
      assert.deepStrictEqual([status, text], [200, "{\"items\":[]}"])
    }))

  it.effect("to a search that finds nothing is an empty page", () =>
    Effect.gen(function*() {
      const { presets } = yield* Story
      for (
        const path of [
          `/v2/transfer/account/0x00000000000000000000000000000000000000ff`,
          `/v2/transfer?presets=${presets.empty}`
        ]
      ) {
        const { status, text } = yield* get(path)
        assert.deepStrictEqual([status, text], [200, "{\"items\":[],\"cursor\":\"\"}"])
      }
    }))

  it.effect("by account is newest first, from or to the account, and takes the address in any case", () =>
    Effect.gen(function*() {
      const bob = yield* address("bob")
      const { cursor, items } = yield* page(`/v2/transfer/account/0x${bob.slice(2).toUpperCase()}`)
      assert.deepStrictEqual(items.map(({ transferType }) => transferType), ["mt", "nft", "ft", "klay", "klay"])
      assert.isTrue(items.every(({ from, to }) => from === bob || to === bob))
      assert.strictEqual(cursor, "")
    }))

  it.effect("keeps to the kinds asked for, with either word for the coin, and the coin that triggered a token", () =>
    Effect.gen(function*() {
      const { presets } = yield* Story
      const [alice, bob] = [yield* address("alice"), yield* address("bob")]
      const of = (query: string, who = bob) => kinds(`/v2/transfer/account/${who}?${query}`)
      assert.deepStrictEqual(yield* of("kind=coin"), ["klay", "klay"])
      assert.deepStrictEqual(yield* of("kind=klay"), ["klay", "klay"])
      assert.deepStrictEqual(yield* of("kind=klay,coin"), ["klay", "klay"])
      // To bob they come alone: the coin went from alice to the contract.
      assert.deepStrictEqual(yield* of("kind=ft"), ["ft"])
      assert.deepStrictEqual(yield* of("kind=nft,%20mt"), ["mt", "nft"])
      assert.deepStrictEqual(yield* of("kind=ft&from-only=true", alice), ["ft", "klay"])
      assert.deepStrictEqual(yield* of("kind=ft&to-only=true", alice), ["ft"])
      assert.deepStrictEqual(yield* of("kind=ft&from-only=true&exclude-zero-klay=true", alice), ["ft"])
      assert.deepStrictEqual(yield* of("kind=ft,coin&from-only=true", alice), [
        "klay",
        "klay",
        "ft",
        "klay",
        "klay",
        "klay"
      ])
      assert.deepStrictEqual(yield* kinds(`/v2/transfer?presets=${presets.people}&kind=ft`), ["ft", "klay"])
    }))

  it.effect("without zero coin has no coin record of value 0", () =>
    Effect.gen(function*() {
      const alice = yield* address("alice")
      const of = (query: string) => kinds(`/v2/transfer/account/${alice}?from-only=true${query}`)
      assert.deepStrictEqual(yield* of(""), ["mt", "klay", "nft", "klay", "ft", "klay", "klay", "klay"])
      assert.deepStrictEqual(yield* of("&exclude-zero-klay=false"), yield* of(""))
      assert.deepStrictEqual(yield* of("&exclude-zero-klay=true"), ["mt", "nft", "ft", "klay", "klay"])
    }))

  it.effect("of one contract has its tokens and no coin", () =>
    Effect.gen(function*() {
      const { apples, cats } = yield* Story
      const alice = yield* address("alice")
      const of = (query: string) => kinds(`/v2/transfer/account/${alice}?${query}`)
      assert.deepStrictEqual(yield* of(`ca-filter=0x${apples.slice(2).toUpperCase()}`), ["ft", "ft"])
      assert.deepStrictEqual(yield* of(`ca-filter=${apples}&kind=ft`), ["ft", "ft"])
      assert.deepStrictEqual(yield* of(`ca-filter=${cats}&kind=ft`), [])
      assert.deepStrictEqual(yield* of(`ca-filter=${apples}&kind=coin`), [])
    }))

  it.effect("of presets has their accounts and contracts together, and the coin behind every token", () =>
    Effect.gen(function*() {
      const { apples, presets } = yield* Story
      const of = (query: string) => kinds(`/v2/transfer?presets=${query}`)
      assert.deepStrictEqual(yield* of(`${presets.contract}`), ["ft", "klay", "ft", "klay"])
      assert.deepStrictEqual(yield* of(`${presets.contract}&exclude-zero-klay=true`), ["ft", "ft"])
      assert.deepStrictEqual(yield* of(`${presets.people}&kind=coin`), ["klay", "klay"])
      const both = yield* page(`/v2/transfer?presets=${presets.people},${presets.contract}`)
      const [newest] = both.items.slice(-2)
      assert.deepInclude(newest, { transferType: "ft", from: zero, to: yield* address("alice") })
      assert.strictEqual(both.items.filter(({ to }) => to === apples).length, 2)
      assert.deepStrictEqual(
        yield* of(`${presets.people},${presets.contract}`),
        ["mt", "klay", "nft", "klay", "ft", "klay", "klay", "klay", "ft", "klay"]
      )
    }))

  it.effect("of a range has its blocks or seconds, ends included", () =>
    Effect.gen(function*() {
      const bob = yield* address("bob")
      const of = (range: string) =>
        Effect.map(page(`/v2/transfer/account/${bob}?range=${range}`), ({ items }) => items.length)
      assert.strictEqual(yield* of("0x8,0x9"), 2)
      assert.strictEqual(yield* of("0x9,"), 4)
      assert.strictEqual(yield* of("0x9"), 4)
      assert.strictEqual(yield* of("0X9,%200xA"), 2)
      assert.strictEqual(yield* of(`${start + 80},${start + 90}`), 2)
      assert.strictEqual(yield* of(`${start + 81},${start + 99}`), 1)
      assert.strictEqual(yield* of(`${start + 90},`), 4)
      assert.strictEqual(yield* of(`${start + 90}`), 4)
      assert.strictEqual(yield* of(`${start},${start + 15_897_600}`), 5)
    }))

  it.effect("has as many records as the size says", () =>
    Effect.gen(function*() {
      const bob = yield* address("bob")
      const of = (size: string) =>
        Effect.map(
          page(`/v2/transfer/account/${bob}?size=${size}`),
          ({ cursor = "?", items }) => [items.length, cursor.length]
        )
      assert.deepStrictEqual(yield* of("1"), [1, 128])
      assert.deepStrictEqual(yield* of("4"), [4, 128])
      assert.deepStrictEqual(yield* of("5"), [5, 0])
      assert.deepStrictEqual(yield* of("0"), [5, 0])
      assert.deepStrictEqual(yield* of("5000"), [5, 0])
    }))

  it.effect("has a cursor of 128 letters and digits that belongs to its chain, operation and filters", () =>
    Effect.gen(function*() {
      const { presets } = yield* Story
      const [alice, bob] = [yield* address("alice"), yield* address("bob")]
      const path = `/v2/transfer/account/${bob}?kind=ft,coin`
      const { cursor = "" } = yield* page(`${path}&size=1`)
      assert.match(cursor, /^[A-Za-z0-9]{128}$/)
      const more = yield* page(`/v2/transfer/account/${bob}?kind=klay,ft&size=100&cursor=${cursor}`)
      assert.deepStrictEqual(more.items.map(({ transferType }) => transferType), ["klay", "klay"])
      const others = [
        `/v2/transfer/account/${bob}?kind=ft&cursor=${cursor}`,
        `/v2/transfer/account/${bob}?cursor=${cursor}`,
        `/v2/transfer/account/${alice}?kind=ft,coin&cursor=${cursor}`,
        `${path}&range=0x1,0x9&cursor=${cursor}`,
        `${path}&from-only=true&cursor=${cursor}`,
        `${path}&exclude-zero-klay=true&cursor=${cursor}`,
        `/v2/transfer?presets=${presets.people}&kind=ft,coin&cursor=${cursor}`,
        `${path}&cursor=${cursor.slice(0, -1)}${cursor.endsWith("a") ? "b" : "a"}`
      ]
      for (const other of others) assert.strictEqual((yield* get(other)).status, 400, other)
      assert.strictEqual((yield* get(`${path}&cursor=${cursor}`, { "x-chain-id": "8217" })).status, 400)
    }))

  it.effect("page by page has every record once and in order, whatever the size", () =>
    Effect.gen(function*() {
      const { presets } = yield* Story
      const alice = yield* address("alice")
      const searches = [
        `/v2/transfer?presets=${presets.people},${presets.contract}&`,
        `/v2/transfer?presets=${presets.contract}&kind=ft&`,
        `/v2/transfer/account/${alice}?`,
        `/v2/transfer/account/${alice}?kind=ft,nft&`
      ]
      for (const search of searches) {
        const whole = (yield* page(search)).items
        assert.isAbove(whole.length, 3)
        for (const size of [1, 2, 3]) {
          const paged: Array<unknown> = []
          let cursor: string | undefined
          do {
            const next: { readonly items: ReadonlyArray<unknown>; readonly cursor?: string | undefined } = yield* page(
              `${search}size=${size}${cursor === undefined ? "" : `&cursor=${cursor}`}`
            )
            assert.isAtMost(next.items.length, size)
            paged.push(...next.items)
            cursor = next.cursor
          } while (cursor !== "" && paged.length < 100)
          assert.deepStrictEqual(paged, [...whole])
        }
      }
    }))

  it.effect("on the other chain knows nothing of this one", () =>
    Effect.gen(function*() {
      const { coin, presets } = yield* Story
      const other = { "x-chain-id": "8217" }
      assert.strictEqual(
        (yield* get(`/v2/transfer/account/${yield* address("bob")}`, other)).text,
        "{\"items\":[],\"cursor\":\"\"}"
      )
      assert.strictEqual((yield* get(`/v2/transfer/tx/${coin.transactionHash}`, other)).text, "{\"items\":[]}")
      assert.strictEqual((yield* get(`/v2/transfer?presets=${presets.people}`, other)).status, 404)
    }))
})

layer(Sandbox.layer({ ...options, coinWord: "coin" }), { excludeTestServices: true })("The word for the coin", (it) => {
  it.effect("in answers is the one of the options", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 1n })
      assert.deepStrictEqual(yield* kinds(`/v2/transfer/account/${yield* address("bob")}`), ["coin"])
    }))

  it.effect("search reaches back six months when no range is given", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const chain = control.chain(8217)
      yield* chain.transfer({ from: "alice", to: "bob", amount: 1n })
      yield* chain.advanceTime({ seconds: 184 * 86_400 - 10 })
      yield* chain.mine()
      const bob = yield* address("bob")
      const count = Effect.map(get(`/v2/transfer/account/${bob}`, { "x-chain-id": "8217" }), ({ text }) =>
        JSON.parse(text).items.length)
      assert.strictEqual(yield* count, 1)
      yield* chain.mine()
      assert.strictEqual(yield* count, 0)
    }))
})
