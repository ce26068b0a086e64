/** Node calls from many fibers in one request, and how many requests the service saw. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as Contract from "@effect-klaytn/node/Contract"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Market } from "./Market.js"
import { Narrator } from "./Narrator.js"
import * as Node from "./Node.js"
import type { Step } from "./Step.js"

/** The part of the token's ABI that is used; the types of arguments and results come from it. */
const abi = [{
  type: "function",
  name: "balanceOf",
  stateMutability: "view",
  inputs: [{ name: "owner", type: "address" }],
  outputs: [{ name: "", type: "uint256" }]
}] as const

const run = Effect.gen(function*() {
  const { alice, apples, bob } = yield* Market
  const { control, chains } = yield* Sandbox.Sandbox
  const { klay } = yield* KlaytnNode.KlaytnNode
  const { expect, say } = yield* Narrator
  const chain = chains.chain(1001)
  const token = yield* Contract.make({ address: apples.address, abi })

  yield* control.clearRequests
  const read = yield* Effect.all({
    block: klay.getBlockByNumber(),
    price: klay.gasPrice(),
    nonce: klay.getTransactionCount(alice.address),
    alice: klay.getBalance(alice.address),
    bob: klay.getBalance(bob.address),
    apples: token.read("balanceOf", [alice.address]),
    // A missing block fails its own call and no other.
    nowhere: Effect.either(klay.getBlockByNumber(1_000_000n))
  }, { concurrency: "unbounded" })
  const requests = yield* control.requests()

  yield* say(`block ${read.block.number}: alice has ${Amount.format(read.alice)}, bob ${Amount.format(read.bob)}`)
  for (const { id, rpcMethods = [] } of requests) yield* say(`request ${id}: ${rpcMethods.join(", ")}`)
  yield* expect("seven calls of seven fibers were one request", requests.length, 1)
  yield* expect("which named each method", requests.flatMap(({ rpcMethods = [] }) => rpcMethods).toSorted(), [
    "klay_call",
    "klay_gasPrice",
    "klay_getBalance",
    "klay_getBlockByNumber",
    "klay_getTransactionCount"
  ])
  const held = Option.getOrThrow(yield* chain.account(alice.address))
  const head = yield* chain.head
  yield* expect("balance, nonce and block are the chain's own", [read.alice, read.nonce, read.block.hash], [
    held.balance,
    held.nonce,
    head.hash
  ])
  const { data } = yield* chain.call({
    to: apples.address,
    data: `0x70a08231${alice.address.slice(2).padStart(64, "0")}`
  })
  yield* expect("the token's balance is what the EVM answers", read.apples, BigInt(data))
  yield* expect(
    "the block that is not there failed alone",
    Either.match(read.nowhere, { onLeft: ({ _tag }) => _tag, onRight: () => "no failure" }),
    "BlockNotFound"
  )
})

export const batch: Step = {
  title: "A node's methods, typed, from many fibers in one request",
  run: Effect.provide(run, Node.layer)
}
