/**
 * The service that the examples use: one layer that starts a sandbox in this process, with a handful of signed
 * transactions on its testnet chain.
 */
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Scenario from "@effect-klaytn/sandbox/Scenario"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"

const seed = "examples"

/** The account whose history is searched. */
export const account: string = DevAccount.derive(seed, "alice").address

/** A fungible token it holds: the first contract that the shop deploys. */
export const token: string = "0x98fe5c67410b6af608828323cfedaecce5f1e87e"

/** A preset that does not exist. */
export const unknownPreset = 404

const apples = { do: "sendToken", token: "apples" } as const

const Transactions = Layer.effectDiscard(Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const scenarios = yield* Scenario.decode({
    accounts: [{ name: "alice", klay: "100" }, { name: "shop", klay: "100" }],
    tokens: [{ name: "apples", kind: "ft", title: "Apple", symbol: "APL", decimals: 2, deployer: "shop" }],
    steps: [
      { do: "mint", token: "apples", to: "shop", amount: "100000" },
      { ...apples, from: "shop", to: "alice", amount: "50" },
      { do: "send", from: "alice", to: "shop", klay: "1" },
      { ...apples, from: "shop", to: "alice", amount: "1000" },
      { ...apples, from: "alice", to: "shop", amount: "250", feePayer: "shop" },
      { ...apples, from: "alice", to: "shop", amount: "120" }
    ]
  })
  for (const scenario of scenarios) {
    const { tokens } = yield* Scenario.play(chains, scenario)
    assert.equal(tokens.get("apples")?.address, token)
  }
}))

/** The transfer history of that service. */
export const Service = TransferHistory.layer().pipe(
  Layer.provide(Transactions),
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(Sandbox.layer({ seed, accounts: [] })),
  Layer.provide(FetchHttpClient.layer)
)
