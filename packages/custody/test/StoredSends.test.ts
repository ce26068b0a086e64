import { CurrentRequest } from "@effect-klaytn/custody/CurrentRequest"
import {
  type CustodyFailure,
  NodeFailure,
  TransactionRejected,
  WalletRefused
} from "@effect-klaytn/custody/CustodyError"
import * as SendKeeper from "@effect-klaytn/custody/SendKeeper"
import type { SendState } from "@effect-klaytn/custody/SendStore"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import { CurrentCaller, type NamedCaller, unlimited } from "@effect-klaytn/custody/WalletCaller"
import { pricesAt, type RemoteChain, type Verdict } from "@effect-klaytn/custody/WalletChain"
import * as WalletMetrics from "@effect-klaytn/custody/WalletMetrics"
import * as WalletRepair from "@effect-klaytn/custody/WalletRepair"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { flatMap, type Result, succeed } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as localWallet from "./support/localWallet.js"
import { newSend } from "./support/newSend.js"

const to = `0x${"ab".repeat(20)}` as const

const lost = new NodeFailure({ operation: "send", message: "no answer" })
const tooLow = new TransactionRejected({ reason: "NonceTooLow", message: "nonce too low" })
const wrongKey = new TransactionRejected({ reason: "InvalidSenderSignature", message: "invalid account key" })
const refused = new TransactionRejected({ reason: "InsufficientFunds", message: "insufficient funds" })
const tooCheap = new TransactionRejected({
  reason: "TransactionRefused",
  message: "invalid gas price. It must be set to value greater than or equal to baseFee"
})
const neverRuns = new TransactionRejected({ reason: "TransactionRefused", message: "intrinsic gas too low" })

const other = `0x${"cd".repeat(32)}` as const

const verdicts = {
  open: { _tag: "open" },
  mined: { _tag: "mined" },
  replaced: { _tag: "replaced", by: other }
} as const

/** A payment at a nonce, as other tools make it, at a price of their own; or a cancellation of the nonce. */
const madeElsewhere = (
  from: Hex,
  { nonce = 0n, value = 5n }: { readonly nonce?: bigint; readonly value?: bigint } = {}
) => {
  const gasPrice = 100_000_000_000n
  const fields = { nonce, gas: 50_000n, from, to, value, signatures: [] }
  const transfer = { ...fields, gasPrice, type: "ValueTransfer" } as const
  return {
    transfer,
    legacy: { ...fields, gasPrice, input: "0x", type: "LegacyTransaction" },
    dynamic: {
      ...fields,
      chainId: 1001,
      maxFeePerGas: gasPrice,
      maxPriorityFeePerGas: gasPrice,
      input: "0x",
      accessList: [],
      type: "EthereumDynamicFee"
    },
    delegated: { ...transfer, feePayer: to, feePayerSignatures: [], type: "FeeDelegatedValueTransfer" },
    cancel: { nonce, gas: 50_000n, gasPrice, from, signatures: [], type: "Cancel" }
  } as const
}

