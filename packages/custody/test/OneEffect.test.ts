import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import { TransactionRejected } from "@effect-klaytn/custody/CustodyError"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import { unlimited } from "@effect-klaytn/custody/WalletCaller"
import { pricesAt, type RemoteChain } from "@effect-klaytn/custody/WalletChain"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomBytes } from "node:crypto"
import { type Asked, chain, make, serve } from "./support/guardedWallet.js"
import { walletChain } from "./support/localWallet.js"

const bob = `0x${"b0".repeat(20)}`

/** A wallet whose stored answers a test can lose, as a process that is killed before it stores one does. */
const start = Effect.gen(function*() {
  const opened = yield* make()
  const requests = SqlSendStore.requests(opened.sql, chain)
  const ask = yield* serve(opened, [unlimited("shop"), unlimited("bank")], requests)
  const losingAnswers = opened.sql`UPDATE wallet_requests_1001 SET status = NULL, answer = NULL`
  const rows = (table: string) =>
    Effect.map(
      opened.sql<{ readonly rows: number }>`SELECT count(*) AS rows FROM ${opened.sql(`wallet_${table}_1001`)}`,
      ([found]) => found?.rows
    )
  /** Asks, loses the answer, asks again, and gives both answers. */
  const twice = (asked: Asked) =>
    Effect.gen(function*() {
      const first = yield* ask("shop", asked)
      yield* losingAnswers
      const second = yield* ask("shop", asked)
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      return [first, second] as const
    })
  return { ...opened, ask, requests, rows, twice }
})

/** The same wallet with sends that are stored, and a node that can be made to refuse them. */
const startStored = Effect.gen(function*() {
  const opened = yield* start
  const { guard, keyring, local, requests, sql } = opened
  const node = { isRefusing: false }
  const refused = new TransactionRejected({ reason: "TransactionRefused", message: "intrinsic gas too low" })
  const viewed = {
    ...walletChain(local),
    submitRaw: (raw: Hex) => node.isRefusing ? refused : local.submitRaw(raw),
    verdict: ({ account, nonce }) =>
      Effect.map(walletChain(local).account(account), (found) => ({
        _tag: Option.exists(found, (state) => state.nonce > nonce) ? "mined" : "open"
      })),
    blockTime: Effect.succeed(0),
    prices: Effect.succeed(pricesAt(local.unitPrice))
  } satisfies RemoteChain
  const wallet = new ChainWallet({
    ...opened.wallet,
    chain: viewed,
    sends: StoredSends.make({ chain: viewed, store: SqlSendStore.make(sql, chain) }),
    vault: keyring,
    secret: () => randomBytes(32)
  })
  const ask = yield* serve({ guard, wallet }, [unlimited("shop")], requests)
  const losingAnswers = sql`UPDATE wallet_requests_1001 SET status = NULL, answer = NULL`
  const twice = (asked: Asked) => Effect.all([ask("shop", asked), Effect.zipRight(losingAnswers, ask("shop", asked))])
  const signatures = Effect.map(
    sql`SELECT line FROM wallet_audit_1001 WHERE line LIKE '%"event":"signed"%'`,
    ({ length }) => length
  )
  return { ...opened, ask, node, signatures, twice }
})

const post = (path: string, key: string, body: unknown = {}): Asked => ({ method: "POST", path, key, body })

const created = ({ body }: { readonly body: { readonly [field: string]: unknown } }) => ({
  address: String(body["address"]),
  keyId: String(body["keyId"]),
  publicKey: String(body["publicKey"])
})

