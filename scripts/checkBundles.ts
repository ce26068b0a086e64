/**
 * `pnpm check:bundles`: bundles a small program for each client from the build and prints its size compared with a bare
 * client of the platform and a schema. Fails if a bundle contains a module that only a server
 * needs or the compiler of schemas, or exceeds its limit.
 * So is the command `klaytn`, which may not contain a sandbox or an EVM.
 * With `--imports` it also prints what it costs Node to import each client, compared with the bare one.
 */
import { build, type Plugin } from "esbuild"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { outside as commandOutside } from "../packages/cli/scripts/outside.js"
import { bundleOf } from "./bundleCommand.js"
import { packages, root } from "./workspace.js"

/** Server modules and what only they need; and the compiler of schemas, which such a bundle may not run. */
const unwanted =
  /HttpApi|HttpApp|HttpMiddleware|HttpRouter|HttpServer|Multipart|FileSystem|find-my-way|multipasta|OperationApi|schemaCompiler\/codeGeneration|decoding\/valueReaders/

/** Resolves our packages to what would be published. */
const built: Plugin = {
  name: "built",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@effect-klaytn\// }, ({ path }) => {
      const [, folder = "", module = "index"] = path.split("/")
      return { path: join(root, "packages", folder, "dist", `${module}.js`), sideEffects: false }
    })
}

const provided = `Effect.provide(FetchHttpClient.layer)`

const imports = `
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"`

const bare = `${imports}
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Schema from "effect/Schema"
const Page = Schema.Struct({ items: Schema.Array(Schema.Struct({ name: Schema.String })), cursor: Schema.String })
const program = Effect.flatMap(HttpClient.get("https://service.example"), HttpClientResponse.schemaBodyJson(Page))
Effect.runFork(program.pipe(${provided}))`

const calling = (module: string, call: string): string =>
  `${imports}
import * as Client from "@effect-klaytn/${module}"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Redacted from "effect/Redacted"
const Config = ClientConfig.layer({
  chain: 1001,
  credentials: Effect.suspend(() => Credentials.fromPair({ accessKeyId: "a", secretAccessKey: Redacted.make("b") })),
  endpoints: { history: "http://127.0.0.1:8080" }
})
const program = Effect.flatMap(Client.make(), (client) => client.${call})
Effect.runFork(program.pipe(Effect.provide(Config), ${provided}))`

interface Program {
  readonly contents: string
  /** Highest compressed size, as a multiple of the bare client's. */
  readonly most: number
}

const programs: Readonly<Record<string, Program>> = {
  history: {
    contents: calling("history/TransferHistory", "getTransfersByTxHash({ transactionHash: \"0x\" })"),
    most: 1.3
  },
  tokens: { contents: calling("tokens/TokenData", "getNftById({ contract: \"0x\", tokenId: 1n })"), most: 1.28 },
  wallet: { contents: calling("wallet/Wallet", "createAccount"), most: 1.88 },
  node: { contents: calling("node/KlaytnNode", "klay.blockNumber"), most: 1.6 }
}

const weighed = async (name: string, contents: string, platform: "browser" | "node" = "browser") => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "packages", "sandbox"), loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    write: false,
    metafile: true,
    outfile: `${name}.mjs`,
    plugins: [built]
  })
  const modules = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([module]) => module)
  )
  return { modules, bytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length }
}

const unbuilt = packages.filter(({ dir }) => !existsSync(join(dir, "dist")))
if (unbuilt.length > 0) {
  console.log(`build first: ${unbuilt.map(({ folder }) => folder).join(", ")} is not built`)
  process.exit(1)
}

const floor = await weighed("bare", bare)
const shown = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
console.log(`bare client and schema: ${shown(floor.bytes)}`)
let ok = true
for (const [name, { contents, most }] of Object.entries(programs)) {
  const { bytes, modules } = await weighed(name, contents)
  const share = bytes / floor.bytes
  const server = await weighed(name, contents, "node")
  const odd = modules.filter((module) => unwanted.test(module))
  console.log(
    `${name}: ${shown(bytes)}, ${share.toFixed(2)} times as much, ${modules.length} modules; ` +
      `for a server, with the compiler of schemas, ${shown(server.bytes)}`
  )
  for (const module of odd) console.log(`  it holds ${module}, which has no use there`)
  if (share > most) console.log(`  it may be ${most} times as much at most`)
  ok &&= odd.length === 0 && share <= most
}

