/** The failures that the drill of secrets provokes: of requests, of the node, of the database, of commands and of starts. */
import * as Driver from "@effect-klaytn/store/Driver"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import type * as world from "../../packages/gateway/test/support/world.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { freePort, pause } from "./processes.js"
import {
  type Answered,
  type Call,
  changingCalls,
  goodCalls,
  type Material,
  misplacedCalls,
  send,
  wrongAuthorizations
} from "./secretCalls.js"
import { ended, type Running, says, start, type TalkativeJob } from "./secretPlaces.js"
import { SmallDisk } from "./SmallDisk.js"

interface Credential {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly authorization: string
}

/** What the failures are provoked on. */
export interface Parts {
  readonly ask: (call: Call, authorization?: string) => Promise<Answered>
  readonly callers: Readonly<Record<"full" | "limited" | "reader", Credential>>
  readonly database: string
  readonly folder: string
  readonly isShort: boolean
  readonly job: TalkativeJob
  readonly keyFile: string
  readonly material: Material
  readonly proxy: world.Proxy
  readonly secrets: {
    readonly master: Buffer
    readonly wrongMaster: Buffer
    readonly node: string
    readonly authorization: string
  }
  readonly seed: string
  /** The bundle of the command. */
  readonly script: string
}

type Look = () => Promise<void>

/** Calls a few at a time. */
const askAll = async (
  calls: ReadonlyArray<Call>,
  ask: (call: Call) => Promise<unknown>,
  atOnce = 16
): Promise<number> => {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let call = calls[next++]; call !== undefined; call = calls[next++]) await ask(call)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return calls.length
}

const some = <A>(random: Random, list: ReadonlyArray<A>, most: number): ReadonlyArray<A> =>
  list.map((one) => ({ one, at: random.fraction() })).sort((a, b) => a.at - b.at).slice(0, most).map(({ one }) => one)

/** A node that repeats a request with its credentials in its answer, in several ways, or answers nothing. */
const nodeFailures: Readonly<Record<string, (seen: world.Seen, response: ServerResponse) => void>> = {
  "refuses and repeats the request": ({ body, headers }, response) => {
    const echo = `nonce too low: ${body} ${JSON.stringify(headers)}`
    const parsed: unknown = JSON.parse(body)
    const one = (asked: { readonly id?: unknown }) => ({
      jsonrpc: "2.0",
      id: asked.id,
      error: { code: -32000, message: echo, data: echo }
    })
    const answer = Array.isArray(parsed) ? parsed.map(one) : one(parsed as { readonly id?: unknown })
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
  },
  "answers 502 with the request": ({ body, headers }, response) => {
    response.writeHead(502, { "content-type": "text/html" }).end(`<p>${body} ${JSON.stringify(headers)}</p>`)
  },
  "answers 401 with the request": ({ body, headers }, response) => {
    const message = `wrong credential ${String(headers.authorization)} in ${body}`
    response.writeHead(401, { "content-type": "application/json", "x-echo": String(headers.authorization) }).end(
      JSON.stringify({ message, error: message })
    )
  },
  "answers with results that mean nothing": ({ body, headers }, response) => {
    const parsed: unknown = JSON.parse(body)
    const one = (asked: { readonly id?: unknown }) => ({
      jsonrpc: "2.0",
      id: asked.id,
      result: { [body]: String(headers.authorization) }
    })
    const answer = Array.isArray(parsed) ? parsed.map(one) : one(parsed as { readonly id?: unknown })
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
  },
  "is down": (_, response) => response.destroy()
}

/** The failures of a database, each with its end. */
const databaseFailures = (): Readonly<Record<string, (driver: Driver.Driver) => () => void>> => {
  const refusing = (table: string) => (driver: Driver.Driver) => {
    const name = `drill_${table}`
    const rows = `BEGIN SELECT RAISE(ABORT, 'the drill refuses this row'); END`
    driver.exec(`CREATE TRIGGER ${name} BEFORE INSERT ON wallet_${table}_1001 ${rows}`)
    return () => driver.exec(`DROP TRIGGER ${name}`)
  }
  return {
    "is locked": (driver) => {
      driver.exec("BEGIN IMMEDIATE")
      return () => driver.exec("COMMIT")
    },
    "takes no sends": refusing("sends"),
    "takes no keys": refusing("keys"),
    "takes no lines of the log": refusing("audit"),
    "lacks a table": (driver) => {
      driver.exec("ALTER TABLE wallet_accounts_1001 RENAME TO drill_accounts")
      return () => driver.exec("ALTER TABLE drill_accounts RENAME TO wallet_accounts_1001")
    },
    "has keys that were changed": (driver) => {
      driver.exec("CREATE TABLE drill_keys AS SELECT hash, sealed FROM wallet_keys_1001")
      driver.exec("UPDATE wallet_keys_1001 SET sealed = (SELECT sealed FROM wallet_secrets_1001)")
      return () => {
        driver.exec(
          "UPDATE wallet_keys_1001 SET sealed = (SELECT k.sealed FROM drill_keys k WHERE k.hash = wallet_keys_1001.hash)"
        )
        driver.exec("DROP TABLE drill_keys")
      }
    }
  }
}

