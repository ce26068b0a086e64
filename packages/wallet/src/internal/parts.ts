/** The parts that all wallet services share. */
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as Operations from "@effect-klaytn/core/Operations"
import * as Effect from "effect/Effect"
import * as SpendPolicy from "../SpendPolicy.js"
import type { MakeOptions } from "../Wallet.js"
import * as claims from "./claims.js"
import * as lookups from "./lookup.js"
import * as policies from "./policies.js"
import type * as sending from "./sending.js"

export const make = ({ lookup, policy }: MakeOptions) =>
  Effect.gen(function*() {
    const client = yield* Operations.make("wallet")
    const endpoint = client.settings.endpoints.wallet
    const parts: sending.Parts = {
      client,
      host: endpoint === undefined ? "" : Endpoints.host(endpoint),
      lookup: lookup ?? (yield* lookups.make(client)),
      policy: yield* SpendPolicy.from(policy),
      claims: claims.make()
    }
    return parts
  })

/** What a change moves, apart from its operation and chain. */
export type Change = Partial<Omit<SpendPolicy.Spend, "operation" | "chain" | "opaque">> & { readonly opaque: boolean }

/** Makes a call that changes something, if the policy allows it. */
export const guarded =
  ({ client, policy }: sending.Parts, operation: { readonly name: string }, { from, opaque, to, ...amounts }: Change) =>
  <A, E extends { readonly _tag: string }, R>(
    run: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | SpendPolicy.SpendRefused, R> =>
    policies.guarded(policy, {
      chain: client.settings.chain,
      operation: operation.name,
      from,
      to,
      value: 0n,
      fee: 0n,
      ...amounts,
      opaque
    }, run)
