import * as Address from "@effect-klaytn/core/Address"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type * as Payout from "../src/Payout.js"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const { klay, order } = Backend

const tags = ({ history }: Payout.PayoutWithHistory) => history.map(({ state }) => state._tag)

/** The next requests that send a value meet a fault. */
const fault = (
  action: Sandbox.Sandbox["Type"]["control"]["addFault"] extends (fault: infer F) => unknown ? F : never
) => Effect.flatMap(Sandbox.Sandbox, ({ control }) => control.addFault(action))

const pay = (input: Payouts.PayInput) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.pay(input))
const get = (key: string) => Effect.flatMap(Payouts.Payouts, (payouts) => payouts.get(key))

describe("a payout", () => {
  it.scopedLive("is made once for a key, however often it is asked for, and everyone is told its end", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const asked = yield* Effect.all([1, 2, 3].map(() => pay(order("order-1", from))), {
          concurrency: "unbounded"
        })
        const [payment, ...more] = yield* Backend.payments
        assert.deepStrictEqual(more, [])
        for (const { state } of [...asked, yield* pay(order("order-1", from))]) {
          assert.deepInclude(state, { _tag: "Executed", attempt: 1, nonce: 1 })
          if (state._tag !== "Executed") continue
          assert.deepStrictEqual([state.transactionHash, state.block], [payment?.hash, payment?.block])
        }
        assert.deepStrictEqual(tags(yield* get("order-1")), ["Reserved", "Sending", "Sent", "Executed"])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("with another content under its key is refused, and the error names what differs", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        yield* pay(order("order-1", from))
        const error = yield* Effect.flip(pay({ ...order("order-1", from, 6n), memo: "more" }))
        assert.deepInclude(error, { _tag: "KeyConflict", key: "order-1" })
        assert.include(error.message, "amount is 0.000000000000000005 KLAY, not 0.000000000000000006 KLAY")
        assert.include(error.message, "memo is none, not \"more\"")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("is not made by a service whose options have a time that can't be read", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const options = { stuckAfter: "soon" } as unknown as Payouts.Options // as a program without types may pass it
      const error = yield* Effect.flip(Layer.build(Backend.process(options)))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.include(error.message, "expected a finite duration")
    })))

  it.scopedLive("that can't be right is refused before anything is stored", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        // A variation selector, two Hangul fillers, a joiner, a Braille blank and a line separator can't be seen.
        const unseen = [0xfe0f, 0x3164, 0x115f, 0x34f, 0x2800, 0x2028].map((code) => `a${String.fromCodePoint(code)}`)
        const keys = ["", "a\nb", ...unseen].map((key) => order(key, from))
        for (const bad of [...keys, order("a", "0x12"), order("a", from, -1n)]) {
          assert.strictEqual((yield* Effect.flip(pay(bad)))._tag, "InvalidInput")
        }
        const payouts = yield* Payouts.Payouts
        for (
          const untyped of [undefined, null, "order-1", [], {}, { key: 1 }, { key: "a" }, { key: "a", request: 5 }]
        ) {
          const input = untyped as unknown as Payouts.PayInput // as a program without types may pass it
          const calls: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
            payouts.pay(input),
            payouts.submit(input),
            payouts.check(input)
          ]
          for (const call of calls) assert.strictEqual((yield* Effect.flip(call))._tag, "InvalidInput")
        }
        const { items } = yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.list())
        assert.deepStrictEqual(items, [])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose answer was lost is looked up, and not sent again", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        yield* fault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when: "after" } })
        const { state } = yield* pay(order("order-1", from))
        assert.strictEqual(state._tag, "Executed")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose requests were lost is looked up, and sent again with the same nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        yield* fault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when: "before" } })
        const { state } = yield* pay(order("order-1", from))
        assert.deepInclude(state, { _tag: "Executed", attempt: 1, nonce: 1 })
        assert.deepStrictEqual(tags(yield* get("order-1")), [
          "Reserved",
          "Sending",
          "Unknown",
          "Reserved",
          "Sending",
          "Sent",
          "Executed"
        ])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("that a frozen wallet refuses waits: it is neither refused nor cancelled, nor asked for again and again", () => {
    const warnings = Backend.errorLines(LogLevel.Warning)
    return Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        yield* pay(order("order-1", from))
        const frozen = {
          kind: "answer",
          status: 400,
          code: 1069423,
          message: "[NotPermitted]the wallet is frozen"
        } as const
        yield* fault({ operation: "wallet.sendValue", times: 100, action: frozen })
        yield* Effect.fork(pay(order("order-2", from)))
        const events = Effect.map(get("order-2"), ({ history }) => history.map(({ event }) => event._tag))
        const asked = ["Reserved", "SendBegun", "Unclear"]
        yield* events.pipe(
          Effect.filterOrFail((seen) => seen.includes("Unclear")),
          Effect.retry({ times: 500, schedule: Schedule.spaced("20 millis") })
        )
        // Many times the interval in which a payout looks for its transaction.
        yield* Effect.sleep("1 second")
        assert.deepStrictEqual(yield* events, asked)
        const told = warnings.lines.filter((line) => line.startsWith("payout order-2 waits"))
        assert.strictEqual(told.length, 1)
        assert.include(told[0], "the wallet is frozen")
      }).pipe(Effect.provide(Backend.process()), warnings.use)
    }))
  })

  it.scopedLive("that is refused for its funds is refused once a block holds another transaction with its nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const refused = yield* pay(order("much", from, 10n ** 30n))
        assert.deepInclude(refused.state, { _tag: "Refused", reason: "InsufficientFunds" })
        const { history } = yield* get("much")
        assert.deepStrictEqual(history.map(({ event }) => event._tag), [
          "Reserved",
          "SendBegun",
          "Denied",
          "Absent",
          "SendBegun",
          "Unclear",
          "Overtaken"
        ])
        const { state } = yield* pay(order("little", from))
        assert.deepInclude(state, { _tag: "Executed", nonce: 2 })
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose requests are all delivered twice is paid once", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const all = yield* Effect.forEach(["a", "b", "c"], (key) => pay(order(key, from)), { concurrency: "unbounded" })
        assert.deepStrictEqual(all.map(({ state }) => state._tag), ["Executed", "Executed", "Executed"])
        assert.strictEqual((yield* Backend.payments).length, 3)
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, Backend.twice)))
    })))

  it.scopedLive("whose nonce a stranger took is planned anew with another, and shows both attempts", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const stranger = yield* Backend.stranger
      yield* Effect.gen(function*() {
        yield* pay(order("order-1", from))
        for (let i = 0; i < 3; i++) {
          yield* stranger.sendValue({ from, to: Backend.aside, value: 3n, payer: FeeDelegation.service })
        }
        const { state } = yield* pay(order("order-2", from))
        // The second attempt knows all that the stranger sent.
        assert.deepInclude(state, { _tag: "Executed", attempt: 2, nonce: 5 })
        const superseded = (yield* get("order-2")).history.find(({ state }) => state._tag === "Superseded")
        assert.deepInclude(superseded?.state, { attempt: 1, nonce: 2 })
        assert.strictEqual((yield* Backend.payments).length, 2)
      }).pipe(Effect.provide(Backend.process()))
    })))
})

