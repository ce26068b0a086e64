/** What a client with a stolen credential tries: limits hold for every way to a signature. */
import { unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import * as WalletPolicy from "@effect-klaytn/custody/WalletPolicy"
import { compressedOf } from "@effect-klaytn/custody/WalletRecord"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Answer, make, serve } from "./support/guardedWallet.js"

const friend = `0x${"ab".repeat(20)}` as const
const thief = `0x${"66".repeat(20)}` as const
const klay = 10n ** 18n

const limited: WalletCaller = {
  name: "limited",
  rights: ["wallet"],
  pools: undefined,
  limits: { largestValue: 10n, dailySum: 25n, largestFee: klay, receivers: [friend], contractCalls: false }
}

const generous: WalletCaller = { ...limited, name: "calls", limits: { receivers: [friend] } }

/** A caller who may call contracts and has a limit of value alone. */
const start = (freezeFile?: string) =>
  Effect.gen(function*() {
    const opened = yield* make(freezeFile === undefined ? {} : { freezeFile })
    const { local, wallet } = opened
    const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
    yield* local.fund(account.address, 100n * klay)
    const ask = yield* serve(opened, [limited, generous, unlimited("all")])
    const post = (path: string, body: object, caller = "limited", method = "POST") =>
      ask(caller, { method, path, body: { from: account.address, ...body } })
    return { ...opened, ask, post, from: account.address, account }
  })

const isRefused = ({ body, status }: Answer, about: string) => {
  assert.deepStrictEqual([status, body.code], [400, 1069403], `${about}: ${JSON.stringify(body)}`)
}

const isDone = ({ body, status }: Answer) => assert.strictEqual(status, 200, JSON.stringify(body))

const raw = (made: ReturnType<typeof Transaction.make>) => {
  assert(made.ok)
  const encoded = Transaction.encode(made.value)
  assert(encoded.ok)
  return encoded.value
}

