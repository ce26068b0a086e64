import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import { CurrentCaller, unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import { pricesAt } from "@effect-klaytn/custody/WalletChain"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomBytes } from "node:crypto"
import { chain, make, serve } from "./support/guardedWallet.js"
import { walletChain } from "./support/localWallet.js"
import { newSend } from "./support/newSend.js"

const bob = `0x${"b0".repeat(20)}` as const
const klay = 10n ** 18n

const limited: WalletCaller = {
  ...unlimited("limited"),
  limits: { largestValue: 10n, dailySum: 8n, largestFee: klay, contractCalls: false }
}

/** A send of a caller, as it is stored. */
const send = (account: Hex, nonce: bigint, hash: Hex) => newSend({ account, nonce, hash, caller: "hostile" })

/** An account whose transactions wait for two signatures, and a co-signer. */
const start = Effect.gen(function*() {
  const opened = yield* make()
  const ask = yield* serve(opened, [limited, unlimited("hostile"), unlimited("shop")])
  const created = (index: number) =>
    Effect.map(
      ask("shop", { method: "POST", path: "/v2/account", body: {} }),
      ({ body }) => ({ address: String(body["address"]), publicKey: String(body["publicKey"]), index })
    )
  const [account, other] = [yield* created(0), yield* created(1)]
  yield* opened.local.fund(`0x${account.address.slice(2).toLowerCase()}`, 100n * klay)
  const weightedKeys = [account, other].map(({ publicKey }) => ({ publicKey, weight: 1 }))
  const path = `/v2/account/${account.address}/multisig`
  const updated = yield* ask("shop", { method: "PUT", path, body: { threshold: 2, weightedKeys } })
  assert.strictEqual(updated.status, 200, JSON.stringify(updated.body))
  const pay = (caller: string, value: bigint, more: object = {}) =>
    ask(caller, {
      method: "POST",
      path: "/v2/tx/value",
      body: { from: account.address, to: bob, value: `0x${value.toString(16)}`, submit: true, ...more }
    })
  return { ...opened, account, ask, other, pay }
})

/** A transaction with a nonce. */
const fieldsOf = (from: Hex, nonce: bigint) => ({ nonce, gas: 21_000n, gasPrice: 25n, from, signatures: [] })

/** Its bytes. */
const bytes = (from: Hex, nonce: bigint) => {
  const raw = Transaction.encode({ type: "ValueTransfer", ...fieldsOf(from, nonce), to: bob, value: 1n })
  assert(raw.ok)
  return raw.value
}