/** The transactions of an account with their nonces, by receiver: to itself, or to another account. */
const sentBy = (from: string) =>
  Effect.gen(function*() {
    const chain = (yield* Sandbox.Sandbox).chains.chain(1001)
    const { number: newest } = yield* chain.head
    const blocks = yield* Effect.forEach(Array.from({ length: newest + 1 }, (_, block) => block), chain.transactionsOf)
    return blocks.flat().filter((one) => one.from === from).map(({ nonce, to, value }) =>
      `${nonce} ${to === undefined ? "none" : to === from ? "itself" : "another"} ${value}`
    )
  })

describe("a fresh account", () => {
  it.scopedLive("is opened by a transaction of no value to itself, and pays after that", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        const all = yield* Effect.forEach(["a", "b", "c"], (key) => pay(order(key, from)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(all.map(({ state }) => state._tag), ["Executed", "Executed", "Executed"])
        assert.deepStrictEqual(yield* sentBy(from), ["0 itself 0", "1 another 5", "2 another 5", "3 another 5"])
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose opening is delivered twice pays once for each key", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      yield* Effect.gen(function*() {
        const all = yield* Effect.forEach(["a", "b"], (key) => pay(order(key, from)), { concurrency: "unbounded" })
        assert.deepStrictEqual(all.map(({ state }) => state._tag), ["Executed", "Executed"])
        const sent = yield* sentBy(from)
        assert.deepStrictEqual(sent.filter((one) => one.includes("another")).length, 2)
        assert.isTrue(sent.every((one) => one.endsWith(" itself 0") || one.endsWith(" another 5")))
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, Backend.twice)))
    })))

  it.scopedLive("is opened by one transaction, however long that waits for a block", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account(0)
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          const sql = yield* SqlClient.SqlClient
          yield* payouts.submit(order("a", from))
          const waiting = Effect.map(payouts.nonces(from), ({ counts }) => counts.next)
          yield* Backend.until(waiting, (next) => next > 0)
          for (let time = 0; time < 3; time++) {
            // As if the process that sent it had died long ago.
            yield* sql`UPDATE klaytn_values SET value = '{"at":0,"times":1}' WHERE id LIKE 'opening%'`
            yield* Effect.sleep("300 millis")
          }
          assert.strictEqual(yield* waiting, 1)
        }).pipe(Effect.provide(Backend.process()))
      }),
      { mining: "manual" }
    ))

  it.scopedLive("counts the fee of its opening in the spend window, and asks the policy", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      const other = yield* Backend.account(0)
      const policy = {
        maxFeePerTransaction: 10n ** 18n,
        recipients: [Backend.receiver],
        window: { max: 100n, duration: "1 day" }
      } as const
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* pay(order("a", from))
        const { fee, value } = Option.getOrThrow((yield* payouts.health).spent)
        yield* pay(order("b", from))
        const after = Option.getOrThrow((yield* payouts.health).spent)
        assert.deepStrictEqual([value, after.value], [5n, 10n])
        // The opening counted beside the first payment.
        assert.strictEqual(fee, 2n * (after.fee - fee))
      }).pipe(Effect.provide(Backend.process({ policy })))
      yield* Effect.gen(function*() {
        const { state } = yield* pay(order("c", other))
        assert.deepInclude(state, { _tag: "Refused", reason: "SpendRefused" })
        assert.deepStrictEqual(yield* sentBy(other), [])
      }).pipe(Effect.provide(Backend.process({ policy: { ...policy, maxFeePerTransaction: 1n } })))
    })))

  it.scopedLive("whose opening the node refuses for what may pass pays all the same, once it is opened", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      const message = "failed to send a raw transaction to klaytn node; -32000::txpool is full"
      const refusal = { kind: "answer", status: 400, code: 1065001, message } as const
      yield* fault({ operation: "wallet.sendValue", times: 1, action: refusal })
      const { lines, use } = Backend.errorLines()
      yield* use(
        Effect.gen(function*() {
          assert.strictEqual((yield* pay(order("a", from))).state._tag, "Executed")
          assert.deepStrictEqual(yield* sentBy(from), ["0 itself 0", "1 another 5"])
          // Who watches reads why it waited.
          assert.match(lines[0] ?? "", /opening transaction is in no block: .*txpool is full/)
        }).pipe(Effect.provide(Backend.process({ stuckAfter: "1 millis" })))
      )
    })))

  it.scopedLive("whose opening is refused for good refuses its payments in words, with the way back", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account(0)
      const message = "failed to get an account"
      const refusal = { kind: "answer", status: 400, code: 1065100, message } as const
      yield* fault({ operation: "wallet.sendValue", times: 1, action: refusal })
      yield* Effect.gen(function*() {
        const { state } = yield* pay(order("a", from))
        assert(state._tag === "Refused")
        assert.match(state.problem, /could not be opened .*failed to get an account.*pay under a new key$/)
        assert.strictEqual((yield* pay(order("b", from))).state._tag, "Executed")
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("without funds for its opening refuses its payments, which were never sent", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const wallet = yield* Backend.stranger
      const { address: from } = yield* wallet.createAccount
      const { chains } = yield* Sandbox.Sandbox
      // It takes any call.
      const deployment = {
        kind: "deploy",
        from: chains.account("alice"),
        code: "0x6001600c60003960016000f300"
      } as const
      const { contractAddress: contract = "none" } = yield* chains.chain(1001).execute(deployment)
      yield* Effect.gen(function*() {
        const { state } = yield* pay({
          key: "a",
          payer: FeeDelegation.sender,
          request: { _tag: "Execute", from, to: contract, input: "0x00" }
        })
        assert(state._tag === "Refused")
        // It names the account, who was to pay for it, and the node's reason.
        assert.include(state.problem, `its account ${Address.checksum(from)} has sent nothing yet`)
        assert.match(state.problem, /whose fee the account itself pays: insufficient funds.*pay under a new key$/)
        assert.deepStrictEqual(yield* sentBy(from), [])
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("a payment that waits behind an unused nonce", () => {
  it.scopedLive("is paid: a cancellation fills the nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const gate = yield* Effect.makeLatch(true)
      const from = yield* Backend.account()
      const other = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const until = (key: string, tag: string) => Backend.until(get(key), ({ state }) => state._tag === tag)
        yield* pay(order("first", from))
        // One request at a time is sent, and that of another account is held: the next two get nonces and send nothing.
        yield* gate.close
        yield* payouts.submit(order("held", other))
        yield* until("held", "Sending")
        for (const key of ["a", "b"]) {
          yield* payouts.submit(order(key, from))
          yield* until(key, "Reserved")
        }
        assert.strictEqual((yield* payouts.cancel("a")).state._tag, "Cancelled")
        yield* gate.open
        assert.deepInclude((yield* payouts.wait("b")).state, { _tag: "Executed", attempt: 1, nonce: 3 })
        yield* payouts.wait("held")
        assert.strictEqual((yield* Backend.payments).length, 3)
      }).pipe(Effect.provide(Backend.process({ concurrency: 1 }, ":memory:", 1001, Backend.gated(gate))))
    })))
})

/** A look-up that says an account's next nonce is another one, as often as it is asked for it at a block. */
const lying = (at: "latest" | "pending", times: number, says: (next: number) => number) =>
  Effect.map(
    TransactionLookup.make().pipe(
      Effect.provide(Layer.provideMerge(Sandbox.clientConfig(1001), FetchHttpClient.layer))
    ),
    (own): TransactionLookup.Service => {
      let left = times
      return {
        ...own,
        nextNonce: (from, asked = "latest") =>
          Effect.map(own.nextNonce(from, asked), (next) => asked === at && left-- > 0 ? says(next) : next)
      }
    }
  )

describe("an account of which a node counts too many transactions", () => {
  it.scopedLive.each([["latest", 99_000], ["pending", 99_000], ["pending", 3]] as const)(
    "is asked for again, and pays with its next nonce: %s, %i too many",
    ([at, more]) =>
      Backend.onSandbox(Effect.gen(function*() {
        const from = yield* Backend.account()
        const lookup = yield* lying(at, 1, (next) => next + more)
        yield* Effect.gen(function*() {
          assert.deepInclude((yield* pay(order("a", from))).state, { _tag: "Executed", nonce: 1 })
          assert.deepInclude((yield* pay(order("b", from))).state, { _tag: "Executed", nonce: 2 })
        }).pipe(Effect.provide(Backend.process({ lookup })))
      }))
  )

  it.scopedLive("goes on once the node counts rightly, and its payments that got nonces far above are ended by cancelling", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      const far = 5_000_000
      // However often it is asked: until the payments are sent.
      let lies = true
      const own = yield* lying("latest", 0, (next) => next)
      const lookup: TransactionLookup.Service = {
        ...own,
        nextNonce: (from, at) => Effect.map(own.nextNonce(from, at), (next) => lies ? far : next)
      }
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const until = (key: string, tag: string) => Backend.until(get(key), ({ state }) => state._tag === tag)
        yield* payouts.submit(order("a", from))
        assert.deepInclude((yield* until("a", "Sent")).state, { nonce: far })
        yield* payouts.submit(order("b", from))
        assert.deepInclude((yield* until("b", "Sent")).state, { nonce: far + 1 })
        lies = false
        const { book } = yield* Backend.until(
          payouts.nonces(from),
          ({ book }) => Option.exists(book, ({ next }) => next < far)
        )
        assert.deepStrictEqual(Option.getOrThrow(book), { next: 1, open: [far, far + 1], unresolved: [], gaps: [] })
        assert.deepInclude((yield* pay(order("c", from))).state, { _tag: "Executed", nonce: 1 })
        yield* payouts.cancel("a")
        yield* payouts.cancel("b")
        assert.strictEqual((yield* payouts.wait("a")).state._tag, "Cancelled")
        assert.strictEqual((yield* payouts.wait("b")).state._tag, "Cancelled")
        assert.deepInclude((yield* pay(order("d", from))).state, { _tag: "Executed", nonce: 2 })
        assert.deepStrictEqual((yield* payouts.resetNonces(from)).counts, { mined: 3, next: 3 })
      }).pipe(Effect.provide(Backend.process({ lookup, stuckAfter: "100 millis" }, file)))
    })))

  it.scopedLive("believes no count below a nonce that a payout had in a block, as of a node that synchronises anew", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const own = yield* lying("latest", 0, (next) => next)
      let counted: number | undefined
      const lookup: TransactionLookup.Service = {
        ...own,
        nextNonce: (from, at) => Effect.map(own.nextNonce(from, at), (next) => counted ?? next)
      }
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const sql = yield* SqlClient.SqlClient
        const nextOf = Effect.map(payouts.nonces(from), ({ book }) => Option.getOrThrow(book).next)
        const set = (next: number) =>
          sql`UPDATE klaytn_values SET value = ${
            JSON.stringify({ next, open: [], unresolved: [], gaps: [] })
          } WHERE id LIKE 'nonces%'`
        assert.deepInclude((yield* pay(order("a", from))).state, { _tag: "Executed", nonce: 1 })
        assert.deepInclude((yield* pay(order("b", from))).state, { _tag: "Executed", nonce: 2 })
        // A payment that waits for a nonce far above, whose cancelling and whose waiting end only by what the node counts.
        yield* set(5000)
        yield* payouts.submit(order("c", from))
        yield* Backend.until(get("c"), ({ state }) => state._tag === "Sent")
        counted = 1
        yield* payouts.cancel("c")
        assert.include(
          (yield* Effect.flip(payouts.resetNonces(from))).message,
          "blocks settled payouts of this database up to nonce 2"
        )
        yield* Effect.sleep("4 seconds")
        assert.strictEqual(yield* nextOf, 5001)
        assert.notStrictEqual((yield* get("c")).state._tag, "Cancelled")
        counted = undefined
        assert.strictEqual((yield* payouts.wait("c")).state._tag, "Cancelled")
      }).pipe(Effect.provide(Backend.process({ lookup, stuckAfter: "100 millis" })))
    })))

  it.scopedLive("is paid from as soon as the node says what can be, and nothing is sent before", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const { lines, use } = Backend.errorLines(LogLevel.Warning)
      yield* Effect.gen(function*() {
        assert.deepInclude((yield* pay(order("a", from))).state, { _tag: "Executed", nonce: 1 })
        assert.strictEqual((yield* Backend.payments).length, 1)
        assert.include(lines.join(), "reading the next nonce of")
      }).pipe(Effect.provide(Backend.process({ lookup: yield* lying("pending", 6, (next) => next + 5000) })), use)
    })))

  it.scopedLive("has the nonces that were counted wrongly filled, several at a time", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const lookup = yield* lying("pending", 3, (next) => next + 20)
      yield* Effect.gen(function*() {
        assert.deepInclude((yield* pay(order("a", from))).state, { _tag: "Executed", nonce: 21 })
        assert.deepInclude((yield* pay(order("b", from))).state, { _tag: "Executed", nonce: 22 })
      }).pipe(Effect.provide(Backend.process({ lookup, stuckAfter: "100 millis" })))
    })))

  it.scopedLive("has a book that is shown, and reset where nothing of it is under way", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const sql = yield* SqlClient.SqlClient
        yield* pay(order("a", from))
        const book = JSON.stringify({ next: 100_001, open: [], unresolved: [], gaps: [] })
        yield* sql`UPDATE klaytn_values SET value = ${book} WHERE id LIKE 'nonces%'`
        const shown = yield* payouts.nonces(from)
        assert.deepStrictEqual(shown.counts, { mined: 2, next: 2 })
        assert.strictEqual(Option.getOrThrow(shown.book).next, 100_001)
        assert.deepStrictEqual(shown.holders, [])
        assert.strictEqual(Option.getOrThrow((yield* payouts.resetNonces(from)).book).next, 2)
        assert.deepInclude((yield* pay(order("b", from))).state, { _tag: "Executed", nonce: 2 })
        yield* sql`UPDATE klaytn_values SET value = ${
          JSON.stringify({ next: 5001, open: [5000], unresolved: [], gaps: [] })
        } WHERE id LIKE 'nonces%'`
        const { book: reset } = yield* payouts.resetNonces(from)
        assert.deepInclude(Option.getOrThrow(reset), { next: 3, open: [5000], gaps: [] })
        assert.strictEqual((yield* Effect.flip(payouts.nonces("0x12")))._tag, "InvalidInput")
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("a payment that waits behind another program's transaction", () => {
  /** A look-up that counts a transaction in the pool when a payment is planned, which the node loses then. */
  const losing = Effect.map(
    TransactionLookup.make().pipe(
      Effect.provide(Layer.provideMerge(Sandbox.clientConfig(1001), FetchHttpClient.layer))
    ),
    (own): TransactionLookup.Service => {
      // What nothing explains is asked three times.
      let left = 3
      return {
        ...own,
        nextNonce: (from, at) => {
          if (at !== "pending" || left === 0) return own.nextNonce(from, at)
          left--
          return Effect.map(own.nextNonce(from, at), (next) => next + 1)
        }
      }
    }
  )

  const submitted = (from: string) =>
    Effect.gen(function*() {
      yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("a", from)))
      yield* Backend.until(get("a"), ({ state }) => state._tag === "Sent")
      yield* Effect.sleep("1 second")
      const { control } = yield* Sandbox.Sandbox
      assert.notInclude((yield* control.requests()).map(({ method }) => method), "DELETE")
    })

  it.scopedLive("is paid after `stuckAfter` if the node has lost that transaction: a cancellation fills the nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      yield* Effect.provide(submitted(from), Backend.process({ lookup: yield* losing, stuckAfter: "1 hour" }, file))
      yield* Effect.gen(function*() {
        const { state } = yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.wait("a"))
        assert.deepInclude(state, { _tag: "Executed", attempt: 1, nonce: 2 })
        assert.deepStrictEqual(yield* sentBy(from), ["0 another 1", "1 none 0", "2 another 5"])
      }).pipe(Effect.provide(Backend.process({ stuckAfter: "100 millis" }, file)))
    })))

  it.scopedLive("waits for that transaction as long as the node has it", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account(0)
        const stranger = yield* Backend.stranger
        const payAside = stranger.sendValue({ from, to: Backend.aside, value: 3n, payer: FeeDelegation.service })
        yield* Effect.zipRight(payAside, Backend.mine)
        yield* payAside
        yield* Effect.gen(function*() {
          yield* submitted(from)
          yield* Backend.mine
          const { state } = yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.wait("a"))
          assert.deepInclude(state, { _tag: "Executed", attempt: 1, nonce: 2 })
          assert.deepStrictEqual(yield* sentBy(from), ["0 another 3", "1 another 3", "2 another 5"])
        }).pipe(Effect.provide(Backend.process({ stuckAfter: "100 millis" })))
      }),
      { mining: "manual" }
    ))
})

