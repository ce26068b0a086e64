import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import { assert, describe, it, layer, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { html, render } from "../src/internal/explorer/Html.js"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import { fill, hostile } from "./support/explorerWorld.js"
import { ask, send } from "./support/wire.js"

const sandbox = Sandbox.layer({ seed: "explorer", clock: { start: 1_600_000_000, step: 1 } })

const filled = Effect.cached(Effect.suspend(() => fill())).pipe(Effect.runSync)

/** A page as a person sees it: without markup. */
const textOf = (page: string): string =>
  page.slice(page.indexOf("<main")).replace(/<[^>]*>/g, " ").replace(/&quot;/g, "\"").replace(/&#39;/g, "'").replace(
    /&lt;/g,
    "<"
  )
    .replace(/&gt;/g, ">").replace(/&amp;/g, "&").replace(/\s+/g, " ")

const linksOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"))

const read = (path: string) =>
  Effect.map(send(path, { headers: { "sec-fetch-site": "none" } }), (answer) => {
    assert.strictEqual(answer.status, 200, path)
    return answer.text
  })

/** Follows links from the first page on, to a few pages of each form: those that differ in no more than a value. */
const crawl = Effect.gen(function*() {
  const pages = new Map<string, string>()
  const forms = new Map<string, number>()
  const open = ["/"]
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const form = path.replace(/0x[0-9a-f]+|(?<=[/=-])\d+/g, "*")
    const seen = forms.get(form) ?? 0
    if (seen >= 2) continue
    forms.set(form, seen + 1)
    const page = yield* read(path)
    pages.set(path, page)
    const next = linksOf(page).filter((link) =>
      link.startsWith("/explorer") && !pages.has(link) && !open.includes(link)
    )
    open.push(...new Set(next))
  }
  return pages
})