describe("a transaction that would wait for signatures", () => {
  it.scoped("is refused beyond the limits of its caller and of the chain, and counts nothing", () =>
    Effect.gen(function*() {
      const opened = yield* start
      const { pay, sql } = opened
      const refused = [
        ["value", 11n, {}],
        ["sum of the day", 9n, {}],
        ["fee", 1n, { gas: 80_000_000 }]
      ] as const
      for (const [about, value, more] of refused) {
        const { body, status } = yield* pay("limited", value, more)
        assert.deepStrictEqual([status, body.code], [400, 1069403], `${about}: ${JSON.stringify(body)}`)
      }
      const large = yield* pay("shop", 1n, { memo: "x".repeat(200_000) })
      assert.deepStrictEqual([large.status, large.body.code], [400, 1065001], JSON.stringify(large.body))
      assert.match(large.body.message ?? "", /oversized data/)
      const cheap = new ChainWallet({
        ...opened.wallet,
        chain: { ...opened.wallet.chain, maxPrice: 24_000_000_000n },
        vault: opened.keyring,
        secret: () => randomBytes(32)
      })
      const askCheap = yield* serve({ guard: opened.guard, wallet: cheap }, [unlimited("shop")])
      const payment = { from: opened.account.address, to: bob, value: "0x1", submit: true }
      const dear = yield* askCheap("shop", { method: "POST", path: "/v2/tx/value", body: payment })
      assert.strictEqual(dear.body.code, 1069403, JSON.stringify(dear.body))
      // The oldest type has one signature.
      const oldest = yield* opened.ask("shop", { method: "POST", path: "/v2/tx/legacy", body: payment })
      assert.strictEqual(oldest.body.code, 1065001, JSON.stringify(oldest.body))
      assert.match(oldest.body.message ?? "", /legacy transaction must be with a legacy account key/)
      assert.strictEqual((yield* sql`SELECT id FROM wallet_pending_1001`).length, 0)
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* pay("limited", 8n)).status, 200)
      assert.strictEqual((yield* sql`SELECT amount FROM wallet_spent_1001`).length, 0)
      const lines = yield* sql<{ readonly line: string }>`SELECT line FROM wallet_audit_1001`
      assert.lengthOf(lines.filter(({ line }) => line.includes("\"refused\"")), 3)
    }))

  it.scoped("is refused to a caller of whose a hundred wait for the account, and to nobody else", () =>
    Effect.gen(function*() {
      const { account, ask, other, pay, sql } = yield* start
      const store = SqlWalletStore.make(sql, chain)
      const multiSig = { threshold: 2, keys: [] }
      const from: Hex = `0x${account.address.slice(2).toLowerCase()}`
      const hold = (holder: Hex, nonce: bigint, id: number) =>
        store.addPending({
          transactionId: `0x${id.toString(16).padStart(64, "0")}`,
          account: holder,
          caller: "hostile",
          nonce,
          raw: bytes(holder, nonce),
          payer: "sender",
          multiSig,
          status: 2
        }, 1)
      for (let id = 0; id < 99; id++) yield* hold(from, BigInt(1 + id), id)
      const last = yield* pay("hostile", 1n)
      assert.deepStrictEqual([last.status, last.body["nonce"]], [200, 100])
      const more = yield* pay("hostile", 1n)
      assert.deepStrictEqual([more.status, more.body.code], [400, 1069429], JSON.stringify(more.body))
      assert.match(more.body.message ?? "", /100 transactions of the caller from the account wait for signatures/)
      const others = yield* pay("shop", 1n)
      assert.deepStrictEqual([others.status, others.body["nonce"]], [200, 101])
      // Of another account, until a thousand wait.
      const elsewhere: Hex = `0x${other.address.slice(2).toLowerCase()}`
      assert.deepStrictEqual(yield* store.countHeld("hostile", elsewhere), { all: 100, ofAccount: 0 })
      // A row of an older version has its nonce in its bytes.
      yield* sql`UPDATE wallet_pending_1001 SET nonce = NULL WHERE nonce = 50`
      assert.lengthOf(new Set(yield* store.heldFrom(from, 1n)), 101)
      assert.deepStrictEqual((yield* store.heldFrom(from, 100n)).toSorted(), [100n, 101n, 50n])
      // The co-signer sees what waits for it, page by page; nobody else's rows are read for it.
      const page = yield* ask("shop", { method: "GET", path: `/v2/multisig/account/${other.address}/tx?size=2` })
      const items: unknown = page.body["items"]
      assert(Array.isArray(items))
      assert.lengthOf(items, 2)
      assert.isUndefined((yield* ask("shop", { method: "GET", path: `/v2/multisig/account/${bob}/tx` })).body["items"])
    }))
})

describe("an account with several keys", () => {
  it.scoped("is corrupted once the chain has other keys than the wallet", () =>
    Effect.gen(function*() {
      const { account, wallet } = yield* start
      const own = yield* wallet.store.account(`0x${account.address.slice(2).toLowerCase()}`)
      assert(own?.multiSig !== undefined)
      assert.strictEqual(yield* wallet.status(own), "enabled")
      assert.strictEqual(yield* wallet.status({ ...own, multiSig: { ...own.multiSig, threshold: 1 } }), "corrupted")
    }))
})