/** A node that answers sends in this order, the last answer again and again, and what it was given. */
const start = (answers: ReadonlyArray<"ok" | NodeFailure | TransactionRejected>) =>
  Effect.gen(function*() {
    const { local, sql, wallet } = yield* localWallet.make
    const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
    const from = account.address
    const sent: Array<Hex> = []
    const state: { verdict: Verdict["_tag"] | NodeFailure } = { verdict: "open" }
    const chain = {
      ...localWallet.walletChain(local),
      submitRaw: (raw: Hex, check: Effect.Effect<void, CustodyFailure> = Effect.void) =>
        Effect.zipRight(
          check,
          Effect.suspend(() => {
            sent.push(raw)
            const answer = answers[Math.min(sent.length, answers.length) - 1] ?? "ok"
            return answer === "ok" ? Effect.succeed(raw) : Effect.fail(answer)
          })
        ),
      prices: Effect.succeed(pricesAt(local.unitPrice)),
      verdict: () => typeof state.verdict === "string" ? Effect.succeed(verdicts[state.verdict]) : state.verdict,
      blockTime: Effect.succeed(0)
    } satisfies RemoteChain
    yield* sql`INSERT INTO wallet_requests_1001 (id, digest, created) VALUES ('invoice', ${new Uint8Array(1)}, 0)`
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
    /** A transaction of the account that something else has signed with its key, and what a block says that has it. */
    const elsewhere = (made: Transaction.Transaction) =>
      Effect.sync(() => {
        const options = { chainId: 1001, privateKey: Redacted.value(privateKey) }
        const transaction = flatMap(Transaction.signAsSender(made, options), (one): Result<Transaction.Transaction> =>
          Transaction.isFeeDelegatedTransaction(one)
            ? Transaction.signAsFeePayer(one, { ...options, feePayer: to })
            : succeed(one))
        assert(transaction.ok)
        const [raw, by] = [Transaction.encode(transaction.value), Transaction.hash(transaction.value)]
        assert(raw.ok && by.ok)
        const replaced = { _tag: "replaced", by: by.value, raw: raw.value } as const
        const shown: RemoteChain = {
          ...chain,
          verdict: ({ hash }) => Effect.succeed(hash === by.value ? verdicts.mined : replaced)
        }
        return { hash: by.value, shown }
      })
    const pay = (value: bigint, nonce?: bigint) => sends.submit({ ...signed(value, nonce), isRaisable: true })
    /** Sends while the time passes. */
    const inTime = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.fork(effect)
        yield* TestClock.adjust("20 seconds")
        return yield* Fiber.join(fiber)
      })
    const states = Effect.map(
      sql.withoutTransforms()<{ readonly state: number; readonly cancels: number }>`
        SELECT state, cancels > 0 AS cancels FROM wallet_sends_1001 ORDER BY id`,
      (rows) => rows.map(({ cancels, state }): string => `${names[state]}${cancels === 1 ? " cancel" : ""}`)
    )
    const keep = SendKeeper.round({ chain, store, wallet })
    const clock = {
      rounds: (round: Effect.Effect<void>, count: number) =>
        Effect.forEach(Array.from({ length: count }), () => Effect.zipRight(TestClock.adjust("35 seconds"), round))
    }
    return {
      clock,
      local,
      chain,
      elsewhere,
      from,
      sql,
      inTime,
      keep,
      pay,
      sends,
      sent,
      signed,
      state,
      states,
      store,
      wallet
    }
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

  it.scoped("that the wallet does not give to the node, since it was frozen meanwhile, gives its nonce back", () =>
    Effect.gen(function*() {
      const { chain, from, sends, signed, states, store } = yield* start(["ok"])
      const frozen = new WalletRefused({ reason: "frozen", message: "the wallet is frozen" })
      const { submit } = StoredSends.make({ chain: { ...chain, submitRaw: () => frozen }, store })
      assert.strictEqual(yield* Effect.flip(submit(signed(5n))), frozen)
      assert.deepStrictEqual([yield* states, yield* sends.nextNonce(from)], [["refused"], 0n])
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

  it.scoped("is not refused because its nonce is used, before a block says by what", () =>
    Effect.gen(function*() {
      const { from, inTime, pay, sends, states } = yield* start([tooLow])
      assert.strictEqual((yield* inTime(Effect.flip(pay(5n))))._tag, "NodeFailure")
      assert.deepStrictEqual([yield* states, yield* sends.nextNonce(from)], [["open"], 1n])
    }))

  it.scoped("is not refused if only the last of three copies of the node has its block", () =>
    Effect.gen(function*() {
      const { chain, signed, states, store } = yield* start([wrongKey])
      const told: Array<Verdict> = [verdicts.open, verdicts.open, verdicts.mined]
      const sends = StoredSends.make({
        store,
        chain: { ...chain, verdict: () => Effect.sync(() => told.shift() ?? verdicts.open) }
      })
      assert.match((yield* sends.submit(signed(5n))).hash, /^0x/)
      assert.deepStrictEqual([told, yield* states], [[], ["open"]])
    }))

  it.scoped("has the nonce of the copy of the node that is ahead", () =>
    Effect.gen(function*() {
      const { chain, from, store } = yield* start(["ok"])
      const copies = [2n, 7n, 2n, 2n, 7n, 2n]
      const sends = StoredSends.make({
        store,
        chain: { ...chain, pendingNonce: () => Effect.sync(() => copies.shift() ?? 0n) }
      })
      assert.strictEqual(yield* sends.nextNonce(from), 7n)
    }))

  it.scoped("has no nonce that the node names once, and never again: nothing would fill the gap below it", () =>
    Effect.gen(function*() {
      const { chain, from, store } = yield* start(["ok"])
      for (const [answers, nonce] of [[[2n, 9n, 2n], 2n], [[9n, 3n, 2n, 3n], 3n], [[2n, 2n, 2n, 9n], 2n]] as const) {
        const told: Array<bigint> = [...answers]
        const sends = StoredSends.make({
          store,
          chain: { ...chain, pendingNonce: () => Effect.sync(() => told.shift() ?? 2n) }
        })
        assert.strictEqual(yield* sends.nextNonce(from), nonce)
      }
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
      const { from, inTime, keep, pay, sends, sent, states, clock } = yield* start([lost, wrongKey])
      yield* inTime(Effect.flip(pay(5n)))
      yield* clock.rounds(keep, 2)
      assert.strictEqual(new Set(sent).size, 1)
      assert.deepStrictEqual(yield* states, ["open"])
      yield* clock.rounds(keep, 3)
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
      const { chain, inTime, keep, pay, sends, state, states, store, clock, wallet } = yield* start([lost, wrongKey])
      yield* inTime(Effect.flip(pay(5n)))
      yield* clock.rounds(keep, 5)
      assert.deepStrictEqual(yield* states, ["open", "open cancel"])
      const [payment, cancel] = yield* store.open
      assert(payment !== undefined && cancel !== undefined)
      const before = yield* Metric.value(WalletMetrics.sends.pipe(Metric.tagged("state", "replaced")))
      state.verdict = "mined"
      yield* SendKeeper.round({
        store,
        wallet,
        chain: {
          ...chain,
          verdict: ({ hash }) => hash === payment.hash ? Effect.succeed(verdicts.open) : chain.verdict()
        }
      })
      assert.deepStrictEqual(yield* states, ["replaced", "mined cancel"])
      const counted = yield* Metric.value(WalletMetrics.sends.pipe(Metric.tagged("state", "replaced")))
      assert.isAbove(counted.count, before.count)
      const outcome = yield* sends.outcome?.(payment.hash) ?? Effect.succeed(undefined)
      assert.deepInclude(outcome, {
        stage: "cancelled",
        hash: cancel.hash,
        reason: "the node refused it: invalid account key"
      })
    }))

  it.scoped("cancels at once what no block can have, and never what a balance pays for", () =>
    Effect.gen(function*() {
      const never = yield* start([lost, neverRuns])
      yield* never.inTime(Effect.flip(never.pay(5n)))
      yield* never.clock.rounds(never.keep, 1)
      assert.deepStrictEqual(yield* never.states, ["open", "open cancel"])
      // The refusal of a copy that lags: two reads say that the account has enough.
      const rich = yield* start([lost, refused])
      yield* rich.local.fund(rich.from, 10n ** 18n)
      yield* rich.inTime(Effect.flip(rich.pay(5n)))
      yield* rich.clock.rounds(rich.keep, 10)
      assert.deepStrictEqual(yield* rich.states, ["open"])
    }))

  it.scoped("signs a payment below the base fee again at a higher price, which its hashes answer for", () =>
    Effect.gen(function*() {
      const { chain, inTime, local, pay, sends, sent, state, states, store, wallet } = yield* start(["ok"])
      const { hash } = yield* pay(5n)
      const risen = { ...chain, prices: Effect.succeed(pricesAt(2n * local.unitPrice)) }
      yield* TestClock.adjust("5 seconds")
      yield* SendKeeper.round({ chain: risen, store, wallet })
      assert.deepStrictEqual(yield* states, ["open", "open"])
      const [before, after] = (yield* Effect.forEach(sent, (raw) => Effect.sync(() => Transaction.decode(raw)))).map(
        (read) => read.ok ? read.value : undefined
      )
      assert(before !== undefined && after !== undefined && "value" in before && "gasPrice" in before)
      const raised = pricesAt(2n * local.unitPrice).price
      const shown: object = after
      assert.deepInclude(shown, { type: before.type, nonce: 0n, value: 5n, to, gasPrice: raised })
      const outcome = (one: Hex) => sends.outcome?.(one) ?? Effect.succeed(undefined)
      const [, second] = yield* store.open
      assert.deepInclude(yield* outcome(hash), { stage: "waiting", hash: second?.hash })
      // The first bytes may be sent again, and are answered with what stands for the payment; others may not.
      assert(second !== undefined && sends.mayTake !== undefined)
      yield* sends.mayTake(second.account, before)
      assert.strictEqual(
        (yield* Effect.flip(sends.mayTake(second.account, { ...before, value: 6n })))._tag,
        "TransactionRejected"
      )
      // Once a block has the second one, both hashes say so.
      state.verdict = "mined"
      yield* inTime(SendKeeper.round({ chain: risen, store, wallet }))
      assert.deepStrictEqual(yield* states, ["replaced", "mined"])
      for (const one of [hash, second?.hash ?? hash]) {
        assert.deepInclude(yield* outcome(one), { stage: "mined", hash: second?.hash })
      }
    }))

  it.scoped("answers a payment whose first price is too low with the one at a higher price, and a raw one with the refusal", () =>
    Effect.gen(function*() {
      const { chain, inTime, local, sent, signed, states, store, wallet } = yield* start([tooCheap, "ok"])
      const risen = { ...chain, prices: Effect.succeed(pricesAt(2n * local.unitPrice)) }
      const repair = SendKeeper.repairOne({ chain: risen, store, wallet })
      const risenSends = StoredSends.make({ chain: risen, store, repair })
      const { hash, raw } = yield* inTime(risenSends.submit({ ...signed(5n), isRaisable: true }))
      assert.deepStrictEqual([raw, yield* states], [sent[1], ["open", "open"]])
      assert.strictEqual((yield* store.byHash(hash))?.attempt, 1)
      const other = yield* start([tooCheap])
      assert.strictEqual(yield* Effect.flip(other.sends.submit(other.signed(5n))), tooCheap)
      assert.deepStrictEqual(yield* other.states, ["refused"])
    }))

  it.scoped("pays once for a key whose payment ran at a higher price, whatever became of its first attempt", () =>
    Effect.gen(function*() {
      for (const end of ["refused", "replaced", "open"] as const) {
        const { chain, inTime, local, sends, sent, signed, state, store, wallet } = yield* start(["ok"])
        const keyed = (nonce?: bigint) =>
          Effect.provideService(sends.submit({ ...signed(5n, nonce), isRaisable: true }), CurrentRequest, "invoice")
        yield* keyed()
        const risen = { ...chain, prices: Effect.succeed(pricesAt(2n * local.unitPrice)) }
        yield* TestClock.adjust("5 seconds")
        yield* SendKeeper.round({ chain: risen, store, wallet })
        const [first, second] = yield* store.open
        assert(first !== undefined && second !== undefined)
        if (end !== "open") yield* store.settle(first, end, 1, { winner: end === "replaced" ? second.hash : undefined })
        // The request is repeated while the second attempt is open, and when a block has it.
        assert.strictEqual((yield* inTime(keyed(1n))).hash, second.hash)
        state.verdict = "mined"
        yield* store.settle(second, "mined", 2)
        assert.strictEqual((yield* inTime(keyed(1n))).hash, second.hash)
        assert.strictEqual(new Set(sent).size, 2)
        const outcome = yield* sends.outcome?.(first.hash) ?? Effect.succeed(undefined)
        assert.deepInclude(outcome, { stage: "mined", hash: second.hash })
      }
    }))

  it.scoped("raises a payment within the largest fee of its caller alone, and as soon as the base fee lets it", () =>
    Effect.gen(function*() {
      const { chain, local, sends, sent, signed, states, store, wallet } = yield* start(["ok"])
      const price = local.unitPrice
      const caller = { ...unlimited("shop"), limits: { largestFee: 21_000n * price * 2n } }
      const request = { caller, operation: "wallet.sendValue", requestId: "1" }
      const { hash } = yield* Effect.provideService(
        sends.submit({ ...signed(5n), isRaisable: true }),
        CurrentCaller,
        request
      )
      const at = (baseFee: bigint, one = caller) =>
        SendKeeper.round({
          chain: { ...chain, prices: Effect.succeed(pricesAt(baseFee)) },
          store,
          wallet,
          callerNamed: () => Effect.succeed({ caller: one })
        })
      yield* TestClock.adjust("5 seconds")
      yield* at(3n * price)
      yield* TestClock.adjust("1 hour")
      yield* at(3n * price)
      assert.deepStrictEqual(yield* states, ["open"])
      const outcome = yield* sends.outcome?.(hash) ?? Effect.succeed(undefined)
      assert.deepInclude(outcome, { stage: "limited", since: 5, hash })
      assert.match(outcome?.reason ?? "", /the most that the largest fee of its caller lets it pay/)
      // Whoever sends more from the account learns what waits.
      assert.deepStrictEqual((yield* sends.submit(signed(6n, 1n))).waitsFor, { hash, nonce: 0n })
      const given = sent.length
      yield* at(2n * price)
      assert.deepStrictEqual((yield* states).slice(0, 3), ["open", "open", "open"])
      const [, raised] = yield* store.openAt(signed(5n).from, 0n)
      assert.strictEqual(raised?.price, 2n * price)
      // Two payments are open, however many attempts they have.
      assert.deepStrictEqual((yield* store.openByAccount).map(({ count }) => count), [2])
      assert.isAbove(sent.length, given)
      // The owner has raised the limit.
      yield* TestClock.adjust("5 seconds")
      yield* at(3n * price, { ...caller, limits: { largestFee: 21_000n * price * 4n } })
      const [, , second] = yield* store.openAt(signed(5n).from, 0n)
      assert.isTrue(second !== undefined && second.price > 3n * price && second.price <= 4n * price)
    }))

  it.scoped("says of a raw transaction below the base fee that only its signer can raise its price", () =>
    Effect.gen(function*() {
      const { chain, local, sends, signed, states, store, wallet } = yield* start(["ok"])
      const { hash } = yield* sends.submit({ ...signed(5n), isRaisable: false })
      const risen = { ...chain, prices: Effect.succeed(pricesAt(2n * local.unitPrice)) }
      yield* TestClock.adjust("5 seconds")
      yield* SendKeeper.round({ chain: risen, store, wallet })
      assert.deepStrictEqual(yield* states, ["open"])
      const outcome = yield* sends.outcome?.(hash) ?? Effect.succeed(undefined)
      assert.deepInclude(outcome, { stage: "refused" })
      assert.match(outcome?.reason ?? "", /below the base fee .*only its signer/)
      // Whoever sends more from the account learns what waits.
      const later = yield* sends.submit(signed(6n, 1n))
      assert.deepStrictEqual(later.waitsFor, { hash, nonce: 0n })
    }))

  it.scoped("leaves a send to the request that is at work, and sends nothing while the wallet is frozen", () =>
    Effect.gen(function*() {
      const { chain, pay, sent, store, wallet } = yield* start([lost])
      const fiber = yield* Effect.fork(pay(5n))
      yield* TestClock.adjust("5 seconds")
      const before = sent.length
      yield* SendKeeper.round({ chain, store, wallet })
      assert.strictEqual(sent.length, before)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("10 minutes")
      yield* SendKeeper.round({ chain, store, wallet, isFrozen: Effect.succeed(true) })
      assert.strictEqual(sent.length, before)
      yield* SendKeeper.round({ chain, store, wallet })
      assert.strictEqual(sent.length, before + 1)
    }))

  it.scoped("gives nothing to the node while another one repairs a send, and neither does its request", () =>
    Effect.gen(function*() {
      const { chain, inTime, pay, sent, signed, store, wallet } = yield* start([lost])
      const keyed = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideService(effect, CurrentRequest, "invoice")
      yield* inTime(Effect.flip(keyed(pay(5n))))
      yield* TestClock.adjust("10 minutes")
      const before = sent.length
      // Another process has taken the lease since the rows were read.
      const late = { ...store, lease: () => Effect.succeed(false) }
      yield* SendKeeper.round({ chain, store: late, wallet })
      yield* inTime(Effect.flip(keyed(StoredSends.make({ chain, store: late }).submit(signed(5n)))))
      assert.strictEqual(sent.length, before)
    }))

  it.scoped("is not kept from a send by a request that is repeated all the time", () =>
    Effect.gen(function*() {
      const { chain, inTime, pay, states, store, wallet } = yield* start([lost, wrongKey])
      const keyed = Effect.provideService(pay(5n), CurrentRequest, "invoice")
      yield* inTime(Effect.flip(keyed))
      const repeated = yield* Effect.fork(
        Effect.forever(Effect.zipRight(Effect.ignore(keyed), Effect.sleep("1 second")))
      )
      const keeper = yield* Effect.fork(SendKeeper.run({ chain, store, wallet }))
      yield* Effect.forEach(
        Array.from({ length: 30 }),
        () => Effect.zipRight(TestClock.adjust("5 seconds"), Effect.yieldNow())
      )
      yield* Fiber.interruptAll([repeated, keeper])
      assert.deepStrictEqual(yield* states, ["open", "open cancel"])
    }))

  it.scoped("cancels the sends of a caller that was revoked, and of no caller that is not known", () =>
    Effect.gen(function*() {
      const { chain, pay, sends, states, store, wallet } = yield* start(["ok"])
      const caller = unlimited("shop")
      const request = { caller, operation: "wallet.sendValue", requestId: "1" }
      const { hash } = yield* Effect.provideService(pay(5n), CurrentCaller, request)
      const known = new Map<string, NamedCaller>()
      const callerNamed = (name: string) => Effect.sync(() => known.get(name) ?? { caller: undefined })
      yield* TestClock.adjust("10 seconds")
      // Nothing says of a name that is not known that it was revoked.
      // A caller that was added again has sends of its own: those from then on.
      for (const one of [{ caller: undefined }, { caller }, { caller, revokedBefore: 0 }]) {
        known.set("shop", one)
        yield* SendKeeper.round({ chain, store, wallet, callerNamed })
        assert.deepStrictEqual(yield* states, ["open"])
      }
      known.set("shop", { caller, revokedBefore: 11 })
      yield* SendKeeper.round({ chain, store, wallet, callerNamed })
      assert.deepStrictEqual(yield* states, ["open", "open cancel"])
      const outcome = yield* sends.outcome?.(hash) ?? Effect.succeed(undefined)
      assert.deepInclude(outcome, { stage: "cancelling", reason: "its caller was revoked" })
    }))

  it.scoped("above a nonce that no transaction has says so until others have filled the gap, and is not cancelled", () =>
    Effect.gen(function*() {
      const { chain, clock, keep, pay, sends, states, store, wallet } = yield* start(["ok"])
      const { hash } = yield* pay(5n, 3n)
      const outcome = sends.outcome?.(hash) ?? Effect.succeed(undefined)
      yield* keep
      assert.deepInclude(yield* outcome, { stage: "waiting" })
      yield* clock.rounds(keep, 1)
      const { reason, since, stage } = (yield* outcome) ?? {}
      assert.deepStrictEqual([stage, since], ["behind", 35])
      assert.match(reason ?? "", /no transaction of the account has the nonce 0, which comes before/)
      yield* clock.rounds(keep, 30)
      assert.deepInclude(yield* outcome, { stage: "behind", since: 35 })
      assert.deepStrictEqual(yield* states, ["open"])
      // A copy of the node that lags behind proves no gap, and one answer alone neither.
      const told = [0n, 3n]
      const account = () =>
        Effect.sync(() => Option.some({ balance: 0n, key: AccountKey.legacy, nonce: told.shift() ?? 3n }))
      yield* clock.rounds(SendKeeper.round({ chain: { ...chain, account }, store, wallet }), 1)
      assert.deepInclude(yield* outcome, { stage: "waiting" })
    }))

  it.scoped("above one that is in no block any more says so, and its owner frees that nonce", () =>
    Effect.gen(function*() {
      const { clock, from, keep, pay, sends, sql, state, states, store } = yield* start(["ok"])
      const { hash: undone } = yield* Effect.provideService(pay(5n), CurrentRequest, "invoice")
      state.verdict = "mined"
      yield* keep
      state.verdict = "open"
      const { hash } = yield* pay(6n, 1n)
      yield* clock.rounds(keep, 1)
      assert.deepStrictEqual(yield* states, ["mined", "open"])
      const { reason, stage } = (yield* sends.outcome?.(hash) ?? Effect.succeed(undefined)) ?? {}
      assert.strictEqual(stage, "behind")
      assert.match(reason ?? "", /has the nonce 0, .* saw its send in a block: .* wallet repair/)
      yield* WalletRepair.end(sql, 1001, { append: () => Effect.void }, { table: "sends", id: undone })
      assert.deepStrictEqual(yield* states, ["refused", "open"])
      assert.strictEqual(yield* sends.nextNonce(from), 0n)
      // What its key had sent may be in a block after all: it is paid no second time.
      const again = Effect.either(Effect.provideService(pay(5n, 2n), CurrentRequest, "invoice"))
      assert.strictEqual(Either.isLeft(yield* again), true)
      state.verdict = "mined"
      const paid = yield* again
      assert.strictEqual(Either.isRight(paid) && paid.right.hash, undone)
      assert.strictEqual((yield* store.byHash(undone))?.state, "mined")
    }))

  it.scoped("is not refused by a slow answer to its first bytes, once the keeper has given them to the node again", () =>
    Effect.gen(function*() {
      for (const keeperIs of ["done", "under way"]) {
        const { chain, signed, states, store, wallet } = yield* start(["ok"])
        let given = 0
        const slow = {
          ...chain,
          submitRaw: (raw: Hex) =>
            ++given === 1
              ? Effect.delay(refused, "6 seconds")
              : Effect.delay(Effect.succeed(raw), keeperIs === "done" ? "0 seconds" : "3 seconds")
        }
        const sends = StoredSends.make({ chain: slow, store })
        const answer = yield* Effect.fork(sends.submit({ ...signed(5n), isRaisable: true }))
        yield* TestClock.adjust("5 seconds")
        const keeper = yield* Effect.fork(SendKeeper.round({ chain: slow, store, wallet }))
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(keeper)
        assert.strictEqual((yield* Fiber.join(answer)).raw, signed(5n).raw, keeperIs)
        assert.deepStrictEqual([given, yield* states], [2, ["open"]], keeperIs)
      }
    }))

  it.scoped("is not refused by a slow answer to its first bytes, once the keeper has signed it again", () =>
    Effect.gen(function*() {
      const { chain, local, signed, states, store, wallet } = yield* start(["ok"])
      let given = 0
      const slow = {
        ...chain,
        prices: Effect.succeed(pricesAt(2n * local.unitPrice)),
        submitRaw: (raw: Hex) => ++given === 1 ? Effect.delay(refused, "6 seconds") : Effect.succeed(raw)
      }
      const first = { ...signed(5n), isRaisable: true }
      const answer = yield* Effect.fork(StoredSends.make({ chain: slow, store }).submit(first))
      yield* TestClock.adjust("5 seconds")
      yield* SendKeeper.round({ chain: slow, store, wallet })
      yield* TestClock.adjust("10 seconds")
      assert.notStrictEqual((yield* Fiber.join(answer)).raw, first.raw)
      assert.deepStrictEqual([given, yield* states], [2, ["open", "open"]])
    }))

  it.scoped("is not given to the node at a higher price that another process has stored, and its owner has ended", () =>
    Effect.gen(function*() {
      const { chain, local, pay, sent, sql, states, store, wallet } = yield* start(["ok"])
      const { hash } = yield* pay(5n)
      const byOwner = Effect.orDie(
        WalletRepair.end(sql, 1001, { append: () => Effect.void }, { table: "sends", id: hash })
      )
      const taken: typeof store.take = (send, now) =>
        Effect.as(Effect.zipRight(store.take(send, now), byOwner), undefined)
      yield* TestClock.adjust("5 seconds")
      yield* SendKeeper.round({
        chain: { ...chain, prices: Effect.succeed(pricesAt(2n * local.unitPrice)) },
        store: { ...store, take: taken },
        wallet
      })
      assert.deepStrictEqual([sent.length, yield* states], [1, ["refused", "refused"]])
    }))

  it.scoped("belongs to the credential that has asked for it, whatever the clocks of two machines say", () =>
    Effect.gen(function*() {
      for (const [added, expected] of [["KASKOLD", ["open"]], ["KASKNEW", ["open", "open cancel"]]] as const) {
        for (const revokedBefore of [0, 2 ** 40]) {
          const { chain, pay, states, store, wallet } = yield* start(["ok"])
          const shop = (accessKeyId: string) => ({ ...unlimited("shop"), accessKeyId })
          const request = { caller: shop("KASKOLD"), operation: "wallet.sendValue", requestId: "1" }
          yield* Effect.provideService(pay(5n), CurrentCaller, request)
          yield* TestClock.adjust("10 seconds")
          const callerNamed = () => Effect.succeed({ caller: shop(added), revokedBefore })
          yield* SendKeeper.round({ chain, store, wallet, callerNamed })
          assert.deepStrictEqual(yield* states, [...expected], `${added} ${revokedBefore}`)
        }
      }
    }))

  it.scoped("does not leave if its caller is revoked while the keeper is about to give it, and is cancelled then", () =>
    Effect.gen(function*() {
      const { chain, pay, sent, states, store, wallet } = yield* start([lost, "ok"])
      const shop = { ...unlimited("shop"), accessKeyId: "KASKOLD" }
      const request = { caller: shop, operation: "wallet.sendValue", requestId: "1" }
      yield* Effect.fork(Effect.provideService(pay(5n), CurrentCaller, request))
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("20 seconds")
      const given = sent.length
      // The keeper decides by what it has read; the second look is that of the moment in which the bytes leave.
      let looks = 0
      const revoked = { caller: undefined, revokedBefore: Infinity }
      const callerNamed = () => Effect.sync(() => looks++ === 0 ? { caller: shop } : revoked)
      yield* SendKeeper.round({ chain, store, wallet, callerNamed })
      assert.deepStrictEqual([looks, sent.length, yield* states], [2, given, ["open"]])
      yield* TestClock.adjust("35 seconds")
      yield* SendKeeper.round({ chain, store, wallet, callerNamed })
      assert.deepStrictEqual(yield* states, ["open", "open cancel"])
    }))

  it.scoped("gives its nonce back if its caller is revoked before its request gives it to the node", () =>
    Effect.gen(function*() {
      const { chain, from, sends, sent, signed, states, store } = yield* start(["ok"])
      const callerNamed = () => Effect.succeed({ caller: undefined, revokedBefore: Infinity })
      const { submit } = StoredSends.make({ chain, store, callerNamed })
      const request = { caller: unlimited("shop"), operation: "wallet.sendValue", requestId: "1" }
      const refusal = yield* Effect.flip(Effect.provideService(submit(signed(5n)), CurrentCaller, request))
      assert.deepInclude(refusal, { _tag: "WalletRefused", reason: "rights" })
      assert.deepStrictEqual([sent, yield* states, yield* sends.nextNonce(from)], [[], ["refused"], 0n])
    }))

  it.scoped("answers no payment as sent to its key while it is cancelled", () =>
    Effect.gen(function*() {
      const { chain, inTime, pay, states, store, wallet } = yield* start(["ok"])
      const request = { caller: unlimited("shop"), operation: "wallet.sendValue", requestId: "1" }
      const keyed = pay(5n).pipe(
        Effect.provideService(CurrentCaller, request),
        Effect.provideService(CurrentRequest, "invoice")
      )
      yield* keyed
      yield* TestClock.adjust("10 seconds")
      const callerNamed = () => Effect.succeed({ caller: undefined, revokedBefore: Infinity })
      yield* SendKeeper.round({ chain, store, wallet, callerNamed })
      assert.deepStrictEqual(yield* states, ["open", "open cancel"])
      assert.strictEqual((yield* inTime(Effect.flip(keyed)))._tag, "NodeFailure")
    }))

  it.scoped("tells by which transaction a send was replaced from outside", () =>
    Effect.gen(function*() {
      const { keep, pay, sends, state } = yield* start(["ok"])
      const { hash } = yield* pay(5n)
      state.verdict = "replaced"
      yield* keep
      const outcome = yield* sends.outcome?.(hash) ?? Effect.succeed(undefined)
      assert.deepInclude(outcome, { stage: "replaced", hash: other })
    }))

  it.scoped("is paid by a block's transaction that it does not know, which does the same at another price", () =>
    Effect.gen(function*() {
      for (const kind of ["transfer", "legacy", "dynamic", "delegated"] as const) {
        for (const finder of ["keeper", "request", "older version"] as const) {
          const { elsewhere, from, inTime, sends, signed, states, store, wallet } = yield* start(["ok"])
          const { hash: winner, shown } = yield* elsewhere(madeElsewhere(from)[kind])
          const keyed = (nonce?: bigint) =>
            StoredSends.make({ chain: shown, store }).submit(signed(5n, nonce)).pipe(
              Effect.provideService(CurrentRequest, "invoice")
            )
          const { hash } = yield* keyed()
          const keep = SendKeeper.round({ chain: shown, store, wallet })
          const [first] = yield* store.open
          assert(first !== undefined)
          if (finder === "keeper") yield* keep
          if (finder === "older version") yield* store.settle(first, "replaced", 1, { winner })
          // The key has paid: nothing is signed anew.
          assert.strictEqual((yield* inTime(keyed(1n))).hash, winner)
          yield* keep
          assert.deepStrictEqual(yield* states, ["replaced", "mined"], `${kind}, ${finder}`)
          const outcome = yield* sends.outcome?.(hash) ?? Effect.succeed(undefined)
          assert.deepInclude(outcome, { stage: "mined", hash: winner })
        }
      }
    }))

  it.scoped("is replaced by a block's transaction that does something else", () =>
    Effect.gen(function*() {
      const { elsewhere, from, pay, states, store, wallet } = yield* start(["ok"])
      yield* pay(5n)
      const { shown } = yield* elsewhere(madeElsewhere(from).cancel)
      yield* SendKeeper.round({ chain: shown, store, wallet })
      yield* pay(5n, 1n)
      const { shown: other } = yield* elsewhere(madeElsewhere(from, { nonce: 1n, value: 6n }).legacy)
      yield* SendKeeper.round({ chain: other, store, wallet })
      assert.deepStrictEqual(yield* states, ["replaced", "replaced"])
    }))

  it.scoped("is not paid by a cancellation that something else has signed in place of the wallet's own", () =>
    Effect.gen(function*() {
      for (const isOpen of [true, false]) {
        const { clock, elsewhere, from, inTime, keep, pay, states, store, wallet } = yield* start([lost, wrongKey])
        yield* inTime(Effect.flip(pay(5n)))
        const [payment] = yield* store.open
        assert(payment !== undefined)
        yield* clock.rounds(keep, 5)
        if (!isOpen) yield* store.settle(payment, "refused", 1)
        const { shown } = yield* elsewhere(madeElsewhere(from).cancel)
        yield* SendKeeper.round({ chain: shown, store, wallet })
        assert.deepStrictEqual(yield* states, [isOpen ? "replaced" : "refused", "replaced cancel"])
      }
    }))

  it.scoped("of a key is not made anew by a copy of the wallet, whose owner may have paid since", () =>
    Effect.gen(function*() {
      for (const isOpen of [true, false]) {
        const { chain, inTime, pay, signed, state, states, store } = yield* start(["ok"])
        yield* Effect.provideService(pay(5n), CurrentRequest, "invoice")
        const [row] = yield* store.open
        assert(row !== undefined)
        if (!isOpen) yield* store.settle(row, "refused", 1)
        state.verdict = "replaced"
        const newKeysRefused: { current: string | undefined } = { current: "the wallet was restored" }
        const copy = StoredSends.make({ chain, store, newKeysRefused: Effect.sync(() => newKeysRefused.current) })
        const again = Effect.provideService(copy.submit({ ...signed(5n, 1n) }), CurrentRequest, "invoice")
        for (let i = 0; i < 3; i++) {
          const error = yield* inTime(Effect.flip(again))
          assert(error._tag === "WalletRefused")
          assert.strictEqual(error.reason, "keys")
          assert.match(error.message, /may have been made anew since: the wallet was restored$/)
        }
        assert.deepStrictEqual(yield* states, ["replaced"])
        newKeysRefused.current = undefined
        assert.isString((yield* inTime(again)).hash)
        assert.deepStrictEqual(yield* states, ["replaced", "open"])
      }
    }))

  it.scoped("that a block has after all takes its nonce back from the one that had it meanwhile", () =>
    Effect.gen(function*() {
      const { keep, pay, state, states, store } = yield* start(["ok"])
      yield* pay(5n)
      const [row] = yield* store.open
      assert(row !== undefined)
      yield* store.settle(row, "refused", 1)
      yield* pay(6n)
      const first = yield* store.byHash(row.hash)
      assert(first !== undefined)
      yield* store.settle(first, "mined", 2)
      assert.deepStrictEqual(yield* states, ["mined", "replaced"])
      state.verdict = "mined"
      yield* keep
    }))

  it.scoped("that its owner has ended ends with all attempts, and its key signs and sends nothing more", () =>
    Effect.gen(function*() {
      for (const named of [0, 1] as const) {
        const { chain, inTime, local, pay, sends, sent, signed, sql, state, states, store, wallet } = yield* start([
          "ok"
        ])
        yield* Effect.provideService(pay(5n), CurrentRequest, "invoice")
        const risen = { ...chain, prices: Effect.succeed(pricesAt(2n * local.unitPrice)) }
        yield* TestClock.adjust("5 seconds")
        yield* SendKeeper.round({ chain: risen, store, wallet })
        const rows = yield* store.open
        const hash = rows[named]?.hash
        const payment = rows[0]?.payment
        assert(hash !== undefined && payment !== undefined && rows.length === 2)
        yield* WalletRepair.end(sql, 1001, { append: () => Effect.void }, { table: "sends", id: hash })
        assert.deepStrictEqual(yield* states, ["refused", "refused"])
        // A raise that was under way is not stored.
        const { from: account, raw } = signed(5n)
        const late = newSend({ account, nonce: 0n, hash: other, raw, payment, attempt: 2 })
        assert.isUndefined(yield* store.take(late, 1))
        const given = sent.length
        for (const verdict of ["open", "replaced"] as const) {
          state.verdict = verdict
          const error = yield* inTime(
            Effect.flip(Effect.provideService(sends.submit(signed(5n, 1n)), CurrentRequest, "invoice"))
          )
          assert.deepInclude(error, { _tag: "TransactionRejected", reason: "Ended" })
        }
        assert.strictEqual(sent.length, given)
      }
    }))

  it.scoped("that its owner has ended ends with an attempt that a repair stores at the same moment", () =>
    Effect.gen(function*() {
      const { pay, sql, states } = yield* start(["ok"])
      const { hash } = yield* pay(5n)
      const kept = "account, nonce, sender_hash, raw, attempts, created, updated, price, raisable, leased"
      yield* sql.unsafe(
        `CREATE TRIGGER raise AFTER UPDATE OF state ON wallet_sends_1001 WHEN NEW.hash = x'${hash.slice(2)}' BEGIN
          INSERT INTO wallet_sends_1001 (${kept}, hash, state, cancels, attempt, payment)
            SELECT ${kept}, randomblob(32), 0, 0, NEW.attempt + 1, COALESCE(NEW.payment, NEW.id)
            FROM wallet_sends_1001 WHERE id = NEW.id;
        END`
      )
      yield* WalletRepair.end(sql, 1001, { append: () => Effect.void }, { table: "sends", id: hash })
      assert.deepStrictEqual(yield* states, ["refused", "refused"])
    }))

  it.scoped("that its owner has ended is answered as paid where a block has one of its attempts", () =>
    Effect.gen(function*() {
      for (const isFirstRefused of [false, true]) {
        const { chain, inTime, local, pay, sent, signed, sql, store, wallet } = yield* start(["ok"])
        yield* Effect.provideService(pay(5n), CurrentRequest, "invoice")
        const risen = { ...chain, prices: Effect.succeed(pricesAt(2n * local.unitPrice)) }
        yield* TestClock.adjust("5 seconds")
        yield* SendKeeper.round({ chain: risen, store, wallet })
        const [first, second] = yield* store.open
        assert(first !== undefined && second !== undefined)
        if (isFirstRefused) yield* store.settle(first, "refused", 1, { why: "underpriced" })
        yield* WalletRepair.end(sql, 1001, { append: () => Effect.void }, { table: "sends", id: second.hash })
        const given = sent.length
        const waiting = StoredSends.make({ chain: risen, store })
        const again = (sends: typeof waiting) =>
          inTime(Effect.either(Effect.provideService(sends.submit(signed(5n, 1n)), CurrentRequest, "invoice")))
        const before = yield* again(waiting)
        assert.strictEqual(before._tag, "Left", "while no block has it")
        assert.strictEqual(sent.length, given, "nothing is given to the node")
        const shown: RemoteChain = {
          ...risen,
          verdict: ({ hash }) =>
            Effect.succeed(
              hash === second.hash ? verdicts.mined : { _tag: "replaced", by: second.hash, raw: second.raw }
            )
        }
        const after = yield* again(StoredSends.make({ chain: shown, store }))
        assert.deepInclude(after, { _tag: "Right" })
        assert.strictEqual(sent.length, given)
      }
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
