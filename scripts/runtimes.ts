/**
 * `pnpm runtimes`: installs the packed clients into an empty project, and runs one program against the sandbox on Node, Bun,
 * Deno and workerd, whose binaries come as packages. Not part of CI: the binaries are 400 MB.
 */
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { packAll, root, run } from "./workspace.js"

const versions = {
  "@oven/bun-linux-x64": "1.4.5",
  "@deno/linux-x64-glibc": "2.9.6",
  "@cloudflare/workerd-linux-64": "1.20261117.1",
  effect: "3.22.4",
  "@effect/platform": "0.97.2"
}

/** Streams a history, reads a node, makes an account and a payment, and meets a typed error. */
const client = `
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

export const check = ({ accessKeyId, alice, secretAccessKey, url }) => {
  const Config = ClientConfig.layer({
    chain: 1001,
    credentials: Effect.suspend(() =>
      Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) })),
    endpoints: { history: url, node: url, wallet: url }
  })
  const Live = Layer.mergeAll(TransferHistory.layer(), KlaytnNode.layer(), Wallet.layer()).pipe(
    Layer.provide(Config),
    Layer.provide(FetchHttpClient.layer)
  )
  const fund = (to) => Effect.promise(() => fetch(url + "/_sandbox/chains/1001/fund", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ to, amount: "1000000000000000000" })
  }))
  return Effect.gen(function*() {
    const [history, node, wallet] = yield* Effect.all([TransferHistory.TransferHistory, KlaytnNode.KlaytnNode, Wallet.Wallet])
    const account = yield* wallet.createAccount
    yield* fund(account.address)
    for (const value of [1n, 2n, 3n]) {
      yield* wallet.sendValue({ from: account.address, to: alice, value, payer: FeeDelegation.service })
    }
    const sums = history.getTransfersByEoa.items({ address: account.address, only: "from", size: 2 }).pipe(
      Stream.runFold(0n, (sum, transfer) => sum + transfer.value)
    )
    const [sum, chain] = yield* Effect.all([sums, node.klay.chainId()], { concurrency: "unbounded" })
    const typo = yield* Effect.flip(history.getTransfersByEoa({ address: "0x1" }))
    return [sum, chain, typo._tag].join(" ")
  }).pipe(Effect.provide(Live), Effect.runPromise)
}
`
const expected = "6 1001 InvalidInput"

const place = mkdtempSync(join(tmpdir(), "effect-klaytn-runtimes-"))
process.on("exit", () => rmSync(place, { recursive: true, force: true }))
const tarballs = await packAll(join(place, "tarballs"))
const ours = ["core", "history", "node", "transaction", "wallet"].map((name) => tarballs.get(name) ?? name)
writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, type: "module" }))
writeFileSync(join(place, "client.mjs"), client)
const installed = await run(
  "npm",
  [
    ...["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...ours],
    ...Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  ],
  { cwd: place }
)
if (installed.code !== 0) throw new Error(installed.output)

const sandbox = spawn("node", [join(root, "packages/sandbox/scripts/sandbox.mjs"), "--port", "0", "--json"], {
  stdio: ["ignore", "pipe", "inherit"]
})
process.on("exit", () => sandbox.kill())
const [line = "{}"] = await once(createInterface(sandbox.stdout), "line")
interface Ready {
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly accounts: ReadonlyArray<{ readonly address: string }>
}
// The command prints one line of JSON when it is ready.
const ready = JSON.parse(String(line)) as Ready
const settings = {
  url: ready.url,
  accessKeyId: ready.accessKeyId,
  secretAccessKey: ready.secretAccessKey,
  alice: ready.accounts[0]?.address ?? ""
}
writeFileSync(
  join(place, "main.mjs"),
  `import { check } from "./client.mjs"\nconsole.log(await check(${JSON.stringify(settings)}))\n`
)

const binary = (path: string): string => {
  const file = join(place, "node_modules", path)
  chmodSync(file, 0o755)
  return file
}

const program = async (command: string, ...args: ReadonlyArray<string>): Promise<string> =>
  (await run(command, [...args, "main.mjs"], { cwd: place, timeout: 120_000 })).output.trim()

/** A port that is free now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const worker = async (): Promise<string> => {
  await build({
    stdin: {
      contents: `import { check } from "./client.mjs"
export default { fetch: (_, env) => check(env).then((text) => new Response(text), (error) => new Response(String(error))) }`,
      resolveDir: place
    },
    bundle: true,
    format: "esm",
    minify: true,
    conditions: ["workerd", "worker", "browser"],
    outfile: join(place, "worker.js"),
    logLevel: "error"
  })
  const port = await freePort()
  const bindings = Object.entries(settings).map(([name, text]) => `(name = "${name}", text = "${text}")`).join(", ")
  writeFileSync(
    join(place, "workerd.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["local"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  bindings = [${bindings}]
);
`
  )
  const server = spawn(binary("@cloudflare/workerd-linux-64/bin/workerd"), ["serve", "workerd.capnp"], { cwd: place })
  try {
    for (let tries = 0; tries < 50; tries++) {
      await sleep(200)
      const answer = await fetch(`http://127.0.0.1:${port}/`).then((response) => response.text(), () => undefined)
      if (answer !== undefined) return answer
    }
    return "workerd does not answer"
  } finally {
    server.kill()
  }
}

const deno = ["run", "--node-modules-dir=manual", "--allow-net=127.0.0.1", "--allow-env", "--allow-read"]
const results = [
  ["node", process.version, await program("node")],
  ["bun", versions["@oven/bun-linux-x64"], await program(binary("@oven/bun-linux-x64/bin/bun"))],
  ["deno", versions["@deno/linux-x64-glibc"], await program(binary("@deno/linux-x64-glibc/deno"), ...deno)],
  ["workerd", versions["@cloudflare/workerd-linux-64"], await worker()]
] as const
for (const [name, version, printed] of results) {
  console.log(`${name} ${version}: ${printed === expected ? "passed" : `FAILED: ${printed}`}`)
}
process.exit(results.every(([, , printed]) => printed === expected) ? 0 : 1)
