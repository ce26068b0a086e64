/**
 * Makes a small wallet as the gateway of a version makes it, in files or in a Postgres of its own, and the sandbox that was its node:
 *
 *     npx tsx packages/gateway/scripts/wallets.ts 953ea670 [postgres]
 *
 * The clone must have that commit. The gateway is killed while a send is under way that the node has never seen.
 */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { temporary } from "../../../drills/engine/postgres.js"
import { freePort, pause, Place } from "../../../drills/gateway/processes.js"
import { bundleOlder } from "../../../scripts/bundleProgram.js"
import type * as commands from "../src/internal/command.js"
import { proxyOf } from "../test/support/world.js"
import * as packed from "./packed.js"

/** Where a wallet was kept. */
export type Kind = "files" | "postgres"

const folderOf = (kind: Kind): string => new URL(`../test/wallets/${kind}/`, import.meta.url).pathname

/** The files of a killed gateway: what was written last is in the logs beside the databases. Of Postgres, a dump. */
const names = {
  files: [
    "node.sqlite",
    "index.db.callers",
    "index.db.wallet",
    "index.db.wallet-wal",
    "index.db.wallet.key",
    "facts.json"
  ],
  postgres: ["node.sqlite", "database.sql", "facts.json"]
} as const

const klay = 10n ** 18n

/** An account, as the wallet answers its creation. */
interface Created {
  readonly address: string
  readonly publicKey: string
}

/** What the wallet was asked for. */
export interface Facts {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The accounts, the first of which has coin. */
  readonly accounts: ReadonlyArray<string>
  readonly receiver: string
  /** A payment of 1 peb with the key `paid`, and the text of its answer. */
  readonly paid: string
  /** Nobody has an answer to a payment of 2 peb with the key `under-way`. */
  readonly underWay: string
  /** What versions from 953ea670 on were asked for as well. */
  readonly more?: {
    /** A caller `till`, which sees the pool `default` and may send 5 peb at most. */
    readonly till: { readonly accessKeyId: string; readonly secretAccessKey: string }
    /** A key that was made with the key `keys`, and its ID. */
    readonly keyId: string
    /** An account that was deleted. */
    readonly deleted: string
    /** The third and fourth account have a payment of 8 peb from the third, which needs the signatures of both and has that of one. */
    readonly held: string
  }
}

/** The options of the sandbox that is the node. */
export const sandboxOptions = (database: string) => ({
  seed: "old wallet",
  clock: { start: 1_700_000_000, step: 1 },
  database,
  walletKey: Redacted.make("old wallet")
})

/** The master key of a wallet in Postgres, which has no file for it. */
export const masterKey = "5a".repeat(32)

/** The body of a payment of a wallet. */
export const payment = ({ accounts: [from], receiver }: Pick<Facts, "accounts" | "receiver">, peb: number) => ({
  from,
  to: receiver,
  value: `0x${peb}`,
  submit: true
})

/** The versions that have left a wallet. */
export const versions = (kind: Kind): ReadonlyArray<string> => readdirSync(folderOf(kind))

/** Puts the files of a version into a folder, and gives their paths. `dump`: the statements that make the tables in Postgres. */
export const unpack = (kind: Kind, version: string, dir: string) => {
  packed.unpack(names[kind], join(folderOf(kind), version), dir)
  const facts: Facts = JSON.parse(readFileSync(join(dir, "facts.json"), "utf8"))
  const dump = join(dir, "database.sql")
  return {
    node: join(dir, "node.sqlite"),
    database: join(dir, "index.db"),
    facts,
    dump: existsSync(dump) ? readFileSync(dump, "utf8") : ""
  }
}

/** The gateway of a version, and its command for callers. */
const older = async (version: string, kind: Kind, database: string, node: string) => {
  const program = await bundleOlder(version, "gateway", "../../drills/gateway/custodyProgram.ts")
  const command = await bundleOlder(version, "gateway", "src/internal/command.ts")
  // The command of an older version takes what is given below, and gives a caller.
  const { callers }: Pick<typeof commands, "callers"> = await import(command)
  const port = await freePort()
  return {
    gateway: new Place(program, { database, port, node, ...(kind === "postgres" && { walletKey: masterKey }) }),
    url: `http://127.0.0.1:${port}`,
    add: (name: string, options: Parameters<typeof callers.add>[2]) =>
      Effect.map(
        callers.add(database, name, options),
        ({ accessKeyId, secretAccessKey }) => ({ accessKeyId, secretAccessKey })
      )
  }
}

type Answer = Record<string, unknown> & { readonly text: string }

