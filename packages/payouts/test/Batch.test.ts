import * as Address from "@effect-klaytn/core/Address"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as SandboxToken from "@effect-klaytn/sandbox/Token"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as Batch from "../src/Batch.js"
import * as csv from "../src/internal/csv.js"
import * as Payouts from "../src/Payouts.js"
import * as Token from "../src/Token.js"
import * as Backend from "./support/backend.js"

const { klay, receiver } = Backend

const planOf = (text: string, from: string, payer: FeeDelegation.FeePayerInput = FeeDelegation.service) =>
  Effect.flatMap(Batch.fromCsv(text, { from, payer }), Batch.plan)

const problemsOf = ({ problems }: Batch.BatchPlan) => problems.map(({ line, problem }) => `${line}: ${problem}`)

/** A token with 6 decimals, of which the account has `amount` in its smallest unit. */
const tokenFor = (account: string, amount: bigint) =>
  Effect.gen(function*() {
    const { engine } = yield* Sandbox.Sandbox
    const on = engine.chain(1001)
    const deployer = engine.account("alice")
    const token = yield* SandboxToken.deploy(on, deployer, { kind: "ft", name: "Coin", symbol: "CN", decimals: 6 })
    yield* SandboxToken.mint(on, deployer, token, { kind: "ft", to: `0x${account.slice(2)}`, amount })
    return token.address
  })

const addressOf = (text: string) => Either.getOrThrow(Address.make(text.toLowerCase()))

