/**
 * A sandbox with a few transactions on it, for a first program: two accounts, a token, and all that a client needs.
 *
 * **Example** (how often bob was paid)
 *
 * ```ts
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Demo from "@effect-klaytn/sandbox/Demo"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const history = yield* TransferHistory.make()
 *   const { items } = yield* history.getTransfersByEoa({ address: Demo.bob, only: "to" })
 *   return items.length
 * })
 *
 * export const runnable = Effect.provide(program, Demo.layer)
 * ```
 */
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SendFailure } from "./Chain.js"
import * as Sandbox from "./Sandbox.js"
import type { SandboxError } from "./SandboxError.js"
import * as Scenario from "./Scenario.js"

/** Fixes the keys, so that the addresses are constants. */
const seed = "demo"

/**
 * The address of alice, who deploys the token Apple (`APL`, 2 decimals) and holds most of it.
 *
 * @category constants
 */
export const alice: `0x${string}` = DevAccount.derive(seed, "alice").address

/**
 * The address of bob. Alice sends him 3.5 and 7 APL and 1.5 KLAY, and he sends her 0.5 APL back.
 *
 * @category constants
 */
export const bob: `0x${string}` = DevAccount.derive(seed, "bob").address

const day = {
  accounts: [{ name: "alice", klay: "100" }, { name: "bob", klay: "10" }],
  tokens: [{ name: "apples", kind: "ft", title: "Apple", symbol: "APL", decimals: 2, deployer: "alice" }],
  steps: [
    { do: "mint", token: "apples", to: "alice", amount: "100000" },
    { do: "sendToken", token: "apples", from: "alice", to: "bob", amount: "350" },
    { do: "sendToken", token: "apples", from: "bob", to: "alice", amount: "50" },
    { do: "sendToken", token: "apples", from: "alice", to: "bob", amount: "700" },
    { do: "send", from: "alice", to: "bob", klay: "1.5", memo: "for the apples" }
  ]
}

const Day = Layer.effectDiscard(Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const scenarios = yield* Scenario.decode(day)
  yield* Effect.forEach(scenarios, (scenario) => Scenario.play(chains, scenario))
}))

/**
 * The sandbox in this process, with alice's and bob's transactions on its testnet chain (1001), the configuration of
 * clients for that chain, and the HTTP client that is made of `fetch`. Everything is in memory, and gone with the layer.
 *
 * @category layers
 */
export const layer: Layer.Layer<
  Sandbox.Sandbox | ClientConfig | HttpClient,
  SandboxError | Scenario.ScenarioInvalid | SendFailure
> = Day.pipe(
  Layer.provideMerge(Layer.mergeAll(Sandbox.clientConfig(1001), FetchHttpClient.layer)),
  Layer.provideMerge(Sandbox.layer({ seed, accounts: [] }))
)