describe("an operator", () => {
  /** A payout whose requests and cancellations are lost. */
  const lost = (from: Parameters<typeof order>[1]) =>
    Effect.gen(function*() {
      yield* fault({ times: 1000, operation: "wallet.sendValue", action: { kind: "drop", when: "before" } })
      yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("a", from)))
      yield* Backend.until(get("a"), ({ state }) => state._tag === "Unknown")
    })

  it.scopedLive("declares that a payout was not sent: it ends, its nonce is free, and the history says so", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* lost(from)
        // The process that works on it sends again and again, and what is said while it sends does not count.
        const { state } = yield* Effect.retry(payouts.resolve("a", { _tag: "NotSent" }), Schedule.spaced("5 millis"))
        assert.strictEqual(state._tag, "Cancelled")
        assert.strictEqual((yield* get("a")).history.at(-1)?.event._tag, "DeclaredNotSent")
        yield* Effect.flatMap(Sandbox.Sandbox, ({ control }) => control.clearFaults)
        assert.deepInclude((yield* pay(order("b", from))).state, { _tag: "Executed", nonce: 1 })
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("can't declare what the chain contradicts", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* lost(from)
        const hash = `0x${"ab".repeat(32)}`
        const wrong = yield* Effect.flip(payouts.resolve("a", { _tag: "Sent", transactionHash: hash }))
        assert.include(wrong.message, "the chain shows no such transaction with nonce 1")
        assert.strictEqual(
          (yield* Effect.flip(payouts.resolve("a", { _tag: "Sent", transactionHash: "0x12" })))._tag,
          "InvalidInput"
        )
        // As a program without types could say it: never understood as "not sent".
        for (
          const unclear of [undefined, "Sent", {}, { _tag: "sent", transactionHash: hash }, { _tag: "NotSent", hash }]
        ) {
          const error = yield* Effect.flip(payouts.resolve("a", unclear as unknown as Payouts.Resolution))
          assert.strictEqual(error._tag, "InvalidInput")
        }
        assert.notInclude((yield* get("a")).history.map(({ event }) => event._tag), "DeclaredNotSent")
        assert.strictEqual((yield* Effect.flip(payouts.resolve("none", { _tag: "NotSent" })))._tag, "NoSuchPayout")
        yield* Effect.flatMap(Sandbox.Sandbox, ({ control }) => control.clearFaults)
        yield* payouts.wait("a")
        const late = yield* Effect.flip(payouts.resolve("a", { _tag: "NotSent" }))
        assert.strictEqual(late._tag, "InvalidTransition")
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("a step that fails with a defect", () => {
  it.scopedLive("is an alert and a line in the history, and the payout goes on", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const own = yield* TransactionLookup.make().pipe(
        Effect.provide(Layer.provideMerge(Sandbox.clientConfig(1001), FetchHttpClient.layer))
      )
      let calls = 0
      const lookup: TransactionLookup.Service = {
        ...own,
        byHash: (hash) => calls++ === 0 ? Effect.dieMessage("a mistake") : own.byHash(hash)
      }
      const { lines, use } = Backend.errorLines()
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* pay(order("a", from))).state._tag, "Executed")
        const { history } = yield* get("a")
        assert.strictEqual(history.filter(({ event }) => event._tag === "Faulted").length, 1)
        assert.isTrue(lines.some((line) => line.includes("a step failed, and is tried again")))
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process({ lookup })), use)
    })))
})

