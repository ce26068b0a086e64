import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrations } from "../../../exports/src/internal/tables.js"
import * as trial from "../../../exports/test/support/trial.js"
import * as Destination from "../../src/internal/exports/destination.js"
import * as instant from "../../src/internal/terminal/instant.js"
import * as progress from "../../src/internal/terminal/progress.js"
import { environment, klaytn, secret } from "../support/terminal.js"

const account = "0x1111111111111111111111111111111111111111"

/** A coin transfer of one second. */
const record = (second: number, fields: object = {}) => ({
  transferType: "klay",
  from: account,
  to: "0x3333333333333333333333333333333333333333",
  value: "0x10",
  fee: "0x1",
  feePayer: "",
  feeRatio: 0,
  status: 1,
  transactionHash: `0x${second.toString(16).padStart(64, "0")}`,
  transactionIndex: 0,
  blockNumber: second,
  typeInt: 8,
  timestamp: second,
  ...fields
})

/** A history that answers each search with the records in its range, newest first, in one page. */
const history = (records: ReadonlyArray<ReturnType<typeof record>>): Testing.Step => (sent) => {
  const [, from = "", to = ""] = /range=(\d+)(?:%2C|,)(\d+)/.exec(sent.url) ?? []
  const items = records.filter(({ timestamp }) => timestamp >= Number(from) && timestamp <= Number(to))
    .sort((a, b) => b.timestamp - a.timestamp)
  return Testing.json(200, { items, cursor: "" })(sent)
}

const day = 1_704_067_200
const ten = Array.from({ length: 10 }, (_, i) => record(day + 3600 * i))
const oneDay = ["--from", "2024-01-01", "--to", "2024-01-01", "--windows", "4"]

const word = `0x${"1".repeat(64)}`

