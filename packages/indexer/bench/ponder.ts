/**
 * How many blocks one second of CPU loads with Ponder 0.16.6, an indexer by other authors, beside `postgres`: the same chain, the same
 * machine, and Postgres too. Ponder gets the transfers of tokens and the amounts that their owners hold, with an index for each of
 * sender, receiver and contract; not transactions, coin, or what contracts say of tokens, for which it has no source without traces.
 * npm installs Ponder in a temporary folder. The node is a process of its own, whose time does not count. Prints one JSON line:
 *
 *     npx tsx packages/indexer/bench/run.ts ponder [--blocks 3000]
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { temporary } from "../../../drills/engine/postgres.js"
import { print, rounded } from "./figures.js"
import { listen } from "./listen.js"
import { secondsOf, serverSeconds } from "./serverSeconds.js"
import { SyntheticNode } from "./SyntheticNode.js"

const transactions = 10

/** What Ponder needs to be asked about: it finds nothing by itself. */
const kinds = {
  ft: "event Transfer(address indexed from, address indexed to, uint256 value)",
  nft: "event Transfer(address indexed from, address indexed to, uint256 indexed id)",
  mt:
    "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)"
} as const

type Kind = keyof typeof kinds

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

interface Filter {
  readonly address?: string | ReadonlyArray<string>
  readonly fromBlock: string
  readonly toBlock: string
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
}

const kindOf = ({ data, topics }: Log): Kind => topics.length === 3 ? "ft" : data === "0x" ? "nft" : "mt"

/** The chain of the other benches, as nodes of Ethereum answer. */
const ethereumNode = (blocks: number) => {
  const node = new SyntheticNode(blocks, transactions)
  node.makeAll()
  const ask = (method: string, ...params: ReadonlyArray<unknown>) =>
    JSON.parse(node.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).result
  const logs: Array<ReadonlyArray<Log>> = []
  const made = Array.from({ length: blocks + 1 }, (_, height) => {
    const block = ask("klay_getBlockByNumber", `0x${height.toString(16)}`, true)
    const receipts: ReadonlyArray<{ readonly logs: ReadonlyArray<Log> }> = ask("klay_getBlockReceipts", block.hash)
    logs.push(receipts.flatMap((receipt) => receipt.logs))
    return {
      ...block,
      difficulty: "0x1",
      gasLimit: "0xe8d4a50fff",
      miner: block.reward,
      nonce: "0x0000000000000000",
      sha3Uncles: block.hash,
      totalDifficulty: block.totalBlockScore,
      uncles: [],
      transactions: block.transactions.map((transaction: object) => ({
        ...transaction,
        type: "0x0",
        v: "0x7f5",
        r: block.hash,
        s: block.hash
      }))
    }
  })
  const heights = new Map(made.map(({ hash }, height) => [hash, height]))
  const heightOf = (tag: string): number => tag.startsWith("0x") ? Number(tag) : blocks
  const found = ({ address, fromBlock, toBlock, topics: [topic] = [] }: Filter): ReadonlyArray<Log> => {
    const addresses = address === undefined ? undefined : new Set([address].flat())
    const topics = topic === undefined || topic === null ? undefined : new Set([topic].flat())
    return logs.slice(heightOf(fromBlock), heightOf(toBlock) + 1).flat().filter((log) =>
      (addresses?.has(log.address) ?? true) && (topics?.has(log.topics[0] ?? "") ?? true)
    )
  }
  const result = (method: string, params: ReadonlyArray<never>): unknown => {
    switch (method) {
      case "eth_chainId":
        return "0x3e9"
      case "eth_blockNumber":
        return `0x${blocks.toString(16)}`
      case "eth_getBlockByNumber":
        return made[heightOf(params[0] ?? "latest")]
      case "eth_getBlockByHash":
        return made[heights.get(params[0]) ?? -1]
      case "eth_getLogs":
        return params[0] === undefined ? [] : found(params[0])
      default:
        throw new Error(`the node has no method ${method}`)
    }
  }
  const contracts = Object.fromEntries(
    Object.keys(kinds).map((kind): readonly [string, ReadonlyArray<string>] => [
      kind,
      [...new Set(logs.flat().filter((log) => kindOf(log) === kind).map(({ address }) => address))]
    ])
  )
  return { contracts, result }
}