describe("a process that was closed", () => {
  it.scopedLive("leaves its payouts to the next one, which asks the chain before it sends", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      yield* Effect.gen(function*() {
        // It arrives, and the answer takes longer than the process lives.
        yield* fault({ operation: "wallet.sendValue", times: 10, action: { kind: "drop", when: "after" } })
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("order-1", from)))
        yield* Backend.until(get("order-1"), ({ state }) => state._tag !== "Planned" && state._tag !== "Reserved")
      }).pipe(Effect.provide(Backend.process({}, file)))
      yield* Effect.gen(function*() {
        const { state } = yield* pay(order("order-1", from))
        assert.strictEqual(state._tag, "Executed")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process({}, file)))
    })))

  it.scopedLive("leaves approvals and the spend window as they were", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      const options: Payouts.Options = {
        approveAbove: 5n * klay,
        policy: { window: { max: 10n * klay, duration: "1 day" } }
      }
      yield* Effect.gen(function*() {
        yield* pay(order("first", from, 4n * klay))
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("large", from, 6n * klay)))
        yield* Backend.until(get("large"), ({ state }) => state._tag === "WaitingForApproval")
      }).pipe(Effect.provide(Backend.process(options, file)))
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        assert.strictEqual((yield* payouts.health).waitingForApproval, 1)
        const waiting = yield* Effect.fork(payouts.wait("large"))
        yield* payouts.approve("large")
        assert.strictEqual((yield* Fiber.join(waiting)).state._tag, "Executed")
        const refused = yield* payouts.pay(order("too much", from, 1n))
        assert.deepInclude(refused.state, { _tag: "Refused", reason: "SpendRefused" })
        assert.deepStrictEqual(Option.map((yield* payouts.health).spent, ({ value }) => value), Option.some(10n * klay))
        assert.strictEqual((yield* Effect.flip(payouts.approve("large")))._tag, "InvalidTransition")
      }).pipe(Effect.provide(Backend.process(options, file)))
    })))
})

