/** A gateway with a wallet, in front of a sandbox's node door and a proxy that a test can break. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as CallerFile from "../../src/CallerFile.js"
import type * as Gateway from "../../src/Gateway.js"
import * as world from "./world.js"

export const klay = 10n ** 18n

/** Starts a gateway with a wallet on a file, and gives what a client needs. */
export const open = (database: string, node: string, options: Partial<Gateway.Options> = {}) =>
  Effect.gen(function*() {
    const callers = yield* CallerFile.open(CallerFile.beside(database))
    const name = `caller-${(yield* callers.list).length}`
    const { accessKeyId, secretAccessKey } = yield* callers.add(name, { rights: ["read", "wallet"] })
    const gateway = yield* world.start({
      node: { url: node },
      database,
      chain: world.chain,
      wallet: { feePayerStyle: "paths" },
      ...options
    })
    const authorization = `Basic ${Buffer.from(`${accessKeyId}:${Redacted.value(secretAccessKey)}`).toString("base64")}`
    const ask = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      Effect.map(
        world.send(`${gateway.url}${path}`, {
          method,
          headers: { authorization, "x-chain-id": "1001", "content-type": "application/json", ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) })
        }),
        ({ status, text }) => ({ status, text, body: JSON.parse(text) })
      )
    const client = yield* Wallet.make().pipe(
      Effect.provideServiceEffect(
        ClientConfig.ClientConfig,
        ClientConfig.make({
          chain: world.chain,
          credentials: Credentials.fromPair({ accessKeyId, secretAccessKey }),
          endpoints: { wallet: gateway.url, node: gateway.url, resource: gateway.url },
          feePayerStyle: "paths"
        })
      ),
      Effect.provide(FetchHttpClient.layer)
    )
    return { accessKeyId, gateway, ask, client }
  })
