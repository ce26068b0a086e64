/** Another library on this client: viem reads through the EIP-1193 provider. */
import * as Eip1193 from "@effect-klaytn/node/Eip1193"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createPublicClient, custom, formatUnits, parseAbi } from "viem"
import { kairos } from "viem/chains"
import { Market } from "./Market.js"
import { Narrator, Unexpected } from "./Narrator.js"
import * as Node from "./Node.js"
import type { Step } from "./Step.js"

const abi = parseAbi([
  "function symbol() view returns (string)",
  "function balanceOf(address owner) view returns (uint256)",
  "function transfer(address to, uint256 amount) returns (bool)"
])

const promised = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new Unexpected({ message: error instanceof Error ? error.message : String(error) })
  })

const run = Effect.gen(function*() {
  const { alice, apples, bob } = yield* Market
  const { control, chains } = yield* Sandbox.Sandbox
  const { expect, say } = yield* Narrator
  const chain = chains.chain(1001)
  const provider = yield* Eip1193.make
  const client = createPublicClient({ chain: kairos, transport: custom(provider, { retryCount: 0 }) })
  const token = { address: apples.address, abi } as const

  yield* control.clearRequests
  // The service is down for a moment; viem does not notice.
  yield* control.addFault({ operation: "node.exchange", times: 1, action: { kind: "answer", status: 503 } })
  const [block, coin, symbol, balance] = yield* promised(() =>
    Promise.all([
      client.getBlock(),
      client.getBalance({ address: alice.address }),
      client.readContract({ ...token, functionName: "symbol" }),
      client.readContract({ ...token, functionName: "balanceOf", args: [alice.address] })
    ])
  )
  const requests = yield* control.requests()
  yield* say(`viem: block ${block.number}, ${formatUnits(coin, 18)} KLAY, ${formatUnits(balance, 2)} ${symbol}`)
  yield* expect("four reads, and a repetition, were two requests", requests.map(({ status }) => status), [503, 200])

  const head = yield* chain.head
  const held = Option.getOrThrow(yield* chain.account(alice.address))
  yield* expect("what viem read is what the chain holds", [block.hash, block.timestamp, coin, symbol], [
    head.hash,
    BigInt(head.timestamp),
    held.balance,
    "APL"
  ])

  const reason = yield* promised(() =>
    client.simulateContract({
      ...token,
      functionName: "transfer",
      args: [bob.address, 10n ** 30n],
      account: alice.address
    })
      .then(() => "no failure", ({ shortMessage }: { readonly shortMessage: string }) => shortMessage)
  )
  for (const line of reason.split("\n")) yield* say(line)
  yield* expect(
    "a refusal arrives as viem words it, with the contract's reason",
    reason.split("\n").at(-1),
    "KIP7: transfer amount exceeds balance"
  )
})

export const bridge: Step = {
  title: "viem over the same client",
  run: Effect.provide(run, Node.layer)
}