describe("a transaction of an account with one key", () => {
  it.scoped("is not signed above the bound of the price, and not with more gas than a node takes", () =>
    Effect.gen(function*() {
      const opened = yield* start
      const cheap = new ChainWallet({
        ...opened.wallet,
        chain: { ...opened.wallet.chain, maxPrice: 24_000_000_000n },
        vault: opened.keyring,
        secret: () => randomBytes(32)
      })
      const askCheap = yield* serve({ guard: opened.guard, wallet: cheap }, [limited, unlimited("shop")])
      const body = { from: opened.other.address, to: bob, value: "0x1" }
      yield* opened.local.fund(`0x${opened.other.address.slice(2).toLowerCase()}`, klay)
      for (const submit of [true, false]) {
        const dear = yield* askCheap("shop", { method: "POST", path: "/v2/tx/value", body: { ...body, submit } })
        assert.deepStrictEqual([dear.status, dear.body.code], [400, 1069403], JSON.stringify(dear.body))
        const large = { ...body, gas: 500_000_001, submit }
        const refused = yield* opened.ask("shop", { method: "POST", path: "/v2/tx/value", body: large })
        assert.deepStrictEqual([refused.status, refused.body.code], [400, 1065001], JSON.stringify(refused.body))
      }
      const lines = yield* opened.sql<{ readonly line: string }>`SELECT line FROM wallet_audit_1001`
      const ofOther = lines.filter(({ line }) => line.toLowerCase().includes(opened.other.address.toLowerCase()))
      assert.lengthOf(ofOther.filter(({ line }) => line.includes("\"signed\"")), 0)
    }))
})

describe("two payments of an account at the same time", () => {
  it.scoped("are made one after the other, each with a nonce of its own", () =>
    Effect.gen(function*() {
      const opened = yield* start
      const [inside, reached] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { sends, store } = opened.wallet
      const goOn = Effect.zipRight(Deferred.await(reached), Effect.repeatN(Effect.yieldNow(), 100))
      const wallet = new ChainWallet({
        ...opened.wallet,
        // The first one knows its nonce, and goes on when the second one has begun, and has gone as far as it gets.
        sends: {
          ...sends,
          nextNonce: (account) =>
            Effect.zipLeft(sends.nextNonce(account), Effect.zipRight(Deferred.succeed(inside, undefined), goOn))
        },
        store: {
          ...store,
          account: (address) =>
            Effect.zipLeft(
              store.account(address),
              Effect.whenEffect(Deferred.succeed(reached, undefined), Deferred.isDone(inside))
            )
        },
        vault: opened.keyring,
        secret: () => randomBytes(32)
      })
      const ask = yield* serve({ guard: opened.guard, wallet }, [unlimited("shop")])
      yield* opened.local.fund(`0x${opened.other.address.slice(2).toLowerCase()}`, klay)
      const body = { from: opened.other.address, to: bob, value: "0x1", submit: true }
      const pay = ask("shop", { method: "POST", path: "/v2/tx/value", body })
      const first = yield* Effect.fork(pay)
      yield* Deferred.await(inside)
      const answers = [yield* pay, yield* Fiber.join(first)]
      assert.deepStrictEqual(answers.map(({ body, status }) => [status, body["nonce"]]).toSorted(), [[200, 0], [
        200,
        1
      ]])
    }))
})