/** Requests in every trouble. Gives how many there were of each kind. */
export const requests = async (parts: Parts, look: Look): Promise<Readonly<Record<string, number>>> => {
  const { ask, callers, database, isShort, material, proxy, seed } = parts
  const random = new Random(seed)
  const counts: Record<string, number> = {}
  const under = async (name: string, calls: ReadonlyArray<Call>, by?: (call: Call) => Promise<unknown>) => {
    counts[name] = await askAll(calls, by ?? ask)
    await look()
  }
  const good = goodCalls(material)
  const changing = changingCalls(material)
  await under("as it should be", good)
  await under("by a caller with limits", good, (call) => ask(call, callers.limited.authorization))
  await under("by a caller who may only read", good, (call) => ask(call, callers.reader.authorization))
  for (const authorization of wrongAuthorizations(callers.full.accessKeyId, callers.full.secretAccessKey)) {
    await under("with a wrong credential", some(random, good, isShort ? 3 : 20), (call) => ask(call, authorization))
  }
  await under("with secrets in the wrong place", some(random, misplacedCalls(material), isShort ? 300 : Infinity))
  for (const [name, answer] of Object.entries(nodeFailures)) {
    proxy.answer = answer
    await under(`the node ${name}`, some(random, changing, isShort ? 12 : Infinity))
    // The index asks, too.
    await pause(isShort ? 1500 : 5000)
    proxy.answer = undefined
  }
  const driver = Driver.open(`${database}.wallet`)
  for (const [name, begin] of Object.entries(databaseFailures())) {
    const end = begin(driver)
    const ending = name === "is locked" ? pause(2500).then(end) : undefined
    await under(`the database ${name}`, some(random, changing, isShort ? 12 : Infinity))
    await (ending ?? end())
  }
  driver.close()
  writeFileSync(`${database}.wallet.frozen`, "")
  await under("frozen", changing)
  rmSync(`${database}.wallet.frozen`)
  return counts
}

