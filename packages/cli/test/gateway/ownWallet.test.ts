/** The commands of the guide to a wallet of one's own, as it has them. */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { klaytn, type World } from "../support/terminal.js"

const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/own-wallet.md"), "utf8")

/** Each command on one line. */
const lines = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = ""]) => block.replaceAll(/ *\\\n */g, " ").trim().split("\n"))

/** The words of a command, without the quotes of a shell. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")

/** What the page shows of what is different each time. */
const shown = {
  payer: "0x8c70b798cd928801291130edce67d687624cb3f6",
  own: "0xb35009c914760431c6cffa1cfaaf84bf5a458a88",
  account: "0x83126ed74Ca97D0B3a248A2401ff135072348C26",
  node: "http://127.0.0.1:8551",
  gateway: "http://127.0.0.1:8218"
} as const

const files = ["index.db", "payouts.db", "shop-1.backup", "caller.env", "own.key"]

it.scopedLive(
  "the guide's commands lead from an empty folder to a paid invoice, with one key that has coin",
  () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-own-wallet-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const client = yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)
      const environment: Record<string, string> = {}
      const known = new Map<string, string>()
      const actual = (text: string): string =>
        [...known].reduce((line, [page, here]) => line.replaceAll(page, here), text)
      const learn = (name: keyof typeof shown, here: string | undefined) => {
        assert.isDefined(here, `${name} was not printed`)
        assert.include(guide, shown[name])
        known.set(shown[name], here ?? "")
      }
      const run = (words: ReadonlyArray<string>, world: Pick<World, "errors" | "out" | "stopped"> = {}) =>
        klaytn(words.map((word) => files.includes(word) ? join(folder, word) : word), { client, environment, ...world })
      const printed: Array<string> = []
      for (const shownLine of lines) {
        const line = actual(shownLine).replace("npx --no-install ", "npx ")
        const [first = "", ...words] = wordsOf(line)
        if (/^(?:mkdir|npm) /.test(line)) continue
        if (line.startsWith("npx klaytn sandbox ")) {
          learn("node", (yield* Sandbox.make({ seed: "a shop" })).url)
        } else if (first === "export") {
          for (const word of words) environment[word.split("=", 1)[0] ?? ""] = word.slice(word.indexOf("=") + 1)
        } else if (first === ".") {
          const set = readFileSync(join(folder, "caller.env"), "utf8").matchAll(/^export (\w+)=(.+)$/gm)
          for (const [, name = "", value = ""] of set) environment[name] = value
        } else if (line.includes("openssl rand -hex 32 > own.key")) {
          writeFileSync(join(folder, "own.key"), `${"5c".repeat(32)}\n`)
        } else if (first === "curl") {
          const [, url = "", body] = /^curl (\S+) -d '([^']*)'$/.exec(line) ?? []
          const answer = yield* Effect.promise(() => fetch(url, { method: "POST", body: body ?? "" }))
          assert.strictEqual(answer.status, 200, line)
        } else if (line.startsWith("npx klaytn gateway --db")) {
          const [stopped, out, errors] = [yield* Deferred.make<void>(), [] as Array<string>, [] as Array<string>]
          const gateway = yield* Effect.fork(run([...words.slice(1), "--port", "0"], { stopped, out, errors }))
          yield* Effect.addFinalizer(() => Effect.zipRight(Deferred.succeed(stopped, undefined), Fiber.await(gateway)))
          const isListening = Effect.sync(() => [...out, ...errors].join("").includes("ready  block"))
          yield* Effect.race(
            Effect.repeat(Effect.delay(isListening, "50 millis"), { until: (is) => is }),
            Effect.flatMap(Fiber.join(gateway), ({ error }) => Effect.dieMessage(`it ended: ${error}`))
          )
          learn("gateway", /listens on (\S+)/.exec(out.join(""))?.[1])
          learn("payer", /global fee payer (0x[0-9a-f]{40})/.exec(out.join(""))?.[1])
        } else {
          assert.strictEqual(first, "npx", line)
          const { code, error, out } = yield* run(words.slice(1))
          assert.strictEqual(code, 0, `${line}\n${out}${error}`)
          printed.push(out)
          if (line.includes("accounts create")) learn("account", /0x[0-9a-fA-F]{40}/.exec(out)?.[0])
          if (line.includes("wallet import")) learn("own", /0x[0-9a-f]{40}/.exec(out)?.[0])
        }
      }
      const text = printed.join("")
      for (const key of ["fees-1", "coin-1", "invoice-4711"]) assert.match(text, new RegExp(`^${key} +Executed`, "m"))
      assert.include(text, "82.5 of 1000 KLAY")
      assert.notInclude(text, "EMPTY")
      const nobody = "0xf1653a0e6bdd0a0b9c9d3e1d7a4d4a1f6b8a60b6"
      const paid = { to: nobody, amount: "1", payer: "service", from: nobody, db: "payouts.db" }
      const options = Object.entries(paid).flatMap(([name, value]) => [`--${name}`, value])
      const wrong = yield* run(["pay", "--key", "invoice-4712", ...options, "--yes"])
      assert.strictEqual(wrong.code, 3)
      assert.match(wrong.out, /from: 0xf1653a0e\S+ is no account of this wallet \(its default pool\)/i)
      assert.notInclude((yield* run(["payouts", "list", "--db", "payouts.db"])).out, "invoice-4712")
    }),
  120_000
)