describe("cancelling", () => {
  it.scopedLive("ends a payout that waits for approval at once", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.submit(order("a", from, 2n))
        yield* Backend.until(get("a"), ({ state }) => state._tag === "WaitingForApproval")
        assert.strictEqual((yield* payouts.cancel("a")).state._tag, "Cancelled")
        assert.strictEqual((yield* payouts.pay(order("a", from, 2n))).state._tag, "Cancelled")
        assert.deepStrictEqual(yield* Backend.payments, [])
      }).pipe(Effect.provide(Backend.process({ approveAbove: 1n })))
    })))
})

/** Leaves a payout of an account waiting for its block, after another that is in one. */
const waiting = (key: string, from: Parameters<typeof order>[1], value: bigint) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    yield* payouts.submit(order("first", from))
    // The account is opened first.
    yield* Backend.until(Effect.zipRight(Backend.mine, get("first")), ({ state }) => state._tag === "Executed")
    yield* payouts.submit(order(key, from, value))
    yield* Backend.until(get(key), ({ state }) => state._tag === "Sent")
  })

describe("cancelling what was sent", () => {
  it.scopedLive("cancels it while it waits for its block, and ends as cancelled; the fee of the cancellation counts", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const { control } = yield* Sandbox.Sandbox
        const from = yield* Backend.account(0)
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* waiting("a", from, 7n)
          const before = Option.getOrThrow((yield* payouts.health).spent)
          assert.deepInclude((yield* payouts.cancel("a")).state, {
            _tag: "Sent",
            closing: { as: "Cancelled", reason: "Cancelled", problem: "an operator cancelled it", offered: false }
          })
          const cancels = Effect.map(
            control.requests(),
            (all) => all.filter(({ method }) => method === "DELETE")
          )
          yield* Backend.until(cancels, (all) => all.length > 0)
          yield* Backend.mine
          const { state } = yield* payouts.wait("a")
          assert.strictEqual(state._tag, "Cancelled")
          assert.deepStrictEqual((yield* Backend.payments).map(({ value }) => value), [5n])
          const after = Option.getOrThrow((yield* payouts.health).spent)
          assert.deepStrictEqual([before.value - after.value, after.fee], [7n, before.fee])
        }).pipe(Effect.provide(Backend.process({ policy: { window: { max: 100n, duration: "1 day" } } })))
      }),
      { mining: "manual" }
    ))

  it.scopedLive("ends as executed if the payment comes first", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account(0)
        yield* Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* waiting("a", from, 7n)
          // No cancellation arrives before the block.
          yield* fault({ times: 1000, operation: "wallet.cancel", action: { kind: "drop", when: "before" } })
          yield* payouts.cancel("a")
          yield* Backend.mine
          assert.strictEqual((yield* payouts.wait("a")).state._tag, "Executed")
          assert.deepStrictEqual((yield* Backend.payments).map(({ value }) => value), [5n, 7n])
        }).pipe(Effect.provide(Backend.process()))
      }),
      { mining: "manual" }
    ))
})