describe("a caller with limits", () => {
  it.scopedLive("gets no signature beyond them, on any path", () =>
    Effect.gen(function*() {
      const { from, local, post, wallet } = yield* start()
      const common = { nonce: 5n, gasPrice: local.unitPrice, gas: 100_000n, from }
      const value = (amount: bigint, to: `0x${string}` = friend) =>
        raw(Transaction.make({ type: "ValueTransfer", ...common, to, value: amount }))
      const delegated = (amount: bigint, to: `0x${string}` = friend) =>
        raw(Transaction.make({ type: "FeeDelegatedValueTransfer", ...common, to, value: amount }))
      const call = raw(
        Transaction.make({ type: "SmartContractExecution", ...common, to: friend, value: 0n, input: "0x00" })
      )
      const legacyCall = raw(
        Transaction.make({ type: "LegacyTransaction", ...common, to: friend, value: 0n, input: "0x00" })
      )
      const dear = raw(
        Transaction.make({ type: "ValueTransfer", ...common, gasPrice: klay, to: friend, value: 1n })
      )
      isDone(yield* post("/v2/tx/value", { to: friend, value: "0xa" }))
      const tried = {
        "larger value": post("/v2/tx/value", { to: friend, value: "0xb" }),
        "larger value, signed only": post("/v2/tx/value", { to: friend, value: "0xb", submit: false }),
        "larger value, by the service": post("/v2/tx/fd/value", { to: friend, value: "0xb" }),
        "larger value, oldest type": post("/v2/tx/legacy", { to: friend, value: "0xb" }),
        "larger value, raw": post("/v2/tx/rlp", { rlp: value(11n) }),
        "larger value, raw and delegated": post("/v2/tx/fd/rlp", { rlp: delegated(11n) }),
        "another receiver": post("/v2/tx/value", { to: thief, value: "0x1" }),
        "another receiver, raw": post("/v2/tx/rlp", { rlp: value(1n, thief) }),
        "another receiver, raw and delegated": post("/v2/tx/fd/rlp", { rlp: delegated(1n, thief) }),
        "a contract call": post("/v2/tx/contract/execute", { to: friend, input: "0x00" }),
        "a contract call, raw": post("/v2/tx/rlp", { rlp: call }),
        "a contract call, oldest type": post("/v2/tx/legacy", { to: friend, value: "0x0", input: "0x00" }),
        "a contract call, raw and oldest type": post("/v2/tx/rlp", { rlp: legacyCall }),
        "a new contract": post("/v2/tx/contract/deploy", { input: "0x00" }),
        "a fee for the one who makes the block": post("/v2/tx/rlp", { rlp: dear }),
        "more gas": post("/v2/tx/value", { to: friend, value: "0x1", gas: 400_000_000 })
      }
      for (const [about, asked] of Object.entries(tried)) isRefused(yield* asked, about)
      // People read amounts in KLAY.
      const { body } = yield* tried["more gas"]
      assert.match(String(body.message), /the fee may be larger than 1 KLAY, the largest/)
      assert.isTrue(Option.isNone(yield* wallet.chain.account(thief)))
    }))

  it("pays no share of a larger fee, and has nothing signed of another pool or while the wallet is frozen, whoever asks", () => {
    const reasonFor = (
      { gas = 100_000n, isFrozen = false, pool }: {
        readonly gas?: bigint
        readonly isFrozen?: boolean
        readonly pool?: string
      }
    ) => {
      const made = Transaction.make({
        type: "FeeDelegatedValueTransferWithRatio",
        nonce: 0n,
        gas,
        gasPrice: klay / 100_000n,
        from: friend,
        to: friend,
        value: 1n,
        feeRatio: 1
      })
      assert(made.ok)
      const request = { role: "sender", pool, address: friend, transaction: made.value } as const
      const caller = { ...limited, pools: ["a"] }
      return WalletPolicy.ofSignature({ caller, operation: "test", isFrozen }, request)?.reason
    }
    assert.deepStrictEqual(
      [reasonFor({ pool: "a" }), reasonFor({}), reasonFor({ gas: 100_001n })],
      [undefined, undefined, "limit"]
    )
    assert.deepStrictEqual([reasonFor({ pool: "b" }), reasonFor({ pool: "a", isFrozen: true })], ["pool", "frozen"])
  })

  it.scopedLive("can't get around them by another key, or by bytes that say nothing", () =>
    Effect.gen(function*() {
      const { account, ask, post, wallet } = yield* start()
      const accountKey = { keyType: 1, key: "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" }
      for (const caller of ["limited", "calls"]) {
        isRefused(yield* post("/v2/tx/account", { accountKey }, caller, "PUT"), "another key")
        isRefused(yield* post("/v2/tx/fd/account", { accountKey }, caller, "PUT"), "another key, by the service")
        const path = `/v2/key/${wallet.keyId(account.key)}/sign`
        isRefused(yield* ask(caller, { method: "POST", path, body: { data: friend.padEnd(66, "0") } }), "32 bytes")
        const weightedKeys = [{ publicKey: account.key.publicKey, weight: 1 }]
        const multisig = {
          method: "PUT",
          path: `/v2/account/${account.address}/multisig`,
          body: { threshold: 1, weightedKeys }
        }
        isRefused(yield* ask(caller, multisig), "several keys")
      }
      // A new fee payer gets a key of the wallet.
      isDone(yield* ask("calls", { method: "POST", path: "/v2/feepayer", body: {} }))
    }))

  it.scopedLive("has a sum of the day, whatever becomes of what was signed, also for requests at one time", () =>
    Effect.gen(function*() {
      const { guard, post } = yield* start()
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, i) => i),
        (i) => post("/v2/tx/value", { to: friend, value: "0x5", submit: i % 2 === 0, nonce: i + 1 }),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ body }) => body.code === 1069403)
      assert.strictEqual(answers.length - refused.length, 5)
      assert.deepStrictEqual((yield* guard.spent()).map(({ amount, caller, pool }) => [caller, pool, amount]), [
        ["limited", "default", 25n]
      ])
      isDone(yield* post("/v2/tx/value", { to: thief, value: "0x64" }, "all"))
    }))

  it.scopedLive("has nothing signed of a raw transaction that is not what the request says", () =>
    Effect.gen(function*() {
      const { from, local, post: send, wallet } = yield* start()
      const post = (path: string, body: object) => send(path, body, "all")
      const payer = yield* wallet.createAccount(yield* wallet.pool("feepayer-pool"))
      const fields = { nonce: 0n, gasPrice: local.unitPrice, gas: 100_000n, from, to: friend, value: 1n }
      const shared = raw(Transaction.make({ type: "FeeDelegatedValueTransferWithRatio", ...fields, feeRatio: 30 }))
      const paid = raw(
        Transaction.make({ type: "FeeDelegatedValueTransfer", ...fields, feePayer: local.faucet.address })
      )
      const tried = {
        from: post("/v2/tx/rlp", {
          rlp: raw(Transaction.make({ type: "ValueTransfer", ...fields })),
          from: payer.address
        }),
        feeRatio: post("/v2/tx/fd/rlp", { rlp: shared, feeRatio: 99 }),
        feePayer: post("/v2/tx/fd-user/rlp", { rlp: paid, feePayer: payer.address })
      }
      for (const [field, asked] of Object.entries(tried)) {
        const { body, status } = yield* asked
        assert.deepStrictEqual([status, body.message], [400, `rlp value and request value are not same; ${field}`])
      }
    }))

  it.scopedLive("has no account update paid or sent that the key of the account has not signed", () =>
    Effect.gen(function*() {
      const { account, ask, audit, local, wallet } = yield* start()
      const made = Transaction.make({
        type: "FeeDelegatedAccountUpdate",
        nonce: 0n,
        gas: 100_000n,
        gasPrice: local.unitPrice,
        from: thief,
        key: { type: "AccountKeyPublic", publicKey: compressedOf(account.key) }
      })
      assert(made.ok)
      const signed = Transaction.signAsSender(made.value, { chainId: 1001, privateKey: new Uint8Array(32).fill(1) })
      assert(signed.ok)
      const before = (yield* audit.verify())?.number ?? 0
      const body = [{ keyId: wallet.keyId(account.key), address: thief, rlp: raw(signed) }]
      const answer = yield* ask("all", { method: "POST", path: "/v2/registration/account", body })
      assert.strictEqual(answer.body["status"], "all failed", JSON.stringify(answer.body))
      const lines = (yield* audit.after(before)).map(({ line }): unknown => JSON.parse(line).event)
      assert.deepStrictEqual(lines, ["refused"])
    }))

  it.scopedLive("leaves a line for what was refused and for what was signed, before the signature", () =>
    Effect.gen(function*() {
      const { audit, post } = yield* start()
      const before = (yield* audit.verify())?.number ?? 0
      const refused = yield* post("/v2/tx/value", { to: thief, value: "0x1" })
      const sent = yield* post("/v2/tx/value", { to: friend, value: "0x1", submit: false })
      const lines = (yield* audit.after(before)).map(({ line }): Record<string, unknown> => JSON.parse(line))
      assert.deepInclude(lines[0], { event: "refused", caller: "limited", requestId: refused.body["requestId"] })
      assert.deepInclude(lines[1], { event: "signed", caller: "limited", operation: "wallet.sendValue" })
      const rlp = String(sent.body["rlp"])
      const decoded = Transaction.decode(`0x${rlp.slice(2)}`)
      assert(decoded.ok)
      const digest = Transaction.senderDigest(decoded.value, 1001)
      assert(digest.ok)
      assert.strictEqual(lines[1]?.["signed"], digest.value)
      // A fee payer's signature too, also one in place of another.
      const paid = yield* post("/v2/tx/fd/value", { to: friend, value: "0x1", submit: false })
      yield* post("/v2/tx/fd/rlp", { rlp: paid.body["rlp"], submit: false })
      assert.deepStrictEqual(
        (yield* audit.after(before + lines.length)).map(({ line }): unknown => JSON.parse(line).what),
        [
          "FeeDelegatedValueTransfer as sender",
          "FeeDelegatedValueTransfer as fee payer",
          "raw transaction, FeeDelegatedValueTransfer",
          "FeeDelegatedValueTransfer as fee payer"
        ]
      )
      yield* audit.verify()
    }))
})