/** A block of the fourth hour of the day, as a node answers. */
const block = {
  number: "0x7",
  hash: word,
  parentHash: word,
  logsBloom: `0x${"0".repeat(512)}`,
  transactionsRoot: word,
  stateRoot: word,
  receiptsRoot: word,
  extraData: "0x",
  gasUsed: "0x0",
  timestamp: `0x${(day + 3 * 3600).toString(16)}`,
  size: "0x100",
  transactions: []
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-export-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("klaytn plan", () => {
  it.effect("says windows and requests, and sends nothing", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const words = ["plan", account, "--from", "2023-01-01", "--to", "2024-12-31"]
      const { code, out } = yield* klaytn(words, { wire, environment: {} })
      assert.strictEqual(code, 0)
      assert.strictEqual(
        out,
        "range     2023-01-01 00:00:00 to 2024-12-31 23:59:59\n" +
          "searches  1, split into 16 windows\n" +
          "requests  at least 16, and one for each full page of 1000\n"
      )
      const json = yield* klaytn([...words, "--json", "--windows", "5"], { wire, environment: {} })
      const { atLeastRequests, from, to, windows } = JSON.parse(json.out)
      assert.deepStrictEqual([windows, atLeastRequests, from, to], [5, 5, 1_672_531_200, 1_735_689_599])
      const two = yield* klaytn([...words, "0x2222222222222222222222222222222222222222"], { wire, environment: {} })
      assert.match(
        two.out,
        /advice +2 accounts are 16 searches\. One preset of these accounts is 8:.* return more than/
      )
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("says with --reach what the service refuses, and ends with exit code 3", () =>
    Effect.gen(function*() {
      const refusal = {
        code: 1_040_011,
        message: "[OutOfRangeQueryParameterValue]invalid timestamp range",
        requestId: "1"
      }
      const wire = Testing.wire(Testing.json(400, refusal))
      const words = ["plan", account, ...oneDay, "--reach"]
      const { code, out } = yield* klaytn(words, { wire })
      assert.strictEqual(code, 3)
      assert.include(out, "out of reach  4 windows, up to 2024-01-01 23:59:59\n")
      const json = yield* klaytn([...words, "--json"], { wire })
      assert.deepStrictEqual([json.code, JSON.parse(json.out).unreachable.length], [3, 4])
    }))

  it.effect("refuses what makes no plan, and says what is wrong", () =>
    Effect.forEach(
      [
        [["--from", "2024-01-01"], "no account is given"],
        [[account], "--from is not given"],
        [[account, "--from", "soon"], "--from soon is not a time"],
        [[account, "--from", "2024-02-30"], "--from 2024-02-30 is not a time"],
        [[account, "--from", "#1", "--to", "2024-01-01"], "a time and a block"],
        [[account, "--from", "2024-01-01", "--kinds", "coin,gold"], "--kinds takes any of coin,ft,nft,mt"],
        [[account, "--from", "2024-01-01", "--windows", "0"], "--windows takes a whole number, at least 1"],
        [["0x12", "--from", "2024-01-01", "--to", "2024-01-02"], "ACCOUNT 0x12: expected an address"]
      ] as const,
      ([words, message]) =>
        Effect.gen(function*() {
          const { code, error, out } = yield* klaytn(["plan", ...words])
          assert.strictEqual(code, 2, error)
          assert.strictEqual(out, "")
          assert.include(error, message)
        }),
      { discard: true }
    ))
})

describe("klaytn export", () => {
  it.scoped("stores every transfer, and requests nothing when it is run again", () =>
    Effect.forEach(["files", "history.db"], (name) =>
      Effect.gen(function*() {
        const place = join(yield* folder, name)
        const wire = Testing.wire(history(ten))
        const words = ["export", account, ...oneDay, "--out", place]
        const { code, error, out } = yield* klaytn(words, { wire })
        assert.strictEqual(code, 0, error)
        assert.match(out, /^complete: 10 rows, 2024-01-01 00:00:00 to 2024-01-01 23:59:59\n10 rows of this run in /)
        assert.strictEqual(wire.sent.length, 4)
        const again = yield* klaytn(["export", "--out", place], { wire })
        assert.match(again.out, /^complete: 10 rows, [^\n]*\n0 rows of this run in /)
        assert.strictEqual((yield* klaytn(words, { wire })).code, 0)
        assert.strictEqual(wire.sent.length, 4)
      }), { discard: true }))

  it.scoped("begins at the second of a block if the end is open, and goes on with the same words", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "history.db")
      yield* TestClock.setTime((day + 86_400) * 1000)
      let asked = 0
      const wire = Testing.wire((sent) => {
        if (!sent.url.includes("/v1/klaytn")) return history(ten)(sent)
        asked++
        const { id } = JSON.parse(sent.body ?? "{}")
        return Testing.json(200, { jsonrpc: "2.0", id, result: block })(sent)
      })
      const words = ["export", account, "--from", "#7", "--out", place, "--exit-code"]
      for (const code of [0, 8]) {
        const ended = yield* klaytn(words, { wire })
        assert.strictEqual(ended.code, code, ended.error)
        // The block is of the fourth hour.
        assert.include(ended.out, "complete: 7 rows, 2024-01-01 03:00:00 to ")
      }
      assert.strictEqual(asked, 2)
    }))

  it.scoped("refuses another export into the same place, and makes nothing for a plan that is refused", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "history.db")
      const wire = Testing.wire(history(ten))
      const none = yield* klaytn(["export", "--out", place], { wire })
      assert.strictEqual(none.code, 2)
      assert.include(none.error, "no account is given")
      assert.isFalse(existsSync(place))
      yield* klaytn(["export", account, ...oneDay, "--out", place], { wire })
      for (
        const words of [
          ["--from", "2024-01-02"],
          ["0x2222222222222222222222222222222222222222"],
          ["--to", "#1200"],
          ["--contracts", "0x2222222222222222222222222222222222222222"]
        ]
      ) {
        const { code, error } = yield* klaytn(["export", ...words, "--out", place], { wire })
        assert.strictEqual(code, 2, words.join(" "))
        assert.include(error, "holds another export")
      }
    }))

  it.scoped("goes on with an export of some contracts that are named again", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "history.db")
      const wire = Testing.wire(history([]))
      const contracts = ["--contracts", `0x${"AB".repeat(20)},0x${"12".repeat(20)}`, "--out", place]
      yield* klaytn(["export", account, ...oneDay, ...contracts], { wire })
      const { length } = wire.sent
      const { code, error } = yield* klaytn(["export", ...contracts], { wire })
      assert.deepStrictEqual([code, wire.sent.length], [0, length], error)
    }))

  it.scoped("quotes its place for the shell when it says how to go on", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "it's here")
      const words = ["export", account, ...oneDay, "--out", place, "--concurrency", "1", "--per-run", "1"]
      const { error } = yield* klaytn(words, { wire: Testing.wire(history(ten)) })
      assert.include(error, `klaytn export --out '${place.replace("'", "'\\''")}'`)
    }))

  it.scoped("stops when its budget is used up, says how to go on, and goes on", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "files")
      const wire = Testing.wire(history(ten))
      const words = ["export", account, ...oneDay, "--out", place, "--concurrency", "1"]
      const stopped = yield* klaytn([...words, "--per-run", "3"], { wire })
      assert.strictEqual(stopped.code, 7, stopped.error)
      assert.match(stopped.error, /^klaytn: [^\n]*3 requests/)
      assert.include(stopped.error, `everything so far is stored; continue with: klaytn export --out ${place}`)
      const { code, out } = yield* klaytn(["export", "--out", place], { wire })
      assert.strictEqual(code, 0)
      assert.include(out, "complete: 10 rows")
      assert.strictEqual(wire.sent.length, 4)
    }))

  it.scoped("says when it is interrupted that everything is stored and how to go on", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "files")
      const errors: Array<string> = []
      const fiber = yield* Effect.fork(klaytn(["export", account, ...oneDay, "--out", place], {
        wire: Testing.wire(Testing.silence),
        errors
      }))
      yield* Effect.repeat(Effect.yieldNow(), { until: () => existsSync(join(place, "plan.json")) })
      const exit = yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.isInterrupted(exit))
      assert.deepStrictEqual(errors, [
        `stopped; everything so far is stored. Continue with: klaytn export --out ${place}\n`
      ])
    }))

  it.scoped("keeps a record aside that can't be read, and ends with exit code 3", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "files")
      const wire = Testing.wire(history([...ten, record(day + 5, { value: "much" })]))
      const { code, out } = yield* klaytn(["export", account, ...oneDay, "--out", place], { wire })
      assert.strictEqual(code, 3)
      assert.include(out, "complete, except for records that could not be read: see rejected: 10 rows")
      assert.include(out, "1 records in rejected")
    }))

  it.scoped("writes its events as JSON, the manifest last", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "files")
      const words = ["export", account, ...oneDay, "--out", place, "--json", "--format", "csv"]
      const { code, error, out } = yield* klaytn(words, { wire: Testing.wire(history(ten)) })
      assert.strictEqual(code, 0)
      assert.strictEqual(error, "")
      const events = out.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(events[0], {
        event: "Started",
        windows: 4,
        closed: 0,
        rows: 0,
        columns: { version: 1, newest: 1 }
      })
      assert.strictEqual(events.at(-1).event, "Finished")
      assert.strictEqual(events.at(-1).manifest.rows, 10)
      const parts = readdirSync(join(place, "parts"))
      assert.isTrue(parts.every((name) => name.endsWith(".csv")))
      assert.include(readFileSync(join(place, "parts", parts[0] ?? ""), "utf8"), "transaction_hash")
    }))

  it.scoped.each(["files", "history.db"])(
    "continues an older export in %s with a line that says so",
    (name) =>
      Effect.gen(function*() {
        const place = join(yield* folder, name)
        const wire = Testing.wire(history(ten))
        const begun = yield* klaytn(["export", account, ...oneDay, "--out", place, "--per-run", "2"], { wire })
        assert.strictEqual(begun.code, 7)
        const { code, error } = yield* trial.withMigrations(
          trial.withColumns(klaytn(["export", "--out", place], { wire }))
        )
        assert.strictEqual(code, 0)
        const upgraded = `${place}: tables export_* upgraded from version ${migrations.length} to ${
          migrations.length + 2
        }\n`
        assert.strictEqual(
          error,
          `${
            name === "files" ? "" : upgraded
          }the export began with columns of version 1 and keeps them; a new export has version 2\n`
        )
        // An export in newer columns, or with newer tables, is not for this program.
        const older = yield* klaytn(["export", "--out", place], { wire })
        assert.strictEqual(older.code, name === "files" ? 0 : 2)
        if (name !== "files") {
          assert.match(
            older.error,
            new RegExp(
              `export_\\* have version ${
                migrations.length + 2
              }, and this program knows versions up to ${migrations.length}; install`
            )
          )
        }
      })
  )

  it.scoped("shows no password of a database, and does not ask the service without one", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(history(ten))
      const address = `postgres://user:${secret}@127.0.0.1:1/history`
      for (
        const [words, variables] of [
          [["--out", address], environment],
          [["--out", address.replace("postgres", "POSTGRES")], environment],
          [["--out", ` ${address}?password=${secret}`], environment],
          [[], { ...environment, KLAYTN_EXPORT_OUT: address }]
        ] as const
      ) {
        const ended = yield* klaytn(["export", account, ...oneDay, ...words], { wire, environment: variables })
        assert.strictEqual(ended.code, 5)
        assert.include(ended.error, "postgres://127.0.0.1:1/history does not answer")
        assert.include(ended.error, "the same command works once the database answers")
        assert.notInclude(ended.error, secret)
      }
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.scoped("refuses an address that it can't open, does not show it, and makes no path of it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(history(ten))
      const place = yield* folder
      const before = process.cwd()
      yield* Effect.acquireRelease(
        Effect.sync(() => process.chdir(place)),
        () => Effect.sync(() => process.chdir(before))
      )
      const addresses = [
        `mysql://user:${secret}@host/name`,
        `MySQL://user:${secret}@host/name`,
        ` "postgres://user:${secret}@host/name"`,
        `postgres:user:${secret}@host/name`,
        `user:${secret}@host/name`,
        `postgres://user:${secret}@host:port/name`,
        `host=here password=${secret}`
      ]
      for (const address of addresses) {
        for (const words of [["export", account, ...oneDay, "--out", address], ["payouts", "list", "--db", address]]) {
          const ended = yield* klaytn(words, { wire })
          assert.strictEqual(ended.code, 2, address)
          assert.include(ended.error, "is an address that this command can't open; it is not shown")
          assert.notInclude(ended.error + ended.out, secret)
        }
        const hidden = { ...environment, KLAYTN_EXPORT_OUT: address }
        const ended = yield* klaytn(["export", account, ...oneDay], { wire, environment: hidden })
        assert.deepStrictEqual([ended.code, ended.error.includes("KLAYTN_EXPORT_OUT is an address")], [2, true])
        assert.notInclude(ended.error + ended.out, secret)
      }
      assert.deepStrictEqual([readdirSync(place), wire.sent.length], [[], 0])
    }))

  it("reads addresses of any case, and paths with anything in them", () => {
    const tagOf = (text: string) =>
      Either.match(Destination.parsePlace("--out", text), {
        onLeft: () => "refused",
        onRight: (place) => place._tag === "File" ? place.path : place.name
      })
    const cases = [
      ["history.db", "history.db"],
      ["a folder/x@y", "a folder/x@y"],
      [":memory:", ":memory:"],
      ["C:\\data\\history.db", "C:\\data\\history.db"],
      ["2024-01-01T10:00.db", "2024-01-01T10:00.db"],
      ["./backup:2024.db", "./backup:2024.db"],
      ["/data/backup:2024@home.db", "/data/backup:2024@home.db"],
      ["backup:2024.db", "refused"],
      ["file:history.db", "history.db"],
      ["FILE:///data/history.db", "/data/history.db"],
      ["file://host/history.db", "refused"],
      ["PostgreSQL://user:pass@Host:5432/name?sslmode=require", "postgres://Host:5432/name"],
      ["postgres:///name", "postgres:///name"]
    ] as const
    for (const [text, expected] of cases) assert.strictEqual(tagOf(text), expected, text)
  })
})

