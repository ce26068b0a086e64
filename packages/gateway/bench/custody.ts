/**
 * The wallet of a gateway beside the sandbox's own, each in a process of its own with its databases in files: sends on one account and
 * on 100, accounts that are created, and 100,000 accounts listed in pages of 1,000. A figure as JSON on each line.
 *
 *     npx tsx packages/gateway/bench/custody.ts [--sends 400] [--accounts 100000] [--runs 5]
 */
import * as Driver from "@effect-klaytn/store/Driver"
import * as Effect from "effect/Effect"
import { type ChildProcess, fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bundleProgram } from "../../../scripts/bundleProgram.js"
import { callers } from "../src/internal/command.js"
import type { Job } from "./serve.js"

const { values } = parseArgs({
  options: {
    sends: { type: "string", default: "400" },
    accounts: { type: "string", default: "100000" },
    runs: { type: "string", default: "5" }
  }
})
const [sends, listed, runs] = [Number(values.sends), Number(values.accounts), Number(values.runs)]

/** Requests that are under way together. */
const atOnce = 8
const pageSize = 1000
const receiver = `0x${"b0".repeat(20)}`

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

/** A server, and the CPU time that it has used. */
interface Server {
  readonly url: string
  readonly cpu: () => Promise<number>
  readonly stop: () => void
}

const messageOf = async <A>(child: ChildProcess): Promise<A> => {
  const [message] = await once(child, "message")
  return message
}

const start = async (script: string, job: Job): Promise<Server> => {
  const env = { ...process.env, BENCH_JOB: JSON.stringify(job), NODE_NO_WARNINGS: "1" }
  const child = fork(script, { env, execArgv: [] })
  const { url } = await messageOf<{ readonly url: string }>(child)
  return {
    url,
    cpu: async () => {
      child.send({})
      return (await messageOf<{ readonly cpu: number }>(child)).cpu
    },
    stop: () => child.kill()
  }
}

// Servers close connections that nobody uses for five seconds.
const agent = new Agent({ keepAlive: true, maxSockets: atOnce, timeout: 2000 })

/** Sends a request, and gives the text of the answer, which has to be one of success. */
const ask = (url: string, authorization: string, method: string, path: string, body?: unknown): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { authorization, "x-chain-id": "1001", "content-type": "application/json" }
    const sent = request(`${url}${path}`, { agent, method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
      })
    })
    sent.once("error", reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

type Ask = (method: string, path: string, body?: unknown) => Promise<string>

const together = async (times: number, one: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) await one(index)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** A wallet that is measured, and the processes whose time counts. */
interface Side {
  readonly name: "gateway" | "sandbox"
  readonly ask: Ask
  readonly own: Server
  /** The node of the gateway. */
  readonly node: Server | undefined
  readonly accounts: Array<string>
}

interface Cost {
  readonly seconds: number
  /** CPU milliseconds of the wallet's process, and of its node. */
  readonly own: number
  readonly node: number
}

const measured = async ({ node, own }: Side, work: () => Promise<void>): Promise<Cost> => {
  const before = [await own.cpu(), await node?.cpu() ?? 0]
  const since = performance.now()
  await work()
  const seconds = (performance.now() - since) / 1000
  return { seconds, own: await own.cpu() - (before[0] ?? 0), node: (await node?.cpu() ?? 0) - (before[1] ?? 0) }
}

/** Measures both sides in turns, and writes the medians. */
const compare = async (
  figure: string,
  sides: ReadonlyArray<Side>,
  times: number,
  one: (side: Side, index: number) => Promise<unknown>
): Promise<void> => {
  const costs = new Map<Side, Array<Cost>>(sides.map((side) => [side, []]))
  // The first run warms up.
  for (let run = 0; run <= runs; run++) {
    for (const side of sides) {
      const cost = await measured(side, () => together(times, (index) => one(side, index)))
      if (run > 0) costs.get(side)?.push(cost)
    }
  }
  const of = (name: Side["name"], value: (cost: Cost) => number): number =>
    median([...costs].filter(([side]) => side.name === name).flatMap(([, list]) => list).map(value))
  const perSecond = {
    gateway: rounded(times / of("gateway", ({ seconds }) => seconds), 0),
    sandbox: rounded(times / of("sandbox", ({ seconds }) => seconds), 0)
  }
  const cpu = {
    gateway: rounded(of("gateway", ({ own }) => own / times)),
    node: rounded(of("gateway", ({ node }) => node / times)),
    sandbox: rounded(of("sandbox", ({ own }) => own / times))
  }
  process.stdout.write(
    `${
      JSON.stringify({
        figure,
        runs,
        perSecond,
        cpuMilliseconds: cpu,
        cpuRatio: {
          gateway: rounded(cpu.gateway / cpu.sandbox),
          "with its node": rounded((cpu.gateway + cpu.node) / cpu.sandbox)
        }
      })
    }\n`
  )
}

const addressOf = (text: string): string => String((JSON.parse(text) as { readonly address: unknown }).address)

/** Sends, in turn from so many accounts. */
const send = ({ accounts, ask }: Side, index: number, from: number): Promise<string> =>
  ask("POST", "/v2/tx/value", { from: accounts[index % from], to: receiver, value: "0x1", submit: true })

/** Fills the pool `default` of a wallet with accounts that sign nothing. */
const fill = (file: string): void => {
  const driver = Driver.open(file)
  driver.exec("BEGIN")
  const [pool] =
    driver.prepare("SELECT id FROM wallet_pools_1001 WHERE type = 'account-pool' AND name = 'default'").first() ?? []
  const [keyPool] =
    driver.prepare("SELECT id FROM wallet_pools_1001 WHERE type = 'key-pool' AND name = 'default'").first() ?? []
  const key = driver.prepare(
    "INSERT INTO wallet_keys_1001 (pool, hash, public_key, sealed, created) VALUES (?, ?, ?, ?, 1700000000)"
  )
  const last = driver.prepare("SELECT max(id) FROM wallet_keys_1001")
  const account = driver.prepare(
    "INSERT INTO wallet_accounts_1001 (pool, address, key, disabled, created, updated) VALUES (?, ?, ?, 0, ?, ?)"
  )
  // Each account has a key of its own; that they look alike changes nothing for a list.
  const publicKey = Buffer.from("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", "hex")
  for (let made = 0; made < listed; made++) {
    key.run(Number(keyPool), randomBytes(32), publicKey, randomBytes(120))
    account.run(Number(pool), randomBytes(20), Number(last.first()?.[0]), 1_700_000_000 + made, 1_700_000_000 + made)
  }
  driver.exec("COMMIT")
  driver.close()
}

interface Page {
  readonly items: ReadonlyArray<unknown>
  readonly cursor: string
}

const pageOf = async ({ ask }: Side, cursor: string, status: string): Promise<Page> =>
  JSON.parse(
    await ask("GET", `/v2/account?size=${pageSize}&status=${status}&cursor=${encodeURIComponent(cursor)}`)
  ) as Page

/** Lists all accounts of a wallet, and compares the last pages with the first. */
const list = async (side: Side): Promise<void> => {
  const times = { first: [] as Array<number>, last: [] as Array<number> }
  let [accounts, pages] = [0, 0]
  for (let run = 0; run <= runs; run++) {
    const costs: Array<number> = []
    accounts = 0
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const before = await side.own.cpu()
      const page: Page = await pageOf(side, cursor, "all")
      costs.push(await side.own.cpu() - before)
      accounts += page.items.length
      cursor = page.cursor === "" ? undefined : page.cursor
    }
    pages = costs.length
    if (run === 0) continue
    // The very last page may have a few accounts only.
    times.first.push(...costs.slice(0, 10))
    times.last.push(...costs.slice(-11, -1))
  }
  const [first, last] = [median(times.first), median(times.last)]
  process.stdout.write(
    `${
      JSON.stringify({
        figure: "accounts listed in pages of 1,000",
        runs,
        accounts,
        pages,
        cpuMilliseconds: { "one of the first 10 pages": rounded(first), "one of the last 10": rounded(last) },
        cpuRatio: { "last to first": rounded(last / first) }
      })
    }\n`
  )
}

