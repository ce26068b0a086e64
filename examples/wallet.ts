/** A payment from a wallet: create an account, plan, review, send, and handle each of the five possible outcomes. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as SendOutcome from "@effect-klaytn/wallet/SendOutcome"
import type { SendPlan } from "@effect-klaytn/wallet/SendPlan"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Match from "effect/Match"
import assert from "node:assert/strict"

const klay = 10n ** 18n

/** What a look-up on the chain says about a send whose answer was lost. */
const verdict = SendOutcome.SendVerdict.$match({
  Executed: ({ transaction }) => `it happened: ${transaction.transactionHash}`,
  Waiting: ({ transaction }) => `it is on its way: ${transaction.transactionHash}`,
  Superseded: ({ transaction }) => `it never happens: ${transaction.transactionHash} took its nonce`,
  NotExecuted: () => "nothing so far; the same send with the same nonce may be made again",
  Ambiguous: ({ why }) => `ask a person: ${why}`
})

/** Every outcome of a send, and what to do about it. Leaving one out is a type error. */
const next = Match.type<SendOutcome.SendOutcome>().pipe(Match.tagsExhaustive({
  Sent: ({ paidBy, transactionHash }) =>
    Effect.succeed(
      `sent as ${transactionHash}, ${
        paidBy._tag === "AsAsked" ? "the fee is paid for me" : "who pays the fee is to be looked at"
      }`
    ),
  SignedOnly: ({ rlp }) => Effect.succeed(`signed only: keep these ${(rlp.length - 2) / 2} bytes, submit them later`),
  Pending: ({ transactionId }) => Effect.succeed(`waits for the other signatures of ${transactionId}`),
  NotSent: ({ reason }) => Effect.succeed(`nothing was sent (${reason._tag}): repair it and send again`),
  SendUnknown: (unknown) =>
    unknown.reconcile.pipe(
      Effect.map((found) => `the answer was lost; ${verdict(found)}`),
      Effect.catchTag("LookupFailed", ({ problem }) => Effect.succeed(`the answer was lost; look again: ${problem}`))
    )
}))

const program = Effect.gen(function*() {
  const { control, chains } = yield* Sandbox.Sandbox
  const wallet = yield* Wallet.Wallet
  const chain = chains.chain(1001)

  const shop = yield* wallet.createAccount
  const supplier = yield* wallet.createAccount
  yield* chain.fund(shop.address, 20n * klay)

  const pay = (value: bigint, more: Partial<Wallet.SendValueInput> = {}) =>
    wallet.plan({ from: shop.address, to: supplier.address, value, payer: FeeDelegation.service, ...more })
  const send = (plan: SendPlan) => Effect.flatMap(SendOutcome.settle(wallet.execute(plan)), next)
  const lines: Array<string> = []
  const tell = (line: string) => Effect.sync(() => lines.push(line) && console.log(line))

  // The plan describes the payment in words. Nothing is sent until it is executed.
  const plan = yield* pay(3n * klay / 2n, { memo: "a crate of apples" })
  console.log(plan.preview)
  yield* tell(yield* send(plan))

  yield* tell(yield* send(yield* pay(klay, { submit: false })))

  // More than the policy allows: refused before anything is sent.
  yield* tell(yield* send(yield* pay(6n * klay)))

  // The connection breaks after the service has acted. A send with a nonce can be repeated without paying twice: the
  // second answer says that the nonce is taken, and the chain says by which transaction.
  const answerLost = { operation: "wallet.sendValue", action: { kind: "drop", when: "after" } } as const
  yield* control.addFault(answerLost)
  yield* tell(yield* send(yield* pay(klay, { nonce: 1 })))

  // A send without a nonce is not repeated; a look-up finds it by its content.
  yield* control.addFault(answerLost)
  yield* tell(yield* send(yield* pay(2n * klay, { memo: "order 7" })))

  const account = yield* Effect.flatten(chain.account(supplier.address))
  console.log(`${Address.checksum(supplier.address)} has ${Amount.format(account.balance)}`)
  assert.equal(account.balance, 9n * klay / 2n)
  const patterns = [
    /^sent as 0x[0-9a-f]{64}, the fee is paid for me$/,
    /^signed only: keep these \d+ bytes/,
    /^nothing was sent \(SpendRefused\)/,
    /^sent as 0x[0-9a-f]{64}, the fee is paid for me$/,
    /^the answer was lost; it happened: 0x[0-9a-f]{64}$/
  ]
  assert.equal(lines.length, patterns.length)
  for (const [at, pattern] of patterns.entries()) assert.match(lines[at] ?? "", pattern)
})

const WalletLive = Wallet.layer({ policy: { chains: [1001], maxPerTransaction: 5n * klay } }).pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

await program.pipe(
  Effect.provide(Layer.provideMerge(WalletLive, Sandbox.layer({ accounts: [] }))),
  Effect.runPromise
)