describe("a nightly run", () => {
  const hourly = Array.from({ length: 500 }, (_, hour) => record(day + 3600 * hour))
  const at = (hours: number) => TestClock.setTime((day + 3600 * hours + 60) * 1000)

  for (const name of ["files", "history.db"]) {
    it.scoped(`extends an export with an open end, and tells new rows from none by its exit code: ${name}`, () =>
      Effect.gen(function*() {
        const place = join(yield* folder, name)
        const wire = Testing.wire(history(hourly.filter((_, hour) => hour !== 40)))
        const nightly = ["export", account, "--from", "2024-01-01", "--out", place, "--exit-code"]
        yield* at(47)
        const first = yield* klaytn(nightly, { wire })
        assert.strictEqual(first.code, 0, first.error)
        assert.match(first.out, /^complete: 47 rows, 2024-01-01 00:00:00 to 2024-01-02 23:00:00\n47 rows of this run/)
        const same = yield* klaytn(nightly, { wire })
        assert.strictEqual(same.code, 8, same.error)
        assert.match(same.out, /\n0 rows of this run/)
        yield* at(71)
        const late = Testing.wire(history(hourly))
        const second = yield* klaytn(["export", "--out", place, "--exit-code"], { wire: late })
        assert.strictEqual(second.code, 0, second.error)
        assert.match(second.out, /^complete: 72 rows, 2024-01-01 00:00:00 to 2024-01-03 23:00:00\n25 rows of this run/)
        assert.match(second.out, /; 1 of them were indexed late\n/)
        yield* at(95)
        const once = yield* klaytn(["tail", "--out", place, "--once", "--exit-code", "--recheck", "0"], { wire: late })
        assert.strictEqual(once.code, 0, once.error)
        assert.match(once.out, /^complete: 96 rows,/)
        // Without records that can't be read in this run, those of earlier ones change nothing.
        const bad = Testing.wire(history([...hourly, record(day + 3600 * 100, { value: 12 })]))
        yield* at(105)
        assert.strictEqual((yield* klaytn(nightly, { wire: bad })).code, 3)
        yield* at(106)
        assert.strictEqual((yield* klaytn(nightly, { wire: bad })).code, 0)
        assert.strictEqual((yield* klaytn(nightly, { wire: bad })).code, 8)
        assert.strictEqual((yield* klaytn(["export", "--out", place], { wire: bad })).code, 3)
      }))
  }

  it.scoped("extends an export to a later end, only then, and not into the future", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "history.db")
      const wire = Testing.wire(history(hourly))
      yield* at(1000)
      yield* klaytn(["export", account, ...oneDay, "--out", place], { wire })
      const rows = (words: ReadonlyArray<string>) =>
        Effect.map(klaytn(["export", ...words, "--out", place], { wire }), ({ out }) =>
          /^complete: (\d+) rows/.exec(out)?.[1])
      assert.strictEqual(yield* rows([]), "24")
      assert.strictEqual(yield* rows(["--to", "2024-01-01"]), "24")
      assert.strictEqual(yield* rows(["--to", "2024-01-02"]), "48")
      assert.strictEqual(yield* rows(["--to", "now"]), "500")
      const ahead = join(yield* folder, "ahead.db")
      yield* at(11)
      const early = yield* klaytn(["export", account, ...oneDay, "--out", ahead], { wire })
      assert.match(early.out, /^complete: 12 rows, 2024-01-01 00:00:00 to 2024-01-01 11:00:00\n/)
      yield* at(1000)
      assert.match((yield* klaytn(["export", "--out", ahead], { wire })).out, /^complete: 12 rows/)
      assert.match((yield* klaytn(["export", ...oneDay, "--out", ahead], { wire })).out, /^complete: 24 rows/)
    }))

  it.scoped("keeps exports of several chains beside each other in one database", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "history.db")
      const wire = Testing.wire(history(ten))
      const words = (
        prefix: string,
        chain: string
      ) => ["export", account, ...oneDay, "--out", place, "--prefix", prefix, "--chain", chain]
      for (const [prefix, chain] of [["main_", "8217"], ["test_", "1001"], ["other_", "1001"]] as const) {
        const { code, error, out } = yield* klaytn(words(prefix, chain), { wire })
        assert.strictEqual(code, 0, error)
        assert.include(out, `tables ${prefix}transfers`)
      }
      yield* at(1000)
      const other = ["export", "--out", place, "--prefix", "main_", "--chain", "1001", "--to", "2024-01-02"]
      const mixed = yield* klaytn(other, { wire })
      assert.strictEqual(mixed.code, 2, mixed.error)
      assert.include(mixed.error, "was begun on chain 8217")
      assert.include(mixed.error, "--prefix")
      const refused = yield* klaytn(["export", "--out", place, "--prefix", "No-Prefix"], { wire })
      assert.strictEqual(refused.code, 2, refused.error)
      const files = yield* klaytn(["export", account, ...oneDay, "--out", `${place}-files`, "--prefix", "a_"], { wire })
      assert.strictEqual(files.code, 2, files.error)
    }))
})

