import * as Hash from "@effect-klaytn/core/Hash"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as TokenContract from "@effect-klaytn/sandbox/TokenContract"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { DayReport, Difference } from "../src/DayReport.js"
import type { Node } from "../src/internal/node.js"
import * as ChainView from "../src/internal/report/chainView.js"
import * as Payouts from "../src/Payouts.js"
import * as TokenPayout from "../src/TokenPayout.js"
import * as Backend from "./support/backend.js"

const { order } = Backend

const report = (day: string) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.report(day))

/** Replaces a text in a column of a payout, as a person with a database client would. */
const plant = (key: string, column: "state" | "content", from: string | RegExp, to: string) =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const [row] = yield* sql<{ readonly text: string }>`
      SELECT ${sql(column)} AS text FROM klaytn_payouts WHERE id = ${key}`
    const text = (row?.text ?? "").replace(from, to)
    assert.notStrictEqual(text, row?.text, `${key}: nothing was planted`)
    yield* sql`UPDATE klaytn_payouts SET ${sql(column)} = ${text} WHERE id = ${key}`
  })

const dayOf = Effect.map(
  Effect.flatMap(Sandbox.Sandbox, ({ chains }) => chains.chain(1001).head),
  ({ timestamp }) => new Date(timestamp * 1000).toISOString().slice(0, 10)
)

const nameOf = (one: Difference): string => {
  switch (one._tag) {
    case "Differs":
      return `${one.key} ${one.field} ${one.database} ${one.chain}`
    case "NotOnChain":
      return `${one.key} is not on the chain`
    case "ClaimedTwice":
      return `${one.keys.join(" ")} are one`
    case "Unexplained":
      return `nonce ${one.nonce} moves ${one.value}`
  }
}

const named = ({ differences }: DayReport) => differences.map(nameOf)

/** A token of 18 decimals, of which the account has 100 of the smallest unit. */
const tokenFor = (from: string) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const on = chains.chain(1001)
    const deployer = chains.account("alice")
    const token = yield* TokenContract.deploy(on, deployer, { kind: "ft", name: "Coin", symbol: "CN" })
    yield* TokenContract.mint(on, deployer, token, { kind: "ft", to: `0x${from.slice(2)}`, amount: 100n })
    return token.address
  })