describe("a transaction that waits for signatures", () => {
  it.scoped("waits no more once its caller is revoked: it is in no list, and nobody signs it", () =>
    Effect.gen(function*() {
      const opened = yield* start
      const { account, other, pay } = opened
      const revoked = new Map<string, number>()
      const callerNamed = (name: string) =>
        Effect.sync(() => ({ caller: unlimited(name), revokedBefore: revoked.get(name) }))
      const wallet = new ChainWallet({
        ...opened.wallet,
        vault: opened.keyring,
        secret: () => randomBytes(32),
        callerNamed
      })
      const ask = yield* serve({ guard: opened.guard, wallet }, [unlimited("hostile"), unlimited("shop")])
      const ids = [yield* pay("hostile", 9n), yield* pay("shop", 5n)].map(({ body }) => String(body["transactionId"]))
      const listed = Effect.map(
        ask("shop", { method: "GET", path: `/v2/multisig/account/${other.address}/tx?size=1` }),
        ({ body }) => JSON.stringify(body)
      )
      const sign = (id: string | undefined, address: string) =>
        ask("shop", { method: "POST", path: `/v2/multisig/account/${address}/tx/${id}/sign`, body: {} })
      assert.strictEqual((yield* sign(ids[0], account.address)).status, 200)
      assert.include(yield* listed, ids[1] ?? "")
      revoked.set("hostile", 2 ** 40)
      const refused = yield* sign(ids[0], other.address)
      assert.deepStrictEqual([refused.status, refused.body.code], [400, 1061010], JSON.stringify(refused.body))
      revoked.set("shop", 2 ** 40)
      assert.notInclude(yield* listed, ids[1] ?? "")
      const states = yield* opened.sql`SELECT status FROM wallet_pending_1001 ORDER BY id`
      assert.deepStrictEqual(states, [{ status: 5 }, { status: 5 }])
      const lines = yield* opened.sql<{ readonly line: string }>`SELECT line FROM wallet_audit_1001`
      assert.lengthOf(lines.filter(({ line }) => line.includes("ended, whose caller was revoked")), 2)
    }))

  it.scoped("hinders no other one if nothing can read it", () =>
    Effect.gen(function*() {
      const { ask, other, pay, sql } = yield* start
      const paid = (value: bigint) =>
        Effect.map(pay("shop", value), ({ body, status }) => {
          assert.strictEqual(status, 200, JSON.stringify(body))
          return { id: String(body["transactionId"]), nonce: Number(body["nonce"]) }
        })
      const [broken, kept] = [yield* paid(1n), yield* paid(2n)]
      yield* sql`UPDATE wallet_pending_1001 SET raw = ${new Uint8Array(1)}, nonce = NULL, keys = '{' WHERE id = 1`
      // The same bytes, which would have the same ID.
      const again = yield* paid(1n)
      assert.strictEqual(again.nonce, broken.nonce)
      assert.notStrictEqual(again.id, broken.id)
      assert.strictEqual((yield* paid(3n)).nonce, kept.nonce + 1)
      const path = `/v2/multisig/account/${other.address}/tx`
      const { body, status } = yield* ask("shop", { method: "GET", path })
      assert.strictEqual(status, 200, JSON.stringify(body))
      const listed = JSON.stringify(body)
      assert.include(listed, kept.id)
      assert.notInclude(listed, broken.id)
    }))

  it.scoped("is checked once when the last signature is made, and before it is made", () =>
    Effect.gen(function*() {
      const opened = yield* start
      const { account, other, pay } = opened
      const asked: Array<string> = []
      const note = <A>(what: string, value: A) => Effect.sync(() => (asked.push(what), value))
      const { chain: viewed, sends } = opened.wallet
      const wallet = new ChainWallet({
        ...opened.wallet,
        chain: { ...viewed, prices: note("prices", pricesAt(1n)) },
        sends: {
          ...sends,
          mayTake: () => note("nonce", undefined),
          submit: (signed) => Effect.zipRight(note("sent", undefined), sends.submit(signed))
        },
        guard: {
          ...opened.guard,
          sign: (signature) => Effect.zipRight(note(signature.role, undefined), opened.guard.sign(signature))
        },
        vault: opened.keyring,
        secret: () => randomBytes(32)
      })
      const ask = yield* serve({ guard: opened.guard, wallet }, [unlimited("shop")])
      const { body } = yield* pay("shop", 5n)
      for (const { address } of [account, other]) {
        asked.length = 0
        const path = `/v2/multisig/account/${address}/tx/${String(body["transactionId"])}/sign`
        assert.strictEqual((yield* ask("shop", { method: "POST", path, body: {} })).status, 200)
      }
      assert.deepStrictEqual(asked, ["prices", "nonce", "sender", "feePayer", "sent"])
    }))

  it.scoped("is not sent if its owner ends it while the last signature is made", () =>
    Effect.gen(function*() {
      const opened = yield* start
      const { account, other, pay, sql } = opened
      const { store } = opened.wallet
      let ends = false
      const wallet = new ChainWallet({
        ...opened.wallet,
        store: {
          ...store,
          updatePending: (...change) =>
            Effect.zipRight(
              ends ? Effect.orDie(sql`UPDATE wallet_pending_1001 SET status = 5`) : Effect.void,
              store.updatePending(...change)
            )
        },
        vault: opened.keyring,
        secret: () => randomBytes(32)
      })
      const ask = yield* serve({ guard: opened.guard, wallet }, [unlimited("shop")])
      const { body } = yield* pay("shop", 5n)
      const sign = ({ address }: { readonly address: string }) => {
        const path = `/v2/multisig/account/${address}/tx/${String(body["transactionId"])}/sign`
        return ask("shop", { method: "POST", path, body: {} })
      }
      assert.strictEqual((yield* sign(account)).status, 200)
      const sends = sql`SELECT id FROM wallet_sends_1001`
      const before = (yield* sends).length
      ends = true
      const refused = yield* sign(other)
      assert.deepStrictEqual([refused.status, refused.body.code], [400, 1061010], JSON.stringify(refused.body))
      assert.lengthOf(yield* sends, before)
    }))

  it.scoped("is not stored as a send with signatures of keys that the account has no more", () =>
    Effect.gen(function*() {
      const opened = yield* start
      const { account, other, pay } = opened
      const { chain: viewed, sends } = opened.wallet
      let [isOld, sent] = [false, 0]
      const old = { balance: klay, key: { type: "AccountKeyFail" }, nonce: 1n } as const
      const wallet = new ChainWallet({
        ...opened.wallet,
        chain: {
          ...viewed,
          account: (address) =>
            isOld && address === account.address.toLowerCase() ? Effect.succeedSome(old) : viewed.account(address)
        },
        sends: { ...sends, submit: (signed) => (sent++, sends.submit(signed)) },
        vault: opened.keyring,
        secret: () => randomBytes(32)
      })
      const { body } = yield* pay("shop", 5n)
      const ask = yield* serve({ guard: opened.guard, wallet }, [unlimited("shop")])
      const sign = (address: string) => {
        const path = `/v2/multisig/account/${address}/tx/${String(body["transactionId"])}/sign`
        return ask("shop", { method: "POST", path, body: {} })
      }
      assert.strictEqual((yield* sign(account.address)).status, 200)
      isOld = true
      const refused = yield* sign(other.address)
      assert.deepStrictEqual([refused.status, refused.body.code, sent], [400, 1065001, 0], JSON.stringify(refused.body))
    }))
})

