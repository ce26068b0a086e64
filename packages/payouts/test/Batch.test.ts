import * as Address from "@effect-klaytn/core/Address"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as SandboxToken from "@effect-klaytn/sandbox/TokenContract"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Batch from "../src/Batch.js"
import * as csv from "../src/internal/csv.js"
import * as Payouts from "../src/Payouts.js"
import * as TokenPayout from "../src/TokenPayout.js"
import * as Backend from "./support/backend.js"

const { klay, receiver } = Backend

const planOf = (text: string, from: string, payer: FeeDelegation.FeePayerInput = FeeDelegation.service) =>
  Batch.plan(Batch.fromCsv(text, { from, payer }))

const problemsOf = ({ problems }: Batch.BatchPlan) => problems.map(({ line, problem }) => `${line}: ${problem}`)

/** A token with 6 decimals, of which the account has `amount` in its smallest unit. */
const tokenFor = (account: string, amount: bigint) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const on = chains.chain(1001)
    const deployer = chains.account("alice")
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
        const again = yield* planOf(text, from)
        assert.deepStrictEqual([again.counts, again.totals], [{ new: 0, known: 3, needApproval: 0 }, []])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("asks the node once whether a receiver of many lines has code", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const asked: Array<unknown> = []
      const client = Backend.changing("klay_getCode", ([address], code) => {
        asked.push(address)
        return code
      })
      yield* Effect.gen(function*() {
        const token = yield* tokenFor(from, 100_000_000n)
        const lines = Array.from({ length: 40 }, (_, i) => `a-${i},${receiver},0.5,${i % 2 === 0 ? "" : token}\n`)
        const plan = yield* planOf(`key,to,amount,token\n${lines.join("")}`, from)
        assert.deepStrictEqual([plan.problems, plan.counts.new], [[], 40])
        assert.deepStrictEqual(asked.toSorted(), [receiver, token].toSorted())
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, client)))
    })))

  it.scopedLive("pays the amounts that were planned, whatever decimals its token reports later", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const decimals = { now: 6n }
      const client = Backend.changing(
        "klay_call",
        ([call], result) =>
          JSON.stringify(call).includes("0x313ce567") ? `0x${decimals.now.toString(16).padStart(64, "0")}` : result
      )
      yield* Effect.gen(function*() {
        const token = yield* tokenFor(from, 100_000_000n)
        const text = `key,to,amount,token\na,${receiver},1.5,${token}\n`
        const plan = yield* planOf(text, from)
        assert.deepStrictEqual(plan.problems, [])
        decimals.now = 7n
        const ends = Chunk.toArray(yield* Stream.runCollect(Batch.run(plan)))
        assert.deepStrictEqual(ends.map(({ payout }) => payout.state._tag), ["Executed"])
        assert.strictEqual(yield* TokenPayout.balance(addressOf(token), addressOf(receiver)), 1_500_000n)
        // The same line means another amount now.
        const again = problemsOf(yield* planOf(text, from))
        assert.include(again[0], "amount is 1500000, not 15000000")
        assert.strictEqual(yield* TokenPayout.balance(addressOf(token), addressOf(receiver)), 1_500_000n)
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, client)))
    })))

  it.scopedLive("compares the fees with what their payer has", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const penniless = "0x1234567890123456789012345678901234567890"
      yield* Effect.gen(function*() {
        const plan = yield* planOf(`key,to,amount\na,${receiver},1\n`, from, FeeDelegation.user(penniless))
        const fees = plan.totals.find(({ account }) => account === addressOf(penniless))?.fees ?? 0n
        assert.isTrue(fees > 0n)
        assert.include(problemsOf(plan)[0], "fees of up to")
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
            `,${receiver},1,`,
            `nothing,${receiver},0.0,`,
            ` blank,${receiver},1,`
          ].join("\n"),
          from
        )
        const problems = problemsOf(plan)
        const expected = [
          "3: line 2 has the same key",
          "4: ",
          "5: the key known belongs to another payout: amount is 0.000000000000000007 KLAY, not 9 KLAY",
          "8: amount: it has 19 digits after the point and the unit allows 18",
          "9: the spending policy refused (transaction)",
          "10: it has 1 fields, and the first line 4",
          "11: key, to and amount can't be empty",
          "12: the amount is 0",
          "13: the key \" blank\" has a blank at its beginning or its end",
          `undefined: ${checksummed} has`
        ]
        assert.strictEqual(problems.length, expected.length, problems.join("\n"))
        expected.forEach((start, index) => assert.include(problems[index], start))
        const refused = yield* Effect.flip(Stream.runDrain(Batch.run(plan)))
        assert.include(refused.message, "line 3: line 2 has the same key, and 9 more")
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
        assert.deepStrictEqual(plan.counts, { new: 2, known: 0, needApproval: 1 })
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

/** A contract whose calls succeed only if they carry coins: `if (callvalue == 0) revert`. */
const cashOnly = "0x600b80600b6000396000f33415600657005b600080fd"

describe("a contract call that carries coins", () => {
  it.scopedLive("is simulated with them", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const { chains } = yield* Sandbox.Sandbox
      const deployment = { kind: "deploy", from: chains.account("alice"), code: cashOnly } as const
      const { contractAddress } = yield* chains.chain(1001).execute(deployment)
      const call = (key: string, value: bigint): Payouts.PayInput => ({
        key,
        payer: FeeDelegation.service,
        request: { _tag: "Execute", from, to: String(contractAddress), input: "0x", value }
      })
      yield* Effect.gen(function*() {
        const plan = yield* Batch.plan(Batch.fromInputs(Stream.make(call("a", 5n), call("b", 0n))))
        assert.deepStrictEqual(plan.problems.map(({ key }) => key), ["b"])
        const ends = yield* Stream.runCollect(Batch.payAll(Stream.make(call("a", 5n))))
        assert.deepStrictEqual(Chunk.toArray(ends).map(({ payout }) => payout.state._tag), ["Executed"])
      }).pipe(Effect.provide(Backend.process({ policy: { opaque: "allow" } })))
    })))
})