describe("the report of a day", () => {
  it.scopedLive("has the totals by token and state with their fees, and no difference where there is none", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      const token = yield* tokenFor(from)
      yield* Effect.gen(function*() {
        const { pay } = yield* Payouts.Payouts
        yield* pay(order("a", from))
        const { control } = yield* Sandbox.Sandbox
        yield* control.addFault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when: "after" } })
        yield* pay(order("b", from, 7n))
        yield* pay({ ...order("c", from, 9n), memo: "invoice 9" })
        yield* TokenPayout.pay({
          key: "d",
          token,
          from,
          to: Backend.receiver,
          amount: "0.000000000000000042",
          payer: FeeDelegation.sender
        })
        const { differences, fees, movedNothing, totals } = yield* report(yield* dayOf)
        assert.deepStrictEqual(differences, [])
        assert.deepStrictEqual(
          totals.map(({ amount, count, state, token }) => [token, state, count, amount]),
          [[undefined, "Executed", 3, 21n], [token, "Executed", 1, 42n]]
        )
        assert.strictEqual(movedNothing.count, 1)
        const all = [...totals.map(({ fee }) => fee), movedNothing.fee]
        assert.isTrue(all.every((fee) => fee > 0n))
        const paid = fees.map(({ fee }) => fee).reduce((sum, fee) => sum + fee, 0n)
        assert.strictEqual(paid, all.reduce((sum, fee) => sum + fee, 0n))
        assert.strictEqual(fees.find(({ paidBy }) => paidBy === from)?.count, 1)
        assert.deepStrictEqual((yield* report("2001-02-03")).totals, [])
        assert.strictEqual((yield* Effect.flip(report("2026-02-30")))._tag, "InvalidInput")
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("names every difference that is planted in the database after a run with faults, and no other", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        const { get, pay } = yield* Payouts.Payouts
        const { control } = yield* Sandbox.Sandbox
        for (const when of ["after", "before", "after"] as const) {
          yield* control.addFault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when } })
        }
        const keys = [
          "amount",
          "receiver",
          "hash",
          "nonce",
          "payer",
          "block",
          "behind",
          "gone",
          "twice",
          "fine",
          "later"
        ]
        yield* Effect.forEach(keys, (key, i) => pay(order(key, from, BigInt(i + 1))), { concurrency: 4 })
        const day = yield* dayOf
        assert.deepStrictEqual(named(yield* report(day)), [])

        const hash = (key: string) =>
          Effect.map(get(key), ({ state }) => state._tag === "Executed" ? state.transactionHash : "0x")
        const nonce = (key: string) => Effect.map(get(key), ({ state }) => state._tag === "Executed" ? state.nonce : 0)
        const block = (key: string) => Effect.map(get(key), ({ state }) => state._tag === "Executed" ? state.block : 0)
        const other = `0x${"ab".repeat(32)}`
        const own = {
          hash: yield* hash("hash"),
          nonce: yield* nonce("nonce"),
          block: yield* block("block"),
          gone: yield* nonce("gone"),
          behind: yield* hash("behind")
        }
        const payer = yield* Effect.map(get("payer"), ({ state }) => "paidBy" in state ? state.paidBy : undefined)
        const paidBy = payer !== undefined && "address" in payer ? payer.address : "none"
        yield* plant("amount", "content", `"value":"1"`, `"value":"100"`)
        yield* plant("receiver", "content", Backend.receiver, Backend.aside)
        yield* plant("hash", "state", own.hash, other)
        yield* plant("nonce", "state", `"nonce":${own.nonce}`, `"nonce":${own.nonce + 50}`)
        yield* plant("payer", "state", paidBy, Backend.aside)
        yield* plant("block", "state", `"block":${own.block}`, `"block":${own.block + 100_000}`)
        yield* plant("behind", "state", /^.*$/, `{"_tag":"Cancelled","problem":"somebody wrote this"}`)
        yield* plant("twice", "state", yield* hash("twice"), yield* hash("fine"))
        const sql = (yield* SqlClient.SqlClient).withoutTransforms()
        yield* sql`DELETE FROM klaytn_payouts WHERE id = 'gone'`
        // A program that shares the account, although payouts need their own.
        const wallet = yield* Backend.stranger
        yield* wallet.sendValue({ from, to: Backend.aside, value: 77n, payer: FeeDelegation.service })

        assert.deepStrictEqual(
          named(yield* report(day)).toSorted(),
          [
            "amount amount 100 1",
            `behind state Cancelled Executed`,
            `block block ${own.block + 100_000} ${own.block}`,
            "fine twice are one",
            `hash transactionHash ${other} ${own.hash}`,
            `nonce ${own.gone} moves 8`,
            `nonce 12 moves 77`,
            `nonce nonce ${own.nonce + 50} ${own.nonce}`,
            `payer paidBy ${Backend.aside} ${paidBy}`,
            `receiver to ${Backend.aside} ${Backend.receiver}`,
            // Its own transaction is one that no payment names now.
            `nonce ${yield* nonce("twice")} moves 9`
          ].toSorted()
        )
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("names a payment that the chain does not have", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        const { pay } = yield* Payouts.Payouts
        const { state } = yield* pay(order("a", from))
        if (state._tag !== "Executed") return assert.fail(state._tag)
        yield* plant("a", "state", state.transactionHash, `0x${"cd".repeat(32)}`)
        yield* plant("a", "state", `"nonce":${state.nonce}`, `"nonce":${state.nonce + 9}`)
        const day = yield* dayOf
        const tags = Effect.map(report(day), ({ differences }) => differences.map(({ _tag }) => _tag))
        assert.deepStrictEqual(yield* tags, ["NotOnChain", "Unexplained"])
        // Above the newest block: the chain has gone back.
        yield* plant("a", "state", `"block":${state.block}`, `"block":${state.block + 1000}`)
        assert.deepStrictEqual(yield* tags, ["NotOnChain", "Unexplained"])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("counts a payment on the day of its block", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        const { pay } = yield* Payouts.Payouts
        const { control } = yield* Sandbox.Sandbox
        yield* pay(order("a", from))
        const day = yield* dayOf
        yield* control.chain(1001).advanceTime({ seconds: 86_400 })
        yield* pay(order("b", from))
        const next = yield* dayOf
        assert.notStrictEqual(next, day)
        const reports = [yield* report(day), yield* report(next)]
        assert.deepStrictEqual(reports.map(({ isOver, totals }) => [isOver, totals.map(({ count }) => count)]), [
          [true, [1]],
          [false, [1]]
        ])
        assert.deepStrictEqual(reports.flatMap(named), [])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("counts a payment on the day of its block, however far the database's clock is behind the chain's", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const { pay } = yield* Payouts.Payouts
        const { control } = yield* Sandbox.Sandbox
        yield* control.chain(1001).advanceTime({ seconds: 3 * 86_400 })
        yield* Effect.forEach(["a", "b"], (key) => pay(order(key, from, 7n)), { discard: true })
        const day = yield* dayOf
        const { differences, totals } = yield* report(day)
        assert.deepStrictEqual(totals.map(({ amount, count, state }) => [state, count, amount]), [["Executed", 2, 14n]])
        assert.deepStrictEqual(differences, [])
        const { state } = yield* Effect.flatMap(Payouts.Payouts, ({ get }) => get("b"))
        if (state._tag !== "Executed") return assert.fail(state._tag)
        yield* plant("b", "state", state.transactionHash, `0x${"cd".repeat(32)}`)
        yield* plant("b", "state", `"nonce":${state.nonce}`, `"nonce":${state.nonce + 9}`)
        assert.deepStrictEqual(named(yield* report(day)), ["b is not on the chain", `nonce ${state.nonce} moves 7`])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("fails for a receipt without a price: its fee is not 0", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const client = Backend.changing("klay_getTransactionReceipt", (_, receipt) => ({
        ...Object(receipt),
        gasPrice: undefined,
        effectiveGasPrice: undefined
      }))
      yield* Effect.gen(function*() {
        yield* Effect.flatMap(Payouts.Payouts, ({ pay }) => pay(order("a", from)))
        const failed = yield* Effect.flip(report(yield* dayOf))
        assert.strictEqual(failed._tag, "LookupFailed")
        assert.include(failed.message, "klay_getTransactionReceipt")
        assert.include(failed.message, "no effectiveGasPrice and no gasPrice")
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, client)))
    })))

  it.effect("fails for an answer of the node about another block or transaction", () =>
    Effect.gen(function*() {
      const answers: Readonly<Record<string, unknown>> = {
        klay_blockNumber: 9,
        klay_getBlockByNumber: { number: 7, timestamp: 1 },
        klay_getTransactionReceipt: { transactionHash: `0x${"ab".repeat(32)}`, blockNumber: 7 }
      }
      // A cast: no more of a node is read.
      const node = { read: (method: string) => Effect.succeed(answers[method]) } as unknown as Node
      const lookup: TransactionLookup.Service = {
        nextNonce: () => Effect.succeed(1),
        byNonce: () => Effect.succeedNone,
        byNonces: () => Effect.succeed([]),
        byHash: () => Effect.succeedNone
      }
      const view = ChainView.make(node, lookup)
      const hash = yield* Hash.make(`0x${"cd".repeat(32)}`)
      const block = yield* Effect.flip(view.blocksOf(0, 1))
      assert.strictEqual(block.problem, "block 5 was asked for, and the node answered about another one")
      const receipt = yield* Effect.flip(view.byHash(hash))
      assert.strictEqual(
        receipt.problem,
        `the receipt of ${hash} was asked for, and the node answered about another one`
      )
    }))

  it.scopedLive("fails if a transaction of the day is not found: it could be a difference", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(1)
      const lookup: TransactionLookup.Service = {
        nextNonce: () => Effect.succeed(1),
        byNonce: () => Effect.succeedNone,
        byNonces: () => Effect.succeed([]),
        byHash: () => Effect.succeedNone
      }
      yield* Effect.gen(function*() {
        const { submit } = yield* Payouts.Payouts
        // It waits for approval, so that its account is known.
        yield* submit(order("a", from))
        const failed = yield* Effect.flip(report(yield* dayOf))
        assert.strictEqual(failed._tag, "LookupFailed")
        assert.include(failed.message, "nonce 0")
      }).pipe(Effect.provide(Backend.process({ lookup, approveAbove: 1n })))
    })))
})
