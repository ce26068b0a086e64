import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as intents from "../../src/internal/plans/transactionIntent.js"
import * as reconciling from "../../src/internal/sends/reconcile.js"
import { type FoundTransaction, LookupFailed, SendVerdict } from "../../src/SendOutcome.js"
import type { SendRecord } from "../../src/SendRecord.js"
import type * as TransactionLookup from "../../src/TransactionLookup.js"
import type { TransactionRequest } from "../../src/TransactionRequest.js"
import { has } from "../support/assertions.js"
import { planOf } from "../support/plans.js"
import * as Records from "../support/records.js"

const alice = Either.getOrThrow(Address.make(Records.alice))
const bob = Either.getOrThrow(Address.make(Records.bob))
const hash = Either.getOrThrow(Hash.make(Records.hash))

/** The hash of a transaction that a node accepted, and lost. */
const lostHash = Either.getOrThrow(Hash.make(`0x${"1057".repeat(16)}`))

const value = Schema.decodeSync(Amount.Peb)(10n ** 18n)

const payment: TransactionRequest = { _tag: "Value", from: alice, to: bob, value }

/** A send of a payment, whose nonce is known or not. */
const owner = (nonce?: number, request: TransactionRequest = payment): reconciling.Owner => ({
  intent: intents.make({ request, chain: 1001, nonce }),
  nonce
})

/** The payment on the chain. */
const mined = (nonce: number, more: Partial<FoundTransaction> = {}): FoundTransaction => ({
  transactionHash: hash,
  from: alice,
  nonce,
  typeInt: 8,
  to: bob,
  value,
  input: "0x",
  key: undefined,
  feePayer: undefined,
  state: "succeeded",
  ...more
})

const failed = new LookupFailed({ problem: "no node" })

/** Only these questions may be asked. */
const lookup = (answers: Partial<TransactionLookup.Service>): TransactionLookup.Service => ({
  nextNonce: () => Effect.dieMessage("the next nonce was not to be asked for"),
  byHash: () => Effect.dieMessage("the hash was not to be looked up"),
  byNonce: () => Effect.dieMessage("the nonce was not to be looked up"),
  byNonces: () => Effect.dieMessage("nonces were not to be looked up"),
  ...answers
})

const reconcile = (answers: Partial<TransactionLookup.Service>, question: Partial<reconciling.PendingSend> = {}) =>
  reconciling.reconcile(lookup(answers), {
    owner: owner(),
    nonces: { next: 7, afterWaiting: 7 },
    hash: undefined,
    claims: new reconciling.Claims(),
    ...question
  })

/** Where the account is now, and what it sent since it stood at 7. */
const since = (...transactions: ReadonlyArray<FoundTransaction>): Partial<TransactionLookup.Service> => ({
  nextNonce: () => Effect.succeed(7 + transactions.length),
  byNonces: (_, nonces) => Effect.succeed(transactions.filter(({ nonce }) => nonces.includes(nonce)))
})

const others = (count: number, first = 7) =>
  Array.from({ length: count }, (_, index) => mined(first + index, { value: 5n }))

describe("a send with a nonce", () => {
  const free: Partial<TransactionLookup.Service> = {
    byNonce: () => Effect.succeedNone,
    nextNonce: () => Effect.succeed(7)
  }
  const taken = (transaction: FoundTransaction): Partial<TransactionLookup.Service> => ({
    byNonce: () => Effect.succeed(Option.some(transaction))
  })

  it.effect("is the transaction of the hash that was named, in a block or waiting", () =>
    Effect.gen(function*() {
      for (
        const [state, verdict] of [
          ["waiting", SendVerdict.Waiting({ transaction: mined(7, { state: "waiting" }) })],
          ["failed", SendVerdict.Executed({ transaction: mined(7, { state: "failed" }), certainty: "nonce" })]
        ] as const
      ) {
        const byHash = () => Effect.succeed(Option.some(mined(7, { state })))
        assert.deepStrictEqual(yield* reconcile({ byHash }, { owner: owner(7), hash }), verdict)
      }
    }))

  it.effect("is not the transaction of the hash if that has another nonce or content, or is another send's", () =>
    Effect.gen(function*() {
      const claims = new reconciling.Claims()
      claims.claim(alice, 7, owner())
      for (
        const [found, more] of [
          [mined(8), {}],
          [mined(7, { value: 5n }), {}],
          [mined(7), { claims }]
        ] as const
      ) {
        const byHash = () => Effect.succeed(Option.some(found))
        assert.deepStrictEqual(
          yield* reconcile({ byHash, ...free }, { owner: owner(7), hash, ...more }),
          SendVerdict.NotExecuted({ nextNonce: 7 })
        )
      }
    }))

  it.effect("is looked for by its nonce where the hash is not known or can't be looked up", () =>
    Effect.gen(function*() {
      for (const byHash of [() => Effect.succeedNone, () => failed]) {
        assert.deepStrictEqual(
          yield* reconcile({ byHash, ...taken(mined(7)) }, { owner: owner(7), hash }),
          SendVerdict.Executed({ transaction: mined(7), certainty: "nonce" })
        )
      }
    }))

  it.effect("without a hash is what took the nonce, or was superseded by it", () =>
    Effect.gen(function*() {
      const other = mined(7, { value: 5n })
      assert.deepStrictEqual(
        yield* reconcile(taken(other), { owner: owner(7) }),
        SendVerdict.Superseded({ transaction: other })
      )
    }))

  it.effect("is not told from what took the nonce and looks the same, when another send was told of that", () =>
    Effect.gen(function*() {
      const claims = new reconciling.Claims()
      claims.claim(alice, 7, owner())
      has(yield* reconcile(taken(mined(7)), { owner: owner(7), claims }), {
        _tag: "Ambiguous",
        transactions: [mined(7)]
      })
      const other = mined(7, { value: 5n })
      assert.deepStrictEqual(
        yield* reconcile(taken(other), { owner: owner(7), claims }),
        SendVerdict.Superseded({ transaction: other })
      )
    }))

  it.effect("that nobody can tell from what took the nonce is shown beside it", () =>
    Effect.gen(function*() {
      const update = owner(7, { _tag: "AccountUpdate", from: alice, accountKey: { type: "AccountKeyLegacy" } })
      const found = mined(7, { typeInt: 32, to: undefined, value: 0n })
      has(yield* reconcile(taken(found), { owner: update }), { _tag: "Ambiguous", transactions: [found] })
    }))

  it.effect("that nothing took the nonce of is not executed, also where the account's next nonce can't be had", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* reconcile({ ...free, nextNonce: () => failed }, { owner: owner(7) }),
        SendVerdict.NotExecuted({ nextNonce: undefined })
      )
    }))
})