const folder = mkdtempSync(join(tmpdir(), "custody-bench-"))
const running: Array<Server> = []
try {
  const script = await bundleProgram(new URL("./serve.ts", import.meta.url))
  const credential = { accessKeyId: "KASKBENCH", secretAccessKey: "bench" }
  const basic = (pair: typeof credential): string =>
    `Basic ${Buffer.from(`${pair.accessKeyId}:${pair.secretAccessKey}`).toString("base64")}`
  const startNext = async (job: Job): Promise<Server> => {
    const server = await start(script, job)
    running.push(server)
    return server
  }
  const sandbox = await startNext({ database: join(folder, "sandbox.db"), ...credential })
  const node = await startNext({ database: join(folder, "node.db"), ...credential })
  const database = join(folder, "index.db")
  const caller = await Effect.runPromise(callers.add(database, "bench", { rights: ["read", "wallet"] }))
  const gateway = await startNext({ database, node: `${node.url}/rpc/1001`, ...credential })
  const sides: ReadonlyArray<Side> = [
    {
      name: "sandbox",
      own: sandbox,
      node: undefined,
      accounts: [],
      ask: (...what) => ask(sandbox.url, basic(credential), ...what)
    },
    { name: "gateway", own: gateway, node, accounts: [], ask: (...what) => ask(gateway.url, basic(caller), ...what) }
  ]
  for (const side of sides) {
    const chain = `${(side.node ?? side.own).url}/_sandbox/chains/1001/fund`
    for (let made = 0; made < 100; made++) {
      const address = addressOf(await side.ask("POST", "/v2/account", {}))
      side.accounts.push(address)
      await ask(chain, basic(credential), "POST", "", { to: address, amount: `${10n ** 21n}` })
    }
  }
  await compare("sends on one account", sides, sends, (side, index) => send(side, index, 1))
  await compare("sends on 100 accounts", sides, sends, (side, index) => send(side, index, 100))
  await compare("accounts created", sides, sends, ({ ask }) => ask("POST", "/v2/account", {}))
  await compare("pages of 1,000 accounts with their status", sides, 1, (side) => pageOf(side, "", "enabled"))
  fill(`${database}.wallet`)
  for (const side of sides.filter(({ name }) => name === "gateway")) await list(side)
} finally {
  for (const { stop } of running) stop()
  agent.destroy()
  rmSync(folder, { recursive: true, force: true })
}