describe("a batch", () => {
  it.scopedLive("is paid line by line, each key once, and run again after that pays nothing", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const text =
        `key,to,amount,memo\na-1,${receiver},0.5,\na-2,${receiver},0.25,"thanks, ""Bob"""\na-3,${receiver},1,x\n`
      yield* Effect.gen(function*() {
        const plan = yield* planOf(text, from)
        assert.deepStrictEqual(plan.problems, [])
        assert.deepStrictEqual(plan.totals.map(({ account, fees, value }) => [account, value, fees]), [
          [addressOf(from), 1_750_000_000_000_000_000n, 0n]
        ])
        assert.deepStrictEqual(yield* Backend.payments, [])
        for (let times = 0; times < 2; times++) {
          const rate = { lines: 100, per: "1 second" } as const
          const ends = Chunk.toArray(yield* Stream.runCollect(Batch.run(yield* planOf(text, from), { rate })))
          assert.deepStrictEqual(
            ends.map(({ key, line, payout }) => `${line} ${key} ${payout.state._tag}`).sort(),
            ["2 a-1 Executed", "3 a-2 Executed", "4 a-3 Executed"]
          )
          assert.deepStrictEqual((yield* Backend.payments).map(({ value }) => `${value}`).sort(), [
            `${klay}`,
            `${klay / 4n}`,
            `${klay / 2n}`
          ])
        }
        assert.deepStrictEqual((yield* planOf(text, from)).totals, [])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("with anything wrong in any line pays nothing, and names every line", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.pay(Backend.order("known", from, 7n))
        const before = yield* Backend.payments
        const checksummed = Address.checksum(addressOf(from))
        const plan = yield* planOf(
          [
            "key,to,amount,from",
            `ok,${receiver},1,`,
            `ok,${receiver},2,`,
            `sum,0x12,1,`,
            `known,${receiver},9,`,
            `much,${receiver},600,`,
            `more,${receiver},500,`,
            `exact,${receiver},1.0000000000000000001,`,
            `rule,${receiver},700,`,
            "short",
            `,${receiver},1,`
          ].join("\n"),
          from
        )
        const problems = problemsOf(plan)
        const expected = [
          "3: line 2 has the same key",
          "4: ",
          "5: the key known belongs to another payout: request.value is 7, not 9000000000000000000",
          "8: amount: it has 19 digits after the point and the unit allows 18",
          "9: the spending policy refused (transaction)",
          "10: it has 1 fields, and the first line 4",
          "11: key, to and amount can't be empty",
          `undefined: ${checksummed} has`
        ]
        assert.strictEqual(problems.length, expected.length, problems.join("\n"))
        expected.forEach((start, index) => assert.include(problems[index], start))
        const refused = yield* Effect.flip(Stream.runDrain(Batch.run(plan)))
        assert.include(refused.message, "line 3: line 2 has the same key, and 7 more")
        assert.deepStrictEqual(yield* Backend.payments, before)
      }).pipe(Effect.provide(Backend.process({ policy: { maxPerTransaction: 650n * klay } })))
    })))

  it.scopedLive("is refused where it goes beyond what is left of the window, and reports what waits for a person", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const policy = { window: { max: 10n * klay, duration: "1 day" } } as const
      yield* Effect.gen(function*() {
        const lines = (each: string) => ["key,to,amount", `a,${receiver},${each}`, `b,${receiver},1`].join("\n")
        assert.include(problemsOf(yield* planOf(lines("9.5"), from))[0], "the spend window has 10 KLAY left")
        const plan = yield* planOf(lines("9"), from)
        assert.deepStrictEqual(plan.lines.map(({ checked }) => checked.needsApproval), [true, false])
        const ends = Chunk.toArray(yield* Stream.runCollect(Batch.run(plan)))
        assert.deepStrictEqual(
          ends.map(({ key, payout }) => `${key} ${payout.state._tag}`).sort(),
          ["a WaitingForApproval", "b Executed"]
        )
      }).pipe(Effect.provide(Backend.process({ policy, approveAbove: 5n * klay })))
    })))

  it.scopedLive("whose process dies in the middle is resumed by the next, and pays each line once", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      const keys = Array.from({ length: 8 }, (_, i) => `line-${i}`)
      const batch = (options: Batch.RunOptions) =>
        Batch.payAll(Stream.fromIterable(keys.map((key) => Backend.order(key, from))), options)
      const { control } = yield* Sandbox.Sandbox
      // Of what is under way when it dies, some has arrived, and some has not.
      yield* control.addFault({ operation: "wallet.sendValue", times: 3, action: { kind: "drop", when: "after" } })
      yield* control.addFault({ operation: "wallet.sendValue", times: 3, action: { kind: "drop", when: "before" } })
      const first = yield* batch({ concurrency: 3 }).pipe(
        Stream.take(3),
        Stream.runCollect,
        Effect.provide(Backend.process({}, file))
      )
      assert.strictEqual(first.length, 3)
      assert.isBelow((yield* Backend.payments).length, keys.length)
      const ends = Chunk.toArray(yield* Stream.runCollect(batch({})).pipe(Effect.provide(Backend.process({}, file))))
      assert.deepStrictEqual(
        ends.map(({ key, payout }) => `${key} ${payout.state._tag}`).sort(),
        keys.map((key) => `${key} Executed`)
      )
      assert.strictEqual((yield* Backend.payments).length, keys.length)
    })))

  it.scopedLive("of a stream is checked to its end before the first payment", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const good = Stream.fromIterable([Backend.order("a", from), Backend.order("b", from)])
        const bad = Stream.concat(good, Stream.make({ ...Backend.order("c", from), to: "nowhere" }))
        const refused = yield* Effect.flip(Stream.runDrain(Batch.payAll(bad)))
        assert.include(refused.message, "line 3")
        assert.deepStrictEqual(yield* Backend.payments, [])
        assert.strictEqual(yield* Stream.runCount(Batch.payAll(good)), 2)
        assert.strictEqual((yield* Backend.payments).length, 2)
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("a payment of a token", () => {
  it.scopedLive("moves the amount in the token's own decimals, once for its key", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const token = yield* tokenFor(from, 20_000_000n)
      yield* Effect.gen(function*() {
        const order = { key: "t-1", token, from, to: receiver, amount: "12.5", payer: FeeDelegation.service }
        for (let times = 0; times < 2; times++) {
          assert.strictEqual((yield* Token.pay(order)).state._tag, "Executed")
          assert.strictEqual(yield* Token.balance(addressOf(token), addressOf(receiver)), 12_500_000n)
        }
        const fine = yield* Effect.flip(Token.transfer({ ...order, amount: "0.0000001" }))
        assert.include(fine.message, "the unit allows 6")
        const much = yield* Effect.flip(Token.pay({ ...order, key: "t-2" }))
        assert.strictEqual(much._tag, "TokenRefused")
        const none = yield* Effect.flip(Token.transfer({ ...order, token: receiver }))
        assert.include(none.message, "is it a KIP-7 token?")
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("is a line of a file, and its total is compared with what the account has of the token", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const token = yield* tokenFor(from, 20_000_000n)
      yield* Effect.gen(function*() {
        const file = (amount: string) =>
          `key,to,amount,token\nt,${receiver},12.5,${token}\nu,${receiver},${amount},${token}\nv,${receiver},1,\n`
        const much = yield* planOf(file("8"), from)
        assert.include(problemsOf(much)[0], "has 20000000 of the smallest unit")
        const plan = yield* planOf(file("7.5"), from)
        assert.deepStrictEqual(plan.problems, [])
        assert.deepStrictEqual(plan.totals.map(({ token, value }) => [token, value]), [
          [addressOf(token), 20_000_000n],
          [undefined, klay]
        ])
        assert.strictEqual(yield* Stream.runCount(Batch.run(plan)), 3)
        assert.strictEqual(yield* Token.balance(addressOf(token), addressOf(receiver)), 20_000_000n)
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("a CSV file", () => {
  it("is read as it was written, whatever its fields hold", () => {
    const field = FastCheck.string({ unit: FastCheck.constantFrom("a", "\"", ",", "\n", "\r", " ", "é") })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.tuple(field, field), { maxLength: 8 }), (rows) => {
        const written = rows.map((row) => row.map((text) => `"${text.replaceAll("\"", "\"\"")}"`).join(",")).join(
          "\r\n"
        )
        assert.deepStrictEqual(csv.rows(written).map(({ fields }) => [...fields]), rows)
      })
    )
  })

  it("may begin with a mark of its encoding, end without a line end, and have empty lines", () => {
    assert.deepStrictEqual(csv.rows("\uFEFFkey,to\r\n\r\n1,\"a\nb\"\n  \n2,c"), [
      { line: 1, fields: ["key", "to"] },
      { line: 3, fields: ["1", "a\nb"] },
      { line: 6, fields: ["2", "c"] }
    ])
  })
})
