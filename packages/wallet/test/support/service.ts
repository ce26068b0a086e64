/** The wallet's services on a recorded wire. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../../../core/test/support/client.js"
import * as Accounts from "../../src/Accounts.js"
import * as Fees from "../../src/Fees.js"
import * as Keys from "../../src/Keys.js"
import * as Multisig from "../../src/Multisig.js"
import * as Resources from "../../src/Resources.js"
import * as TransactionLookup from "../../src/TransactionLookup.js"
import * as Transactions from "../../src/Transactions.js"
import * as Wallet from "../../src/Wallet.js"

export const base = "http://127.0.0.1:8080/wallet"
const nodeBase = "http://127.0.0.1:8080/node"

export interface More extends Partial<ClientConfig.Options>, Wallet.Options {}

const provide = <A, E>(
  make: (options: Wallet.Options) => Effect.Effect<A, E, ClientConfig.ClientConfig | HttpClient.HttpClient>,
  wire: Testing.Wire,
  { idempotencyKeys, lookup, policy, ...more }: More
) =>
  make({ idempotencyKeys, lookup, policy }).pipe(
    Effect.provide(ClientConfig.layer({ ...Client.options, endpoints: { wallet: base }, ...more })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )

export const wallet = (wire: Testing.Wire, more: More = {}) => provide(Wallet.make, wire, more)

export const transactions = (wire: Testing.Wire, more: More = {}) => provide(Transactions.make, wire, more)

/** The operations of all services that only administer or read, in one. */
export const administration = (wire: Testing.Wire, more: More = {}) =>
  provide(
    (options) =>
      Effect.map(
        Effect.all([
          Accounts.make(options),
          Keys.make(options),
          Multisig.make(options),
          Fees.make(),
          Transactions.make(options)
        ]),
        ([accounts, keys, multisig, fees, transactions]) => ({
          ...accounts,
          ...keys,
          ...multisig,
          ...fees,
          ...transactions
        })
      ),
    wire,
    more
  )

export const lookup = (wire: Testing.Wire, more: More = {}) => provide(TransactionLookup.make, wire, more)

export const resources = (wire: Testing.Wire, more: More = {}) =>
  provide(Resources.make, wire, { endpoints: { resource: "http://127.0.0.1:8080/resource" }, ...more })

/** Both addresses, so that look-ups can be made. */
export const withNode = { endpoints: { wallet: base, node: nodeBase } }

/** A service that reads who pays as public clients write it. */
export const withPaths = { feePayerStyle: "paths" } as const

export const noRetries = { retry: RetryPolicy.none }

/** The requests: method, path below the host, and body. */
export const requests = (wire: Testing.Wire): ReadonlyArray<string> =>
  wire.sent.map(({ body, method, url }) => {
    assert.isTrue(url.startsWith("http://127.0.0.1:8080/"), url)
    const path = url.slice("http://127.0.0.1:8080".length)
    return body === undefined ? `${method} ${path}` : `${method} ${path} ${body}`
  })

/** An answer without data. */
export const noData = Testing.json(400, { code: 1061010, message: "data don't exist" })

export const refusal = (code: number, message: string): Testing.Step => Testing.json(400, { code, message })
