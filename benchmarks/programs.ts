/**
 * Figures of whole programs, each bundled and run in a process of its own: the time from its start to the first decoded
 * answer, how time and memory grow with the pages that it reads, and what each package weighs and takes to import.
 */
import { build, type Plugin } from "esbuild"
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { packages } from "../scripts/workspace.js"
import { install, root } from "./Others.js"
import { serving } from "./serving.js"

const isQuick = process.argv.includes("--quick")
const folder = join(root, ".reports/bench")

/** Resolves our packages to what would be published. */
const built: Plugin = {
  name: "built",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@effect-klaytn\// }, ({ path }) => {
      const [, name = "", module = "index"] = path.split("/")
      return { path: join(root, "packages", name, "dist", `${module}.js`) }
    })
}

const bundle = async (name: string, contents: string) => {
  const { outputFiles: [output] } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile: `${name}.mjs`,
    plugins: [built],
    nodePaths: [install],
    // Native, and loaded by name.
    external: ["libsql", "tiny-secp256k1", "pg-native"],
    banner: {
      js: "import { createRequire as require$ } from \"node:module\"\nconst require = require$(import.meta.url)"
    },
    logLevel: "error"
  })
  const bytes = output?.contents ?? new Uint8Array()
  const file = join(folder, `${name.replace(/\W+/g, "-")}.mjs`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, bytes)
  return { file, bytes: bytes.length, compressed: gzipSync(bytes, { level: 9 }).length }
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

interface Ran {
  /** From the start of the process to the line that it prints. */
  readonly untilLine: number
  /** What the program says of itself. */
  readonly milliseconds: number
  readonly records: number
  readonly megabytes: number
  /** Milliseconds of CPU time from the start of the process. */
  readonly cpu: number
}

const run = (file: string, env: Readonly<Record<string, string>>): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const since = performance.now()
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, NODE_NO_WARNINGS: "1", ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    let untilLine = Number.NaN
    child.stdout.on("data", (chunk: Buffer) => {
      if (text === "") untilLine = performance.now() - since
      text += chunk.toString()
    })
    child.once("close", (code) => {
      if (code !== 0) return reject(new Error(`${file} ended with ${code}`))
      const told: Partial<Ran> = text.startsWith("{") ? JSON.parse(text) : {}
      return resolve({
        milliseconds: Number.NaN,
        records: 0,
        megabytes: Number.NaN,
        cpu: Number.NaN,
        ...told,
        untilLine
      })
    })
  })

/** Runs of all programs in turns, so that all meet the same machine. */
const inTurns = async (
  files: ReadonlyMap<string, string>,
  times: number,
  env: Readonly<Record<string, string>>
): Promise<ReadonlyMap<string, ReadonlyArray<Ran>>> => {
  const runs = new Map<string, Array<Ran>>([...files.keys()].map((name) => [name, []]))
  for (let i = 0; i < times; i++) {
    for (const [name, file] of files) runs.get(name)?.push(await run(file, env))
  }
  return runs
}

const telling = `
const { ACCOUNT: account, KEY: key, PAGES: wanted = "1", SECRET: secret, SIZE: size = "10", SERVER: url } = process.env
const pages = Number(wanted)
const headers = { authorization: "Basic " + btoa(key + ":" + secret), "x-chain-id": "1001" }
const path = "/v2/transfer/account/" + account + "?size=" + size
const since = performance.now()
const tell = (records) => {
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  process.stdout.write(JSON.stringify({ records, milliseconds: performance.now() - since, megabytes: maxRSS / 1024,
    cpu: (userCPUTime + systemCPUTime) / 1000 }) + "\\n", () => process.exit())
}
const loop = async (get) => {
  let records = 0
  for (let page = 0, cursor = ""; page < pages; page++) {
    const found = await get(cursor)
    records += found.items.length
    cursor = found.cursor
    if (cursor === "") break
  }
  tell(records)
}
const next = (cursor) => url + path + (cursor === "" ? "" : "&cursor=" + encodeURIComponent(cursor))
`

const sdkConfig = `
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
${telling}
const config = ClientConfig.layer({ chain: 1001, endpoints: { history: url, node: url },
  credentials: Effect.suspend(() => Credentials.fromPair({ accessKeyId: key, secretAccessKey: Redacted.make(secret) })) })
`