/**
 * The command, with what it loads while it runs, compressed together: an upper bound, which a new dependency breaks. Its
 * sandbox, and with it the EVM, is found beside it only where somebody installed it.
 */
const command = await bundleOf(join(root, "packages", "cli"), { bin: "src/internal/command/bin.ts" }, commandOutside)
const maxOfCommand = 523_000
const ofServers = /(?:^|\/)packages\/(?:sandbox|gateway)\/|node_modules\/@ethereumjs\/(?!rlp\/)/
const commandBytes = gzipSync(Buffer.concat(command.outputFiles.map(({ contents }) => contents)), { level: 9 }).length
const commandModules = Object.keys(command.metafile.inputs).map((file) => resolve(root, "packages", "cli", file))
const oddModules = commandModules.filter((module) => ofServers.test(module))
console.log(
  `klaytn, the command: ${shown(commandBytes)} in ${command.outputFiles.length} files, ${commandModules.length} modules`
)
for (const module of oddModules) console.log(`  it holds ${module}, which only a sandbox or a gateway needs`)
if (commandBytes > maxOfCommand) console.log(`  it may be ${shown(maxOfCommand)} at most`)
ok &&= oddModules.length === 0 && commandBytes <= maxOfCommand

/** Runs of each import, after one that does not count: enough for a median on a busy machine. */
const runsOfEach = 21

/** Installs the build into a folder as it would be published, with the other dependencies linked. */
const installInto = (folder: string): void => {
  const modules = join(folder, "node_modules")
  for (const { dir, manifest } of packages) {
    const to = join(modules, manifest.name)
    cpSync(join(dir, "dist"), join(to, "dist"), { recursive: true })
    writeFileSync(join(to, "package.json"), JSON.stringify({ type: "module", exports: { "./*": "./dist/*.js" } }))
    const own = join(dir, "node_modules")
    for (const name of readdirSync(own)) {
      const names = name.startsWith("@") ? readdirSync(join(own, name)).map((last) => join(name, last)) : [name]
      for (const one of names.filter((one) => !one.startsWith("@effect-klaytn/") && !existsSync(join(modules, one)))) {
        mkdirSync(join(modules, one, ".."), { recursive: true })
        symlinkSync(join(own, one), join(modules, one))
      }
    }
  }
}

/** Milliseconds of CPU that a new process takes to import some modules: time itself depends on what else runs. */
const importMillis = (folder: string, modules: ReadonlyArray<string>): number =>
  Number(execFileSync(process.execPath, [
    "--input-type=module",
    "-e",
    `const since = process.cpuUsage()
     await Promise.all(${JSON.stringify(modules)}.map((module) => import(module)))
     const { system, user } = process.cpuUsage(since)
     console.log((user + system) / 1000)`
  ], { cwd: folder, encoding: "utf8" }))

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

if (process.argv.includes("--imports")) {
  const folder = mkdtempSync(join(tmpdir(), "imports-"))
  try {
    installInto(folder)
    const floor = ["@effect/platform/HttpClient", "@effect/platform/FetchHttpClient", "effect/Effect", "effect/Schema"]
    const clients = ["history/TransferHistory", "tokens/TokenData", "wallet/Wallet", "node/KlaytnNode"]
    const sides = [floor, ...clients.map((client) => [...floor, `@effect-klaytn/${client}`])]
    const runs = Array.from({ length: runsOfEach + 1 }, () => sides.map((modules) => importMillis(folder, modules)))
    const medians = sides.map((_, side) => median(runs.slice(1).map((run) => run[side] ?? 0)))
    console.log(`import of the bare client and schema: ${medians[0]?.toFixed(0)} ms of CPU`)
    for (const [i, client] of clients.entries()) {
      const ratios = runs.slice(1).map((run) => (run[i + 1] ?? 0) / (run[0] ?? 1))
      console.log(`${client}: ${medians[i + 1]?.toFixed(0)} ms, ${median(ratios).toFixed(2)} times as much`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
process.exit(ok ? 0 : 1)