describe("the pace of a batch", () => {
  it.scopedLive("is refused before the first payment if no line could ever go at it", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const plan = yield* planOf(`key,to,amount\na,${receiver},1\nb,${receiver},1\n`, from)
        const paces: ReadonlyArray<Batch.RunOptions> = [
          { concurrency: 0 },
          { concurrency: NaN },
          { concurrency: 1.5 },
          { rate: { lines: 0, per: "1 second" } },
          { rate: { lines: NaN, per: "1 second" } },
          { rate: { lines: -1, per: "1 second" } },
          { rate: { lines: 1, per: Infinity } }
        ]
        for (const pace of paces) {
          const outcome = yield* Stream.runCount(Batch.run(plan, pace)).pipe(
            Effect.flip,
            Effect.timeoutOption("1 second"),
            Effect.exit
          )
          assert.strictEqual(
            Exit.isSuccess(outcome) && Option.isSome(outcome.value) && outcome.value.value._tag,
            "InvalidInput",
            Inspectable.toStringUnknown(pace)
          )
        }
        assert.deepStrictEqual(yield* Backend.payments, [])
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
          assert.strictEqual((yield* TokenPayout.pay(order)).state._tag, "Executed")
          assert.strictEqual(yield* TokenPayout.balance(addressOf(token), addressOf(receiver)), 12_500_000n)
        }
        const fine = yield* Effect.flip(TokenPayout.transfer({ ...order, amount: "0.0000001" }))
        assert.include(fine.message, "the unit allows 6")
        const much = yield* Effect.flip(TokenPayout.pay({ ...order, key: "t-2" }))
        assert.strictEqual(much._tag, "TokenRefused")
        const none = yield* Effect.flip(TokenPayout.transfer({ ...order, token: receiver }))
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
        assert.strictEqual(yield* TokenPayout.balance(addressOf(token), addressOf(receiver)), 20_000_000n)
      }).pipe(Effect.provide(Backend.process()))
    })))
})

