import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Executed } from "../src/ControlView.js"
import * as Sandbox from "../src/Sandbox.js"
import * as TokenContract from "../src/TokenContract.js"
import { control as controlRequest, get, page } from "./support/wire.js"

const zero = "0x0000000000000000000000000000000000000000"

/** What happened on chain 1001 before the tests, one block of ten seconds for each line. */
class Story extends Context.Tag("test/TokenStory")<Story, {
  readonly apples: string
  readonly cats: string
  readonly items: string
  readonly minted: Executed
  readonly moved: Executed
  readonly batch: Executed
}>() {}

const story = Effect.gen(function*() {
  const { control } = yield* Sandbox.Sandbox
  const chain = control.chain(1001)
  const apples = (yield* chain.deploy({ kind: "ft", from: "dave", name: "Apple", symbol: "APL", decimals: 2 })).address
  const cats = (yield* chain.deploy({ kind: "nft", from: "dave", name: "Cats", symbol: "CAT" })).address
  const items = (yield* chain.deploy({ kind: "mt", from: "dave", uri: "ipfs://{id}" })).address
  yield* chain.mint(apples, { kind: "ft", from: "dave", to: "alice", amount: 1000n })
  const minted = yield* chain.mint(cats, { kind: "nft", from: "dave", to: "alice", tokenId: 450n, uri: "cat 450" })
  yield* chain.mint(cats, { kind: "nft", from: "dave", to: "alice", tokenId: 16n, uri: "" })
  for (const tokenId of [2n, 16n]) {
    yield* chain.mint(items, { kind: "mt", from: "dave", to: "alice", tokenId, amount: 10n })
  }
  yield* chain.transferToken(apples, { kind: "ft", from: "alice", to: "bob", amount: 350n })
  const moved = yield* chain.transferToken(cats, { kind: "nft", from: "alice", to: "bob", tokenId: 450n })
  const batch = yield* chain.transferToken(items, {
    kind: "mt",
    from: "alice",
    to: "bob",
    ids: [2n, 16n],
    amounts: [3n, 10n]
  })
  return { apples, cats, items, minted, moved, batch }
})

