/** A wallet account, a payment that is reviewed before it is sent, and its transfer in the history. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import type * as SendOutcome from "@effect-klaytn/wallet/SendOutcome"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Market } from "./Market.js"
import { Narrator, Unexpected } from "./Narrator.js"
import type { Step } from "./Step.js"
import { balanceOf, klay, layer } from "./Wallets.js"

/** The first KLAY that a new account receives: its history is polled until the transfer is there. */
const arrival = (address: string) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    return yield* history.getTransfersByEoa.items({ address, only: "to", kinds: ["coin"] }).pipe(
      Stream.repeat(Schedule.spaced("20 millis")),
      Stream.filter((transfer) => transfer._tag === "CoinTransfer"),
      Stream.take(1),
      Stream.runCollect,
      Effect.map(Chunk.unsafeHead),
      Effect.timeoutFail({
        duration: "10 seconds",
        onTimeout: () => new Unexpected({ message: "the payment does not appear in the history" })
      })
    )
  })

export const walletSend: Step = {
  title: "A wallet: plan a payment, look at it, send it, and see it arrive",
  run: Effect.gen(function*() {
    const { control, chains } = yield* Sandbox.Sandbox
    const thief = yield* Address.make((yield* Market).bob.address)
    const wallet = yield* Wallet.Wallet
    const { expect, say } = yield* Narrator

    const shop = yield* wallet.createAccount
    const supplier = yield* wallet.createAccount
    yield* say(`created ${Address.checksum(shop.address)} in pool ${shop.krn.resource}`)
    const listed = yield* Effect.map(
      Stream.runCollect(wallet.getAccounts.items({ size: 1 })),
      (accounts) => Chunk.toReadonlyArray(accounts).map(({ address }) => address)
    )
    yield* expect("two accounts were made, and two are listed", listed, [supplier.address, shop.address])
    yield* chains.chain(1001).fund(shop.address, 10n * klay)

    const payment = { from: shop.address, to: supplier.address, payer: FeeDelegation.service }
    yield* control.clearRequests
    const plan = yield* wallet.plan({ ...payment, value: 3n * klay / 2n, memo: "a crate of apples" })
    for (const line of plan.preview.split("\n")) yield* say(`| ${line}`)

    const request = plan.request._tag === "Value" ? { ...plan.request, to: thief } : plan.request
    const forged = yield* Effect.flip(wallet.execute({ ...plan, request })).pipe(
      Effect.mapError(() => new Unexpected({ message: "a plan that was changed was sent" }))
    )
    yield* expect("a plan whose receiver was changed is refused", reasonOf(forged), "PlanChanged")
    const much = yield* Effect.flip(wallet.sendValue({ ...payment, value: 6n * klay }))
      .pipe(Effect.mapError(() => new Unexpected({ message: "more was sent than the policy allows" })))
    yield* expect("more than the policy allows is refused", reasonOf(much), "SpendRefused")
    yield* expect("and the service has heard of none of it", (yield* control.requests()).length, 0)

    const globalPayer = yield* Address.make(chains.account("global fee payer").address)
    const before = yield* balanceOf(globalPayer)
    const watching = yield* Effect.fork(arrival(supplier.address))
    const sent = yield* wallet.execute(plan)
    if (sent._tag !== "Sent") return yield* new Unexpected({ message: `the payment ended as ${sent._tag}` })
    yield* say(`sent as ${sent.transactionHash}`)
    const seen = yield* Fiber.join(watching)
    yield* say(`the history shows ${Amount.format(seen.value)} from ${Address.checksum(seen.from)}`)
    yield* expect("it arrived under the hash that was told", seen.transactionHash, sent.transactionHash)
    yield* expect("with the amount of the plan", [seen.from, seen.value], [shop.address, 3n * klay / 2n])
    yield* expect("the chain took exactly that from the sender", yield* balanceOf(shop.address), 17n * klay / 2n)
    yield* expect("the service paid the fee", [sent.paidBy, before - (yield* balanceOf(globalPayer))], [
      { _tag: "AsAsked", address: globalPayer },
      seen.fee
    ])
    yield* expect("it was asked for once", (yield* control.requests({ operation: "wallet.sendValue" })).length, 1)
  }).pipe(Effect.provide(layer))
}

const reasonOf = (end: SendOutcome.NotSent | SendOutcome.SendUnknown): string =>
  end._tag === "NotSent" ? end.reason._tag : end._tag
