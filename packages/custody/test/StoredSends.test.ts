import { CurrentRequest } from "@effect-klaytn/custody/CurrentRequest"
import { NodeFailure, TransactionRejected } from "@effect-klaytn/custody/CustodyError"
import * as SendKeeper from "@effect-klaytn/custody/SendKeeper"
import type { SendState } from "@effect-klaytn/custody/SendStore"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import type { RemoteChain, Verdict } from "@effect-klaytn/custody/WalletChain"
import * as WalletMetrics from "@effect-klaytn/custody/WalletMetrics"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as localWallet from "./support/localWallet.js"

const to = `0x${"ab".repeat(20)}` as const

const lost = new NodeFailure({ operation: "send", message: "no answer" })
const tooLow = new TransactionRejected({ reason: "NonceTooLow", message: "nonce too low" })
const wrongKey = new TransactionRejected({ reason: "InvalidSenderSignature", message: "invalid account key" })
const refused = new TransactionRejected({ reason: "InsufficientFunds", message: "insufficient funds" })

/** A node that answers sends in this order, the last answer again and again, and what it was given. */
const start = (answers: ReadonlyArray<"ok" | NodeFailure | TransactionRejected>) =>
  Effect.gen(function*() {
    const { local, sql, wallet } = yield* localWallet.make
    const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
    const from = account.address
    const sent: Array<Hex> = []
    const state: { verdict: Verdict | NodeFailure } = { verdict: "open" }
    const chain = {
      ...localWallet.walletChain(local),
      submitRaw: (raw: Hex) => {
        sent.push(raw)
        const answer = answers[Math.min(sent.length, answers.length) - 1] ?? "ok"
        return answer === "ok" ? Effect.succeed(raw) : Effect.fail(answer)
      },
      verdict: () => typeof state.verdict === "string" ? Effect.succeed(state.verdict) : Effect.fail(state.verdict)
    } satisfies RemoteChain
    const store = SqlSendStore.make(sql, 1001)
    const sends = StoredSends.make({ chain, store })
    const { privateKey } = yield* wallet.signer(account)
    const signed = (value: bigint, nonce = 0n) => {
      const fields = { gasPrice: local.unitPrice, gas: 21_000n, from, to, signatures: [] }
      const made = Transaction.signAsSender(
        { type: "ValueTransfer", ...fields, nonce, value },
        { chainId: 1001, privateKey: Redacted.value(privateKey) }
      )
      assert(made.ok)
      const raw = Transaction.encode(made.value)
      assert(raw.ok)
      return { from, transaction: made.value, raw: raw.value }
    }
    const pay = (value: bigint, nonce?: bigint) => sends.submit(signed(value, nonce))
    /** Sends while the time passes. */
    const inTime = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.fork(effect)
        yield* TestClock.adjust("20 seconds")
        return yield* Fiber.join(fiber)
      })
    const states = Effect.map(
      sql.withoutTransforms()<{ readonly state: number; readonly cancels: number }>`
        SELECT state, cancels FROM wallet_sends_1001 ORDER BY id`,
      (rows) => rows.map(({ cancels, state }): string => `${names[state]}${cancels === 1 ? " cancel" : ""}`)
    )
    const keep = SendKeeper.round({ chain, store, wallet })
    return { chain, from, inTime, keep, pay, sends, sent, signed, state, states, store, wallet }
  })

const names: ReadonlyArray<SendState> = ["open", "mined", "replaced", "refused"]

