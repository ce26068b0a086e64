import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { klaytn } from "../support/terminal.js"

const dir = join(import.meta.dirname, "../..")

/** The bundled command, made anew if its sources changed. */
const bundled = Effect.sync(() => {
  const { status, stderr } = spawnSync(process.execPath, [join(dir, "scripts/klaytn.mjs"), "--version"], {
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stderr)
  return join(dir, "dist/bin.mjs")
})

/** A sandbox with a funded account that has sent something, a file of payments, and the environment that leads to both. */
const world = Effect.gen(function*() {
  const { accessKeyId, chains, secretAccessKey, url } = yield* Sandbox.make({ seed: "pipe" })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-pipe-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const environment = {
    KLAYTN_CHAIN_ID: "1001",
    KLAYTN_ACCESS_KEY_ID: accessKeyId,
    KLAYTN_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey),
    KLAYTN_WALLET_URL: url,
    KLAYTN_NODE_URL: url,
    KLAYTN_PAYOUTS_DB: join(folder, "payouts.db")
  }
  const { address } = yield* Effect.flatMap(Wallet.make(), ({ createAccount }) => createAccount).pipe(
    Effect.provide(ClientConfig.layerConfig({ service: "wallet" })),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
  )
  yield* chains.chain(1001).fund(address, 1000n * 10n ** 18n)
  const file = join(folder, "payouts.csv")
  const keys = Array.from({ length: 20 }, (_, i) => `line-${i}`)
  const line = (key: string) => `${key},0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359,1`
  writeFileSync(file, ["key,to,amount", ...keys.map(line)].join("\n"))
  const client = yield* HttpClient.HttpClient
  return {
    client,
    environment,
    file,
    keys,
    pay: ["pay", "--file", file, "--from", address, "--payer", "service", "--yes"]
  }
}).pipe(Effect.provide(FetchHttpClient.layer))

/** Runs a command, closes both outputs after its first words, and gives the exit code. */
const closedEarly = (file: string, words: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.async<number | null>((resume) => {
    const child = spawn(process.execPath, [file, ...words], {
      env: { PATH: process.env["PATH"], ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    child.stdout.once("data", () => {
      child.stdout.destroy()
      child.stderr.destroy()
    })
    child.once("exit", (code) => resume(Effect.succeed(code)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("klaytn whose output is closed", () => {
  it.scopedLive("carries payments to their end, and exits with 141", () =>
    Effect.gen(function*() {
      const { client, environment, keys, pay } = yield* world
      assert.strictEqual(yield* closedEarly(yield* bundled, pay, environment), 141)
      const list = yield* klaytn(["payouts", "list", "--json"], { client, environment })
      const ended = list.out.trim().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        ended.map(({ key, state }) => `${key} ${state._tag}`).sort(),
        keys.map((key) => `${key} Executed`).sort()
      )
    }), 120_000)

  it.effect("stops anything else, and exits with 141", () =>
    Effect.gen(function*() {
      const closed = yield* Deferred.make<void>()
      yield* Deferred.succeed(closed, undefined)
      const wire = { environment: {}, closed }
      assert.strictEqual((yield* klaytn(["call"], wire)).code, 141)
      assert.strictEqual((yield* klaytn(["explain"], wire)).code, 141)
      // What went wrong is told all the same.
      assert.strictEqual((yield* klaytn(["pay"], wire)).code, 2)
    }))
})
