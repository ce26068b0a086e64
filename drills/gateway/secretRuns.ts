/** The drill of secrets over a gateway with a wallet, for the command. */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callers as callersOf, wallet as walletOf } from "../../packages/gateway/src/internal/command.js"
import * as world from "../../packages/gateway/test/support/world.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { freePort, pause } from "./processes.js"
import { canaries, keySecret, Search, type Secret, textSecret } from "./secretBytes.js"
import { type Answered, type Call, goodCalls, type Material, send } from "./secretCalls.js"
import {
  eachMemory,
  ended,
  heapSnapshot,
  Places,
  type Running,
  says,
  start,
  type TalkativeJob
} from "./secretPlaces.js"
import * as trouble from "./secretTrouble.js"
import { keysOf } from "./walletKeys.js"

/** How much the drill does. */
export interface Options {
  readonly seed: string
  /** Each kind of failure with a part of the requests. */
  readonly isShort: boolean
}

const klay = 10n ** 18n

const chosen = (seed: string, name: string): Buffer => createHash("sha256").update(`${seed} ${name}`).digest()

/** Keys and credentials that the drill chooses. */
const chosenSecrets = (seed: string) => ({
  master: chosen(seed, "master"),
  wrongMaster: chosen(seed, "another master"),
  account: chosen(seed, "account"),
  payer: chosen(seed, "payer"),
  node: `node-key-${chosen(seed, "node").toString("base64url").slice(0, 30)}`,
  authorization: `Bearer ${chosen(seed, "authorization").toString("base64url")}`,
  /** What callers write where nothing of the kind belongs. */
  misplaced: [
    keySecret("a private key in the wrong place", chosen(seed, "misplaced key")),
    textSecret("a credential in the wrong place", chosen(seed, "misplaced text").toString("base64"))
  ]
})

type Chosen = ReturnType<typeof chosenSecrets>

/** Adds a caller, and gives what its requests carry. */
const addCaller = (database: string, name: string, options: Parameters<typeof callersOf.add>[2]) =>
  Effect.map(callersOf.add(database, name, options), ({ accessKeyId, secretAccessKey }) => {
    const token = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")
    return { accessKeyId, secretAccessKey, token, authorization: `Basic ${token}` }
  })