describe("a stored send", () => {
  it.scoped("that the node refuses at once gives its nonce back", () =>
    Effect.gen(function*() {
      const { from, pay, sends, states } = yield* start([refused])
      assert.strictEqual(yield* Effect.flip(pay(5n)), refused)
      assert.deepStrictEqual(yield* states, ["refused"])
      assert.strictEqual(yield* sends.nextNonce(from), 0n)
    }))

  it.scoped("keeps its nonce while nothing is decided, and lets no other transaction have it", () =>
    Effect.gen(function*() {
      const { from, inTime, pay, sends, sent, states } = yield* start([lost])
      const error = yield* inTime(Effect.flip(pay(5n)))
      assert.strictEqual(error._tag, "NodeFailure")
      assert.isAbove(sent.length, 5)
      assert.strictEqual(new Set(sent).size, 1)
      assert.strictEqual(yield* sends.nextNonce(from), 1n)
      const other = yield* Effect.flip(pay(6n))
      assert(other._tag === "TransactionRejected")
      assert.strictEqual(other.reason, "NonceTaken")
      assert.strictEqual(new Set(sent).size, 1)
      assert.deepStrictEqual(yield* states, ["open"])
    }))

  it.scoped("is not refused by an answer that follows a lost one: the first copy may have run", () =>
    Effect.gen(function*() {
      const { inTime, pay, state, states } = yield* start([lost, refused])
      const fiber = yield* Effect.fork(inTime(pay(5n)))
      yield* Effect.yieldNow()
      state.verdict = "mined"
      assert.match((yield* Fiber.join(fiber)).hash, /^0x/)
      assert.deepStrictEqual(yield* states, ["open"])
    }))

  it.scoped("ends when a block has another transaction with its nonce", () =>
    Effect.gen(function*() {
      const { inTime, pay, state, states } = yield* start([lost])
      state.verdict = "replaced"
      const error = yield* inTime(Effect.flip(pay(5n)))
      assert(error._tag === "TransactionRejected")
      assert.deepStrictEqual([error.reason, yield* states], ["NonceTooLow", ["replaced"]])
    }))

  it.scoped("is not refused by an answer to a second copy of its bytes, which something on the way has sent", () =>
    Effect.gen(function*() {
      for (const refusal of [tooLow, wrongKey]) {
        const { inTime, pay, state, states } = yield* start([refusal])
        state.verdict = "mined"
        assert.match((yield* inTime(pay(5n))).hash, /^0x/)
        assert.deepStrictEqual(yield* states, ["open"])
      }
    }))

  it.scoped("is not refused if only the last of three copies of the node has its block", () =>
    Effect.gen(function*() {
      const { chain, signed, states, store } = yield* start([wrongKey])
      const verdicts: Array<Verdict> = ["open", "open", "mined"]
      const sends = StoredSends.make({
        store,
        chain: { ...chain, verdict: () => Effect.sync(() => verdicts.shift() ?? "open") }
      })
      assert.match((yield* sends.submit(signed(5n))).hash, /^0x/)
      assert.deepStrictEqual([verdicts, yield* states], [[], ["open"]])
    }))

  it.scoped("has the nonce of the copy of the node that is ahead", () =>
    Effect.gen(function*() {
      const { chain, from, store } = yield* start(["ok"])
      const copies = [2n, 7n, 2n]
      const sends = StoredSends.make({
        store,
        chain: { ...chain, pendingNonce: () => Effect.sync(() => copies.shift() ?? 0n) }
      })
      assert.strictEqual(yield* sends.nextNonce(from), 7n)
    }))

  it.scoped("has a nonce above those of transactions that were found in blocks, whatever the node says", () =>
    Effect.gen(function*() {
      const { from, keep, pay, sends, state } = yield* start(["ok"])
      yield* pay(5n)
      yield* pay(5n, 3n)
      state.verdict = "mined"
      yield* keep
      assert.strictEqual(yield* sends.nextNonce(from), 4n)
    }))

  it.scoped("of a request with a key is the one that was stored, whatever is signed the next time", () =>
    Effect.gen(function*() {
      const { inTime, pay, sent, states } = yield* start([lost, lost, "ok"])
      const keyed = (value: bigint, nonce?: bigint) =>
        Effect.either(Effect.provideService(pay(value, nonce), CurrentRequest, "invoice"))
      const first = yield* inTime(keyed(5n))
      const second = yield* inTime(keyed(5n, 1n))
      assert(Either.isRight(first) && Either.isRight(second))
      assert.deepStrictEqual(second.right, first.right)
      assert.strictEqual(new Set(sent).size, 1)
      assert.deepStrictEqual(yield* states, ["open"])
    }))
})

describe("the keeper of sends", () => {
  it.scoped("settles what a block has decided, and sends nothing more", () =>
    Effect.gen(function*() {
      const { keep, pay, sent, state, states } = yield* start(["ok"])
      yield* pay(5n)
      state.verdict = "mined"
      yield* keep
      assert.deepStrictEqual([sent.length, yield* states], [1, ["mined"]])
    }))

  it.scoped("sends the same bytes again, and cancels their nonce once when the node has refused them long enough", () =>
    Effect.gen(function*() {
      const { from, inTime, keep, pay, sends, sent, states } = yield* start([lost, refused])
      yield* inTime(Effect.flip(pay(5n)))
      const rounds = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () => Effect.zipRight(TestClock.adjust("35 seconds"), keep))
      yield* rounds(2)
      assert.strictEqual(new Set(sent).size, 1)
      assert.deepStrictEqual(yield* states, ["open"])
      yield* rounds(4)
      assert.deepStrictEqual(yield* states, ["open", "open cancel"])
      const [, cancellation] = [...new Set(sent)]
      assert(cancellation !== undefined)
      const read = Transaction.decode(cancellation)
      assert(read.ok)
      assert.deepInclude(read.value, { type: "Cancel", nonce: 0n, from })
      assert.strictEqual(new Set(sent).size, 2)
      // The payment still has the nonce: nothing else may get it.
      assert.strictEqual(yield* sends.nextNonce(from), 1n)
    }))

  it.scoped("gives up a payment once its cancellation is in a block, though the node can't show which has the nonce", () =>
    Effect.gen(function*() {
      const { chain, inTime, keep, pay, state, states, store, wallet } = yield* start([lost, refused])
      yield* inTime(Effect.flip(pay(5n)))
      yield* Effect.forEach([1, 2, 3, 4], () => Effect.zipRight(TestClock.adjust("35 seconds"), keep))
      assert.deepStrictEqual(yield* states, ["open", "open cancel"])
      const [payment] = yield* store.open
      const before = yield* Metric.value(WalletMetrics.sends.pipe(Metric.tagged("state", "replaced")))
      state.verdict = "mined"
      yield* SendKeeper.round({
        store,
        wallet,
        chain: { ...chain, verdict: ({ hash }) => hash === payment?.hash ? Effect.succeed("open") : chain.verdict() }
      })
      assert.deepStrictEqual(yield* states, ["replaced", "mined cancel"])
      const counted = yield* Metric.value(WalletMetrics.sends.pipe(Metric.tagged("state", "replaced")))
      assert.isAbove(counted.count, before.count)
    }))

  it.scoped("concludes nothing while the node does not answer", () =>
    Effect.gen(function*() {
      const { inTime, keep, pay, state, states } = yield* start([lost])
      yield* inTime(Effect.flip(pay(5n)))
      state.verdict = lost
      yield* TestClock.adjust("10 minutes")
      yield* keep
      assert.deepStrictEqual(yield* states, ["open"])
    }))
})
