/** A sandbox in the place of the hosted service, with an account that pays, and the environment that leads there. */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const klay = 10n ** 18n

/** The variables of the service for an account of the sandbox with 1000 KLAY. Limits: 100 KLAY, 500 a day, a person above 50. */
export const environment = Effect.gen(function*() {
  const { accessKeyId, chains, secretAccessKey, url } = yield* Sandbox.Sandbox
  const wallet = yield* Wallet.make()
  const { address } = yield* wallet.createAccount
  yield* chains.chain(1001).fund(address, 1000n * klay)
  // An account's first transaction can't be named by its nonce, so it is not left to an order.
  yield* wallet.sendValue({ from: address, to: address, value: 0n, payer: FeeDelegation.service })
  return {
    KLAYTN_CHAIN_ID: "1001",
    KLAYTN_ACCESS_KEY_ID: accessKeyId,
    KLAYTN_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey),
    KLAYTN_WALLET_URL: url,
    KLAYTN_NODE_URL: url,
    KLAYTN_DATABASE_URL: "file::memory:",
    PAYMENTS_ACCOUNT: address,
    PAYMENTS_MAX: "100",
    PAYMENTS_MAX_DAY: "500",
    PAYMENTS_APPROVE_ABOVE: "50",
    PAYMENTS_TOKEN: "local",
    PAYMENTS_APPROVAL_TOKEN: "local-approver"
  }
}).pipe(Effect.provide(Layer.provideMerge(Sandbox.clientConfig(1001), FetchHttpClient.layer)))

/** Whatever is configured below this layer is configured for the sandbox; the rest comes from the real environment. */
export const layer = Layer.unwrapEffect(Effect.map(environment, (variables) =>
  Layer.setConfigProvider(
    ConfigProvider.orElse(ConfigProvider.fromMap(new Map(Object.entries(variables))), () => ConfigProvider.fromEnv())
  )))