const listing = (http: string) =>
  `${sdkConfig}
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
Effect.runPromise(Effect.flatMap(TransferHistory.TransferHistory, (history) =>
  Stream.runFold(Stream.take(history.getTransfersByEoa.pages({ address: account, size: Number(size) }), pages), 0,
    (records, page) => records + page.items.length)).pipe(
  Effect.provide(TransferHistory.layer().pipe(Layer.provide(config), Layer.provide(${http}))))).then(tell)`

const lists: Readonly<Record<string, string>> = {
  sdk: listing("FetchHttpClient.layer"),
  "sdk on undici": `import * as UndiciHttpClient from "@effect-klaytn/core/UndiciHttpClient"
import { Agent } from "undici"
${listing("UndiciHttpClient.layer(Effect.sync(() => new Agent()))")}`,
  fetch: `${telling}
loop(async (cursor) => JSON.parse(await (await fetch(next(cursor), { headers })).text()))`,
  undici: `import { request } from "undici"
${telling}
loop(async (cursor) => JSON.parse(await (await request(next(cursor), { headers })).body.text()))`,
  "platform and Schema": `
import { PageableTransfers } from "@effect-klaytn/history/HistoryApi"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
${telling}
const read = HttpClientResponse.schemaBodyJson(PageableTransfers)
loop((cursor) => Effect.runPromise(Effect.flatMap(HttpClient.get(next(cursor), { headers }), read).pipe(
  Effect.map(({ cursor, items }) => ({ items, cursor: Option.getOrElse(cursor, () => "") })),
  Effect.provide(FetchHttpClient.layer))))`,
  "caver-js-ext-kas": `import Caver from "caver-js-ext-kas"
${telling}
const caver = new Caver()
caver.initTokenHistoryAPI(1001, key, secret, url)
loop((cursor) => caver.kas.tokenHistory.getTransferHistoryByAccount(account, { size: Number(size), cursor }))`
}

const bare = (http: string) =>
  `import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
${telling}
loop((cursor) => Effect.runPromise(HttpClient.get(next(cursor), { headers }).pipe(
  Effect.flatMap((answer) => answer.text), Effect.map(JSON.parse), Effect.provide(${http}))))`

/** The least that a program on Effect takes: the platform's client and `JSON.parse`, without a schema or a stream. */
const floors: Readonly<Record<string, string>> = {
  "bare Effect": bare("FetchHttpClient.layer"),
  "bare Effect on undici": `import * as UndiciHttpClient from "@effect-klaytn/core/UndiciHttpClient"
import { Agent } from "undici"
${bare("UndiciHttpClient.layer(Effect.sync(() => new Agent()))")}`
}

const balances: Readonly<Record<string, string>> = {
  sdk: `${sdkConfig}
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
Effect.runPromise(Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.eth.getBalance(account)).pipe(
  Effect.provide(KlaytnNode.layer().pipe(Layer.provide(config), Layer.provide(FetchHttpClient.layer))))).then(() => tell(1))`,
  fetch: `${telling}
fetch(url + "/v1/klaytn", { method: "POST", headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: [account, "latest"] }) })
  .then((answer) => answer.json()).then(({ result }) => tell(BigInt(result) >= 0n ? 1 : 0))`,
  viem: `import { createPublicClient, http } from "viem"
${telling}
createPublicClient({ transport: http(url + "/v1/klaytn", { fetchOptions: { headers } }) }).getBalance({ address: account })
  .then(() => tell(1))`,
  ethers: `import { FetchRequest, JsonRpcProvider, Network } from "ethers"
${telling}
const request = new FetchRequest(url + "/v1/klaytn")
for (const [name, value] of Object.entries(headers)) request.setHeader(name, value)
const network = Network.from(1001)
new JsonRpcProvider(request, network, { staticNetwork: network }).getBalance(account).then(() => tell(1))`
}

const others = ["viem", "ethers", "caver-js-ext-kas", "undici"]

/** What a client without the SDK imports, by the same names of modules. */
const httpClientAndSchema = [
  "@effect/platform/FetchHttpClient",
  "@effect/platform/HttpClient",
  "effect/Effect",
  "effect/Schema"
]

const filesOf = async (
  kind: string,
  programs: Readonly<Record<string, string>>
): Promise<ReadonlyMap<string, string>> => {
  const files = new Map<string, string>()
  for (const [name, contents] of Object.entries(programs)) {
    files.set(name, (await bundle(`${kind}-${name}`, contents)).file)
  }
  return files
}