/** Serves the chain, and prints the contracts and the address. */
export const serveEthereum = (blocks: number): void => {
  const { contracts, result } = ethereumNode(blocks)
  const answer = (body: string): string => {
    const { id, method, params } = JSON.parse(body)
    return JSON.stringify({ jsonrpc: "2.0", id, result: result(method, params) ?? null })
  }
  void listen(answer)
    .then((port) => process.stdout.write(`${JSON.stringify({ contracts, url: `http://127.0.0.1:${port}` })}\n`))
  process.stdin.on("close", () => process.exit(0)).resume()
}

interface Served {
  readonly contracts: Readonly<Record<Kind, ReadonlyArray<string>>>
  readonly url: string
}

const entries = Object.entries(kinds)

/** Ponder's project. */
const project = ({ contracts, url }: Served, blocks: number): Readonly<Record<string, string>> => ({
  "package.json": JSON.stringify({ private: true, type: "module" }),
  "tsconfig.json": JSON.stringify({ compilerOptions: { module: "ESNext", moduleResolution: "bundler" } }),
  "ponder.config.ts": `import { createConfig } from "ponder"
import { parseAbi } from "viem"
const contracts = ${JSON.stringify(contracts)}
export default createConfig({
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL },
  chains: { made: { id: 1001, rpc: "${url}", maxRequestsPerSecond: 10000 } },
  contracts: { ${
    entries.map(([kind, event]) =>
      `${kind}: { chain: "made", startBlock: 0, endBlock: ${blocks}, address: contracts.${kind}, abi: parseAbi(["${event}"]) }`
    ).join(", ")
  } }
})`,
  "ponder.schema.ts": `import { index, onchainTable, primaryKey } from "ponder"
export const transfer = onchainTable("transfer", (t) => ({
  id: t.text().primaryKey(), contract: t.hex().notNull(), from: t.hex().notNull(), to: t.hex().notNull(),
  token: t.bigint().notNull(), value: t.bigint().notNull(), block: t.bigint().notNull(), hash: t.hex().notNull()
}), (table) => ({ from: index().on(table.from, table.block), to: index().on(table.to, table.block),
  contract: index().on(table.contract, table.block) }))
export const holding = onchainTable("holding", (t) => ({
  contract: t.hex().notNull(), token: t.bigint().notNull(), owner: t.hex().notNull(), amount: t.bigint().notNull()
}), (table) => ({ key: primaryKey({ columns: [table.contract, table.token, table.owner] }) }))`,
  "src/index.ts": `import { ponder } from "ponder:registry"
import { holding, transfer } from "ponder:schema"
const move = async (db, { block, id, log, transaction }, { from, to }, token, value) => {
  const contract = log.address
  await db.insert(transfer).values({ id, contract, from, to, token, value, block: block.number, hash: transaction.hash })
  for (const [owner, change] of [[from, -value], [to, value]]) {
    if (!/^0x0+$/.test(owner)) await db.insert(holding).values({ contract, token, owner, amount: change })
      .onConflictDoUpdate(({ amount }) => ({ amount: amount + change }))
  }
}
ponder.on("ft:Transfer", ({ context, event }) => move(context.db, event, event.args, 0n, event.args.value))
ponder.on("nft:Transfer", ({ context, event }) => move(context.db, event, event.args, event.args.id, 1n))
ponder.on("mt:TransferSingle", ({ context, event }) => move(context.db, event, event.args, event.args.id, event.args.value))`,
  "src/api/index.ts": `import { Hono } from "hono"
export default new Hono()`
})

const installed = ["ponder@0.16.6", "hono@4.13.19", "viem@2.56.9", "typescript@5.9.3"]

/** What a child process says in its first line. */
const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.on("data", (part: Buffer) => {
      text += part.toString()
      if (text.includes("\n")) resolve(text)
    })
    child.once("exit", (code) => reject(new Error(`the process ended with ${code}`)))
  })

/** Whether Ponder has loaded all blocks. */
const isLoaded = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/ready`).then(({ status }) => status === 200, () => false)

const port = 42_069

const measured = async (url: string, blocks: number): Promise<void> => {
  const node = spawn(process.execPath, [
    ...process.execArgv,
    process.argv[1] ?? "",
    "serve-ethereum",
    "--blocks",
    String(blocks)
  ], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const folder = mkdtempSync(join(tmpdir(), "ponder-"))
  let ponder: ChildProcess | undefined
  try {
    const served: Served = JSON.parse(await firstLine(node))
    for (const [name, text] of Object.entries(project(served, blocks))) {
      mkdirSync(join(folder, name, ".."), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...installed], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"]
    })
    const before = serverSeconds("postgres")
    const began = performance.now()
    let text = ""
    const args = ["node_modules/ponder/dist/esm/bin/ponder.js", "start", "--schema", "bench", "--port", String(port)]
    ponder = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: url, PONDER_TELEMETRY_DISABLED: "true" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    for (const stream of [ponder.stdout, ponder.stderr]) {
      stream?.on("data", (part: Buffer) => {
        text += part.toString()
      })
    }
    while (!await isLoaded(port)) {
      if (ponder.exitCode !== null) throw new Error(`Ponder ended: ${text.slice(-2000)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const seconds = (performance.now() - began) / 1000
    const own = secondsOf(ponder.pid)
    const server = serverSeconds("postgres") - before
    print("blocks loaded into Postgres by Ponder", {
      transactions,
      amount: blocks,
      perCpuSecond: Math.round(blocks / (own + server)),
      cpuSeconds: { own: rounded(own), server: rounded(server) },
      perSecond: Math.round(blocks / seconds)
    })
  } finally {
    ponder?.kill("SIGKILL")
    node.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Nothing is measured where there is no Postgres to start. */
export const ponder = (blocks: number): Promise<void> =>
  Effect.flatMap(temporary, (url) => Effect.promise(() => measured(Redacted.value(url), blocks))).pipe(
    Effect.catchTag("NoPostgres", ({ message }) => Effect.sync(() => process.stderr.write(`${message}\n`))),
    Effect.asVoid,
    Effect.scoped,
    Effect.runPromise
  )
