/**
 * A day at a market, on the testnet chain of the sandbox: the scenario in `market.json`. All of it is transactions, each
 * signed with its sender's key and executed in a block. `pnpm sandbox --seed examples/tour/market.json`
 * starts the command with the same day.
 */
import { InvalidRequest } from "@effect-klaytn/local-chain/ChainError"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Scenario from "@effect-klaytn/sandbox/Scenario"
import * as TokenContract from "@effect-klaytn/sandbox/TokenContract"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import scenario from "./market.json" with { type: "json" }

export class Market extends Context.Tag("tour/Market")<Market, {
  readonly alice: DevAccount
  readonly bob: DevAccount
  readonly apples: TokenContract.TokenContract
  readonly tickets: TokenContract.TokenContract
  readonly cards: TokenContract.TokenContract
  /** The preset that covers everybody at the market. */
  readonly preset: number
}>() {}

const named = <A>(map: ReadonlyMap<string, A>, name: string): Effect.Effect<A, InvalidRequest> => {
  const found = map.get(name)
  return found === undefined
    ? Effect.fail(new InvalidRequest({ message: `market.json has no ${name}` }))
    : Effect.succeed(found)
}

const open = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const [day] = yield* Scenario.decode(scenario)
  if (day === undefined) return yield* new InvalidRequest({ message: "market.json is empty" })
  const { accounts, presets, tokens } = yield* Scenario.play(chains, day)
  const [alice, bob] = [yield* named(accounts, "alice"), yield* named(accounts, "bob")]
  const apples = yield* named(tokens, "apples")
  // More than she has: the transaction fails in its block, moves nothing and still costs its fee.
  yield* TokenContract.transfer(chains.chain(1001), alice, apples, { kind: "ft", to: bob.address, amount: 1_000_000n })
    .pipe(
      Effect.catchTag("ExecutionFailed", () => Effect.void)
    )
  return {
    alice,
    bob,
    apples,
    tickets: yield* named(tokens, "tickets"),
    cards: yield* named(tokens, "cards"),
    preset: yield* named(presets, "market")
  }
})

export const layer = Layer.effect(Market, open)
