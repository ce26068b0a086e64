import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import manifest from "../../../sandbox/package.json" with { type: "json" }
import { klaytn } from "../support/terminal.js"

/** The command under its second name, in a process of its own: it is bundled with the sandbox, and starts quickly. */
const launcher = join(import.meta.dirname, "../../../sandbox/scripts/sandbox.mjs")

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  /** Its first line on standard output. */
  readonly line: Effect.Effect<string>
  /** What it printed on standard output, as soon as that is there. */
  readonly printed: (what: RegExp) => Effect.Effect<RegExpExecArray>
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<boolean>
  readonly stop: (...signals: ReadonlyArray<NodeJS.Signals>) => Effect.Effect<Ended>
}

const start = (...args: ReadonlyArray<string>) => startWith({}, ...args)

const startWith = (
  variables: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [launcher, ...args], {
          stdio: ["ignore", "pipe", "pipe"],
          env: { ...process.env, ...variables }
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    let stdout = ""
    let stderr = ""
    const firstLine = new Promise<string>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        stdout += chunk.toString()
        if (stdout.includes("\n")) resolve(stdout.slice(0, stdout.indexOf("\n")))
      })
      child.once("close", (code) => reject(new Error(`the command ended with ${code}: ${stderr}`)))
    })
    // Only a test that asks for the line cares that it never came.
    firstLine.catch(() => undefined)
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })))
    return {
      line: Effect.promise(() => firstLine),
      printed: (what) =>
        Effect.async((resume) => {
          const look = (): void => {
            const found = what.exec(stdout)
            if (found === null) return
            child.stdout.off("data", look)
            resume(Effect.succeed(found))
          }
          child.stdout.on("data", look)
          look()
        }),
      signal: (name) => Effect.sync(() => child.kill(name)),
      stop: (...signals) =>
        Effect.promise(() => {
          for (const signal of signals) child.kill(signal)
          return ended
        })
    }
  })

/** Runs to its end. */
const run = (...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.sync(() => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [launcher, ...args], { encoding: "utf8" })
    return { code: status, stdout, stderr }
  })

interface Ready {
  readonly url: string
  readonly chains: ReadonlyArray<number>
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly accounts: ReadonlyArray<{ readonly name: string; readonly address: string; readonly privateKey: string }>
  readonly presets: ReadonlyArray<{ readonly chain: number; readonly id: number; readonly name: string }>
}

const ready = (running: Running): Effect.Effect<Ready> => Effect.map(running.line, (line) => JSON.parse(line))

interface Answer {
  readonly status: number
  readonly items: ReadonlyArray<{ readonly transactionHash?: string }>
}

const search = (service: Ready, path: string): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const pair = Buffer.from(`${service.accessKeyId}:${service.secretAccessKey}`).toString("base64")
    const response = await fetch(`${service.url}${path}`, {
      headers: { authorization: `Basic ${pair}`, "x-chain-id": "1001" }
    })
    const { items = [] }: Partial<Answer> = JSON.parse(await response.text())
    return { status: response.status, items }
  })

const transfersOf = (service: Ready, preset = 1) => search(service, `/v2/transfer?presets=${preset}&size=1000`)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sandbox-command-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const scenario = {
  accounts: [{ name: "alice", klay: "10" }, { name: "bob" }, { name: "frank" }],
  steps: [
    { do: "send", from: "alice", to: "bob", klay: "1" },
    { do: "send", from: "alice", to: "bob", klay: "2.5", memo: "thanks" }
  ],
  presets: [{ name: "both", accounts: ["alice", "bob"], contracts: [] }]
}

const scenarioFile = Effect.map(folder, (path) => {
  const file = join(path, "scenario.json")
  writeFileSync(file, JSON.stringify(scenario))
  return file
})

interface Asked {
  readonly path: string
  /** Of a POST; without one it is a GET. */
  readonly body?: string
}

const nobody = "0x0000000000000000000000000000000000000000"

/** A small read of each service; there is no such contract, which is an answer with 404. */
const services: ReadonlyArray<Asked> = [
  { path: `/v2/transfer/account/${nobody}` },
  { path: `/v2/contract/nft/${nobody}/token` },
  { path: "/v2/stat/count" },
  { path: "/v1/klaytn", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "klay_chainID", params: [] }) }
]