/** One run of the command. */
interface Word {
  readonly place: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

const own = { KLAYTN_WALLET_KEY: "", KLAYTN_OWN_NODE_URL: "" } as const

/** What the commands of a wallet are asked for, right and wrong. */
const walletWords = ({ database, job, keyFile, material, secrets }: Parts, backup: string): ReadonlyArray<Word> => {
  const right = ["--db", database, "--wallet-key-file", keyFile]
  const of = (place: string, ...args: ReadonlyArray<string>): Word => ({ place, args: ["gateway", "wallet", ...args] })
  const failing = (...args: ReadonlyArray<string>): Word => of("commands that fail", ...args)
  const wrong = { KLAYTN_WALLET_KEY: secrets.wrongMaster.toString("hex") }
  return [
    of("wallet status", "status", "--db", database),
    of("wallet backup", "backup", backup, ...right),
    of("wallet audit list", "audit", "list", "--json", ...right),
    { ...failing("backup", `${backup}.2`, "--db", database), env: wrong },
    failing("status", "--db", database, "--node", job.node.replace(/:\d+\//, ":1/")),
    {
      ...of("wallet status", "status", "--json", "--db", database),
      env: { KLAYTN_OWN_NODE_URL: job.node, KLAYTN_OWN_NODE_AUTHORIZATION: job.authorization }
    },
    of("wallet audit verify", "audit", "verify", ...right),
    failing("audit", "verify", "--db", database, "--wallet-key-command", `cat ${keyFile}; exit 3`),
    failing("audit", "verify", "--db", database, "--wallet-key-command", `cat ${keyFile} ${keyFile}`),
    failing("audit", "verify", "--head", `7:0x${secrets.master.toString("hex")}`, ...right),
    failing("import", ...right),
    failing("import", keyFile, ...right),
    failing("export", material.account, ...right),
    failing("export", `0x${secrets.master.toString("hex")}`, ...right),
    {
      ...failing("rekey", "--db", database, "--new-wallet-key-command", "false"),
      env: { KLAYTN_WALLET_KEY: secrets.master.toString("base64") }
    },
    failing("restore", backup, ...right),
    failing("restore", keyFile, "--db", `${database}.other`, "--wallet-key-file", keyFile),
    failing("freeze", "--db", `${database}/none`)
  ]
}

/** Starts that are refused. */
const startWords = (
  { database, folder, job, keyFile, secrets }: Parts,
  disk: SmallDisk | undefined
): ReadonlyArray<Word> => {
  const copy = join(folder, "copy.db")
  for (const end of [".callers", ".wallet"]) {
    copyDatabase(`${database}${end}`, `${copy}${end}`)
    if (disk !== undefined) copyDatabase(`${database}${end}`, join(disk.folder, `copy.db${end}`))
  }
  const [shared, halved] = [join(folder, "shared.key"), join(folder, "halved.key")]
  writeFileSync(shared, secrets.master.toString("hex"), { mode: 0o644 })
  writeFileSync(halved, secrets.master.toString("hex").slice(0, 63), { mode: 0o600 })
  const node = { KLAYTN_OWN_NODE_URL: job.node, KLAYTN_OWN_NODE_AUTHORIZATION: job.authorization }
  const failing = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Word => ({
    place: "starts that fail",
    args: ["gateway", "--wallet", "--port", "0", "--db", copy, ...args],
    env: { ...node, ...env }
  })
  const wrong = secrets.wrongMaster.toString("hex")
  return [
    failing([], { KLAYTN_WALLET_KEY: wrong }),
    failing(["--wallet-key-command", `cat ${keyFile}; exit 3`]),
    ...(disk === undefined ? [] : [failing(["--db", join(disk.folder, "copy.db"), "--wallet-key-file", keyFile])]),
    failing(["--json"], { KLAYTN_WALLET_KEY: `${wrong}${wrong}` }),
    failing([]),
    failing(["--wallet-key-file", shared]),
    failing(["--wallet-key-file", halved, "--json"]),
    failing(["--wallet-key-command", `echo '${wrong}'`]),
    failing(["--wallet-key-file", keyFile, "--db", database]),
    failing(["--wallet-key-file", keyFile], { KLAYTN_OWN_NODE_AUTHORIZATION: secrets.node }),
    failing(["--wallet-key-file", keyFile, "--no-credential"]),
    failing(["--wallet-key-file", keyFile, "--node", `${job.node.replace("//", `//user:${secrets.node}@`)}%`])
  ]
}

/** Runs the commands, two at a time, and gives what they wrote. */
export const commands = async (parts: Parts) => {
  const { folder, isShort, script } = parts
  const backup = join(folder, "wallet.backup")
  const disk = SmallDisk.mount(join(folder, "disk"), 64)
  const starts = startWords(parts, disk)
  disk?.makeReadOnly()
  const texts = new Map<string, string>()
  const codes: Array<number | null> = []
  let done = 0
  const run = async ({ args, env, place }: Word): Promise<void> => {
    const running = start(join(folder, `command-${done++}`), script, { args, env: { ...own, ...env } })
    running.child.stdin?.end()
    codes.push(await ended(running, 60_000))
    const said = [running.files.out, running.files.error].map((file) => readFileSync(file, "utf8")).join("\n")
    texts.set(place, `${texts.get(place) ?? ""}${said}\n`)
  }
  const words = walletWords(parts, backup)
  const chosen = isShort ? [...words.slice(0, 4), ...starts.slice(0, 3)] : [...words, ...starts]
  try {
    const [first, ...others] = chosen
    if (first !== undefined) await run(first)
    let next = 0
    const worker = async (): Promise<void> => {
      for (let word = others[next++]; word !== undefined; word = others[next++]) await run(word)
    }
    await Promise.all([worker(), worker()])
  } finally {
    disk?.unmount()
  }
  return {
    texts,
    backup,
    count: chosen.length,
    failed: codes.filter((code) => code !== 0).length,
    readOnlyDisk: disk === undefined ? "not tried: this machine mounts none" : "tried"
  }
}

/** Copies a database that is in use. */
const copyDatabase = (from: string, to: string): void => {
  const driver = Driver.open(from)
  driver.exec(`VACUUM INTO '${to}'`)
  driver.close()
}

/** A gateway by the command, with its master key in a variable: what it writes, and a look inside. */
export const byVariable = async (
  { callers, database, folder, job, material, script, secrets }: Parts,
  look: (running: Running) => Promise<unknown>
): Promise<ReadonlyMap<string, string>> => {
  const copy = join(folder, "second.db")
  const port = await freePort()
  for (const end of [".callers", ".wallet"]) copyDatabase(`${database}${end}`, `${copy}${end}`)
  const running = start(join(folder, "second"), script, {
    args: ["gateway", "--wallet", "--json", "--db", copy, "--port", String(port)],
    env: {
      KLAYTN_OWN_NODE_URL: job.node,
      KLAYTN_OWN_NODE_AUTHORIZATION: job.authorization,
      KLAYTN_WALLET_KEY: secrets.master.toString("hex")
    }
  })
  try {
    if (!(await says(running, "\"listening\""))) {
      throw new Error(`no gateway: ${readFileSync(running.files.error, "utf8")}`)
    }
    for (const { authorization } of Object.values(callers)) {
      await askAll(goodCalls(material), (call) => send(`http://127.0.0.1:${port}`, authorization, call))
    }
    await look(running)
  } finally {
    running.child.kill("SIGTERM")
    await ended(running, 10_000)
  }
  return new Map([[
    "the command's output, --json",
    [running.files.out, running.files.error].map((file) => readFileSync(file, "utf8")).join("\n")
  ]])
}