describe("a process of another chain", () => {
  it.scopedLive("does not touch a payout, and tells a person", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      const options: Payouts.Options = { approveAbove: 1n, policy: { maxPerTransaction: 10n } }
      yield* Effect.gen(function*() {
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("a", from)))
        yield* Backend.until(get("a"), ({ state }) => state._tag === "WaitingForApproval")
      }).pipe(Effect.provide(Backend.process(options, file)))
      yield* control.clearRequests
      const { lines, use } = Backend.errorLines()
      yield* Effect.gen(function*() {
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.approve("a"))
        yield* Backend.until(Effect.sync(() => lines), (all) => all.length > 0)
        assert.include(lines[0], "payout a needs attention: skipped: it is on chain 1001, this process serves 8217")
        assert.strictEqual((yield* get("a")).state._tag, "Planned")
        const refused = yield* Effect.flip(Effect.flatMap(Payouts.Payouts, (payouts) => payouts.reconcile("a")))
        assert.strictEqual(refused.message, "payout a belongs to chain 1001")
      }).pipe(Effect.provide(Backend.process(options, file, 8217)), use)
      assert.deepStrictEqual((yield* control.requests()).map(({ operation }) => operation), [])
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* pay(order("a", from))).state._tag, "Executed")
        assert.strictEqual((yield* Backend.payments).length, 1)
      }).pipe(Effect.provide(Backend.process(options, file)))
    })))
})