describe("a send without a nonce", () => {
  it.effect("is searched among 16 transactions and no more, those of other sends not counted", () =>
    Effect.gen(function*() {
      const claims = new reconciling.Claims()
      const found = yield* reconcile(since(...others(15), mined(22)), { claims })
      assert.deepStrictEqual(found, SendVerdict.Executed({ transaction: mined(22), certainty: "content" }))
      assert.deepStrictEqual(
        yield* reconcile(since(...others(16), mined(23))),
        SendVerdict.Ambiguous({ transactions: [], why: "the account has sent 17 transactions since" })
      )
      const known = new reconciling.Claims()
      for (let nonce = 7; nonce < 7 + 144; nonce++) known.claim(alice, nonce, owner())
      const behindThem = mined(7 + 159)
      const most = since(...others(159), behindThem)
      assert.deepStrictEqual(
        yield* reconcile(most, { claims: known }),
        SendVerdict.Executed({ transaction: behindThem, certainty: "content" })
      )
      assert.deepStrictEqual(
        yield* reconcile({ nextNonce: () => Effect.succeed(7 + 161) }, { claims: known }),
        SendVerdict.Ambiguous({ transactions: [], why: "the account has sent 161 transactions since" })
      )
    }))

  it.effect("is not executed where the account has sent nothing since, and nothing is searched", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* reconcile({ nextNonce: () => Effect.succeed(7) }),
        SendVerdict.NotExecuted({ nextNonce: 7 })
      )
    }))

  it.effect("can't be told where the node counts fewer transactions than before the send", () =>
    Effect.gen(function*() {
      const lookupFailed = yield* Effect.flip(reconcile({ nextNonce: () => Effect.succeed(6) }))
      assert.strictEqual(
        lookupFailed.problem,
        "the node is behind: it has seen 6 transactions of the account, and nonce 6 was sent"
      )
    }))

  it.effect("can't be told where the node counts more transactions than it shows", () =>
    Effect.gen(function*() {
      const shown = since(mined(7, { value: 5n }), mined(8))
      for (const byNonces of [() => Effect.succeed([]), () => Effect.succeed([mined(8)])]) {
        const lookupFailed = yield* Effect.flip(reconcile({ ...shown, byNonces }))
        assert.include(lookupFailed.problem, "the node contradicts itself")
      }
    }))

  it.effect("is shown with what can't be told from it", () =>
    Effect.gen(function*() {
      const accountKey = { type: "AccountKeyLegacy" } as const
      const update = owner(undefined, { _tag: "AccountUpdate", from: alice, accountKey })
      const found = { typeInt: 32, to: undefined, value: 0n }
      const transactions = [mined(8, { ...found, key: "0x01c0" }), mined(7, found)]
      const verdict = yield* reconcile(since(...transactions, mined(9)), { owner: update })
      has(verdict, { _tag: "Ambiguous", transactions })
    }))

  it.effect("is not told from an equal one, and neither from one that was waiting before it", () =>
    Effect.gen(function*() {
      has(yield* reconcile(since(mined(7), mined(8))), {
        _tag: "Ambiguous",
        transactions: [mined(7), mined(8)]
      })
      const nonces = { next: 7, afterWaiting: 8 }
      has(yield* reconcile(since(mined(7)), { nonces }), { _tag: "Ambiguous", transactions: [mined(7)] })
      has(yield* reconcile(since(mined(7, { value: 5n }), mined(8)), { nonces }), { _tag: "Executed" })
    }))

  it.effect("is not executed where another send was told of its transaction while it was looked up", () =>
    Effect.gen(function*() {
      const claims = new reconciling.Claims()
      const answers = since(mined(7))
      const verdict = yield* reconcile({
        ...answers,
        byNonces: () =>
          Effect.sync(() => {
            claims.claim(alice, 7, owner())
            return [mined(7)]
          })
      }, { claims })
      assert.deepStrictEqual(verdict, SendVerdict.NotExecuted({ nextNonce: 8 }))
    }))

  it.effect("is what has the nonce that another send was told of, where the node has lost that one", () =>
    Effect.gen(function*() {
      const claims = new reconciling.Claims()
      const other = owner(undefined, { ...payment, value: Schema.decodeSync(Amount.Peb)(5n) })
      claims.claim(alice, 7, other, lostHash)
      // The answer names the nonce again: it is not believed, and the chain is asked.
      assert.isFalse(claims.claim(alice, 7, owner(), hash))
      assert.deepStrictEqual(
        yield* reconcile(since(mined(7)), { claims }),
        SendVerdict.Executed({ transaction: mined(7), certainty: "content" })
      )
    }))

  it.effect("is not told from an equal one that the node has lost, whose nonce has another hash now", () =>
    Effect.gen(function*() {
      const claims = new reconciling.Claims()
      claims.claim(alice, 7, owner(), lostHash)
      has(yield* reconcile(since(mined(7)), { claims }), { _tag: "Ambiguous", transactions: [mined(7)] })
    }))

  it.effect("is not executed where a block has what another send was told of, which is looked up once", () =>
    Effect.gen(function*() {
      const claims = new reconciling.Claims()
      claims.claim(alice, 7, owner(), hash)
      for (const answers of [since(mined(7)), { nextNonce: () => Effect.succeed(8) }]) {
        assert.deepStrictEqual(yield* reconcile(answers, { claims }), SendVerdict.NotExecuted({ nextNonce: 8 }))
      }
      claims.claim(alice, 8, owner(), lostHash)
      const { problem } = yield* Effect.flip(
        reconcile({ nextNonce: () => Effect.succeed(9), byNonces: () => Effect.succeed([]) }, { claims })
      )
      assert.include(problem, "the node shows 0 of 1 transactions")
    }))

  it.effect("of an unknown account, or where nobody knows how the account stood, has nothing to go by", () =>
    Effect.gen(function*() {
      has(
        yield* reconcile({}, {
          owner: owner(undefined, { _tag: "Rlp", rlp: Either.getOrThrow(HexEncoding.makeData("0x1234")) })
        }),
        {
          _tag: "Ambiguous",
          transactions: [],
          why: "the sender is not known"
        }
      )
      has(yield* reconcile({}, { nonces: undefined }), { _tag: "Ambiguous", transactions: [] })
    }))
})