describe("a frozen wallet", () => {
  it.scopedLive("signs nothing, by command or by a file that appears", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "wallet-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      const file = join(folder, "frozen")
      const { audit, from, guard, post, wallet } = yield* start(file)
      const isFrozen = Effect.map(
        post("/v2/tx/value", { to: friend, value: "0x1", submit: false }, "all"),
        ({ body }) => body.code === 1069423
      )
      assert.isFalse(yield* isFrozen)
      yield* guard.freeze("a credential was stolen")
      assert.isTrue(yield* isFrozen)
      // No caller, as the wallet itself signs to cancel a send.
      const account = yield* wallet.store.account(from)
      assert.isDefined(account)
      const failure = yield* Effect.flip(wallet.sign(account.key, new Uint8Array(32)))
      assert.strictEqual(failure._tag, "WalletRefused")
      yield* guard.unfreeze
      assert.isFalse(yield* isFrozen)
      writeFileSync(file, "")
      assert.isTrue(yield* isFrozen)
      rmSync(file)
      assert.isFalse(yield* isFrozen)
      const lines = (yield* audit.after(0)).map(({ line }): Record<string, unknown> => JSON.parse(line))
      assert.deepStrictEqual(
        lines.filter(({ event }) => event === "owner").map(({ reason, what }) => [what, reason]),
        [["freeze", "a credential was stolen"], ["unfreeze", undefined]]
      )
    }))
})