describe("a range that the service refused", () => {
  const refusal: Testing.Step = Testing.json(400, {
    code: 1040011,
    message: "[OutOfRange]invalid range",
    requestId: "r"
  })

  it.scoped.each(["files", "history.db"])(
    "is asked for each night, is never nothing new, and is stored once it is served: %s",
    (name) =>
      Effect.gen(function*() {
        const place = join(yield* folder, name)
        let served = false
        let asked = 0
        const wire = Testing.wire((sent) => {
          const [, , to = ""] = /range=(\d+)(?:%2C|,)(\d+)/.exec(sent.url) ?? []
          if (served || Number(to) < day + 80_000) return history(ten)(sent)
          asked++
          return refusal(sent)
        })
        const words = ["export", "--out", place, "--exit-code"]
        const first = yield* klaytn([...words, account, ...oneDay], { wire })
        assert.deepStrictEqual([first.code, asked], [3, 1])
        const second = yield* klaytn(words, { wire })
        assert.deepStrictEqual([second.code, asked], [3, 2])
        assert.include(second.error, "is out of reach")
        const compared = yield* klaytn(["reconcile", "--out", place], { wire })
        assert.strictEqual(compared.code, 3)
        assert.match(compared.out, /^window 0, [^\n]+: not stored: [^\n]+\n1 window is not stored\n$/)
        served = true
        const third = yield* klaytn(words, { wire })
        assert.notStrictEqual(third.code, 3, third.out)
        assert.include(third.out, "complete: 10 rows")
        const whole = yield* klaytn(["reconcile", "--out", place], { wire })
        assert.deepStrictEqual([whole.code, whole.out], [0, "no differences\n"])
      })
  )
})

