/** A migration with a wallet and a node that the test scripts. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as HttpClient from "@effect/platform/HttpClient"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Client from "../../../core/test/support/client.js"
import * as Migration from "../../src/Migration.js"
import * as MigrationJournal from "../../src/MigrationJournal.js"
import type { MigrationProgress } from "../../src/MigrationProgress.js"
import * as OldKey from "../../src/OldKey.js"
import * as Old from "./old.js"
import * as Records from "./records.js"
import * as Service from "./service.js"

export interface Script {
  /** Accounts that the wallet has. */
  readonly known?: ReadonlyArray<object & { readonly address: string }>
  readonly key?: Testing.Step
  readonly register?: Testing.Step
  readonly accountKey?: unknown
  readonly nonce?: string
  /** How the wallet answers for accounts, instead of by `known`. */
  readonly account?: Testing.Step
}

const registered = Testing.json(200, { status: "ok" })

/** A service that creates keys, registers, and knows some accounts; and a node. */
export const wireOf = (script: Script) => {
  let keys = 0
  return Testing.wire((sent) => {
    const path = sent.url.replace("http://127.0.0.1:8080", "")
    if (path === "/node/v1/klaytn") {
      const { method } = JSON.parse(sent.body ?? "{}")
      const result = method === "klay_gasPrice"
        ? "0x5d21dba00"
        : method === "klay_getAccountKey"
        ? script.accountKey ?? { keyType: 1, key: {} }
        : script.nonce ?? "0x0"
      return Testing.json(200, { jsonrpc: "2.0", id: 1, result })(sent)
    }
    if (sent.method === "GET") {
      if (script.account !== undefined) return script.account(sent)
      const account = script.known?.find(({ address }) => path.endsWith(address.toLowerCase()))
      return (account === undefined ? Service.noData : Testing.json(200, account))(sent)
    }
    if (path === "/wallet/v2/key") {
      const { size } = JSON.parse(sent.body ?? "{}")
      const items = Array.from({ length: size }, () => Records.key(keys++))
      return (script.key ?? Testing.json(200, { items }))(sent)
    }
    return (script.register ?? registered)(sent)
  })
}

export const writes = (wire: Testing.Wire) =>
  Service.requests(wire).filter((one) => !one.startsWith("GET") && !one.includes("/node/"))

export const make = (
  wire: Testing.Wire,
  { journal, policy, ...more }: Service.More & { readonly journal?: MigrationJournal.Service } = {}
) => {
  const made = Migration.make({ policy }).pipe(
    Effect.provide(ClientConfig.layer({ ...Client.options, ...Service.withNode, ...more })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )
  return journal === undefined ? made : Effect.provideService(made, MigrationJournal.MigrationJournal, journal)
}

export const journal = Effect.map(
  Effect.provide(KeyValueStore.KeyValueStore, KeyValueStore.layerMemory),
  MigrationJournal.make
)

const single = OldKey.single(Redacted.make(Old.oldKey))

export const one: Migration.AccountInput = { address: Old.oldAddress, oldKey: single }

/** Accounts of fresh keys. */
export const many = (count: number): ReadonlyArray<Migration.AccountInput> =>
  Array.from({ length: count }, (_, index) => {
    const key = `0x${(index + 1).toString(16).padStart(64, "0")}` as const
    const address = PrivateKey.toAddress(key)
    return { address: address.ok ? address.value : "", oldKey: OldKey.single(Redacted.make(key)) }
  })

export const run = (migration: Migration.Service, accounts: ReadonlyArray<Migration.AccountInput>) =>
  Stream.runCollect(migration.migrateAccounts(accounts)).pipe(Effect.map((all) => [...all]))

export const tags = (all: ReadonlyArray<MigrationProgress>) => all.map(({ _tag }) => _tag)

/** The reads that were sent: method and path for the wallet, the method's name for the node. */
export const questions = (wire: Testing.Wire) =>
  wire.sent.flatMap(({ body, method, url }) =>
    url.includes("/node/") ? [JSON.parse(body ?? "{}").method] : method === "GET" ? ["GET account"] : []
  )
