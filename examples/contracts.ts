/**
 * Contracts from Effect alone: a contract is created and called with a key, its events are followed, many values are read in
 * few requests, and a payment whose fee another account pays is sent.
 */
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import { accountMethods } from "@effect-klaytn/node/AccountMethods"
import * as Contract from "@effect-klaytn/node/Contract"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Signer from "@effect-klaytn/node/Signer"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"

const klay = 10n ** 18n

/** A contract whose every function returns 42. */
const bytecode = "0x600a600c600039600a6000f3602a60005260206000f3"
const answers = ["function answer() view returns (uint256)"] as const

const token = [
  "function balanceOf(address owner) view returns (uint256)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"
] as const

const keyOf = (account: DevAccount.DevAccount) => Redacted.make<string>(DevAccount.revealPrivateKey(account))

const program = Effect.gen(function*() {
  const { chains, control } = yield* Sandbox.Sandbox
  const chain = control.chain(1001)
  yield* chain.createAccount({ name: "alice", amount: 10n * klay })
  yield* chain.createAccount({ name: "carol", amount: 10n * klay })
  const deployed = yield* chain.deploy({ kind: "ft", from: "alice", name: "Apple", symbol: "APL", decimals: 2 })
  yield* chain.mint(deployed.address, { kind: "ft", from: "alice", to: "alice", amount: 1000n })
  const alice = chains.account("alice")
  const carol = chains.account("carol")
  const signer = yield* Signer.fromKeys({ privateKeys: [keyOf(alice)] })
  const quick = { pollInterval: "50 millis" } as const

  // A contract of our own: created, then read.
  const { contract } = yield* Contract.deploy({ abi: answers, bytecode, args: [], signer, ...quick })
  assert.equal(yield* contract.read("answer", []), 42n)

  // A token: simulated, written to, and its event decoded from the receipt.
  const apples = yield* Contract.make({ address: deployed.address, abi: token })
  const before = yield* Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.klay.blockNumber())
  const { gas, result } = yield* apples.simulate("transfer", [carol.address, 40n], { from: alice.address })
  console.log(`a transfer would return ${result} and needs ${gas} gas`)
  const { events } = yield* apples.write("transfer", [carol.address, 40n], { signer, ...quick })
  assert.deepEqual(events.map(({ args }) => args.value), [40n])

  // What the contract refuses is known before anything is sent.
  const refused = yield* Effect.flip(apples.write("transfer", [carol.address, 10n ** 9n], { signer, ...quick }))
  assert.match(refused.message, /KIP7: transfer amount exceeds balance/)

  // Carol pays the fee of a payment by alice.
  const sponsored = yield* Signer.fromKeys({
    privateKeys: [keyOf(alice)],
    feePayer: { privateKeys: [keyOf(carol)] }
  })
  const { receipt } = yield* sponsored.send({ to: carol.address, value: klay }, quick)
  console.log(`${receipt._tag} in block ${receipt.blockNumber}`)
  assert.equal(receipt._tag, "FeeDelegatedValueTransfer")

  // Several sends at once take one nonce after the other.
  const many = yield* Effect.all(
    [1n, 2n, 3n].map((value) => signer.send({ to: carol.address, value }, quick)),
    { concurrency: "unbounded" }
  )
  assert.equal(new Set(many.map((one) => one.transactionHash)).size, 3)

  // The same events by name and receiver, and as pages without gaps.
  const found = yield* apples.events("Transfer", { fromBlock: 0n, where: { to: carol.address } }).pipe(
    Stream.runFold(0n, (sum, { args }) => sum + args.value)
  )
  const page = yield* Stream.runHead(apples.follow({ fromBlock: before + 1n }))
  const { events: followed, next } = yield* page
  console.log(`${followed.length} events; go on from block ${next}`)
  assert.deepEqual([found, followed.length], [40n, 1])

  // Many reads: at one block of contracts, and a thousand in a request of anything else.
  const { results } = yield* Contract.readAll([
    apples.call("balanceOf", [alice.address]),
    apples.call("balanceOf", [carol.address]),
    contract.call("answer", [])
  ])
  assert.deepEqual(results.map((one: Either.Either<bigint, unknown>) => Either.getOrNull(one)), [960n, 40n, 42n])
  const node = yield* KlaytnNode.KlaytnNode
  const balances = yield* node.runEach(
    accountMethods.getBalance,
    Array.from({ length: 2500 }, (_, i) => [`0x${(i + 1).toString(16).padStart(40, "0")}`] as const)
  )
  assert.equal(balances.filter(Either.isRight).length, 2500)
})

const Node = KlaytnNode.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

await Effect.runPromise(Effect.provide(program, Layer.provideMerge(Node, Sandbox.layer())))