describe("klaytn tail", () => {
  it.scoped("follows what is new, is stopped, and goes on without a gap", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "history.db")
      const hourly = Array.from({ length: 500 }, (_, hour) => record(day + 3600 * hour))
      const wire = Testing.wire(history(hourly))
      /** Tails, while the time passes in steps, until it has told of something. */
      const tailed = (words: ReadonlyArray<string>, isThere: (told: string) => boolean) =>
        Effect.gen(function*() {
          const errors: Array<string> = []
          const out: Array<string> = []
          const fiber = yield* Effect.fork(klaytn(["tail", ...words, "--out", place], { wire, errors, out }))
          const step = Effect.zipRight(
            TestClock.adjust("10 minutes"),
            Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
          )
          yield* Effect.repeat(step, { until: () => isThere([...errors, ...out].join("")) })
          assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
          return { errors: errors.join(""), out: out.join("") }
        })
      const looking = ["--every", "1800", "--index-lag", "600"]

      yield* TestClock.setTime((day + 1800) * 1000)
      const first = yield* tailed(
        [account, "--from", "2024-01-01", "--windows", "1", ...looking],
        (told) => Number(/(\d+) in all\n$/.exec(told)?.[1]) >= 4
      )
      assert.match(first.errors, /^\d+ new rows, \d+ in all$/m)
      assert.include(first.errors, `stopped; everything so far is stored. Continue with: klaytn tail --out ${place}\n`)
      const sent = wire.sent.length

      // Nothing is asked while it is stopped; what came meanwhile is found.
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(wire.sent.length, sent)
      const second = yield* tailed(["--json", ...looking], (told) => told.split("\"PageStored\"").length > 5)
      const events = second.out.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.strictEqual(events[0]?.event, "Started")
      assert.isAtLeast(events[0]?.rows, 4)
      assert.isAtLeast(events.find(({ event }) => event === "PageStored")?.rows, 2)
      assert.deepStrictEqual(JSON.parse(second.errors), { stopped: { goOnWith: `klaytn tail --out ${place}` } })

      // Each window begins where the one before ends, and everything up to the last one is there.
      const whole = yield* klaytn(["export", "--out", place, "--json"], { wire })
      const { manifest } = JSON.parse(whole.out.trimEnd().split("\n").at(-1) ?? "")
      const last = manifest.windows.reduce((from: number, window: { readonly from: number; readonly to: number }) => {
        assert.strictEqual(window.from, from)
        return window.to + 1
      }, day)
      assert.strictEqual(manifest.rows, hourly.filter(({ timestamp }) => timestamp < last).length)
      assert.strictEqual(manifest.complete, "yes")
    }))

  it.scoped("refuses blocks, which it can't follow", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(history(ten))
      const words = ["tail", account, "--from", "#1", "--to", "#9", "--out", join(yield* folder, "history.db")]
      const { code, error } = yield* klaytn(words, { wire })
      assert.strictEqual(code, 2, error)
      assert.include(error, "blocks can't be followed")
      assert.strictEqual(wire.sent.length, 0)
    }))
})

