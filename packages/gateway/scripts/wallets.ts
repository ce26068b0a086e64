/**
 * Makes a small wallet as the gateway of a version makes it, and the sandbox that was its node:
 *
 *     npx tsx packages/gateway/scripts/wallets.ts 88441b40
 *
 * The clone must have that commit. The gateway is killed while a send is under way that the node has never seen.
 */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, pause, Place } from "../../../drills/gateway/processes.js"
import { bundleOlder } from "../../../scripts/bundleProgram.js"
import * as CallerFile from "../src/CallerFile.js"
import { proxyOf } from "../test/support/world.js"
import * as packed from "./packed.js"

const walletsDir = new URL("../test/wallets/", import.meta.url).pathname

/** The files of a killed gateway: what was written last is in the logs beside the databases. */
const names = [
  "node.sqlite",
  "index.db.callers",
  "index.db.wallet",
  "index.db.wallet-wal",
  "index.db.wallet.key",
  "facts.json"
] as const

const klay = 10n ** 18n

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
}

/** The options of the sandbox that is the node. */
export const sandboxOptions = (database: string) => ({
  seed: "old wallet",
  clock: { start: 1_700_000_000, step: 1 },
  database,
  walletKey: Redacted.make("old wallet")
})

/** The body of a payment of a wallet. */
export const payment = ({ accounts: [from], receiver }: Pick<Facts, "accounts" | "receiver">, peb: number) => ({
  from,
  to: receiver,
  value: `0x${peb}`,
  submit: true
})

/** Puts the files of a version into a folder, and gives their paths. */
export const unpack = (version: string, dir: string) => {
  packed.unpack(names, join(walletsDir, version), dir)
  const facts: Facts = JSON.parse(readFileSync(join(dir, "facts.json"), "utf8"))
  return { node: join(dir, names[0]), database: join(dir, "index.db"), facts }
}

/** Uses a wallet of the version until a send is under way, and gives what the wallet was asked for. */
const use = (version: string, dir: string) =>
  Effect.gen(function*() {
    const { chains, url } = yield* Sandbox.Sandbox
    const proxy = yield* proxyOf(`${url}/rpc/1001`)
    const database = join(dir, "index.db")
    const callers = yield* CallerFile.open(CallerFile.beside(database))
    const { accessKeyId, secretAccessKey } = yield* callers.add("old", { rights: ["read", "wallet"] })
    const older = yield* Effect.promise(() => bundleOlder(version, "gateway", "../../drills/gateway/custodyProgram.ts"))
    const port = yield* Effect.promise(freePort)
    const gateway = new Place(older, { database, port, node: proxy.url })
    yield* Effect.promise(() => gateway.start())
    const pair = `${accessKeyId}:${Redacted.value(secretAccessKey)}`
    const headers = {
      authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
      "content-type": "application/json"
    }
    const post = async (path: string, body: unknown, key?: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { ...headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
        body: JSON.stringify(body)
      })
      return answer.text()
    }
    const made = yield* Effect.promise(async () => [await post("/v2/account", {}), await post("/v2/account", {})])
    const accounts = made.map((text): string => JSON.parse(text).address)
    yield* chains.chain(1001).fund(`0x${(accounts[0] ?? "").slice(2).toLowerCase()}`, klay)
    const receiver = `0x${"b0".repeat(20)}`
    const paid = yield* Effect.promise(() => post("/v2/tx/value", payment({ accounts, receiver }, 1), "paid"))
    let lost = 0
    proxy.answer = ({ body }, response) => {
      if (!body.includes("sendRawTransaction")) return proxy.passOn(body, response)
      lost++
      response.destroy()
    }
    // Ends without an answer: the gateway is killed.
    post("/v2/tx/value", payment({ accounts, receiver }, 2), "under-way").catch(() => undefined)
    yield* Effect.promise(async () => {
      while (lost === 0) await pause(20)
      gateway.kill()
      await pause(500)
    })
    const secret = Redacted.value(secretAccessKey)
    const facts: Facts = { accessKeyId, secretAccessKey: secret, accounts, receiver, paid, underWay: "under-way" }
    writeFileSync(join(dir, "facts.json"), JSON.stringify(facts))
  }).pipe(Effect.scoped)

const make = async (version: string): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), "old-wallet-"))
  await use(version, dir).pipe(
    Effect.provide(Sandbox.layer(sandboxOptions(join(dir, names[0])))),
    Effect.runPromise
  )
  packed.pack(names, dir, join(walletsDir, version))
  rmSync(dir, { recursive: true })
}

await packed.run(import.meta.url, make)