layer(sandbox, { excludeTestServices: true })("The explorer", (it) => {
  it.effect("shows a page behind every link, and links to nothing outside", () =>
    Effect.gen(function*() {
      yield* filled
      const pages = yield* crawl
      assert.isAbove(pages.size, 50)
      for (const [path, page] of pages) {
        if (!page.startsWith("<!doctype")) continue
        for (const link of linksOf(page)) assert.match(link, /^(?:\/explorer(?:[/?]|$)|\/$|\/api$|#content$)/, path)
        assert.strictEqual(page.match(/<h1>/g)?.length, 1, path)
        assert.isBelow(page.length, 60_000, path)
      }
    }))

  it.effect("shows memos and URIs whole, what can't be seen by its number, and a token that was burned", () =>
    Effect.gen(function*() {
      const { control, chains } = yield* Sandbox.Sandbox
      const [chain, controls] = [chains.chain(1001), control.chain(1001)]
      const [alice, bob] = ["alice", "bob"].map(chains.account)
      if (!alice || !bob) return yield* Effect.dieMessage("an account is missing")
      const pageOf = (memo: string) =>
        Effect.gen(function*() {
          const hex = `0x${Buffer.from(memo).toString("hex")}` as const
          const hash = yield* chain.send({ kind: "transfer", from: alice, to: bob.address, value: 1n, memo: hex })
          return yield* read(`/explorer/1001/transactions/${hash}`)
        })
      const short = yield* pageOf("two\nlines\u200B")
      assert.include(short, "<bdi>two\nlines⟨U+200B⟩</bdi>")
      const long = `begin ${"memo ".repeat(400)}end`
      const page = yield* pageOf(long)
      assert.include(page, "2,009 characters")
      const longest = yield* pageOf(`${"\u0001".repeat(20_000)}`)
      assert.include(textOf(longest), "3,999 of 20,000 bytes; the node's klay_getTransactionByHash has all of it")
      assert.include(page, long)
      const { address } = yield* controls.deploy({ kind: "nft", from: "alice", name: "alice", symbol: "ALICE" })
      const uri = `data:application/json,${"x".repeat(900)}`
      yield* controls.mint(address, { kind: "nft", from: "alice", to: "bob", tokenId: 3n, uri })
      assert.include(yield* read(`/explorer/1001/tokens/${address}/3`), uri)
      const burn = yield* chain.send({
        kind: "execute",
        from: bob,
        to: address,
        data: `0x42966c68${"3".padStart(64, "0")}`
      })
      const burned = yield* read(`/explorer/1001/tokens/${address}/3`)
      assert.include(textOf(burned), "Last owner bob")
      assert.include(burned, burn)
      // Every call emits a transfer of the token 7 to its sender, and answers that the owner is the zero address.
      const transfer = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
      yield* DevRpc.call("hardhat_setCode", address, `0x6007335f7f${transfer}5f5fa460205ff3`)
      const lie = yield* chain.send({ kind: "execute", from: bob, to: address, data: "0x" })
      const path = `/explorer/1001/tokens/${address}/7`
      assert.include(yield* read(`/explorer/1001/transactions/${lie}`), path)
      assert.include(textOf(yield* read(path)), "Owner none")
      // A token that calls itself as an account is called.
      assert.include(textOf(yield* read(`/explorer/1001/transactions/${burn}`)), "ALICE (token)")
    }))

  it.effect("runs a transaction that reverted once, however often its page is shown", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const { failed } = yield* filled
      const chain = chains.chain(1001)
      const first = yield* read(`/explorer/1001/transactions/${failed}`)
      const calls = vi.spyOn(chain, "call")
      assert.strictEqual(yield* read(`/explorer/1001/transactions/${failed}`), first)
      assert.strictEqual(calls.mock.calls.length, 0)
      calls.mockRestore()
    }))

  it.effect("lets nothing out of its place that a token, a memo, a request or a search says", () =>
    Effect.gen(function*() {
      const { art, evil, memo } = yield* filled
      const paths = [
        "/",
        "/explorer/1001/transfers",
        "/explorer/1001/tokens",
        `/explorer/1001/tokens/${evil}`,
        `/explorer/1001/tokens/${evil}?view=owners`,
        `/explorer/1001/tokens/${art}?view=items`,
        `/explorer/1001/tokens/${art}/2`,
        `/explorer/1001/transactions/${memo}`,
        `/explorer/1001/accounts/${evil}`,
        "/explorer/1001/requests",
        `/explorer/1001/requests?operation=${encodeURIComponent(hostile.name)}`,
        `/explorer/search?q=${encodeURIComponent(hostile.name)}`,
        `/explorer/search?q=${encodeURIComponent(hostile.symbol)}x`
      ]
      for (const path of paths) {
        const page = yield* read(path)
        assert.deepStrictEqual(page.match(/<script\b[^>]*>/g), [`<script src="/explorer/script.js" defer>`], path)
        assert.notMatch(page, /<(?:svg|img src=x)|<[^>]*\son\w+=|<style|\sstyle=|href="(?!\/|#)/i, path)
        assert.strictEqual(page.match(/<\/title>/g)?.length, 1, path)
        assert.notMatch(page, /[\u202A-\u202E\u2066-\u2069\u200B]/, path)
      }
      assert.include(textOf(yield* read(`/explorer/1001/tokens/${evil}`)), hostile.name)
      assert.include(textOf(yield* read(`/explorer/1001/tokens/${art}/2`)), hostile.uri)
      assert.include(textOf(yield* read(`/explorer/1001/transactions/${memo}`)), hostile.memo)
    }))

  it.effect("decodes a transaction: who paid, what was called, what was logged, and why it failed", () =>
    Effect.gen(function*() {
      const { coffee, failed, ratio, update } = yield* filled
      const paid = textOf(yield* read(`/explorer/1001/transactions/${ratio}`))
      for (
        const part of [
          "Success",
          "Fee Delegated Value Transfer With Ratio 10",
          "2.5 KLAY 2,500,000,000,000,000,000 peb",
          "fee payer 30% = 0.000297 KLAY , sender 70% = 0.000693 KLAY",
          "Sender hash 0x",
          "Signatures of the fee payer: 1"
        ]
      ) {
        assert.include(paid, part)
      }
      const refused = textOf(yield* read(`/explorer/1001/transactions/${failed}`))
      assert.include(refused, "evm: execution reverted txError 0x9")
      assert.include(refused, "KIP7: transfer amount exceeds balance")
      assert.match(refused, /transfer \( address \w+, uint256 \w+\)/)
      const keys = textOf(yield* read(`/explorer/1001/transactions/${update}`))
      assert.include(keys, "Role based")
      assert.include(keys, "Threshold 3")
      const [sent = ""] = /\/explorer\/1001\/transactions\/0x\w+/.exec(
        yield* read(`/explorer/1001/tokens/${coffee}`)
      ) ?? []
      const logged = textOf(yield* read(sent))
      assert.match(logged, /Transfer \( address \w+, address \w+, uint256 \w+\)/)
      assert.include(logged, "42.5 BEAN")
      assert.include(logged, "42,500,000")
    }))

  it.effect("shows what an account has and who may sign for it", () =>
    Effect.gen(function*() {
      const { alice, bob, coffee, dave, wallet } = yield* filled
      const page = textOf(yield* read(`/explorer/1001/accounts/${dave}`))
      assert.include(page, "dave")
      assert.include(page, "Weighted multisig")
      assert.include(page, "Account updates Public")
      assert.include(textOf(yield* read(`/explorer/1001/accounts/${alice}?view=tokens`)), "BEAN — 12,457.5")
      assert.include(textOf(yield* read(`/explorer/1001/accounts/${dave}?view=fees`)), "fee payer pays 30%")
      assert.include(textOf(yield* read(`/explorer/1001/accounts/${wallet}`)), "account-pool default enabled")
      assert.include(textOf(yield* read(`/explorer/1001/accounts/${bob}?kind=nft`)), "#1 NIGHT")
      const owners = textOf(yield* read(`/explorer/1001/tokens/${coffee}?view=owners`))
      assert.include(owners, "alice 12,457.5 99.66%")
      assert.include(owners, "bob 42.5 0.34%")
    }))

  it.effect("lists requests with the faults that were applied, and none of its own", () =>
    Effect.gen(function*() {
      yield* filled
      const { control } = yield* Sandbox.Sandbox
      const before = yield* control.requests()
      const page = textOf(yield* read("/explorer/1001/requests"))
      assert.include(page, "wallet.createAccount 503 fault 1")
      assert.include(page, "waits 200 ms history.getTransfersByEoa both 3 of 3")
      const filtered = textOf(yield* read("/explorer/1001/requests?operation=wallet.createKeys"))
      assert.include(filtered, "POST /v2/key")
      assert.notInclude(filtered, "POST /v2/account")
      yield* read("/")
      yield* read("/explorer/style.css")
      assert.deepStrictEqual(yield* control.requests(), before)
    }))

  it.effect("changes nothing and keeps no secret of its sandbox on a page", () =>
    Effect.gen(function*() {
      yield* filled
      const { accounts, chains, secretAccessKey } = yield* Sandbox.Sandbox
      const chain = chains.chain(1001)
      const head = yield* chain.head
      const secrets = [
        Redacted.value(secretAccessKey),
        ...[...accounts, chains.account("global fee payer"), chain.faucet].map((one) =>
          DevAccount.revealPrivateKey(one).slice(2)
        )
      ]
      for (const [path, page] of yield* crawl) {
        for (const secret of secrets) assert.notInclude(page, secret, path)
      }
      assert.deepStrictEqual(yield* chain.head, head)
    }))

  it.effect("pages through lists without leaving out or repeating a row", () =>
    Effect.gen(function*() {
      const { coffee, generated } = yield* filled
      const { chains } = yield* Sandbox.Sandbox
      const chain = chains.chain(1001)
      const walk = (first: string) =>
        Effect.gen(function*() {
          const keys: Array<string> = []
          let pages = 0
          for (let path: string | undefined = first; path !== undefined && pages < 60; pages++) {
            const page: string = yield* read(path)
            keys.push(...[...page.matchAll(/<tr role="row" data-key="([^"]*)"/g)].map(([, key = ""]) => key))
            path = /<a rel="next" href="([^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&")
          }
          assert.strictEqual(new Set(keys).size, keys.length, first)
          return keys
        })
      const transfers = yield* chain.transfers({ limit: 10_000 })
      assert.isAbove(transfers.length, 400)
      assert.deepStrictEqual(yield* walk("/explorer/1001/transfers"), transfers.map(({ id }) => String(id)))
      const transactions = yield* chain.transactions({ limit: 10_000 })
      assert.deepStrictEqual(yield* walk("/explorer/1001/transactions"), transactions.map(({ hash }) => hash))
      const { number } = yield* chain.head
      assert.lengthOf(yield* walk("/explorer/1001/blocks"), number + 1)
      const largest = Math.max(...transactions.map(({ blockNumber }) => blockNumber).filter((at) => at < 5))
      assert.lengthOf(
        yield* walk(`/explorer/1001/blocks/${largest}`),
        (yield* chain.transactionsOf(largest)).length
      )
      const { ft, mt, nft } = generated.tokens
      const owners = yield* chain.holdings({ contracts: [ft.address], limit: 10_000 })
      assert.lengthOf(yield* walk(`/explorer/1001/tokens/${ft.address}?view=owners`), owners.length)
      const [token] = yield* chain.tokens({ contract: mt.address, order: "newest", limit: 1 })
      const id = token?.tokenId ?? 0n
      const some = yield* chain.holdings({ contracts: [mt.address], tokenId: id, limit: 10_000 })
      assert.lengthOf(yield* walk(`/explorer/1001/tokens/${mt.address}/${id}`), some.length)
      const tokens = yield* chain.tokens({ contract: nft.address, order: "newest", limit: 10_000 })
      assert.lengthOf(yield* walk(`/explorer/1001/tokens/${nft.address}?view=items`), tokens.length)
      const own = yield* chain.holdings({ owner: generated.busiest.address, limit: 10_000 })
      assert.lengthOf(yield* walk(`/explorer/1001/accounts/${generated.busiest.address}?view=tokens`), own.length)
      const moves = yield* chain.transfers({ contracts: [ft.address], limit: 10_000 })
      assert.lengthOf(yield* walk(`/explorer/1001/tokens/${ft.address}`), moves.length)
      assert.lengthOf(yield* walk(`/explorer/1001/tokens/${coffee}`), 2)
    }))

  it.effect("finds by address, hash, number, name and symbol, on either chain", () =>
    Effect.gen(function*() {
      const { alice, coffee, evil, ratio } = yield* filled
      const { chains } = yield* Sandbox.Sandbox
      const there = yield* chains.chain(8217).fund(alice, 1n)
      const head = yield* chains.chain(1001).head
      const find = (query: string, chain = "1001") =>
        Effect.flatMap(Sandbox.Sandbox, ({ url }) =>
          Effect.promise(async () => {
            const address = `${url}/explorer/search?chain=${chain}&q=${encodeURIComponent(query)}`
            const { headers, status } = await fetch(address, { redirect: "manual" })
            return status === 303 ? headers.get("location") : status
          }))
      assert.strictEqual(yield* find(" Alice "), `/explorer/1001/accounts/${alice}`)
      assert.strictEqual(yield* find(alice.toUpperCase().replace("0X", "0x")), `/explorer/1001/accounts/${alice}`)
      assert.strictEqual(yield* find(`0x${"12".repeat(20)}`, "8217"), `/explorer/8217/accounts/0x${"12".repeat(20)}`)
      assert.strictEqual(yield* find("1"), "/explorer/1001/blocks/1")
      assert.strictEqual(yield* find(head.hash), `/explorer/1001/blocks/${head.hash}`)
      assert.strictEqual(yield* find(ratio, "8217"), `/explorer/1001/transactions/${ratio}`)
      assert.strictEqual(yield* find(there.hash), `/explorer/8217/transactions/${there.hash}`)
      assert.strictEqual(yield* find("bean"), `/explorer/1001/tokens/${coffee}`)
      assert.strictEqual(yield* find("<script>"), `/explorer/1001/tokens/${evil}`)
      assert.strictEqual(yield* find("sandbox"), 200)
      assert.strictEqual(yield* find(`0x${"ab".repeat(32)}`), 200)
      assert.strictEqual(yield* find(""), "/explorer/1001")
    }))

  it.effect("says what is not there, with 404 and a page", () =>
    Effect.gen(function*() {
      const { coffee } = yield* filled
      for (
        const path of [
          "/explorer/1002",
          "/explorer/constructor",
          "/explorer/toString/blocks",
          "/explorer/1001/nothing",
          "/explorer/1001/blocks/99999999",
          "/explorer/1001/blocks/-1",
          "/explorer/1001/blocks/1e999",
          `/explorer/1001/blocks/0x${"00".repeat(32)}`,
          `/explorer/1001/transactions/0x${"00".repeat(32)}`,
          "/explorer/1001/transactions/0x12",
          "/explorer/1001/transactions?before=1",
          "/explorer/1001/transfers?before=x",
          `/explorer/1001/tokens/0x${"00".repeat(20)}`,
          `/explorer/1001/tokens/${coffee}/1`,
          `/explorer/1001/tokens/${coffee}?view=secrets`,
          "/explorer/1001/accounts/alice",
          "/explorer/1001/wallet/account-pool/nothing",
          "/explorer/%E0%A4%A",
          "/explorer/1001/blocks/%00"
        ]
      ) {
        const { headers, status, text } = yield* send(path)
        assert.strictEqual(status, 404, path)
        assert.include(headers.get("content-type"), "text/html", path)
        assert.include(text, "<h1>", path)
        assert.include(headers.get("content-security-policy"), "default-src 'none'", path)
      }
    }))

  it.effect("is told by a tag whether a page has changed", () =>
    Effect.gen(function*() {
      const { alice } = yield* filled
      const { chains } = yield* Sandbox.Sandbox
      const first = yield* send("/")
      const tag = first.headers.get("etag") ?? ""
      assert.strictEqual(first.headers.get("cache-control"), "no-cache")
      const again = () => send("/", { headers: { "if-none-match": tag } })
      assert.deepInclude(yield* again(), { status: 304, text: "" })
      yield* chains.chain(1001).fund(alice, 1n)
      const { status, text } = yield* again()
      assert.strictEqual(status, 200)
      assert.notStrictEqual(/data-version="([^"]*)"/.exec(text)?.[1], /data-version="([^"]*)"/.exec(first.text)?.[1])
    }))

  it.effect("is not there for the pages of other sites", () =>
    Effect.gen(function*() {
      for (const path of ["/", "/explorer/1001/accounts", "/explorer/script.js", "/explorer/nothing"]) {
        for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
          const answer = yield* send(path, { headers })
          assert.strictEqual(answer.status, 403, path)
          assert.notInclude(answer.text, "<h1>")
          assert.isNull(answer.headers.get("access-control-allow-origin"))
        }
      }
    }))

  it.effect("leaves to the service what is no visit of a page", () =>
    Effect.gen(function*() {
      for (const path of ["/", "/explorer/1001"]) {
        const { body, status } = yield* ask("POST", path, {})
        assert.deepStrictEqual([status, body.code], [400, 1010007], path)
      }
      const { text } = yield* send("/explorers")
      assert.strictEqual(JSON.parse(text).code, 1010008)
    }))
})

