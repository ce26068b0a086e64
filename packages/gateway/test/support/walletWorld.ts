/** A gateway with a wallet, in front of a sandbox's node door and a proxy that a test can break. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomUUID } from "node:crypto"
import type * as Gateway from "../../src/Gateway.js"
import { callers } from "../../src/internal/command.js"
import { answering, client, isAddress } from "../../src/internal/postgres.js"
import * as world from "./world.js"

export const klay = 10n ** 18n

/** The master key of wallets in Postgres, which have no file for it. */
export const key = Redacted.make("0a".repeat(32))

/** Reads an answer that has to be JSON, and says what it was if it is not. */
const jsonOf = (asked: string, text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${asked} with what is no JSON: "${text}"`)
  }
}

/** Starts a gateway with a wallet on a file, and gives what a client needs. */
export const open = (database: string, node: string, options: Partial<Gateway.Options> = {}) =>
  Effect.gen(function*() {
    if (isAddress(database)) {
      yield* Effect.provideServiceEffect(PostgresIndex.facts(), SqlClient, client(database, answering(4)))
    }
    const name = `caller-${randomUUID()}`
    const { accessKeyId, secretAccessKey } = yield* callers.add(database, name, { rights: ["read", "wallet"] })
    const gateway = yield* world.start({
      node: { url: node },
      database,
      chain: world.chain,
      wallet: { feePayerStyle: "paths", ...(isAddress(database) && { key }) },
      ...options
    })
    const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
    const ask = (
      method: string,
      path: string,
      body?: unknown,
      headers: Readonly<Record<string, string>> = {},
      url = gateway.url
    ) =>
      Effect.map(
        world.send(`${url}${path}`, {
          method,
          headers: { authorization, "x-chain-id": "1001", "content-type": "application/json", ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) })
        }),
        ({ headers, status, text }) => ({ headers, status, text, body: jsonOf(`${method} ${path}: ${status}`, text) })
      )
    const walletClient = yield* Wallet.make().pipe(
      Effect.provideServiceEffect(
        ClientConfig.ClientConfig,
        ClientConfig.make({
          chain: world.chain,
          credentials: Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) }),
          endpoints: { wallet: gateway.url, node: gateway.url, resource: gateway.url },
          feePayerStyle: "paths"
        })
      ),
      Effect.provide(FetchHttpClient.layer)
    )
    return { accessKeyId, name, gateway, ask, client: walletClient }
  })
