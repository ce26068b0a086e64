/** Every operation of the wallet times every kind of caller: a table that the test makes. */
import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import { unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import { isChange } from "@effect-klaytn/custody/WalletPolicy"
import { operations } from "@effect-klaytn/custody/WalletRoutes"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { scopedStore } from "../src/internal/scopedStore.js"
import { type Answer, type Asked, make, serve } from "./support/guardedWallet.js"

const to = `0x${"ab".repeat(20)}` as const

const kinds: ReadonlyArray<WalletCaller> = [
  unlimited("all"),
  { name: "reader", rights: ["read"], pools: undefined, limits: {} },
  { name: "wallet only", rights: ["wallet"], pools: undefined, limits: {} },
  { ...unlimited("other pool"), pools: ["b"] },
  { ...unlimited("limited"), rights: ["read", "wallet"], limits: { largestValue: 1n, contractCalls: false } }
]

/** The kinds of callers in the order of the table's columns; the wallet is frozen for the last one. */
const columns = ["none", "stranger", ...kinds.map(({ name }) => name), "frozen"] as const

const codes: ReadonlyMap<number, string> = new Map([
  [1010008, "no credential"],
  [1010009, "wrong credential"],
  [1019403, "no right"],
  [1069403, "not permitted"],
  [1069423, "frozen"]
])

/** What a caller is told: the name of a refusal of access, or `in` for a request that the guard let in. */
const verdict = ({ body }: Answer): string => codes.get(body.code ?? 0) ?? "in"

describe("rights", () => {
  it.scopedLive("hold for every operation and every kind of caller", () =>
    Effect.gen(function*() {
      const opened = yield* make()
      const { guard, local, wallet } = opened
      yield* wallet.createPools("a")
      yield* wallet.createPools("b")
      const pool = yield* wallet.pool("account-pool", "a")
      const ask = yield* serve(opened, kinds)

      /** A request for an operation with an account of the pool `a`. */
      const requestFor = (method: string, template: string) =>
        Effect.gen(function*() {
          const account = yield* wallet.createAccount(pool)
          yield* local.fund(account.address, 10n ** 18n)
          const payer = yield* wallet.createAccount(yield* wallet.pool("feepayer-pool", "a"))
          const named = template.includes("feepayer/") ? payer.address : account.address
          const path = template
            .replace(":address", named)
            .replace(":keyId", wallet.keyId(account.key))
            .replace(":publicKey", account.key.publicKey)
            .replace(/:hash|:transactionId/, `0x${"11".repeat(32)}`)
            .replace(":accountId", "test")
          const krn = template.includes("feepayer") ? wallet.krn(payer.pool) : wallet.krn(pool)
          const query = template === "/v2/key" && method === "GET"
            ? `?krn=${wallet.krn({ type: "key-pool", name: "a" })}`
            : ""
          return {
            method,
            path: path + query,
            krn,
            ...(method === "GET" ? {} : { body: bodyOf(template, account.address) })
          }
        })

      const table: Record<string, ReadonlyArray<string>> = {}
      for (const { method, name, template } of operations) {
        const row: Array<string> = []
        const asked = yield* requestFor(method, template)
        for (const column of columns) {
          const isFrozen = column === "frozen"
          if (isFrozen) yield* guard.freeze("test")
          row.push(verdict(yield* ask(column === "none" ? undefined : isFrozen ? "all" : column, asked)))
          if (isFrozen) yield* guard.unfreeze
        }
        table[name] = row
      }

      for (const [name, row] of Object.entries(table)) {
        const [none, stranger, all, reader, only, other, , frozen] = row
        assert.deepStrictEqual([none, stranger], ["no credential", "wrong credential"], name)
        assert.deepStrictEqual([all, reader, only], ["in", "no right", "in"], name)
        assert.strictEqual(frozen, isChange(name) ? "frozen" : "in", name)
        // The request names the pool a, which this caller must not see.
        assert.strictEqual(other, "not permitted", name)
      }
      const width = Math.max(...Object.keys(table).map((name) => name.length))
      const lines = Object.entries(table).map(([name, row]) => `${name.padEnd(width)} | ${row.join(" | ")}`)
      const text = [`${"operation".padEnd(width)} | ${columns.join(" | ")}`, ...lines, ""].join("\n")
      const file = new URL("support/rights.txt", import.meta.url)
      if (process.env["UPDATE_RIGHTS"] === "1") writeFileSync(file, text)
      assert.strictEqual(text, readFileSync(file, "utf8"), "UPDATE_RIGHTS=1 writes the table anew")
    }), 120_000)
})

describe("a caller of some pools", () => {
  it.scopedLive("sees nothing of the others, by any way", () =>
    Effect.gen(function*() {
      const opened = yield* make()
      const { wallet } = opened
      for (const name of ["a", "b"]) yield* wallet.createPools(name)
      const mine = yield* wallet.createAccount(yield* wallet.pool("account-pool", "b"))
      const theirs = yield* wallet.createAccount(yield* wallet.pool("account-pool", "a"))
      const ask = yield* serve(opened, kinds)
      const krn = wallet.krn(mine.pool)
      const asks = (method: string, path: string, more: Partial<Asked> = {}) =>
        ask("other pool", { method, path, ...more })
      assert.strictEqual((yield* asks("GET", `/v2/account/${mine.address}`, { krn })).status, 200)
      // The pool of the caller is named, and the account is in another one.
      const foreign = [
        yield* asks("GET", `/v2/account/${theirs.address}`, { krn }),
        yield* asks("GET", `/v2/pubkey/${theirs.key.publicKey}/account`),
        yield* asks("DELETE", `/v2/account/${theirs.address}`, { krn }),
        yield* asks("PUT", `/v2/account/${theirs.address}/disable`, { krn }),
        yield* asks("POST", "/v2/tx/value", { krn, body: { from: theirs.address, to, value: "0x1" } }),
        // The pool stands in the ID of the key: without it, the ID names no key.
        yield* asks("GET", `/v2/key/${wallet.keyId(theirs.key, mine.pool)}`),
        yield* asks("POST", `/v2/key/${wallet.keyId(theirs.key, mine.pool)}/sign`, {
          body: { data: `0x${"11".repeat(32)}` }
        }),
        // Without a pool, the request is for the default one.
        yield* asks("GET", `/v2/account/${theirs.address}`)
      ]
      // The pool that a query names, or the ID of a key in the path, is refused as one of the header is.
      const named = encodeURIComponent(wallet.krn({ type: "key-pool", name: "a" }))
      for (const path of [`/v2/key?krn=${named}`, `/v2/key/${encodeURIComponent(wallet.keyId(theirs.key))}`]) {
        assert.strictEqual((yield* asks("GET", path)).body.code, 1069403, path)
      }
      // Whoever may use both pools names the one of the account, or of the key.
      for (const path of [`/v2/account/${theirs.address}`, `/v2/key/${wallet.keyId(theirs.key, mine.pool)}`]) {
        const { body } = yield* ask("all", { method: "GET", path, krn })
        assert.include(body.message, "data don't exist", path)
      }
      for (const { body, status } of foreign) {
        assert.strictEqual(status, 400, JSON.stringify(body))
        assert.notInclude(JSON.stringify(body), theirs.address.slice(2))
      }
      const resources = JSON.stringify((yield* asks("GET", "/v1/resource/account/test")).body)
      assert.include(resources, "account-pool:b")
      assert.notInclude(resources, "account-pool:a")
      assert.isDefined(yield* wallet.store.account(theirs.address))
      // A transaction of an account of the pool a, which waits for the signatures of keys of that pool.
      const multiSig = { threshold: 2, keys: [{ publicKey: theirs.key.publicKey, weight: 2 }] }
      const transactionId = `0x${"77".repeat(32)}` as const
      const common = { nonce: 0n, gas: 25_000n, gasPrice: 25_000_000_000n, value: 1n } as const
      const transfer = Transaction.make({ type: "ValueTransfer", ...common, from: theirs.address, to })
      const raw = transfer.ok ? Transaction.encode(transfer.value) : transfer
      assert(raw.ok)
      const asked = { transactionId, account: theirs.address, payer: "sender", caller: undefined } as const
      yield* wallet.store.addPending({ ...asked, multiSig, nonce: 0n, raw: raw.value, status: 2 }, 1)
      const seenBy = (pool: string) => {
        const { account, pending, waiting } = scopedStore(wallet.store, [pool])
        const all = waiting({ account: theirs.address, publicKeys: [theirs.key.publicKey] }, { limit: 9 })
        return Effect.all([account(theirs.address), pending(transactionId), all])
      }
      assert.deepStrictEqual(yield* seenBy("b"), [undefined, undefined, []])
      const [account, held, list] = yield* seenBy("a")
      assert.deepStrictEqual([account?.address, held?.transactionId, list.length], [theirs.address, transactionId, 1])
      const outcome = (hash: Hex) =>
        Effect.succeed(
          {
            account: theirs.address,
            hash,
            payment: { hash, raw: raw.value, senderHash: hash },
            reason: undefined,
            since: 1,
            stage: "replaced",
            waitsFor: undefined
          } as const
        )
      const sending = new ChainWallet({
        ...wallet,
        sends: { ...wallet.sends, outcome },
        vault: opened.keyring,
        secret: () => randomBytes(32)
      })
      const askSending = yield* serve({ guard: opened.guard, wallet: sending }, kinds)
      const outcomeFor = (caller: string) => askSending(caller, { method: "GET", path: `/v2/tx/${transactionId}` })
      assert.strictEqual((yield* outcomeFor("all")).status, 200)
      assert.strictEqual((yield* outcomeFor("other pool")).status, 400)
      const signing = yield* asks("POST", `/v2/multisig/account/${mine.address}/tx/${transactionId}/sign`, { krn })
      assert.include(signing.body.message, "data don't exist")
      const made = yield* asks("POST", "/v2/key", { body: { size: 1 }, krn })
      assert.include(JSON.stringify(made.body), "key-pool:b:")
    }))
})

describe("a key that accounts of two pools use", () => {
  it.scopedLive("is deleted by nobody who may use one of the pools alone, and its sealed secret is shown to nobody of the other", () =>
    Effect.gen(function*() {
      const opened = yield* make()
      const { wallet } = opened
      for (const name of ["a", "b"]) yield* wallet.createPools(name)
      const owner = yield* wallet.createAccount(yield* wallet.pool("account-pool", "a"))
      const shared = yield* wallet.pool("account-pool", "b")
      // The key of this account was changed to that of the other one.
      yield* wallet.store.addAccount(shared, `0x${"b1".repeat(20)}`, owner.key, 1)
      const [unused] = yield* wallet.createKeys(yield* wallet.pool("key-pool", "a"), 1)
      assert(unused !== undefined)
      yield* wallet.store.addAccount(shared, `0x${"b2".repeat(20)}`, unused, 1)
      const both: WalletCaller = { ...unlimited("both"), pools: ["a", "b"] }
      const ask = yield* serve(opened, [...kinds, { ...unlimited("a"), pools: ["a"] }, both])
      const path = `/v2/key/${wallet.keyId(owner.key, shared)}`
      const shown = yield* ask("other pool", { method: "GET", path })
      assert.deepStrictEqual([shown.status, shown.body["blob"]], [200, "0x"])
      const ownPath = `/v2/key/${wallet.keyId(owner.key)}`
      const foreignPath = `/v2/key/${wallet.keyId(unused, shared)}`
      for (const [caller, at] of [["other pool", path], ["other pool", foreignPath], ["a", ownPath]] as const) {
        const { body, status } = yield* ask(caller, { method: "DELETE", path: `${at}?withCoin=true` })
        assert.deepStrictEqual([status, body.code], [400, 1069403], `${caller}: ${JSON.stringify(body)}`)
      }
      assert.isDefined((yield* wallet.store.key(owner.key.hash))?.sealed)
      const deleted = yield* ask("both", { method: "DELETE", path: ownPath })
      assert.strictEqual(deleted.status, 200, JSON.stringify(deleted.body))
      assert.include((yield* ask("both", { method: "GET", path: ownPath })).body.message, "data don't exist")
    }))
})

/** A body that reaches the signature. */
const bodyOf = (template: string, from: string): unknown => {
  const key = { keyType: 1, key: `0x02${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"}` }
  if (template.endsWith("/registration/account")) return []
  if (template === "/v2/key") return { size: 1 }
  if (template.endsWith(":keyId/sign")) return { data: `0x${"11".repeat(32)}` }
  if (template.endsWith("contract/call")) return { to, data: { methodName: "x", arguments: [] } }
  if (template.endsWith("/rlp")) return { from, rlp: "0x00", submit: false }
  if (template.endsWith("/account")) return { from, accountKey: key, submit: false }
  return { from, to, value: "0x5", input: "0x00", nonce: 1, submit: false }
}