/** The rows of a text that arrives in pieces of so many bytes. */
const rowsOf = (text: string, size = 1_000_000) => {
  const bytes = new TextEncoder().encode(text)
  const pieces = Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, i) => bytes.slice(i * size, (i + 1) * size)
  )
  return Effect.map(Stream.runCollect(csv.rows(Stream.fromIterable(pieces))), Chunk.toReadonlyArray)
}

const field = FastCheck.string({ unit: FastCheck.constantFrom("a", "\"", ",", "\n", "\r", " ", "é") })

describe("a CSV file", () => {
  it.effect.prop(
    "is read as it was written, whatever its fields hold and in whatever pieces it arrives",
    {
      rows: FastCheck.array(FastCheck.tuple(field, field), { maxLength: 8 }),
      size: FastCheck.integer({ min: 1, max: 9 })
    },
    ({ rows, size }) =>
      Effect.gen(function*() {
        const written = rows.map((row) => row.map((text) => `"${text.replaceAll("\"", "\"\"")}"`).join(",")).join(
          "\r\n"
        )
        assert.deepStrictEqual((yield* rowsOf(written, size)).map(({ fields }) => [...fields]), rows)
      })
  )

  it.effect("may begin with a mark of its encoding, end without a line end, and have empty lines", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rowsOf("\uFEFFkey,to\r\n\r\n1,\"a\nb\"\n  \n2,c"), [
        { line: 1, fields: ["key", "to"] },
        { line: 3, fields: ["1", "a\nb"] },
        { line: 6, fields: ["2", "c"] }
      ])
    }))

  it.effect("fails at the line where quotes leave open what is a payment and what is a field", () =>
    Effect.forEach(
      [
        ["k,m\n1,a\n2,\"open\n3,c\n4,d\n", 3, "a quote is opened here and never closed"],
        ["k,m\n1,\"two\nlines\"\n2,\"b\"x\n3,c\n", 4, "text follows a closing quote"],
        ["k,m\n1,\"b\" \n", 2, "text follows a closing quote"],
        ["k,m\n1,b\"c\n", 2, "a quote stands inside a field without quotes"],
        [`k,m\n1,"open\n${"x".repeat(1_000_001)}`, 2, "longer than 1,000,000 bytes"]
      ] as const,
      ([text, line, problem]) =>
        Effect.forEach([3, 1_000_000_000], (size) =>
          Effect.gen(function*() {
            if (text.length > 1000 && size === 3) return
            const failed = yield* Effect.flip(rowsOf(text, size))
            assert.strictEqual(failed.line, line, text.slice(0, 40))
            assert.include(failed.problem, problem)
          })),
      { discard: true }
    ))

  it.effect("that is not UTF-8 fails before its keys can be read as others", () =>
    Effect.gen(function*() {
      for (const bytes of [[0x6b, 0xc7, 0xd1, 0x0a], [0x6b, 0xe2, 0x82]]) {
        const failed = yield* Effect.flip(Stream.runDrain(csv.rows(Stream.make(Uint8Array.from(bytes)))))
        assert.include(failed.problem, "not UTF-8")
      }
    }))

  it.scopedLive("with an open quote pays nothing, whatever stands before it", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const text = `key,to,amount,memo\na,${receiver},1,\nb,${receiver},1,"open\nc,${receiver},1,\n`
        const failed = yield* Effect.flip(planOf(text, from))
        assert.deepStrictEqual(failed._tag, "InvalidInput")
        assert.include(failed.message, "line 3: a quote is opened here and never closed")
        const missing = yield* Effect.flip(planOf("key,to\n", from))
        assert.include(missing.message, "the first line names no column amount")
        assert.deepStrictEqual(yield* Backend.payments, [])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("has keys and memos exactly as pay takes them", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.pay({ ...Backend.order("é 1", from, klay), memo: " hi " })
        const plan = yield* planOf(`key,to,amount,memo\né 1, ${receiver} , 1 , hi \n`, from)
        assert.deepStrictEqual([plan.problems, plan.counts.known], [[], 1])
      }).pipe(Effect.provide(Backend.process()))
    })))
})