describe("payments of a caller that do not run", () => {
  it.scoped("are refused beyond a thousand of an account and five thousand in all, and hinder nobody else", () =>
    Effect.gen(function*() {
      const { local, sql } = yield* make()
      const store = SqlSendStore.make(sql, chain)
      const remote = {
        ...walletChain(local),
        prices: Effect.succeed(pricesAt(1n)),
        verdict: () => Effect.die("unused"),
        blockTime: Effect.die("unused")
      }
      const { mayTake } = StoredSends.make({ chain: remote, store })
      assert(mayTake !== undefined)
      const checkRoom = (account: Hex) =>
        mayTake(account, { ...fieldsOf(account, 9999n), type: "ValueTransfer", to: bob, value: 1n })
      const as = (name: string, account: Hex) =>
        Effect.either(Effect.provideService(checkRoom(account), CurrentCaller, {
          caller: unlimited(name),
          operation: "wallet.sendValue",
          requestId: "1"
        }))
      const accounts = Array.from({ length: 6 }, (_, index): Hex => `0x${`${index}`.repeat(40)}`)
      const [first = bob, second = bob, , , , last = bob] = accounts
      let count = 0
      const fill = (account: Hex, sends: number) =>
        sql.withTransaction(Effect.forEach(Array.from({ length: sends }), (_, nonce) => {
          const hash: Hex = `0x${(++count).toString(16).padStart(64, "0")}`
          return store.take(send(account, BigInt(nonce), hash), 1)
        }, { discard: true }))
      yield* fill(first, 999)
      assert.strictEqual((yield* as("hostile", first))._tag, "Right")
      yield* store.take(send(first, 999n, "0xff"), 1)
      const refused = yield* as("hostile", first)
      assert(refused._tag === "Left" && refused.left._tag === "WalletRefused")
      assert.strictEqual(refused.left.reason, "tooMany")
      // What it has under way can be cancelled.
      const cancel = mayTake(first, { ...fieldsOf(first, 999n), type: "Cancel" })
      yield* Effect.provideService(cancel, CurrentCaller, {
        caller: unlimited("hostile"),
        operation: "wallet.cancel",
        requestId: "1"
      })
      assert.strictEqual((yield* as("hostile", second))._tag, "Right")
      assert.strictEqual((yield* as("shop", first))._tag, "Right")
      for (const account of accounts.slice(1, 5)) yield* fill(account, 1000)
      assert.strictEqual((yield* as("hostile", last))._tag, "Left")
      assert.strictEqual((yield* as("shop", last))._tag, "Right")
      // The wallet's own are not counted.
      assert.isUndefined(yield* checkRoom(first))
    }))
})