const options = { seed: "token answers", clock: { start: 1_600_000_000, step: 10 } } as const
const world = Layer.provideMerge(Layer.effect(Story, story), Sandbox.layer(options))
const address = (name: string) => Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account(name).address)
const parsed = (path: string) => Effect.map(get(path), ({ status, text }) => ({ status, body: JSON.parse(text) }))
const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`

layer(world, { excludeTestServices: true })("Token data", (it) => {
  it.effect("of one NFT has every field in its form", () =>
    Effect.gen(function*() {
      const { cats, moved } = yield* Story
      const [alice, bob] = [yield* address("alice"), yield* address("bob")]
      for (const path of [`${cats}/token/0x1c2`, `${upper(cats)}/token/0x0001C2`]) {
        const { status, text } = yield* get(`/v2/contract/nft/${path}`)
        assert.deepStrictEqual([status, text], [
          200,
          `{"tokenId":"0x1c2","owner":"${bob}","previousOwner":"${alice}","tokenUri":"cat 450",` +
          `"transactionHash":"${moved.transactionHash}","createdAt":1600000050,"updatedAt":1600000100}`
        ])
      }
    }))

  it.effect("of an NFT contract and of an owner is newest first, page by page", () =>
    Effect.gen(function*() {
      const { cats } = yield* Story
      const ids = (path: string) =>
        Effect.map(page(`/v2/contract/nft/${cats}/${path}`), ({ items }) => items.map(({ tokenId }) => tokenId))
      assert.deepStrictEqual(yield* ids("token"), ["0x1c2", "0x10"])
      assert.deepStrictEqual(yield* ids(`owner/${yield* address("bob")}`), ["0x1c2"])
      assert.deepStrictEqual(yield* ids(`owner/${upper(yield* address("alice"))}`), ["0x10"])
      const first = yield* page(`/v2/contract/nft/${cats}/token?size=1`)
      assert.match(first.cursor ?? "", /^[A-Za-z0-9]{128}$/)
      const second = yield* page(`/v2/contract/nft/${cats}/token?size=1&cursor=${first.cursor}`)
      assert.deepStrictEqual(
        second.items.map(({ previousOwner, tokenId, tokenUri }) => [tokenId, previousOwner, tokenUri]),
        [
          ["0x10", zero, ""]
        ]
      )
      assert.strictEqual(second.cursor, "")
      const foreign = yield* get(`/v2/contract/nft/${cats}/owner/${yield* address("bob")}?cursor=${first.cursor}`)
      assert.strictEqual(foreign.status, 400)
    }))

  it.effect("of multi tokens of an owner has the total over all pages and every field in its form", () =>
    Effect.gen(function*() {
      const { batch, items } = yield* Story
      const [alice, bob] = [yield* address("alice"), yield* address("bob")]
      const path = `/v2/contract/mt/${items}/owner/${bob}`
      const record = (tokenId: string, balance: string) =>
        `{"tokenId":"${tokenId}","owner":"${bob}","tokenAddress":"${items}","totalSupply":"0xa",` +
        `"tokenUri":"ipfs://{id}","balance":"${balance}","transactionHash":"${batch.transactionHash}",` +
        `"transferFrom":"${alice}","transferTo":"${bob}","updatedAt":1600000110}`
      assert.strictEqual(
        (yield* get(path)).text,
        `{"items":[${record("0x10", "0xa")},${record("0x2", "0x3")}],"totalBalance":"0xd","cursor":""}`
      )
      const first = yield* parsed(`${path}?size=1`)
      assert.strictEqual(first.body.totalBalance, "0xd")
      const second = yield* parsed(`${path}?size=1&cursor=${first.body.cursor}`)
      assert.deepStrictEqual(
        [...first.body.items, ...second.body.items].map(({ tokenId }) => tokenId),
        ["0x10", "0x2"]
      )
      assert.strictEqual(second.body.cursor, "")
      assert.strictEqual((yield* get(`${path}/token/0x2`)).text, record("0x2", "0x3"))
    }))

  it.effect("of one multi token has its owners, and of a contract its tokens in the order of their text", () =>
    Effect.gen(function*() {
      const { items } = yield* Story
      const [alice, bob] = [yield* address("alice"), yield* address("bob")]
      const path = `/v2/contract/mt/${items}/token/0x2`
      const owners = (yield* page(path)).items.map(({ balance, owner, transferTo }) => [owner, balance, transferTo])
      assert.deepStrictEqual(
        owners.toSorted(),
        [[alice, "0x7", bob], [bob, "0x3", bob]].toSorted()
      )
      const first = yield* page(`${path}?size=1`)
      const second = yield* page(`${path}?size=1&cursor=${first.cursor}`)
      assert.deepStrictEqual(
        [...first.items, ...second.items].map(({ owner }) => owner),
        owners.map(([owner]) => owner)
      )
      assert.strictEqual(
        (yield* get(`/v2/contract/mt/${items}/token`)).text,
        `{"items":[{"tokenId":"0x10","totalSupply":"0xa","tokenUri":"ipfs://{id}"},` +
          `{"tokenId":"0x2","totalSupply":"0xa","tokenUri":"ipfs://{id}"}],"cursor":""}`
      )
      const one = yield* page(`/v2/contract/mt/${items}/token?size=1`)
      const two = yield* page(`/v2/contract/mt/${items}/token?size=1&cursor=${one.cursor}`)
      assert.deepStrictEqual(two.items.map(({ tokenId }) => tokenId), ["0x2"])
    }))

  it.effect("that is not there is an empty page of a known contract", () =>
    Effect.gen(function*() {
      const { cats, items } = yield* Story
      const nobody = "0x00000000000000000000000000000000000000ff"
      const empty = "{\"items\":[],\"cursor\":\"\"}"
      const answers = [
        [`/v2/contract/nft/${cats}/owner/${nobody}`, empty],
        [`/v2/contract/mt/${items}/owner/${nobody}`, "{\"items\":[],\"totalBalance\":\"0x0\",\"cursor\":\"\"}"],
        [`/v2/contract/mt/${items}/token/0x999`, empty],
        [`/v2/account/${nobody}/contract`, empty],
        [`/v2/account/${nobody}/token`, empty]
      ]
      for (const [path = "", text] of answers) {
        const answer = yield* get(path)
        assert.deepStrictEqual([answer.status, answer.text], [200, text], path)
      }
    }))

  it.effect("is refused with the code and text of each case", () =>
    Effect.gen(function*() {
      const { apples, cats, items } = yield* Story
      const owner = yield* address("bob")
      const none = "0x00000000000000000000000000000000000000ff"
      const uri = "[InvalidUriValue]"
      const cases: ReadonlyArray<readonly [path: string, status: number, code: number, message: string]> = [
        ["contract/nft/0x12/token", 400, 1040020, `${uri}invalid nft address`],
        [`contract/nft/${none}/token`, 404, 1040400, "[ResourceNotFound]not found nft"],
        [`contract/nft/${apples}/token`, 404, 1040400, "[ResourceNotFound]not found nft"],
        [`contract/nft/0x12/owner/${owner}`, 400, 1040020, `${uri}invalid nft address`],
        [`contract/nft/${cats}/owner/bob`, 400, 1040020, `${uri}invalid owner address`],
        [
          `contract/nft/${cats}/owner/${owner}?size=-1`,
          400,
          1040010,
          "[InvalidQueryParameterValue]invalid query value"
        ],
        [
          `contract/nft/${cats}/owner/${owner}?cursor=a`,
          400,
          1040010,
          "[InvalidQueryParameterValue]invalid query value"
        ],
        [`contract/nft/${none}/owner/${owner}`, 404, 1040400, "[ResourceNotFound]not found nft"],
        ["contract/nft/0x12/token/0x1", 400, 1040020, `${uri}invalid nft address`],
        [`contract/nft/${cats}/token/12`, 400, 1040020, `${uri}invalid token id`],
        [`contract/nft/${cats}/token/0x${"f".repeat(65)}`, 400, 1040020, `${uri}invalid token id`],
        [`contract/nft/${cats}/token/0x1`, 404, 1040400, "[ResourceNotFound]not found nft token"],
        [`contract/nft/${none}/token/0x1`, 404, 1040400, "[ResourceNotFound]not found nft token"],
        [`contract/mt/0x12/owner/${owner}`, 400, 1040020, `${uri}invalid mt address`],
        [`contract/mt/${items}/owner/bob`, 400, 1040020, `${uri}invalid owner address`],
        [`contract/mt/${cats}/owner/${owner}`, 404, 1040400, "[ResourceNotFound]not found mt"],
        [`contract/mt/0x12/owner/${owner}/token/0x1`, 400, 1040020, `${uri}invalid mt address`],
        [`contract/mt/${items}/owner/bob/token/0x1`, 400, 1040020, `${uri}invalid owner address`],
        [`contract/mt/${items}/owner/${owner}/token/xyz`, 400, 1040020, `${uri}invalid token id`],
        [`contract/mt/${none}/owner/${owner}/token/0x1`, 404, 1040400, "[ResourceNotFound]not found mt"],
        [`contract/mt/${items}/owner/${owner}/token/0x1`, 404, 1040400, "[ResourceNotFound]not found mt token"],
        [`contract/mt/${items}/token/xyz`, 400, 1040020, `${uri}invalid token id`],
        ["contract/mt/0x12/token/0x1", 400, 1040020, `${uri}invalid mt address`],
        [`contract/mt/${none}/token/0x1`, 404, 1040400, "[ResourceNotFound]not found mt"],
        ["contract/mt/0x12/token", 400, 1040020, `${uri}invalid mt address`],
        [`contract/mt/${none}/token`, 404, 1040400, "[ResourceNotFound]not found mt"],
        ["contract/ft/0x12", 400, 1040020, `${uri}invalid ft address`],
        [`contract/ft/${none}`, 404, 1040400, "[ResourceNotFound]not found ft"],
        [`contract/nft/${cats}/token/0x1/history`, 404, 1040400, "[ResourceNotFound]not found nft token"],
        ["contract/ft?status=maybe", 400, 1040010, "[InvalidQueryParameterValue]invalid query value"],
        ["account/bob/token", 400, 1040020, `${uri}invalid account address`],
        [`account/${owner}/contract?kind=ft,klay`, 400, 1040010, "[InvalidQueryParameterValue]invalid kind:klay"],
        [`account/${owner}/token?ca-filters=${cats},x`, 400, 1040010, "[InvalidQueryParameterValue]invalid address: x"],
        [
          `account/${owner}/token?ca-filters=${Array.from({ length: 101 }, () => cats).join(",")}`,
          400,
          1040010,
          "[InvalidQueryParameterValue]too many ca-filters query value"
        ],
        [`contract/nft/${cats}/token/`, 400, 1010007, "invalid path or method"]
      ]
      for (const [path, status, code, message] of cases) {
        const answer = yield* parsed(`/v2/${path}`)
        const { requestId, ...rest } = answer.body
        assert.deepStrictEqual([answer.status, rest], [status, { code, message }], path)
        assert.isString(requestId)
      }
    }))

  it.effect("beyond the document: labelled contracts, holders, past owners and what an account holds", () =>
    Effect.gen(function*() {
      const { apples, cats, items, moved } = yield* Story
      const [alice, bob] = [yield* address("alice"), yield* address("bob")]
      const times = (seconds: number) => ({ createdAt: seconds, updatedAt: seconds, deletedAt: 0 })
      const apple = {
        address: apples,
        status: "completed",
        type: "KIP-7",
        ...times(1_600_000_010),
        name: "Apple",
        symbol: "APL",
        totalSupply: "0x3e8",
        decimals: 2
      }
      assert.deepStrictEqual((yield* parsed(`/v2/contract/ft/${apples}`)).body, apple)
      assert.deepStrictEqual((yield* parsed("/v2/contract/ft?type=KIP-7")).body, { items: [apple], cursor: "" })
      assert.deepStrictEqual((yield* page("/v2/contract/ft?type=ERC-20")).items, [])
      assert.deepStrictEqual((yield* page("/v2/contract/ft?status=failed")).items, [])
      assert.deepInclude((yield* parsed(`/v2/contract/nft/${cats}`)).body, { type: "KIP-17", totalSupply: "0x2" })
      const multi = { address: items, status: "completed", type: "KIP-37", ...times(1_600_000_030) }
      assert.deepStrictEqual((yield* parsed(`/v2/contract/mt/${items}`)).body, multi)
      const spelt = upper(cats)
      assert.strictEqual(
        (yield* get(`/v2/contract/nft/${spelt}/holder`)).text,
        `{"address":"${spelt}","totalHolder":2}`
      )
      assert.strictEqual((yield* parsed(`/v2/contract/mt/${items}/holder`)).body.totalHolder, 2)
      assert.deepStrictEqual((yield* parsed(`/v2/contract/nft/${cats}/token/0x1c2/history`)).body, {
        items: [{ from: alice, to: bob, timestamp: 1_600_000_100 }, {
          from: zero,
          to: alice,
          timestamp: 1_600_000_050
        }],
        cursor: ""
      })
      const held = (yield* page(`/v2/account/${bob}/contract`)).items
      assert.deepStrictEqual(held, [
        { kind: "mt", contractAddress: items, updatedAt: 1_600_000_110, totalBalance: "0xd", extras: {} },
        {
          kind: "nft",
          contractAddress: cats,
          updatedAt: 1_600_000_100,
          totalBalance: "0x1",
          extras: { name: "Cats", symbol: "CAT", totalSupply: "0x2" }
        },
        {
          kind: "ft",
          contractAddress: apples,
          updatedAt: 1_600_000_090,
          totalBalance: "0x15e",
          extras: { name: "Apple", symbol: "APL", decimals: 2, totalSupply: "0x3e8", formattedValue: "3.5" }
        }
      ])
      const one = yield* page(`/v2/account/${bob}/contract?size=1&kind=ft,nft`)
      const two = yield* page(`/v2/account/${bob}/contract?size=1&kind=nft,ft&cursor=${one.cursor}`)
      assert.deepStrictEqual([...one.items, ...two.items], held.slice(1))
      const tokens = (yield* page(`/v2/account/${bob}/token`)).items
      assert.deepStrictEqual(tokens.map(({ kind }) => kind), ["mt", "mt", "nft", "ft"])
      assert.deepStrictEqual(tokens[2], {
        kind: "nft",
        contractAddress: cats,
        updatedAt: 1_600_000_100,
        balance: "0x1",
        lastTransfer: { transactionHash: moved.transactionHash, transferFrom: alice, transferTo: bob },
        extras: { tokenId: "0x1c2", tokenUri: "cat 450" }
      })
      const filtered = yield* page(`/v2/account/${bob}/token?ca-filters=${apples},${cats}&kind=nft,mt`)
      assert.deepStrictEqual(filtered.items, tokens.slice(2, 3))
      const paged: Array<unknown> = []
      let cursor: string | undefined = ""
      do {
        const next: { readonly items: ReadonlyArray<unknown>; readonly cursor?: string | undefined } = yield* page(
          `/v2/account/${bob}/token?size=1&cursor=${cursor}`
        )
        paged.push(...next.items)
        cursor = next.cursor
      } while (cursor !== "" && paged.length < 10)
      assert.deepStrictEqual(paged, [...tokens])
    }))

  it.effect("follows labels: another status is listed as such, and no label is not found until there is one again", () =>
    Effect.gen(function*() {
      const { control, chains } = yield* Sandbox.Sandbox
      const chain = control.chain(1001)
      const spec = { kind: "nft", name: "Late", symbol: "L" } as const
      const { address: late } = yield* TokenContract.deploy(chains.chain(1001), chains.account("erin"), spec)
      const labels = `/chains/1001/labels`
      const set = yield* controlRequest("PUT", `${labels}/${late}`, { status: "processing" })
      assert.deepInclude(set, { status: 200 })
      assert.strictEqual(set.body.status, "processing")
      const listed = (query: string) =>
        Effect.map(page(`/v2/contract/nft${query}`), ({ items }) => items.map(({ address }) => address))
      assert.deepStrictEqual(yield* listed("?status=processing"), [late])
      yield* chain.deleteLabel(late)
      assert.notInclude(yield* listed(""), late)
      assert.strictEqual((yield* get(`/v2/contract/nft/${late}/token`)).status, 404)
      assert.strictEqual((yield* get(`/v2/contract/nft/${late}`)).status, 404)
      assert.isDefined((yield* chain.labels)[0]?.deletedAt)
      yield* chain.setLabel(late, { status: "completed" })
      assert.strictEqual((yield* get(`/v2/contract/nft/${late}/token`)).status, 200)
      assert.strictEqual((yield* Effect.flip(chain.deleteLabel(zero)))._tag, "NotFound")
      assert.strictEqual((yield* controlRequest("PUT", `${labels}/${late}`, { status: "no" })).status, 400)
    }))
})
