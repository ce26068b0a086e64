/** The wallet clients of the steps, with a policy: no send of more than 5 KLAY. */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Migration from "@effect-klaytn/wallet/Migration"
import type * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export const klay = 10n ** 18n

/** A policy has to allow the account updates of a migration by name. */
const policy: SpendPolicy.Rules = { chains: [1001], maxPerTransaction: 5n * klay, opaque: "allow" }

export const layer = Layer.merge(Wallet.layer({ policy }), Migration.layer({ policy })).pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

/** The balance of an address on the chain. */
export const balanceOf = (address: `0x${string}`) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const account = yield* chains.chain(1001).account(address)
    return Option.match(account, { onNone: () => 0n, onSome: ({ balance }) => balance })
  })