/** A sentence, and what to do about it. */
const oneSentence = (ended: Ended, code: number): void => {
  assert.strictEqual(ended.code, code, ended.stderr)
  assert.strictEqual(ended.stdout, "")
  assert.match(ended.stderr, /^klaytn: [^\n]+\n(?: {2}-> [^\n]+\n)*$/)
  assert.notMatch(ended.stderr, /\bat .*:\d+:\d+|node:internal|Error:/)
}

/** Runs to its end in this process, which it may do only if it does not get to serve. */
const here = (...words: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.map(klaytn(["sandbox", ...words]), ({ code, error, out }) => ({ code, stdout: out, stderr: error }))

describe("klaytn sandbox", () => {
  it.scopedLive("says where and when it stands: blocks, time, tokens, and what accounts had before", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "market.json")
      const apples = { name: "apples", kind: "ft", title: "Apple", symbol: "APL", decimals: 2, deployer: "alice" }
      writeFileSync(file, JSON.stringify({ accounts: [{ name: "alice", klay: "1" }], tokens: [apples], steps: [] }))
      const out: Array<string> = []
      const stopped = yield* Deferred.make<void>()
      const running = yield* Effect.fork(
        klaytn(["sandbox", "--port", "0", "--deterministic", "--seed", file], { out, stopped })
      )
      yield* Effect.repeat(Effect.delay(Effect.sync(() => out.length), "20 millis"), { until: (lines) => lines > 0 })
      yield* Deferred.succeed(stopped, undefined)
      yield* Fiber.join(running)
      const page = out.join("")
      assert.match(page, /^ {2}newest block: \d of chain 1001$/m)
      assert.match(
        page,
        /^ {2}ITS TIME IS NOT NOW: it is 2024-01-01 00:00:00 on chain 8217, 2024-01-01 00:00:0\d on chain 1001$/m
      )
      assert.include(page, "--deterministic begins its clock on 2024-01-01")
      assert.match(page, /^ {2}apples {2}APL {2}0x[0-9a-f]{40} {2}chain 1001$/m)
      assert.include(
        page,
        "From block 0 on, alice, bob, carol, dave and erin have 1,000,000 KLAY each; a scenario adds to it."
      )
    }))

  it.scopedLive("says in one JSON line what a client needs, answers it, and ends well on SIGTERM", () =>
    Effect.gen(function*() {
      const running = yield* start("--port", "0", "--json")
      const service = yield* ready(running)
      assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/)
      assert.deepStrictEqual(service.chains, [8217, 1001])
      assert.deepStrictEqual(service.presets, [])
      assert.isAbove(service.accounts.length, 1)
      for (const { address, name, privateKey } of service.accounts) {
        assert.match(name, /./)
        assert.match(address, /^0x[0-9a-fA-F]{40}$/)
        assert.match(privateKey, /^0x[0-9a-f]{64}$/)
      }
      const { items, status } = yield* search(service, `/v2/transfer/account/${service.accounts[0]?.address}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(items, [])
      const ended = yield* running.stop("SIGTERM")
      assert.strictEqual(ended.code, 0)
      assert.strictEqual(ended.stdout.trimEnd().split("\n").length, 1)
      assert.strictEqual(ended.stderr, "")
    }))

  it.scopedLive("takes a leading -- and ends well on a doubled SIGINT", () =>
    Effect.gen(function*() {
      const running = yield* start("--", "--port", "0", "--json")
      yield* running.line
      const ended = yield* running.stop("SIGINT", "SIGINT")
      assert.strictEqual(ended.code, 0)
    }))

  it.scopedLive("answers everybody else after the first client of each service left before it was loaded", () =>
    Effect.gen(function*() {
      const service = yield* ready(yield* start("--port", "0", "--json"))
      const { hostname, port } = new URL(service.url)
      const credential = Buffer.from(`${service.accessKeyId}:${service.secretAccessKey}`).toString("base64")
      const headers = {
        host: `${hostname}:${port}`,
        authorization: `Basic ${credential}`,
        "content-type": "application/json",
        "x-chain-id": "1001"
      }
      /** Sends a request and leaves, without waiting for its answer. */
      const leave = ({ body = "", path }: Asked) =>
        Effect.async<void>((resume) => {
          const socket = connect(Number(port), hostname)
          const lines = Object.entries({ ...headers, "content-length": body.length })
            .map(([name, value]) => `${name}: ${value}\r\n`).join("")
          socket.on("close", () => resume(Effect.void))
          socket.write(
            `${body === "" ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines}\r\n${body}`,
            () => setTimeout(() => socket.destroy(), 2)
          )
        })
      const ask = ({ body, path }: Asked) =>
        Effect.promise(async () => {
          const asking = body === undefined ? { headers } : { headers, method: "POST", body }
          const response = await fetch(`${service.url}${path}`, asking)
          await response.arrayBuffer()
          return response.status
        })
      const pages: ReadonlyArray<Asked> = [{ path: "/" }, { path: "/explorer/accounts" }, { path: "/openapi.json" }]
      const all = [...services, ...pages, { path: "/_sandbox/health" }]
      for (const one of all) yield* leave(one)
      for (const one of all) assert.include([200, 404], yield* ask(one), one.path)
    }))

  it.scopedLive("tells people the variables to copy, without colours where there is no terminal", () =>
    Effect.gen(function*() {
      const running = yield* start("--port", "0", "--host", "localhost")
      yield* running.line
      const [link = ""] = yield* running.printed(/(?<=^Control: )\S+/m)
      const health = yield* Effect.promise(async () => (await fetch(link)).status)
      assert.strictEqual(health, 200, link)
      const { stdout } = yield* running.stop("SIGTERM")
      for (
        const name of [
          "CHAIN_ID",
          "ACCESS_KEY_ID",
          "SECRET_ACCESS_KEY",
          "HISTORY_URL",
          "WALLET_URL",
          "RESOURCE_URL",
          "NODE_URL"
        ]
      ) {
        assert.include(stdout, `export KLAYTN_${name}=`)
      }
      assert.notInclude(stdout, "\x1b")
    }))

  it.scopedLive("logs what it could not answer on standard error, with --json too, and nothing secret", () =>
    Effect.gen(function*() {
      // From the signal on no amount can be written.
      const fault = "process.on('SIGUSR2', () => { BigInt.prototype.toString = () => { throw new Error('broken') } })"
      const options = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fault)}` }
      const running = yield* startWith(options, "--port", "0", "--json", "--transfers", "9")
      const service = yield* ready(running)
      const path = "/v2/contract/ft"
      assert.strictEqual((yield* search(service, path)).status, 200)
      yield* running.signal("SIGUSR2")
      const { status } = yield* Effect.repeat(search(service, path), {
        until: (answer) => answer.status !== 200,
        times: 50
      })
      assert.strictEqual(status, 500)
      const { stderr, stdout } = yield* running.stop("SIGTERM")
      assert.strictEqual(stdout.trimEnd().split("\n").length, 1)
      assert.match(stderr, /level=ERROR .*could not answer/)
      for (const secret of [service.secretAccessKey, ...service.accounts.map(({ privateKey }) => privateKey)]) {
        assert.notInclude(stderr, secret)
      }
    }))

  it.effect("refuses every address that is not loopback, in one sentence and with exit code 2", () =>
    Effect.gen(function*() {
      for (const host of ["0.0.0.0", "::", "192.168.1.10", "example.com", "127.0.0.1.example.com"]) {
        const ended = yield* here("--port", "0", "--host", host)
        oneSentence(ended, 2)
        assert.match(ended.stderr, /loopback/)
      }
    }))

  it.effect("is exposed only with a credential of the environment, and its second option only with the first", () =>
    Effect.gen(function*() {
      for (
        const [words, problem] of [
          [["--host", "0.0.0.0", "--expose"], /--expose needs a credential of yours/],
          [["--expose-dev-rpc"], /--expose-dev-rpc goes with --expose/],
          [["--expose", "--expose-dev-rpc", "--no-dev-rpc"], /choose one of/]
        ] as const
      ) {
        const ended = yield* here("--port", "0", ...words)
        assert.strictEqual(ended.code, 2, ended.stderr)
        assert.match(ended.stderr, problem)
      }
      assert.match((yield* here("--port", "0", "--dev-rpc-origin", "https://*.example")).stderr, /is no origin/)
    }))

  it.scoped("answers what makes no sense with one sentence and exit code 2", () =>
    Effect.gen(function*() {
      const broken = join(yield* folder, "broken.json")
      writeFileSync(broken, JSON.stringify({ accounts: [{ nam: "alice" }] }))
      const cases = [
        ["--dev-rpc-origin", "https://*.example"],
        ["--host", "192.0.2.1", "--expose"],
        ["--port", "70000"],
        ["--mining", "0s"],
        ["--unit-price", "-1"],
        ["--transfers", "1"],
        [
          "--prot",
          "1"
        ],
        ["--db", ""]
      ]
      for (const args of [...cases, ["--seed", `${broken}.missing`], ["--seed", broken]]) {
        oneSentence(yield* here("--port", "0", ...args), 2)
      }
      assert.isFalse(existsSync(".key"))
    }))

  it.effect("lists and counts the methods of the node", () =>
    Effect.gen(function*() {
      const json = yield* here("methods", "--json")
      assert.strictEqual(json.code, 0, json.stderr)
      const { count, notServed, served } = JSON.parse(json.stdout)
      assert.strictEqual(count, served.length)
      assert.include(served, "kaia_getBalance")
      assert.include(notServed, "klay_newFilter")
      const page = yield* here("methods")
      assert.match(
        page.stdout,
        new RegExp(`^${count} methods of a node are served:\\n\\nklay and kaia\\n  getBalance, `)
      )
    }))

  it.scoped("prints the OpenAPI document, of all or of one service, or writes it to a file", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "openapi.json")
      const written = yield* here("openapi", "--service", "history", "--out", file)
      assert.deepStrictEqual([written.code, written.stdout], [0, ""], written.stderr)
      const printed = yield* here("openapi", "--service", "history")
      assert.strictEqual(printed.stdout, readFileSync(file, "utf8"))
      assert.deepStrictEqual(Object.keys(JSON.parse(printed.stdout).paths), [
        "/v2/transfer",
        "/v2/transfer/account/{address}",
        "/v2/transfer/tx/{hash}"
      ])
      oneSentence(yield* here("openapi", "--out", join(file, "..", "none", "below")), 2)
    }))

  it.scopedLive("says in one sentence that the port is taken or the file is no database, with exit code 2", () =>
    Effect.gen(function*() {
      const port = yield* Effect.acquireRelease(
        Effect.async<{ readonly server: ReturnType<typeof createServer>; readonly number: number }>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(Effect.succeed({ server, number: typeof address === "object" ? address?.port ?? 0 : 0 }))
          })
        }),
        ({ server }) => Effect.sync(() => server.close())
      )
      // Not spawnSync: the taken port needs this process to live on.
      const running = yield* start("--port", `${port.number}`)
      const ended = yield* running.stop()
      oneSentence(ended, 2)
      assert.include(ended.stderr, "klaytn explain SandboxError")

      const file = join(yield* folder, "text.db")
      writeFileSync(file, "this is no database, but a text that is long enough to be taken for one ".repeat(20))
      oneSentence(yield* run("--port", "0", "--db", file), 2)
    }))

  it.scopedLive(
    "keeps in the file of --db what it acknowledged, also what waits for a block when it is stopped",
    () =>
      Effect.gen(function*() {
        const db = join(yield* folder, "sandbox.db")
        const rpc = (service: Ready, method: string, ...params: ReadonlyArray<unknown>) =>
          Effect.promise(async (): Promise<unknown> => {
            const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
            const headers = { "content-type": "application/json" }
            const response = await fetch(`${service.url}/rpc/1001`, { method: "POST", body, headers })
            return JSON.parse(await response.text()).result
          })
        const first = yield* start("--port", "0", "--json", "--db", db, "--mining", "3600s")
        const before = yield* ready(first)
        const [alice, bob] = before.accounts
        const hashes = yield* Effect.forEach(
          Array.from({ length: 60 }),
          () =>
            rpc(before, "eth_sendTransaction", { from: alice?.address, to: bob?.address, value: "0x1", gas: "0x5208" }),
          { concurrency: 8 }
        )
        assert.strictEqual((yield* first.stop("SIGTERM")).code, 0)
        const second = yield* start("--port", "0", "--json", "--db", db, "--mining", "3600s")
        const after = yield* ready(second)
        yield* rpc(after, "evm_mine")
        const receipts = yield* Effect.forEach(hashes, (hash) => rpc(after, "eth_getTransactionReceipt", hash))
        assert.strictEqual(receipts.filter((receipt) => receipt !== null).length, 60)
        assert.strictEqual((yield* second.stop("SIGTERM")).code, 0)
      }),
    60_000
  )

  it.scopedLive("keeps everything in the file of --db, and plays a scenario into it once", () =>
    Effect.gen(function*() {
      const db = join(yield* folder, "sandbox.db")
      const seed = yield* scenarioFile
      const first = yield* start("--port", "0", "--json", "--db", db, "--seed", seed)
      const before = yield* ready(first)
      const played = yield* transfersOf(before)
      yield* first.stop("SIGTERM")
      const second = yield* start("--port", "0", "--json", "--db", db, "--seed", seed)
      const after = yield* ready(second)
      assert.isAbove(played.items.length, 2)
      assert.strictEqual(before.accounts.at(-1)?.name, "frank")
      assert.deepStrictEqual(yield* transfersOf(after), played)
      // A chain without blocks begins at its start.
      assert.deepStrictEqual({ ...after, url: "", heads: [] }, { ...before, url: "", heads: [] })
      const { stderr } = yield* second.stop("SIGTERM")
      assert.match(stderr, /^--seed is left out: chain 1001 of this database already has blocks\n$/)
    }))

  it.scopedLive("makes the same keys, credential and transactions at every start with --deterministic", () =>
    Effect.gen(function*() {
      const seed = yield* scenarioFile
      const once = Effect.gen(function*() {
        const running = yield* start("--port", "0", "--json", "--deterministic", "--seed", seed)
        const service = yield* ready(running)
        const { items } = yield* transfersOf(service)
        const chains = yield* Effect.promise(async (): Promise<unknown> => {
          const response = await fetch(`${service.url}/_sandbox/chains/1001`)
          return response.json()
        })
        yield* running.stop("SIGTERM")
        return { service: { ...service, url: "" }, items, chains }
      })
      const first = yield* once
      assert.isAbove(first.items.length, 2)
      assert.property(first.chains, "blockHash")
      assert.deepStrictEqual(yield* once, first)
    }))

  it.scopedLive("makes other keys at every start without it", () =>
    Effect.gen(function*() {
      const [first, second] = yield* Effect.forEach([1, 2], () =>
        Effect.gen(function*() {
          const running = yield* start("--port", "0", "--json")
          const service = yield* ready(running)
          yield* running.stop("SIGTERM")
          return service
        }))
      assert.notStrictEqual(first?.secretAccessKey, second?.secretAccessKey)
      assert.notStrictEqual(first?.accounts[0]?.privateKey, second?.accounts[0]?.privateKey)
    }))

  it.scopedLive("fills the chain with as many transfers as asked, and reports in plain lines", () =>
    Effect.gen(function*() {
      const running = yield* start("--port", "0", "--json", "--transfers", "200")
      yield* running.line
      const { stderr } = yield* running.stop("SIGTERM")
      assert.match(stderr, /^transfers generated: 200 of 200 \(100 %/m)
      assert.notInclude(stderr, "\x1b")
    }))

  it.scopedLive("takes the wallet's key from a file or the environment, and else keeps one beside the database", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const db = join(at, "sandbox.db")
      const first = yield* start("--port", "0", "--db", db)
      yield* first.line
      assert.include((yield* first.stop("SIGTERM")).stdout, `sealed with the key in ${db}.key`)
      const key = readFileSync(`${db}.key`, "utf8")
      const elsewhere = join(at, "elsewhere")
      renameSync(`${db}.key`, elsewhere)
      const second = yield* start("--port", "0", "--json", "--db", db, "--wallet-key", elsewhere)
      const line = yield* second.line
      assert.notInclude(line, key.trim())
      yield* second.stop("SIGTERM")
      const without = yield* run("--port", "0", "--db", db)
      oneSentence(without, 2)
      assert.match(without.stderr, /wallet key/)
      oneSentence(yield* run("--port", "0", "--db", db, "--wallet-key", `${elsewhere}.missing`), 2)
      process.env["KLAYTN_SANDBOX_WALLET_KEY"] = "another"
      const wrong = yield* Effect.ensuring(
        run("--port", "0", "--db", db),
        Effect.sync(() => delete process.env["KLAYTN_SANDBOX_WALLET_KEY"])
      )
      oneSentence(wrong, 2)
      assert.deepStrictEqual(readdirSync(at).filter((name) => name.endsWith(".key")), [])
    }))

  it.live("has a second name, under which it speaks of itself", () =>
    Effect.gen(function*() {
      const help = yield* run("--help")
      assert.strictEqual(help.code, 0, help.stderr)
      assert.match(help.stdout, /^ {2}effect-klaytn-sandbox \[options\]$/m)
      assert.match(help.stdout, /^ {2}\$ effect-klaytn-sandbox --db sandbox\.db$/m)
      assert.notInclude(help.stdout, "klaytn sandbox")
      const wrong = yield* run("--prot", "1")
      oneSentence(wrong, 2)
      assert.include(wrong.stderr, "effect-klaytn-sandbox --help lists the options")
      assert.strictEqual((yield* run("--version")).stdout, `${manifest.version}\n`)
      assert.match((yield* run("--completions", "bash")).stdout, /--fee-payer-style/)
    }))
})