describe("a resolution by a process of another chain", () => {
  it.scopedLive("is refused: that chain says nothing about the payout", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const file = yield* Backend.temporaryFile
      yield* Effect.gen(function*() {
        yield* fault({ times: 1000, operation: "wallet.sendValue", action: { kind: "drop", when: "before" } })
        yield* Effect.flatMap(Payouts.Payouts, (payouts) => payouts.submit(order("a", from)))
        yield* Backend.until(get("a"), ({ state }) => state._tag === "Unknown")
      }).pipe(Effect.provide(Backend.process({}, file)))
      yield* Effect.gen(function*() {
        const refused = yield* Effect.flip(
          Effect.flatMap(Payouts.Payouts, (payouts) => payouts.resolve("a", { _tag: "NotSent" }))
        )
        assert.strictEqual(refused.message, "payout a belongs to chain 1001")
        assert.notInclude(["Cancelled", "Superseded"], (yield* get("a")).state._tag)
      }).pipe(Effect.provide(Backend.process({ policy: { maxPerTransaction: 10n } }, file, 8217)))
    })))
})

describe("reading", () => {
  it.scopedLive("lists by state in pages, and streams changes of one and of all", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const all = yield* Effect.fork(
          payouts.changes().pipe(
            Stream.filter(({ state }) => state._tag === "Executed"),
            Stream.take(3),
            Stream.runCollect
          )
        )
        yield* Effect.sleep("50 millis")
        yield* Effect.forEach(["a", "b", "c"], (key) => pay(order(key, from)))
        assert.deepStrictEqual(Chunk.toReadonlyArray(Chunk.map(yield* Fiber.join(all), ({ key }) => key)), [
          "a",
          "b",
          "c"
        ])
        const one = yield* payouts.changes("b").pipe(Stream.runCollect)
        assert.deepStrictEqual(Chunk.toReadonlyArray(Chunk.map(one, ({ event }) => event._tag)), [
          "Reserved",
          "SendBegun",
          "Accepted",
          "Found"
        ])
        const page = yield* payouts.list({ states: ["Executed"], size: 2 })
        const rest = yield* payouts.list({ states: ["Executed"], size: 2, cursor: Option.getOrThrow(page.cursor) })
        assert.deepStrictEqual([...page.items, ...rest.items].map(({ key }) => key).sort(), ["a", "b", "c"])
        assert.isTrue(Option.isNone(rest.cursor))
        assert.deepStrictEqual((yield* payouts.list({ states: ["Unknown"] })).items, [])
        assert.strictEqual((yield* Effect.flip(payouts.get("none")))._tag, "NoSuchPayout")
        const cursors = ["", "a", "99999999999999999999999 a", "{\"createdAt\":1e300,\"key\":\"a\"}"]
        for (const cursor of cursors) {
          assert.include(
            (yield* Effect.flip(payouts.list({ cursor }))).message,
            "expected the cursor of the page before"
          )
        }
      }).pipe(Effect.provide(Backend.process()))
    })))
})