describe("a fee payer", () => {
  it.scopedLive("pays only if it is one of the pool, and not disabled", () =>
    Effect.gen(function*() {
      const { account, local, post, wallet } = yield* start()
      const payer = yield* wallet.createAccount(yield* wallet.pool("feepayer-pool"))
      yield* local.fund(payer.address, klay)
      const body = { to: friend, value: "0x1", submit: true }
      const pay = (feePayer: string) => post("/v2/tx/fd-user/value", { ...body, feePayer }, "all")
      isDone(yield* pay(payer.address))
      const other = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      yield* local.fund(other.address, klay)
      yield* wallet.setDisabled(payer, true)
      for (const address of [payer.address, other.address, account.address]) {
        const { body, status } = yield* pay(address)
        assert.strictEqual(status, 400, JSON.stringify(body))
        assert.match(String(body.message), /failed to get feepayer/)
      }
      yield* wallet.setDisabled(payer, false)
      isDone(yield* pay(payer.address))
    }))

  it.scopedLive("that may not pay so much counts nothing for the sender", () =>
    Effect.gen(function*() {
      const { local, post, sql, wallet } = yield* start()
      const payer = yield* wallet.createAccount(yield* wallet.pool("feepayer-pool"))
      yield* local.fund(payer.address, klay)
      const body = { to: friend, value: "0xa", feePayer: payer.address, submit: true }
      for (let count = 0; count < 3; count++) {
        isRefused(yield* post("/v2/tx/fd-user/value", { ...body, gas: 80_000_000 }), "fee")
      }
      assert.deepStrictEqual(yield* sql`SELECT amount FROM wallet_spent_1001`, [])
      isDone(yield* post("/v2/tx/fd-user/value", body))
    }))

  it.scopedLive("that is made has a key that signs nothing but fees", () =>
    Effect.gen(function*() {
      const { ask, local } = yield* start()
      const made = yield* ask("all", { method: "POST", path: "/v2/feepayer", body: {} })
      isDone(made)
      const address = `0x${String(made.body["address"]).slice(2).toLowerCase()}` as const
      const { key } = Option.getOrThrow(yield* local.account(address))
      assert(key.type === "AccountKeyRoleBased")
      assert.deepStrictEqual(key.keys.map((one) => one?.type), ["AccountKeyFail", "AccountKeyFail", "AccountKeyPublic"])
    }))
})