describe("klaytn reconcile", () => {
  it.scoped("finds what the service has and the store has not, and stores it with --repair", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "history.db")
      yield* klaytn(["export", account, ...oneDay, "--out", place], { wire: Testing.wire(history(ten)) })
      const late = Testing.wire(history([...ten, record(day + 7)]))
      const found = yield* klaytn(["reconcile", "--out", place], { wire: late })
      assert.strictEqual(found.code, 3, found.error)
      assert.match(found.out, /^window 3, [^:]+:[^m]+ 1 missing, 0 that the service does not have\n1 window differs\n$/)
      const repaired = yield* klaytn(["reconcile", "--out", place, "--repair"], { wire: late })
      assert.strictEqual(repaired.code, 0)
      assert.include(repaired.out, "1 missing, now stored")
      assert.deepStrictEqual(yield* klaytn(["reconcile", "--out", place], { wire: late }), {
        code: 0,
        out: "no differences\n",
        error: ""
      })
    }))

  it.scoped.each(["files", "history.db"])(
    "names what the service no longer has, and removes it by its name: %s",
    (name) =>
      Effect.gen(function*() {
        const place = join(yield* folder, name)
        const reconcile = (records: ReadonlyArray<ReturnType<typeof record>>, ...words: ReadonlyArray<string>) =>
          klaytn(["reconcile", "--out", place, ...words], { wire: Testing.wire(history(records)) })
        yield* klaytn(["export", account, ...oneDay, "--out", place], { wire: Testing.wire(history(ten)) })
        const nine = ten.slice(1)
        const found = yield* reconcile(nine, "--repair")
        assert.strictEqual(found.code, 3)
        const [, id = ""] = /1 that the service does not have\n  kept: 1 record \(([^)]+)\)\n/.exec(found.out) ?? []
        assert.match(id, /^[0-9a-f]{32}-0-0$/)
        const other = yield* reconcile(nine, "--remove", "0-0-0")
        assert.deepStrictEqual([other.code, other.error.includes("not removed: 0-0-0")], [3, true])
        const refused = yield* reconcile(ten, "--remove", id)
        assert.deepStrictEqual([refused.code, refused.error.includes(`not removed: ${id}`)], [3, true])
        yield* reconcile(nine)
        const removed = yield* reconcile(nine, "--remove", id)
        assert.deepStrictEqual([removed.code, removed.out.includes(`removed: 1 record (${id})`)], [0, true])
        assert.deepStrictEqual(yield* reconcile(nine), { code: 0, out: "no differences\n", error: "" })
      })
  )

  it.scoped("says that there is nothing to compare with", () =>
    Effect.gen(function*() {
      const { code, error } = yield* klaytn(["reconcile", "--out", join(yield* folder, "none.db")])
      assert.strictEqual(code, 2)
      assert.include(error, "nothing is stored at --out")
    }))
})