const waiting = Sandbox.layer({ seed: "waiting", mining: "manual", unitPrice: 750_000_000n })

layer(waiting, { excludeTestServices: true })("A waiting chain", (it) => {
  it.effect("shows its gas price exactly, and each account once", () =>
    Effect.gen(function*() {
      const { chains, control } = yield* Sandbox.Sandbox
      assert.include(textOf(yield* read("/explorer/1001")), "Gas price 0.75 gpeb")
      yield* control.chain(1001).createAccount({ name: "faucet" })
      const page = yield* read("/explorer/1001/accounts")
      assert.lengthOf(page.match(new RegExp(`data-key="${chains.account("faucet").address}"`, "g")) ?? [], 1)
    }))

  it.effect("shows what waits for a block, and what left the pool without one", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const chain = chains.chain(1001)
      const [alice, bob] = [chains.account("alice"), chains.account("bob")]
      const sent = yield* chain.send({ kind: "transfer", from: alice, to: bob.address, value: 7n * 10n ** 18n })
      assert.include(textOf(yield* read("/explorer/1001/transactions")), "Pending: 1")
      const page = textOf(yield* read(`/explorer/1001/transactions/${sent}`))
      assert.include(page, "Pending Value Transfer")
      assert.include(page, "7 KLAY")
      const cancelled = yield* chain.send({ kind: "cancel", from: alice, nonce: 0n })
      const replaced = textOf(yield* read(`/explorer/1001/transactions/${sent}`))
      assert.include(replaced, "waits for a block; another may still replace it")
      const winner = yield* chain.send({ kind: "cancel", from: alice, nonce: 0n, gas: 50_000n })
      yield* chain.mine()
      const list = textOf(yield* read("/explorer/1001/transactions"))
      assert.notInclude(list, "Pending:")
      assert.include(list, "Left the pool without a block")
      for (const hash of [sent, cancelled]) {
        const gone = yield* read(`/explorer/1001/transactions/${hash}`)
        assert.include(textOf(gone), "Dropped")
        assert.include(gone, `transactions/${winner}`)
        assert.include(textOf(gone), "in block 1")
      }
    }))
})

layer(Sandbox.layer({ explorer: false }), { excludeTestServices: true })("Without the explorer", (it) => {
  it.effect("its paths are the service's, like any other", () =>
    Effect.gen(function*() {
      for (const path of ["/", "/explorer", "/explorer/1001"]) {
        const { body, status } = yield* ask("GET", path)
        assert.deepStrictEqual([status, body.code], [400, 1010007], path)
      }
    }))
})

describe("Markup", () => {
  it("is only what a template writes; every value is text", () => {
    const evil = "\"><script>'&"
    const text = "&quot;&gt;&lt;script&gt;&#39;&amp;"
    assert.strictEqual(render(html`<a title="${evil}">${evil}</a>`), `<a title="${text}">${text}</a>`)
    assert.strictEqual(render(html`${[evil, html`<b>${1n}</b>`, undefined, false, 0]}`), `${text}<b>1</b>0`)
  })
})