/** A wallet that serves, with keys that the drill knows. */
const openWallet = Effect.fnUntraced(function*(folder: string, secrets: Chosen, proxy: world.Proxy) {
  const database = join(folder, "index.db")
  const keyFile = join(folder, "master.key")
  writeFileSync(keyFile, secrets.master.toString("hex"), { mode: 0o600 })
  const port = yield* Effect.promise(freePort)
  const job: TalkativeJob = {
    database,
    keyFile,
    port,
    node: `${proxy.url}/v1/${secrets.node}`,
    authorization: secrets.authorization
  }
  const script = yield* Effect.promise(() => bundleProgram(new URL("./secretGateway.ts", import.meta.url)))
  const running = yield* Effect.acquireRelease(
    Effect.sync(() => start(join(folder, "talkative"), script, { env: { DRILL_JOB: JSON.stringify(job) } })),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
  if (!(yield* Effect.promise(() => says(running, "serves at")))) {
    return yield* Effect.dieMessage("the gateway does not serve")
  }
  const full = yield* addCaller(database, "full", { rights: ["read", "wallet"] })
  const reader = yield* addCaller(database, "reader", { rights: ["read"] })
  const limited = yield* addCaller(database, "limited", {
    rights: ["wallet"],
    limits: { largestValue: 1n, dailySum: 2n, contractCalls: false }
  })
  const importKey = (type: "account-pool" | "feepayer-pool", secret: Buffer) =>
    walletOf.importAccount(database, { keyFile }, { type, name: "default" }, { raw: secret.toString("hex") })
  const account = yield* importKey("account-pool", secrets.account)
  const payer = yield* importKey("feepayer-pool", secrets.payer)
  return {
    account,
    database,
    job,
    keyFile,
    payer,
    running,
    url: `http://127.0.0.1:${port}`,
    callers: { full, limited, reader }
  }
})

type Opened = Effect.Effect.Success<ReturnType<typeof openWallet>>

/** What requests are made of: the names of what the wallet has. */
const materialOf = async ({ account, callers: { full }, payer, url }: Opened, secrets: Chosen): Promise<Material> => {
  const asked = await send(url, full.authorization, { method: "POST", path: "/v2/key", body: "{\"size\":1}" })
  const [, keyId = "", publicKey = ""] = /"keyId":"([^"]+)".*?"publicKey":"([^"]+)"/.exec(asked.text) ?? []
  return {
    account,
    payer,
    keyId,
    publicKey,
    customer: keyId.split(":")[3] ?? "",
    misplaced: secrets.misplaced.map(({ bytes, isText }) => isText ? bytes.toString() : `0x${bytes.toString("hex")}`)
  }
}

/** Everything that has to stay unknown. */
const secretsOf = (opened: Opened, secrets: Chosen, found: ReadonlyArray<Secret>): ReadonlyArray<Secret> => [
  keySecret("the master key", secrets.master),
  keySecret("another master key", secrets.wrongMaster),
  keySecret("the imported key of an account", secrets.account),
  keySecret("the imported key of a fee payer", secrets.payer),
  textSecret("the key in the node's address", secrets.node),
  textSecret("the credential for the node", secrets.authorization.split(" ")[1] ?? ""),
  ...Object.entries(opened.callers).flatMap(([name, { secretAccessKey, token }]) => [
    textSecret(`the secret access key of ${name}`, secretAccessKey),
    textSecret(`the header of ${name}`, token)
  ]),
  ...found
]

const commandScript = (): Promise<string> =>
  bundleProgram(new URL("../../packages/cli/src/internal/command/bin.ts", import.meta.url), {
    owner: new URL(".", import.meta.url)
  })

/** Asks for the pages about the gateway. */
const pages = ["/metrics", "/status", "/ready", "/health"] as const

/** Searches what the process has written, what its files hold, and its memory. */
const lookEverywhere = async (
  places: Places,
  { database, running }: Opened,
  { answers, backup, commands, pageTexts }: {
    readonly answers: ReadonlyArray<string>
    readonly pageTexts: ReadonlyMap<string, string>
    readonly commands: ReadonlyMap<string, string>
    readonly backup: string
  }
): Promise<void> => {
  places.ownText("answers over HTTP", answers.join("\n"))
  for (const [path, text] of pageTexts) places.text(path, text)
  places.texts("the log, every level and logger", running.files.out)
  places.texts("standard error", running.files.error)
  places.texts("traces and exported logs", running.files.traces)
  for (const [place, text] of commands) places.text(place, text)
  const folder = join(database, "..")
  for (const name of readdirSync(folder).filter((file) => file.startsWith("index.db"))) {
    places.file(`the file ${name}`, join(folder, name))
  }
  places.file("the backup", backup)
}

/** The heap of a process that has nothing to do, and all of its memory, unless that is not asked for. */
const lookInside = async (places: Places, name: string, running: Running, hasMemory: boolean): Promise<string> => {
  await pause(3000)
  const snapshot = await heapSnapshot(running)
  places.bytes(`the heap${name}`, snapshot)
  if (!hasMemory) return "not searched in the short form"
  const isShown = eachMemory(running, (bytes) => places.bytes(`the memory${name}`, bytes))
  return isShown ? "searched" : "not searched: this machine does not show it"
}

/** Runs the drill in a folder. */
const runs = Effect.fnUntraced(function*({ isShort, seed }: Options, folder: string) {
  const secrets = chosenSecrets(seed)
  const sandbox = yield* world.sandbox
  const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
  const opened = yield* openWallet(folder, secrets, proxy)
  for (const address of [opened.account, opened.payer]) {
    yield* sandbox.chains.chain(world.chain).fund(`0x${address.slice(2)}`, 100n * klay)
  }
  const material = yield* Effect.promise(() => materialOf(opened, secrets))
  const answers: Array<string> = []
  const statuses = new Map<number, number>()
  const pageTexts = new Map<string, string>()
  const ask = async (call: Call, authorization: string | undefined = opened.callers.full.authorization) => {
    const { status, text } = await send(opened.url, authorization, call)
    answers.push(text)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    return { status, text } satisfies Answered
  }
  const lookAtPages = async () => {
    for (const path of pages) {
      const { text } = await send(opened.url, opened.callers.full.authorization, { method: "GET", path })
      pageTexts.set(path, `${pageTexts.get(path) ?? ""}${text}\n`)
    }
  }
  const script = yield* Effect.promise(commandScript)
  const parts: trouble.Parts = { ...opened, script, ask, folder, isShort, material, proxy, secrets, seed }
  const counts = yield* Effect.promise(() => trouble.requests(parts, lookAtPages))
  const commands = yield* Effect.promise(() => trouble.commands(parts))
  // The last requests of a process that works again.
  for (const call of goodCalls(material).slice(0, 5)) yield* Effect.promise(() => ask(call))
  const found = yield* keysOf(opened.database, opened.keyFile, secrets.master)
  const all = secretsOf(opened, secrets, found)
  const places = new Places(new Search([...all, ...secrets.misplaced]), new Search(all))
  const memory = yield* Effect.promise(() => lookInside(places, "", opened.running, !isShort))
  const served = isShort ?
    [] :
    yield* Effect.promise(() =>
      trouble.byVariable(parts, (running) => lookInside(places, ", the master key in a variable", running, true))
    )
  yield* Effect.promise(() =>
    lookEverywhere(places, opened, {
      answers,
      pageTexts,
      backup: commands.backup,
      commands: new Map([...commands.texts, ...served])
    })
  )
  opened.running.child.kill("SIGKILL")
  yield* Effect.promise(() => ended(opened.running, 5000))
  const { count, failed, readOnlyDisk } = commands
  return { all, counts: { requests: counts, commands: { count, failed }, readOnlyDisk, memory }, places, statuses }
})

/** Places where secrets have to be, as long as a process works with them. */
export const isInside = (place: string): boolean => place.startsWith("the heap") || place.startsWith("the memory")

/** Runs the drill, and says where each secret was found. */
export const gatewaySecrets = (options: Options) =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "secrets-drill-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const { all, counts, places, statuses } = yield* runs(options, folder)
    const table = [...places.all].map(([place, { bytes, finds, forms }]) => ({
      place,
      bytes,
      finds: [...finds.values()].reduce((sum, count) => sum + count, 0),
      secrets: Object.fromEntries(finds),
      forms: [...forms]
    }))
    const hits = table.filter(({ place }) => !isInside(place)).reduce((sum, { finds }) => sum + finds, 0)
    const planted = canaries(all)
    return {
      table,
      counts: {
        ...counts,
        secrets: all.length,
        canaries: planted,
        statuses: Object.fromEntries([...statuses].sort(([a], [b]) => a - b)),
        hits
      },
      isKept: hits === 0 && planted.let === planted.found && (statuses.get(500) ?? 0) > 0 &&
        (statuses.get(200) ?? 0) > 0
    }
  }))
