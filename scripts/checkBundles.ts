/**
 * `pnpm check:bundles`: bundles a small program for each client from the build and prints its size compared with a bare
 * client of the platform and a schema. Fails if a bundle contains a module that only a server needs, or exceeds its limit.
 */
import { build, type Plugin } from "esbuild"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { packages, root } from "./workspace.js"

/** Server modules and what only they need. */
const serving =
  /HttpApi|HttpApp|HttpMiddleware|HttpRouter|HttpServer|Multipart|FileSystem|find-my-way|multipasta|OperationApi/

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
const program = Effect.flatMap(Client.make(), (client) => client.${call})
Effect.runFork(program.pipe(Effect.provide(ClientConfig.layerConfig()), ${provided}))
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"`

interface Program {
  readonly contents: string
  /** Highest compressed size, as a multiple of the bare client's. */
  readonly most: number
}

const programs: Readonly<Record<string, Program>> = {
  history: {
    contents: calling("history/TransferHistory", "getTransfersByTxHash({ transactionHash: \"0x\" })"),
    most: 1.38
  },
  tokens: { contents: calling("tokens/TokenData", "getNftById({ contract: \"0x\", tokenId: 1n })"), most: 1.36 },
  wallet: { contents: calling("wallet/Wallet", "createAccount"), most: 1.88 },
  node: { contents: calling("node/KlaytnNode", "klay.blockNumber"), most: 1.6 }
}

const weighed = async (name: string, contents: string) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "packages", "sandbox"), loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
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
  const odd = modules.filter((module) => serving.test(module))
  console.log(`${name}: ${shown(bytes)}, ${share.toFixed(2)} times as much, ${modules.length} modules`)
  for (const module of odd) console.log(`  it holds ${module}, which only a server needs`)
  if (share > most) console.log(`  it may be ${most} times as much at most`)
  ok &&= odd.length === 0 && share <= most
}
process.exit(ok ? 0 : 1)