describe("a request with a key whose answer was lost", () => {
  it.scoped("makes its keys once, and their sealed secrets are in no stored answer", () =>
    Effect.gen(function*() {
      const { ask, rows, sql, twice } = yield* start
      const [first, second] = yield* twice(post("/v2/key", "keys", { size: 3 }))
      assert.deepStrictEqual(second, first)
      assert.strictEqual(yield* rows("keys"), 3)
      assert.deepStrictEqual((yield* ask("shop", post("/v2/key", "keys", { size: 3 }))).body, first.body)
      assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM wallet_requests_1001`), "blob")
    }))

  it.scoped("does nothing of which it can't tell later that it has done it", () =>
    Effect.gen(function*() {
      const { ask, sql } = yield* start
      const { address } = created(yield* ask("shop", post("/v2/account", "account")))
      yield* sql`CREATE TRIGGER full BEFORE INSERT ON wallet_effects_1001 BEGIN SELECT RAISE(ABORT, 'full'); END`
      const disable: Asked = { method: "PUT", path: `/v2/account/${address}/disable`, key: "disable" }
      assert.strictEqual((yield* ask("shop", disable)).status, 500)
      assert.deepStrictEqual(yield* sql`SELECT disabled FROM wallet_accounts_1001`, [{ disabled: 0 }])
    }))

  it.scoped("makes its account once", () =>
    Effect.gen(function*() {
      const { rows, twice } = yield* start
      const [first, second] = yield* twice(post("/v2/account", "account"))
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual([yield* rows("keys"), yield* rows("accounts")], [1, 1])
    }))

  it.scoped("makes its fee payer once", () =>
    Effect.gen(function*() {
      const { rows, twice } = yield* start
      const [first, second] = yield* twice(post("/v2/feepayer", "payer", { withoutAccountUpdate: true }))
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual([yield* rows("keys"), yield* rows("accounts")], [1, 1])
    }))

  it.scoped("goes on with the fee payer that it has made, if the node refused the update of its key", () =>
    Effect.gen(function*() {
      const { ask, node, rows } = yield* startStored
      node.isRefusing = true
      assert.strictEqual((yield* ask("shop", post("/v2/feepayer", "payer"))).status, 400)
      node.isRefusing = false
      const { body, status } = yield* ask("shop", post("/v2/feepayer", "payer"))
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.deepStrictEqual([yield* rows("keys"), yield* rows("accounts")], [1, 1])
    }))

  it.scoped("sends once, and signs nothing when it comes again, alone or as the last of several signers", () =>
    Effect.gen(function*() {
      const { ask, local, signatures, twice } = yield* startStored
      const account = created(yield* ask("shop", post("/v2/account", "one")))
      const other = created(yield* ask("shop", post("/v2/account", "two")))
      yield* local.fund(`0x${account.address.slice(2).toLowerCase()}`, 10n ** 20n)
      const payment = { from: account.address, to: bob, value: "0x5", submit: true }
      const [first, second] = yield* twice(post("/v2/tx/legacy", "invoice", payment))
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      assert.deepStrictEqual([second, yield* signatures], [first, 1])
      const weightedKeys = [account, other].map(({ publicKey }) => ({ publicKey, weight: 1 }))
      const path = `/v2/account/${account.address}/multisig`
      const updated = yield* ask("shop", { method: "PUT", path, body: { threshold: 2, weightedKeys } })
      assert.strictEqual(updated.status, 200, JSON.stringify(updated.body))
      const { body } = yield* ask("shop", post("/v2/tx/value", "held", payment))
      const sign = ({ address }: { readonly address: string }) =>
        post(`/v2/multisig/account/${address}/tx/${String(body["transactionId"])}/sign`, address)
      yield* ask("shop", sign(account))
      const before = yield* signatures
      const [last, again] = yield* twice(sign(other))
      assert.strictEqual(last.body["status"], "Submitted", JSON.stringify(last.body))
      // Which of the signatures it has added itself, a request that comes again does not know.
      assert.deepStrictEqual(again.body, { ...last.body, weight: 2 })
      assert.strictEqual(yield* signatures, before + 2)
      // Nobody signs it any more.
      assert.strictEqual((yield* ask("shop", { ...sign(account), key: "late" })).body.code, 1061914)
    }))

  it.scoped("disables, enables and deletes once, and is not told that this is done already", () =>
    Effect.gen(function*() {
      const { ask, rows, twice } = yield* start
      const { address } = created(yield* ask("shop", post("/v2/account", "account")))
      const put = (what: string, key: string): Asked => ({ method: "PUT", path: `/v2/account/${address}/${what}`, key })
      for (const what of ["disable", "enable"]) {
        const [first, second] = yield* twice(put(what, what))
        assert.deepStrictEqual(second, first)
        const { body } = yield* ask("shop", put(what, `${what}-again`))
        assert.strictEqual(body.code, what === "disable" ? 1061510 : 1061511)
      }
      const remove: Asked = { method: "DELETE", path: `/v2/account/${address}`, key: "delete" }
      const [first, second] = yield* twice(remove)
      assert.deepStrictEqual(second, first)
      assert.strictEqual((yield* ask("shop", { ...remove, key: "delete-again" })).status, 400)
      const [{ keyId = "" } = {}] = (yield* ask("shop", post("/v2/key", "key"))).body["items"] as // The form of an answer that has made a key.
      ReadonlyArray<{ readonly keyId: string }>
      const dropped = yield* twice({ method: "DELETE", path: `/v2/key/${encodeURIComponent(keyId)}`, key: "drop" })
      assert.deepStrictEqual(dropped[1], dropped[0])
      assert.strictEqual(yield* rows("accounts"), 1)
    }))

  it.scoped("signs what it does not send once, and counts it once", () =>
    Effect.gen(function*() {
      const opened = yield* make()
      const limited = { ...unlimited("shop"), limits: { dailySum: 7n } }
      const requests = SqlSendStore.requests(opened.sql, chain)
      const ask = yield* serve(opened, [limited], requests)
      const { address } = created(yield* ask("shop", post("/v2/account", "account")))
      yield* opened.local.fund(`0x${address.slice(2).toLowerCase()}`, 10n ** 20n)
      const signed = { from: address, to: bob, value: "0x4", submit: false }
      const first = yield* ask("shop", post("/v2/tx/value", "invoice", signed))
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      const spent = opened.sql`SELECT amount FROM wallet_spent_1001`
      const lines = opened.sql`SELECT line FROM wallet_audit_1001 WHERE line LIKE '%"event":"signed"%'`
      const before = yield* lines
      yield* opened.sql`UPDATE wallet_requests_1001 SET status = NULL, answer = NULL`
      // Something else takes the nonce meanwhile.
      const other = yield* ask("shop", post("/v2/tx/value", "other", { ...signed, value: "0x1", submit: true }))
      assert.strictEqual(other.status, 200, JSON.stringify(other.body))
      const sent = (yield* lines).length - before.length
      assert.deepStrictEqual(yield* ask("shop", post("/v2/tx/value", "invoice", signed)), first)
      assert.strictEqual((yield* lines).length, before.length + sent)
      assert.deepStrictEqual(yield* spent, [{ amount: "5" }])
      // A process that was killed when it had counted, and had not signed.
      yield* opened.sql`DELETE FROM wallet_effects_1001 WHERE effect = 'signed'`
      yield* opened.sql`UPDATE wallet_requests_1001 SET status = NULL, answer = NULL`
      assert.deepStrictEqual(yield* ask("shop", post("/v2/tx/value", "invoice", signed)), first)
      assert.deepStrictEqual(yield* spent, [{ amount: "5" }])
      const more = yield* ask("shop", post("/v2/tx/value", "more", { ...signed, value: "0x3" }))
      assert.strictEqual(more.status, 400)
    }))

  it.scoped("holds its transaction for signatures once, whatever nonce it names when it comes again", () =>
    Effect.gen(function*() {
      const { ask, local, rows, twice } = yield* start
      const account = created(yield* ask("shop", post("/v2/account", "one")))
      const other = created(yield* ask("shop", post("/v2/account", "two")))
      yield* local.fund(`0x${account.address.slice(2).toLowerCase()}`, 10n ** 20n)
      const weightedKeys = [account, other].map(({ publicKey }) => ({ publicKey, weight: 1 }))
      const path = `/v2/account/${account.address}/multisig`
      const updated = yield* ask("shop", { method: "PUT", path, body: { threshold: 2, weightedKeys } })
      assert.strictEqual(updated.status, 200, JSON.stringify(updated.body))
      const payment = { from: account.address, to: bob, value: "0x5", submit: true }
      const [first, second] = yield* twice(post("/v2/tx/value", "invoice", payment))
      assert.strictEqual(first.body["status"], "Pending")
      assert.deepStrictEqual(second, first)
      const third = yield* ask("shop", post("/v2/tx/value", "invoice", { ...payment, nonce: 9 }))
      assert.deepStrictEqual(third, first)
      assert.strictEqual(yield* rows("pending"), 1)
    }))

  it.scoped("is another one for another caller", () =>
    Effect.gen(function*() {
      const { ask, rows } = yield* start
      const first = yield* ask("shop", post("/v2/account", "account"))
      const other = yield* ask("bank", post("/v2/account", "account"))
      assert.notStrictEqual(other.body["address"], first.body["address"])
      assert.strictEqual(yield* rows("accounts"), 2)
    }))
})

describe("what a key is for", () => {
  const contents: ReadonlyArray<readonly [name: string, change: object, isSame: boolean]> = [
    ["another nonce", { nonce: 7 }, true],
    ["another gas", { gas: 50_000 }, true],
    ["an address in other letters", { to: bob.toUpperCase().replace("0X", "0x") }, true],
    ["another receiver", { to: `0x${"b1".repeat(20)}` }, false],
    ["another amount", { value: "0x6" }, false],
    ["a memo", { memo: "for the invoice" }, false],
    ["a signature alone", { submit: false }, false]
  ]
  it.scoped("is told by what a transaction does, not by its nonce, gas and price", () =>
    Effect.gen(function*() {
      const { ask, local } = yield* start
      const { address } = created(yield* ask("shop", post("/v2/account", "account")))
      yield* local.fund(`0x${address.slice(2).toLowerCase()}`, 10n ** 20n)
      const payment = { from: address, to: bob, value: "0x5", submit: true }
      const legacy = (change: object) => post("/v2/tx/legacy", "invoice", { ...payment, ...change })
      const first = yield* ask("shop", legacy({}))
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      for (const [name, change, isSame] of contents) {
        if (name === "a memo") continue
        const { body, status } = yield* ask("shop", legacy(change))
        assert.deepStrictEqual(isSame ? body : [status, body.code], isSame ? first.body : [400, 1069400], name)
      }
    }))

  it.scoped("is told of a raw transaction by what its bytes do", () =>
    Effect.gen(function*() {
      const { ask, local } = yield* start
      const { address } = created(yield* ask("shop", post("/v2/account", "account")))
      const from = `0x${address.slice(2).toLowerCase()}` as const
      yield* local.fund(from, 10n ** 20n)
      const raw = (nonce: bigint, value: bigint, gasPrice = 25_000_000_000n) => {
        const made = Transaction.make({
          type: "ValueTransfer",
          from,
          to: `0x${"b0".repeat(20)}`,
          value,
          gas: 100_000n,
          gasPrice,
          nonce
        })
        assert(made.ok)
        const written = Transaction.encode(made.value)
        assert(written.ok)
        return post("/v2/tx/rlp", "invoice", { rlp: written.value, submit: true })
      }
      const first = yield* ask("shop", raw(0n, 5n))
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      assert.deepStrictEqual(yield* ask("shop", raw(1n, 5n, 30_000_000_000n)), first)
      assert.strictEqual((yield* ask("shop", raw(1n, 6n))).body.code, 1069400)
    }))

  it.scoped("is told of a cancellation by its nonce", () =>
    Effect.gen(function*() {
      const { ask, local } = yield* start
      const { address } = created(yield* ask("shop", post("/v2/account", "account")))
      yield* local.fund(`0x${address.slice(2).toLowerCase()}`, 10n ** 20n)
      const cancel = (nonce: number): Asked => ({
        method: "DELETE",
        path: "/v2/tx",
        key: "cancel",
        body: { from: address, nonce, submit: false }
      })
      assert.strictEqual((yield* ask("shop", cancel(5))).status, 200)
      assert.strictEqual((yield* ask("shop", cancel(6))).body.code, 1069400)
    }))
})
