/** Two transactions, built and signed here, reach a node in the wrong order. */
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as Confirmation from "@effect-klaytn/node/Confirmation"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Receipt from "@effect-klaytn/node/Receipt"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Result from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { Market } from "./Market.js"
import { Narrator } from "./Narrator.js"
import * as Node from "./Node.js"
import type { Step } from "./Step.js"

const chainId = 1001

/** A signed transaction and its hash, which is known before it is sent. */
const payment = (from: DevAccount.DevAccount, to: DevAccount.DevAccount, nonce: bigint, gasPrice: bigint) =>
  Result.flatMap(
    Result.flatMap(
      Transaction.make({
        type: "ValueTransferMemo",
        from: from.address,
        to: to.address,
        value: 10n ** 17n,
        input: "0x6170706c6573",
        nonce,
        gas: 100_000n,
        gasPrice
      }),
      (unsigned) => Transaction.signAsSender(unsigned, { chainId, privateKey: DevAccount.revealPrivateKey(from) })
    ),
    (signed) =>
      Result.flatMap(
        Transaction.encode(signed),
        (raw) => Result.map(Transaction.hash(signed), (hash) => ({ hash, raw }))
      )
  )

const given = <A>(result: Result.Result<A>) => result.ok ? Effect.succeed(result.value) : Effect.fail(result.error)

const run = Effect.gen(function*() {
  const { alice, bob } = yield* Market
  const { chains } = yield* Sandbox.Sandbox
  const { klay } = yield* KlaytnNode.KlaytnNode
  const { expect, say } = yield* Narrator
  const before = yield* klay.getBalance(bob.address)
  const nonce = yield* klay.getTransactionCount(alice.address)
  const price = yield* klay.gasPrice()
  const first = yield* given(payment(alice, bob, nonce, price))
  const second = yield* given(payment(alice, bob, nonce + 1n, price))

  const accepted = yield* klay.sendRawTransaction(second.raw)
  yield* say(`nonce ${nonce + 1n} is sent: ${accepted}`)
  yield* expect<string>("the node's hash is the one that was computed here", accepted, second.hash)
  const early = yield* klay.getTransactionReceipt(second.hash)
  yield* expect("it waits for the nonce before it, so it has no receipt", Option.isNone(early), true)

  const waiting = yield* Effect.fork(
    Confirmation.waitForReceipt(second.hash, { pollInterval: "50 millis", within: "10 seconds" })
  )
  yield* klay.sendRawTransaction(first.raw)
  yield* say(`nonce ${nonce} is sent: ${first.hash}`)
  const receipt = yield* Fiber.join(waiting)
  yield* say(`block ${receipt.blockNumber}: ${receipt._tag}, ${receipt.gasUsed} gas`)

  const record = Option.getOrThrow(yield* chains.chain(chainId).transaction(second.hash))
  yield* expect(
    "the receipt is the chain's",
    [receipt._tag, Receipt.isSuccess(receipt), receipt.blockHash, receipt.gasUsed],
    ["ValueTransferMemo", true, record.blockHash, record.gasUsed]
  )
  yield* expect("bob has both payments", yield* klay.getBalance(bob.address), before + 2n * 10n ** 17n)
  const again = yield* klay.sendRawTransaction(second.raw)
  yield* expect<string>("sent once more, the truth is told: it is there, under this hash", again, second.hash)
})

export const raw: Step = {
  title: "A raw transaction, signed here and followed to its receipt",
  run: Effect.provide(run, Node.layer)
}