describe("an accepted payment that the node lost", () => {
  /** Pays, takes the accepted payment out of the node, and returns how to count the requests for it from then on. */
  const lost = Effect.gen(function*() {
    const { control } = yield* Sandbox.Sandbox
    const payouts = yield* Payouts.Payouts
    const from = yield* Backend.account(0)
    yield* payouts.submit(order("first", from))
    yield* Backend.until(Effect.zipRight(Backend.mine, get("first")), ({ state }) => state._tag === "Executed")
    const snapshot = yield* control.chain(1001).snapshot
    yield* payouts.submit(order("a", from, 7n))
    yield* Backend.until(get("a"), ({ state }) => state._tag === "Sent")
    yield* control.chain(1001).revert(snapshot)
    yield* control.clearRequests
    return (isAsked: (operation: string) => boolean) =>
      Effect.map(control.requests(), (all) => all.filter(({ operation }) => isAsked(operation ?? "")).length)
  })

  const isSend = (operation: string) => operation === "wallet.sendValue"

  it.scopedLive("is sent again with its nonce once `stuckAfter` has passed, and is executed once", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const count = yield* lost
        yield* Backend.until(count(isSend), (sends) => sends > 0)
        yield* Backend.until(Effect.zipRight(Backend.mine, get("a")), ({ state }) => state._tag === "Executed")
        assert.deepStrictEqual((yield* Backend.payments).map(({ value }) => value), [5n, 7n])
      }).pipe(Effect.provide(Backend.process({ stuckAfter: "300 millis" }))),
      { mining: "manual" }
    ))

  it.scopedLive("is looked up and not sent again before that", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const count = yield* lost
        yield* Backend.until(count((operation) => !isSend(operation)), (lookUps) => lookUps >= 10)
        assert.strictEqual(yield* count(isSend), 0)
        assert.strictEqual((yield* get("a")).state._tag, "Sent")
      }).pipe(Effect.provide(Backend.process({ stuckAfter: "1 hour" }))),
      { mining: "manual" }
    ))
})

describe("a payment that is sent again and again", () => {
  it.scopedLive("leaves no more rows in the engine than one that is sent once", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const rows = Effect.map(
          sql<{ readonly count: number }>`
            SELECT (SELECT COUNT(*) FROM klaytn_messages) + (SELECT COUNT(*) FROM klaytn_replies) AS count`,
          ([row]) => Number(row?.count)
        )
        yield* pay(order("once", from))
        const ofOne = yield* Backend.until(rows, (count) => count === 4)
        yield* fault({ operation: "wallet.sendValue", times: 8, action: { kind: "answer", status: 503 } })
        yield* pay(order("often", from))
        assert.isAbove(tags(yield* get("often")).filter((tag) => tag === "Sending").length, 2)
        assert.strictEqual(yield* Backend.until(rows, (count) => count >= 2 * ofOne), 2 * ofOne)
      }).pipe(Effect.provide(Backend.process()))
    })))
})