/** Asks a gateway until it answers with 200: one in Postgres learns of new callers now and then. */
const asking =
  (url: string, { accessKeyId, secretAccessKey }: { readonly accessKeyId: string; readonly secretAccessKey: string }) =>
  async (method: string, path: string, body?: unknown, key?: string): Promise<Answer> => {
    for (let left = 20;; left--) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`,
          "content-type": "application/json",
          ...(key !== undefined && { "idempotency-key": key })
        },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      if (answer.ok) return { ...JSON.parse(text), text }
      if (left === 0) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      await pause(200)
    }
  }

/** Uses a wallet of the version until a send is under way, and gives what the wallet was asked for. */
const use = (version: string, kind: Kind, database: string) =>
  Effect.gen(function*() {
    const { chains, url } = yield* Sandbox.Sandbox
    const chain = chains.chain(1001)
    const proxy = yield* proxyOf(`${url}/rpc/1001`)
    const wallet = yield* Effect.promise(() => older(version, kind, database, proxy.url))
    yield* Effect.promise(() => wallet.gateway.start())
    const caller = yield* wallet.add("old", { rights: ["read", "wallet"] })
    const till = yield* wallet.add("till", { rights: ["wallet"], pools: ["default"], limits: { largestValue: 5n } })
    const ask = asking(wallet.url, caller)
    const fund = (address: string, amount: bigint) =>
      Effect.runPromise(chain.fund(`0x${address.slice(2).toLowerCase()}`, amount))
    const receiver = `0x${"b0".repeat(20)}`
    const facts = yield* Effect.promise(async (): Promise<Facts> => {
      const made: Array<Created> = []
      for (let count = 0; count < 5; count++) {
        const { address, publicKey } = await ask("POST", "/v2/account", {})
        made.push({ address: String(address), publicKey: String(publicKey) })
      }
      const [first, , third, fourth, fifth] = made.map(({ address }) => address)
      const accounts = made.slice(0, 4).map(({ address }) => address)
      for (const address of [first, third]) await fund(address ?? "", klay)
      const { text: paid } = await ask("POST", "/v2/tx/value", payment({ accounts, receiver }, 1), "paid")
      const { items } = await ask("POST", "/v2/key", { size: 1 }, "keys")
      const [{ keyId }] = items as readonly [{ readonly keyId: string }] // The answer to one key.
      await ask("PUT", `/v2/account/${third}/multisig`, {
        threshold: 2,
        weightedKeys: made.slice(2, 4).map(({ publicKey }) => ({ publicKey, weight: 1 }))
      })
      const { transactionId } = await ask("POST", "/v2/tx/value", {
        ...payment({ accounts, receiver }, 8),
        from: third
      })
      await ask("POST", `/v2/multisig/account/${fourth}/tx/${transactionId}/sign`)
      await ask("DELETE", `/v2/account/${fifth}`)
      const more = { till, keyId, deleted: fifth ?? "", held: String(transactionId) }
      return { ...caller, accounts, receiver, paid, underWay: "under-way", more }
    })
    let lost = 0
    proxy.answer = ({ body }, response) => {
      if (!body.includes("sendRawTransaction")) return proxy.passOn(body, response)
      lost++
      response.destroy()
    }
    // Ends without an answer: the gateway is killed.
    ask("POST", "/v2/tx/value", payment(facts, 2), facts.underWay).catch(() => undefined)
    yield* Effect.promise(async () => {
      while (lost === 0) await pause(20)
      wallet.gateway.kill()
      await pause(500)
    })
    return facts
  }).pipe(Effect.scoped)

/** Writes the statements that make a database as it is. */
const dump = (url: string, file: string): void => {
  const options = [
    "--inserts",
    "--no-owner",
    "--no-privileges",
    "--schema=klaytn_index",
    "--schema=klaytn_index_wallet"
  ]
  const text = execFileSync("pg_dump", [...options, url], { encoding: "utf8", maxBuffer: 2 ** 28 })
  // Lines for psql, and for versions of Postgres other than this.
  writeFileSync(file, text.replaceAll(/^(\\|SET transaction_timeout|--).*\n/gm, ""))
}

const make = async (version: string, kind: string = "files"): Promise<void> => {
  if (kind !== "files" && kind !== "postgres") throw new Error(`there is no ${kind}: files or postgres`)
  const dir = mkdtempSync(join(tmpdir(), "old-wallet-"))
  await Effect.gen(function*() {
    const database = kind === "files" ? join(dir, "index.db") : Redacted.value(yield* temporary)
    const facts = yield* use(version, kind, database)
    if (kind === "postgres") dump(database, join(dir, "database.sql"))
    writeFileSync(join(dir, "facts.json"), JSON.stringify(facts))
  }).pipe(
    Effect.scoped,
    Effect.provide(Sandbox.layer(sandboxOptions(join(dir, "node.sqlite")))),
    Effect.runPromise
  )
  packed.pack(names[kind], dir, join(folderOf(kind), version))
  rmSync(dir, { recursive: true })
}

await packed.run(import.meta.url, make)
