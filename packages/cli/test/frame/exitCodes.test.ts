/** Exit codes over all commands: 2 for what the caller has to correct, 5 for what may pass. */
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commands } from "../../src/internal/command/commands.js"
import * as shared from "../../src/internal/frame/shared.js"
import { make, type Subcommand } from "../../src/internal/frame/Subcommand.js"
import * as Screen from "../../src/internal/terminal/Screen.js"
import { klaytn } from "../support/terminal.js"

const account = "0x1111111111111111111111111111111111111111"

/** All commands, with those below others. */
const all = (some: ReadonlyArray<Subcommand>): ReadonlyArray<Subcommand> =>
  some.flatMap((one) => [one, ...all(one.subcommands)])

const range = ["--from", "2024-01-01", "--to", "2024-01-02"]
const paying = ["--from", account, "--payer", "service", "--yes"]

/** The commands that store something, by the option that names the place. */
const storing: ReadonlyArray<readonly [words: ReadonlyArray<string>, option: string]> = [
  [["export", account, ...range], "--out"],
  [["tail", account, ...range, "--once"], "--out"],
  [["payouts", "list"], "--db"],
  [["payouts", "show", "order-1"], "--db"],
  [["pay", "--key", "order-1", "--to", account, "--amount", "1", ...paying], "--db"]
]

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-codes-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("what the caller has to correct, with exit code 2", () => {
  it.effect.each(all(commands).map(({ page }) => page.name))(
    "is an option that klaytn %s does not have",
    (name) =>
      Effect.gen(function*() {
        const { code, error, out } = yield* klaytn([...name.split(" "), "--no-such-option"])
        assert.strictEqual(code, 2, error)
        assert.strictEqual(out, "")
      })
  )

  it.scopedLive("is a place that can't be opened, or is something else", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const other = join(path, "notes.db")
      writeFileSync(other, "no database")
      for (const place of [join(path, "missing/history.db"), other, "mysql://host/name"]) {
        for (const [words, option] of storing) {
          const { code, error } = yield* klaytn([...words, option, place])
          assert.strictEqual(code, 2, `${words.join(" ")} ${option} ${place}: ${error}`)
        }
      }
    }), 60_000)

  it.scopedLive("is a directory of something else, or one in which another export is", () =>
    Effect.gen(function*() {
      const path = yield* folder
      writeFileSync(join(path, "notes.txt"), "precious")
      assert.strictEqual((yield* klaytn(["export", account, ...range, "--out", path])).code, 2)
      assert.strictEqual((yield* klaytn(["reconcile", "--out", join(path, "nothing.db")])).code, 2)
    }))

  it.scopedLive("is a file of payments that is missing", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const { code, error } = yield* klaytn(
        ["pay", "--file", join(path, "missing.csv"), ...paying, "--db", join(path, "payouts.db")]
      )
      assert.strictEqual(code, 2, error)
    }))
})

describe("what may pass, with exit code 5", () => {
  it.scopedLive(
    "is a database that refuses connections",
    () =>
      Effect.forEach(
        storing,
        ([words, option]) =>
          Effect.map(klaytn([...words, option, "postgres://127.0.0.1:1/name"]), ({ code, error }) =>
            assert.strictEqual(code, 5, `${words.join(" ")}: ${error}`)),
        { discard: true }
      ),
    120_000
  )

  it.scopedLive("is a service that does not answer, or throttles", () =>
    Effect.forEach(
      [Testing.broken(Testing.networkError("ECONNREFUSED")), Testing.json(429, {})],
      (answer) =>
        Effect.map(klaytn(["call", "klay_blockNumber"], { wire: Testing.wire(answer) }), ({ code, error }) =>
          assert.strictEqual(code, 5, error)),
      { discard: true }
    ), 60_000)
})

describe("a mistyped name", () => {
  it.effect.each(
    [
      [["exprot"], "did you mean export?"],
      [["tial"], "did you mean tail?"],
      [["payout"], "did you mean payouts?"],
      [["export", "--fromm", "2024-01-01"], "did you mean --from?"],
      [["call", "getBalanc"], "did you mean getBalance?"],
      [["call", "klay_getBalanec", account], "did you mean klay_getBalance?"]
    ] as const
  )("%s is answered with the nearest name, once", ([words, hint]) =>
    Effect.map(klaytn(words), ({ code, error }) => {
      assert.strictEqual(code, 2)
      assert.include(error, hint)
    }))
})

describe("log lines", () => {
  const busy = (page: Partial<Subcommand["page"]>) =>
    make(
      { name: "busy", summary: "", description: [], examples: {}, ...page },
      shared.options,
      async () => Effect.as(Effect.logWarning("trying again"), "ok" as const)
    )
  const logged = (command: Subcommand, words: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      yield* klaytn(["busy", ...words], { commands: [command] }).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      return lines.length
    })

  it.effect("are written with --verbose, and by a server", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* logged(busy({}), []), 0)
      assert.strictEqual(yield* logged(busy({}), ["--verbose"]), 1)
      assert.strictEqual(yield* logged(busy({ isServer: true }), []), 1)
    }))
})

describe("a table on a terminal", () => {
  it("breaks between words at any width, but for a word that is too long, and is one line elsewhere", () => {
    const words = "to use it: export KLAYTN_NODE_URL=https://a.example and call it again"
    for (const columns of [40, 60, 80, 120]) {
      const output = {
        write: () => Effect.void,
        flushed: Effect.succeed(true),
        isTerminal: true,
        columns,
        hasColors: false
      }
      const lines = Screen.sheet(output, [["credential", words], ["node", "is set"]])
      for (const line of lines.filter((one) => one.trim().includes(" "))) assert.isAtMost(line.length, columns)
      assert.strictEqual(
        lines.slice(0, -1).map((line) => line.trim()).join(" "),
        `credential  ${words}`
      )
      assert.strictEqual(lines.at(-1), "node        is set")
      assert.strictEqual(Screen.sheet({ ...output, isTerminal: false }, [["node", words]]).length, 1)
    }
  })
})