const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits))

const starting = async (env: Readonly<Record<string, string>>): Promise<ReadonlyArray<object>> => {
  const figures = []
  const empty = (await bundle("empty", "process.stdout.write(\"{}\\n\")")).file
  for (
    const [figure, programs] of [["a page of 10 transfers", { ...lists, ...floors }], ["a balance", balances]] as const
  ) {
    const files = new Map([...await filesOf("start", programs), ["node alone", empty]])
    const runs = await inTurns(files, isQuick ? 3 : 15, env)
    figures.push({
      figure: `from the start of the process to ${figure}`,
      milliseconds: Object.fromEntries(
        [...runs].map(([name, of]) => [name, rounded(median(of.map((one) => one.untilLine)))])
      ),
      cpuMilliseconds: Object.fromEntries(
        [...runs].filter(([name]) => name in programs)
          .map(([name, of]) => [name, rounded(median(of.map((one) => one.cpu)))])
      )
    })
  }
  return figures
}

const growing = async (env: Readonly<Record<string, string>>): Promise<ReadonlyArray<object>> => {
  const files = await filesOf("grow", lists)
  const figures = []
  for (const pages of [1, 10, 100, 1000]) {
    const runs = await inTurns(files, isQuick ? 1 : 5, { ...env, PAGES: String(pages) })
    const of = (part: keyof Ran, digits: number) =>
      Object.fromEntries([...runs].map(([name, all]) => [name, rounded(median(all.map((one) => one[part])), digits)]))
    const records = new Set([...runs.values()].flat().map((one) => one.records))
    if (records.size !== 1) throw new Error(`the programs read different numbers of records: ${[...records]}`)
    figures.push({
      figure: "pages read",
      pages,
      records: [...records][0],
      milliseconds: of("milliseconds", 1),
      megabytes: of("megabytes", 0)
    })
  }
  return figures
}

const weighing = async (): Promise<ReadonlyArray<object>> => {
  const named = (name: string): readonly [string, ReadonlyArray<string>] => [name, [name]]
  const entries = [
    ...packages.filter(({ folder }) => folder !== "cli").map(({ manifest }) => named(manifest.name)),
    ["HttpClient and Schema", httpClientAndSchema] as const,
    ...others.map(named)
  ]
  const sizes = new Map<string, { readonly file: string; readonly bytes: number; readonly compressed: number }>()
  for (const [entry, modules] of entries) {
    const imports = modules.map((module, at) => `import * as m${at} from "${module}"`).join("\n")
    const all = modules.map((_, at) => `m${at}`).join()
    sizes.set(
      entry,
      await bundle(
        `entry-${entry}`,
        `${imports}\nglobalThis.all = [${all}]\nprocess.stdout.write("{}\\n", () => process.exit())`
      )
    )
  }
  const empty = (await bundle("empty", "process.stdout.write(\"{}\\n\")")).file
  const files = new Map([...sizes].map(([name, { file }]) => [name, file] as const))
  const runs = await inTurns(new Map([...files, ["", empty]]), isQuick ? 1 : 7, {})
  const alone = median((runs.get("") ?? []).map((one) => one.untilLine))
  return [...sizes].map(([entry, { bytes, compressed }]) => ({
    figure: "entry",
    entry,
    kilobytes: rounded(bytes / 1000),
    compressed: rounded(compressed / 1000),
    importMilliseconds: rounded(median((runs.get(entry) ?? []).map((one) => one.untilLine)) - alone)
  }))
}

/** All of them. */
export const programs = async (tell: (figure: object) => void): Promise<void> => {
  const [server, ready] = await serving()
  try {
    const env = { SERVER: ready.url, KEY: ready.accessKeyId, SECRET: ready.secretAccessKey, ACCOUNT: ready.account }
    // The server answers from memory what it was asked before.
    for (const file of (await filesOf("warm", { fetch: lists["fetch"] ?? "" })).values()) {
      await run(file, { ...env, PAGES: "1000" })
    }
    for (const figure of await starting(env)) tell(figure)
    for (const figure of await growing(env)) tell(figure)
  } finally {
    server.kill()
  }
  for (const figure of await weighing()) tell(figure)
}
