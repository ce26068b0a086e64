/** Who pays a fee on the sandbox, by both readings of the service's requests, and fee payers that sign anew. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sandbox from "../src/Sandbox.js"
import { balance, chain, globalPayer, hex, klay, somebody } from "./support/walletStory.js"

/** Clients that the sandbox configures, or that are configured for another style. */
const clients = (style?: FeePayerStyle) =>
  Layer.mergeAll(Wallet.layer(), Transactions.layer(), Accounts.layer()).pipe(
    Layer.provide(
      style === undefined ?
        Sandbox.clientConfig(1001) :
        Layer.unwrapEffect(Effect.map(Sandbox.Sandbox, (sandbox) =>
          ClientConfig.layer({
            chain: 1001,
            credentials: Effect.suspend(() => Credentials.fromPair(sandbox)),
            endpoints: { wallet: sandbox.url, node: sandbox.url },
            feePayerStyle: style
          })))
    ),
    Layer.provide(FetchHttpClient.layer)
  )

type Clients = Sandbox.Sandbox | Wallet.Wallet | Transactions.Transactions | Accounts.Accounts

const run = <A, E>(test: Effect.Effect<A, E, Clients>, options: Sandbox.Options = {}, style?: FeePayerStyle) =>
  Effect.provide(test, Layer.provideMerge(clients(style), Sandbox.layer(options)))

const account = (peb: bigint) =>
  Effect.gen(function*() {
    const { address } = yield* (yield* Wallet.Wallet).createAccount
    yield* (yield* chain).fund(hex(address), peb)
    return address
  })

const userPayer = Effect.gen(function*() {
  const { address } = yield* (yield* Accounts.Accounts).createFeePayer()
  yield* (yield* chain).fund(hex(address), klay)
  return address
})

describe("A value transfer that names no fee payer", () => {
  it.effect("is paid by the service, as its document says: an account can send all that it has", () =>
    run(Effect.gen(function*() {
      const from = yield* account(5n)
      const payer = yield* globalPayer
      const before = yield* balance(payer)
      const plan = yield* (yield* Wallet.Wallet).plan({ from, to: somebody, value: 5n, payer: FeeDelegation.service })
      assert.include(plan.preview, "paid by the service's global fee payer")
      const sent = yield* (yield* Wallet.Wallet).execute(plan)
      assert.deepStrictEqual<unknown>(sent.paidBy, { _tag: "AsAsked", address: payer })
      assert.deepStrictEqual([yield* balance(from), yield* balance(somebody)], [0n, 5n])
      assert.isBelow(Number(yield* balance(payer)), Number(before))
    })))

  it.effect("is paid by a fee payer of the customer if it names one", () =>
    run(Effect.gen(function*() {
      const from = yield* account(5n)
      const payer = yield* userPayer
      const sent = yield* (yield* Wallet.Wallet).sendValue({
        from,
        to: somebody,
        value: 5n,
        payer: FeeDelegation.user(payer)
      })
      assert.deepStrictEqual<unknown>(sent.paidBy, { _tag: "AsAsked", address: payer })
      assert.strictEqual(yield* balance(from), 0n)
    })))

  it.effect("can't be paid by the sender, and is refused before anything is sent", () =>
    run(Effect.gen(function*() {
      const from = yield* account(klay)
      const send = { from, to: somebody, value: 5n, payer: FeeDelegation.sender }
      const refused = yield* Effect.flip((yield* Wallet.Wallet).sendValue(send))
      assert.include(refused.message, "KLAYTN_FEE_PAYER_STYLE=paths")
      const { payer, ...request } = send
      const raw = yield* Effect.flip(
        (yield* Transactions.Transactions).send({ request: { _tag: "Value", ...request }, payer })
      )
      assert.include(raw.message, "KLAYTN_FEE_PAYER_STYLE=paths")
    })))

  it.effect("is paid by the sender where public clients are understood, and the outcome of a client that expects the document says so", () =>
    run(
      Effect.gen(function*() {
        const from = yield* account(klay)
        const sent = yield* (yield* Wallet.Wallet).sendValue({
          from,
          to: somebody,
          value: 5n,
          payer: FeeDelegation.service
        })
        assert.deepStrictEqual<unknown>(sent.paidBy, { _tag: "Other", address: from })
        assert.isBelow(Number(yield* balance(from)), Number(klay - 5n))
      }),
      { feePayerStyle: "paths" },
      "document"
    ))
})

describe("A raw transaction that its fee payer has signed before", () => {
  const flow = (payerOf: Effect.Effect<FeeDelegation.FeePayerInput, unknown, Clients>) =>
    Effect.gen(function*() {
      const transactions = yield* Transactions.Transactions
      const from = yield* account(klay)
      const payer = yield* payerOf
      const signed = yield* transactions.send({
        request: { _tag: "Value", from, to: somebody, value: 5n },
        payer,
        submit: false
      })
      if (signed._tag !== "SignedOnly") return yield* Effect.dieMessage(signed._tag)
      const request = { _tag: "Rlp", rlp: signed.rlp } as const
      const once = yield* transactions.send({ request, payer })
      const again = yield* transactions.send({ request, payer })
      if (once._tag !== "Sent" || again._tag !== "Sent") return yield* Effect.dieMessage(`${once._tag}, ${again._tag}`)
      const decoded = Transaction.decode(hex(signed.rlp))
      const hash = decoded.ok ? Transaction.hash(decoded.value) : decoded
      return { once, again, hash: hash.ok ? hash.value : undefined, moved: yield* balance(somebody) }
    })

  const ways = [
    ["the service's", Effect.succeed(FeeDelegation.service)],
    ["the customer's", Effect.map(userPayer, FeeDelegation.user)]
  ] as const
  const seeds = [["with random signatures", {}], ["with repeatable signatures", { seed: "fee payers" }]] as const

  for (const [whose, payerOf] of ways) {
    for (const [how, options] of seeds) {
      it.effect(`is sent under another hash, once, and found on a repeat: ${whose}, ${how}`, () =>
        run(
          Effect.gen(function*() {
            const { again, hash, moved, once } = yield* flow(payerOf)
            assert.isDefined(hash)
            assert.notStrictEqual<string | undefined>(once.transactionHash, hash)
            assert.strictEqual(again.transactionHash, once.transactionHash)
            assert.strictEqual(again.found?.state, "succeeded")
            assert.deepStrictEqual(again.paidBy, once.paidBy)
            assert.strictEqual(once.paidBy._tag, "AsAsked")
            assert.strictEqual(moved, 5n)
          }),
          options
        ))
    }

    it.effect(`is sent as it is where the sandbox is told so: ${whose}`, () =>
      run(
        Effect.gen(function*() {
          const { again, hash, moved, once } = yield* flow(payerOf)
          assert.strictEqual<string | undefined>(once.transactionHash, hash)
          assert.strictEqual(again.transactionHash, once.transactionHash)
          assert.strictEqual(moved, 5n)
        }),
        { feePayerSignsAnew: false }
      ))
  }
})