describe("a time", () => {
  it("is a day, a time, seconds or a block", () => {
    const of = (text: string, end: "first" | "last") => Either.getOrThrow(instant.parse("--from", text, end))
    assert.deepStrictEqual(of("2024-01-01", "first"), { unit: "second", value: day })
    assert.deepStrictEqual(of("2024-01-01", "last"), { unit: "second", value: day + 86_399 })
    assert.deepStrictEqual(of("2024-01-01T01:00", "last"), { unit: "second", value: day + 3600 })
    assert.deepStrictEqual(of("2024-01-01T01:00:00+01:00", "last"), { unit: "second", value: day })
    assert.deepStrictEqual(of(`${day}`, "last"), { unit: "second", value: day })
    assert.deepStrictEqual(of("#12", "last"), { unit: "block", value: 12 })
  })
})

describe("the progress", () => {
  const window = (index: number) => ({ index, source: 0, from: day - 1000 * (index + 1), to: day - 1000 * index - 1 })
  const page = (index: number, at: number) =>
    ({ _tag: "PageStored", window: window(index), rows: 100, rejected: 0, skipped: 0, at }) as const

  it("counts windows that are done and the part of those that are open", () => {
    let current = progress.after(progress.none, {
      _tag: "Started",
      windows: 4,
      closed: 1,
      rows: 50,
      columns: { version: 1, newest: 1 }
    })
    assert.strictEqual(progress.share(current), 0.25)
    current = progress.after(current, page(1, window(1).to - 999 / 2))
    assert.approximately(progress.share(current), 0.375, 0.001)
    current = progress.after(current, { _tag: "WindowClosed", window: window(1), rows: 100, rejected: 0 })
    assert.strictEqual(progress.share(current), 0.5)
    current = progress.after(current, page(2, window(2).to))
    const [share, ...parts] = progress.parts(current, "second", 10)
    assert.strictEqual(share, "50 %")
    assert.deepStrictEqual(parts, [
      "250 rows",
      "20/s",
      "windows 2/4, 1 open",
      "back to 2023-12-31 23:26",
      "20 s left"
    ])
  })

  it("counts the windows of what is new while it follows", () => {
    const events = [
      { _tag: "Started", windows: 1, closed: 1, rows: 50, columns: { version: 1, newest: 1 } },
      { _tag: "Extended", windows: 2, grown: 0, from: day, to: day + 9 },
      page(1, day),
      { _tag: "WindowClosed", window: window(1), rows: 100, rejected: 0 },
      { _tag: "WindowRechecked", window: window(0), rows: 2, rejected: 0, extra: [] }
    ] as const
    const current = events.reduce<progress.Progress>(progress.after, progress.none)
    assert.include(progress.parts(current, "second", 10), "windows 2/2, 0 open")
    assert.include(progress.parts(current, "second", 10), "1 checked again")
    assert.strictEqual(current.rows, 152)
  })

  it("fits on one line of any terminal", () => {
    const current = progress.after(
      progress.after(progress.none, {
        _tag: "Started",
        windows: 4,
        closed: 1,
        rows: 50,
        columns: { version: 1, newest: 1 }
      }),
      page(1, day)
    )
    for (const columns of [10, 40, 60, 80, 120]) {
      assert.isBelow(progress.line(current, "second", 10, columns).length, Math.max(columns, 21))
    }
    assert.match(
      progress.line(current, "second", 10, 120),
      /^█+░+  25 %  150 rows  10\/s  windows 1\/4, 1 open {2}back to/
    )
  })
})