describe("the claims of a client", () => {
  it("are kept for the accounts that sent last, and no more of them", () => {
    const claims = new reconciling.Claims()
    const account = (index: number) => Either.getOrThrow(Address.make(`0x${index.toString(16).padStart(40, "0")}`))
    for (let index = 0; index < reconciling.maxAccounts; index++) claims.claim(account(index), 7, owner(7))
    claims.claim(account(0), 8, owner(8))
    claims.claim(account(reconciling.maxAccounts), 7, owner(7))
    const isKept = (index: number) => claims.isOfAnother(account(index), 7, owner())
    assert.deepStrictEqual([0, 1, 2, reconciling.maxAccounts].map(isKept), [true, false, true, true])
  })
})

describe("a send that was kept", () => {
  const kept = (more: Omit<SendRecord, "plan"> = {}, nonce?: number) =>
    reconciling.pendingOf({ plan: planOf(payment, nonce), ...more })

  it.effect("is asked about as the program that made it would", () =>
    Effect.gen(function*() {
      const found = since(mined(7))
      has(yield* reconciling.reconcile(lookup({}), kept()), { _tag: "Ambiguous", transactions: [] })
      has(yield* reconciling.reconcile(lookup(found), kept({ nonces: { next: 7, afterWaiting: 7 } })), {
        _tag: "Executed",
        certainty: "content"
      })
      has(yield* reconciling.reconcile(lookup(found), kept({ nonces: { next: 7, afterWaiting: 8 } })), {
        _tag: "Ambiguous"
      })
      const byNonce = () => Effect.succeed(Option.some(mined(7)))
      has(yield* reconciling.reconcile(lookup({ byNonce }), kept({}, 7)), { certainty: "nonce" })
      const byHash = () => Effect.succeed(Option.some(mined(7, { state: "waiting" })))
      has(yield* reconciling.reconcile(lookup({ byHash }), kept({ hash }, 7)), { _tag: "Waiting" })
      // A nonce that the service reads as "choose one" binds nothing.
      has(yield* reconciling.reconcile(lookup(found), kept({ nonces: { next: 7, afterWaiting: 7 } }, 0)), {
        certainty: "content"
      })
    }))
})
