import * as Address from "@effect-klaytn/core/Address"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import { EngineError } from "@effect-klaytn/engine/EngineError"
import { DatabaseFailed } from "@effect-klaytn/payouts/PayoutError"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as SandboxToken from "@effect-klaytn/sandbox/TokenContract"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as stores from "../../../payouts/scripts/stores.js"
import { whileUsable } from "../../src/internal/payouts/runPay.js"
import { fromCause } from "../../src/internal/terminal/failureOf.js"
import { klaytn } from "../support/terminal.js"

const receiver = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-pay-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Against a sandbox of its own. */
const offline = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(HttpClient.HttpClient, (client) => klaytn([...words, "--sandbox"], { client, environment: {} })).pipe(
    Effect.provide(FetchHttpClient.layer)
  )

const one = ["pay", "--key", "order-1", "--to", receiver, "--amount", "1.5", "--payer", "service"]

/** Payouts as version 73b558d3 stored them. */
const oldFile = Effect.map(folder, (path) => {
  stores.unpack("73b558d3", path)
  return stores.fileOf(path)
})

const listed = (file: string) => offline("payouts", "list", "--db", file, "--json")

describe("the tables of klaytn payouts --db", () => {
  it.scopedLive("are upgraded once, which a line on standard error says", () =>
    Effect.gen(function*() {
      const file = yield* oldFile
      const first = yield* listed(file)
      assert.deepStrictEqual([first.code, first.error], [0, `Upgraded ${file}: payouts 1 -> 4\n`])
      const second = yield* listed(file)
      assert.deepStrictEqual([second.code, second.error, second.out], [0, "", first.out])
      assert.strictEqual(first.out.trim().split("\n").length, 10)
    }))

  it.scopedLive("are refused if a newer command has upgraded them, before anything is written", () =>
    Effect.gen(function*() {
      const file = yield* oldFile
      yield* listed(file)
      const read = Effect.provide(Database.layerSqlite({ file }))
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.zipRight(
          sql`INSERT INTO klaytn_payouts_versions (migration_id, name) VALUES (9, 'later')`,
          sql`PRAGMA wal_checkpoint(TRUNCATE)`
        )).pipe(read)
      const before = readFileSync(file)
      const { code, error } = yield* listed(file)
      assert.strictEqual(code, 2)
      assert.include(error, "The tables of payouts have version 9, and this program knows version 4")
      assert.include(error, "tarballs cli` prints the line that installs it")
      assert.deepStrictEqual(readFileSync(file), before)
      const log = `${file}-wal`
      assert.strictEqual(existsSync(log) ? statSync(log).size : 0, 0)
    }))
})

describe("klaytn pay", () => {
  it.scopedLive("shows what it would pay, and pays only with --yes", () =>
    Effect.gen(function*() {
      const shown = yield* offline(...one)
      assert.deepStrictEqual([shown.code, shown.out.split("\n")[0]], [2, "1 new payment"])
      assert.include(shown.out, "pays 1.5 KLAY, and has 1000 KLAY")
      assert.include(shown.error, "nothing was sent")
      const paid = yield* offline(...one, "--yes")
      assert.deepStrictEqual([paid.code, paid.error], [0, ""])
      assert.match(paid.out, /\norder-1 {2}Executed {2}0x[0-9a-f]{64} in block \d+\n$/)
    }))

  it.scopedLive("checks every line of a file, and exits with 3 if one is wrong", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "payouts.csv")
      writeFileSync(file, `key,to,amount\na,${receiver},1\na,${receiver},2\nb,0x12,1\nc,${receiver},1e3\n`)
      const { code, out } = yield* offline("pay", "--file", file, "--payer", "service", "--dry-run")
      assert.strictEqual(code, 3)
      assert.include(out, "line 3 (a): line 2 has the same key")
      assert.include(out, "line 4 (b): ")
      assert.include(out, "line 5 (c): amount: it has an exponent")
      writeFileSync(file, `key,to,amount\na,${receiver},1\nb,${receiver},2\n`)
      const json = yield* offline("pay", "--file", file, "--payer", "service", "--yes", "--json")
      assert.strictEqual(json.code, 0)
      const [plan, ...ends] = json.out.trim().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual([plan.event, plan.new, plan.problems], ["Plan", 2, []])
      assert.deepStrictEqual(ends.map(({ key, state }) => `${key} ${state._tag}`).sort(), ["a Executed", "b Executed"])
    }))

  it.scopedLive("refuses a file that can't be read as one, and names the line", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "payouts.csv")
      const pay = (from: string) =>
        Effect.zipRight(
          Effect.sync(() => writeFileSync(file, from)),
          offline("pay", "--file", file, "--payer", "service", "--yes")
        )
      const open = yield* pay(`key,to,amount,memo\na,${receiver},1,\nb,${receiver},1,"x\nc,${receiver},1,\n`)
      assert.deepStrictEqual([open.code, open.out], [2, ""], open.error)
      assert.include(open.error, "line 3: a quote is opened here and never closed")
      const empty = yield* pay("")
      assert.deepStrictEqual(
        [empty.code, empty.error.includes("names no column key, to, amount")],
        [2, true],
        empty.error
      )
      const none = yield* offline("pay", "--file", join(file, "none"), "--payer", "service")
      assert.deepStrictEqual([none.code, none.error.includes("--file can't be read")], [2, true], none.error)
    }))

  it.effect("checks its own options before the environment", () =>
    Effect.gen(function*() {
      const empty = { environment: {} }
      const to = ["--to", receiver, "--from", receiver, "--payer", "sender"]
      const wrong = yield* klaytn(["pay", "--key", "a", ...to, "--amount", "1,5", "--db", ":memory:"], empty)
      assert.match(wrong.error, /^klaytn: --amount 1,5: it has a comma/)
      const placeless = yield* klaytn(["pay", "--key", "a", ...to, "--amount", "1"], empty)
      assert.match(placeless.error, /^klaytn: --db is not given/)
      assert.match((yield* klaytn(["payouts", "list"], empty)).error, /^klaytn: --db is not given/)
    }))

  it.scopedLive("refuses what is not complete or can't be, and says what to add", () =>
    Effect.gen(function*() {
      const cases = [
        [["pay", "--key", "a", "--payer", "service"], "a payment needs --to and --amount"],
        [["pay", "--file", "a.csv"], "a payment needs --payer"],
        [[...one, "--file", "x.csv"], "--file names all payments"],
        [[...one, "--limit", "-1"], "--limit -1: it has a sign"],
        [[...one.slice(0, -1), "me"], "--payer me is not an address"],
        [[...one.slice(0, -1), "me"], "--payer is service, sender, or the address of a fee payer"],
        [[...one, "--from", `${receiver}0`], `--from ${receiver}0 is not an address`],
        [["pay", "--key", "a", "--to", "0x12", "--amount", "1", "--payer", "service"], "--to 0x12 is not an address"],
        [[...one, "--token", "0x12"], "--token 0x12 is not an address"],
        [[...one, "--db", "MYSQL://user:hidden@host/name"], "--db is an address that this command can't open"],
        [["payouts", "show"], "show needs the KEY"],
        [["payouts", "list", "--state", "Lost"], "--state takes any of Planned"]
      ] as const
      for (const [words, problem] of cases) {
        const { code, error } = yield* offline(...words)
        assert.deepStrictEqual([code, error.includes(problem)], [2, true], error)
        assert.notInclude(error, "hidden")
      }
      for (
        const [key, amount, problem] of [["a", "0", "the amount is 0"], [" a", "1", "has a blank at its"]] as const
      ) {
        const { code, out } = yield* offline(
          "pay",
          "--key",
          key,
          "--to",
          receiver,
          "--amount",
          amount,
          "--payer",
          "service"
        )
        assert.deepStrictEqual([code, out.includes(problem), out.includes("line 1")], [3, true, false], out)
      }
    }))
})

/** A sandbox that stays between commands, and the environment that leads to it. */
const staying = Effect.gen(function*() {
  const { accessKeyId, control, chains, secretAccessKey, url } = yield* Sandbox.make({ seed: "pay" })
  const client = yield* HttpClient.HttpClient
  const environment = {
    KLAYTN_CHAIN_ID: "1001",
    KLAYTN_ACCESS_KEY_ID: accessKeyId,
    KLAYTN_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey),
    KLAYTN_WALLET_URL: url,
    KLAYTN_NODE_URL: url,
    KLAYTN_PAYOUTS_DB: join(yield* folder, "payouts.db")
  }
  const { address } = yield* Effect.flatMap(Wallet.make(), ({ createAccount }) => createAccount).pipe(
    Effect.provide(ClientConfig.layerConfig({ service: "wallet" })),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
  )
  const chain = chains.chain(1001)
  yield* chain.fund(address, 1000n * 10n ** 18n)
  const balance = Effect.map(
    Effect.flatMap(Address.make(receiver), chain.account),
    Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance })
  )
  const run = (...words: ReadonlyArray<string>) => klaytn(words, { client, environment })
  return { run, address, control, chains, balance, environment }
}).pipe(Effect.provide(FetchHttpClient.layer))

it.scopedLive("klaytn pay says why it waits while the wallet signs nothing", () =>
  Effect.gen(function*() {
    const { address, control, environment, run } = yield* staying
    const words = ["--from", address, "--to", receiver, "--amount", "1", "--payer", "service", "--yes"]
    assert.strictEqual((yield* run("pay", "--key", "first", ...words)).code, 0)
    const frozen = {
      kind: "answer",
      status: 400,
      code: 1069423,
      message: "[NotPermitted]the wallet is frozen"
    } as const
    yield* control.addFault({ operation: "wallet.sendValue", times: 100, action: frozen })
    const client = yield* HttpClient.HttpClient
    const errors: Array<string> = []
    yield* Effect.fork(klaytn(["pay", "--key", "a", ...words], { client, environment, errors }))
    yield* Effect.sync(() => errors.join("")).pipe(
      Effect.filterOrFail((text) => text.includes("a waits for the wallet")),
      Effect.retry({ times: 500, schedule: Schedule.spaced("50 millis") }),
      Effect.ignore
    )
    assert.match(
      errors.join(""),
      /a waits for the wallet, which is asked again every two minutes: .*the wallet is frozen/
    )
  }).pipe(Effect.provide(FetchHttpClient.layer)), 90_000)

describe("klaytn payouts", () => {
  it.scopedLive(
    "lists and shows what was paid, approves and gives up what waits, and asks the chain",
    () =>
      Effect.gen(function*() {
        const { address, balance, run } = yield* staying
        const pay = (key: string, amount: string) =>
          run("pay", "--key", key, "--from", address, "--to", receiver, "--amount", amount, ...waiting)
        const waiting = ["--payer", "service", "--yes", "--approve-above", "1"]
        assert.deepStrictEqual([(yield* pay("small", "0.5")).code, (yield* pay("large", "1.5")).code], [0, 3])
        assert.strictEqual((yield* pay("unwanted", "2")).code, 3)
        const list = yield* run("payouts", "list")
        assert.deepStrictEqual(list.out.split("\n").map((line) => line.split(/ +/).slice(0, 4).join(" ")), [
          "KEY STATE AMOUNT TO",
          "unwanted WaitingForApproval 2 KLAY",
          "large WaitingForApproval 1.5 KLAY",
          "small Executed 0.5 KLAY",
          ""
        ])
        assert.match(
          list.out,
          /\nsmall +Executed +0\.5 KLAY +0x[0-9a-fA-F]{40} +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +0x[0-9a-f]{64}\n$/
        )
        const waits = yield* run("payouts", "list", "--state", "WaitingForApproval,Unknown", "--json")
        assert.strictEqual(waits.out.trim().split("\n").length, 2)
        const shown = yield* run("payouts", "show", "large", "--json")
        const { history }: { readonly history: ReadonlyArray<{ readonly event: { readonly _tag: string } }> } = JSON
          .parse(
            shown.out
          )
        assert.deepStrictEqual(history.map(({ event }) => event._tag), ["ApprovalNeeded"])
        const yes = yield* run("payouts", "approve", "large")
        assert.deepStrictEqual([yes.code, yes.out], [0, "large  Planned  \n"], yes.error)
        assert.include(
          yes.error,
          "This command sends nothing. If no process works on the payment, this one does: klaytn payouts work "
        )
        const other = yield* run("payouts", "work")
        assert.deepStrictEqual([other.code, other.out], [3, ""], other.error)
        assert.include(
          other.error,
          "1 payment waiting for klaytn payouts approve\n1 payment with other limits than these"
        )
        const held = yield* run("payouts", "show", "large")
        assert.match(held.out, /\n {2}limits +no policy, approval above 1 KLAY\n/)
        const worked = yield* run("payouts", "work", "--approve-above", "1")
        assert.deepStrictEqual([worked.code, yes.error.includes("klaytn payouts work --approve-above 1\n")], [3, true])
        assert.match(worked.out, /^large {2}Executed {2}0x[0-9a-f]{64} in block \d+\n$/)
        const no = yield* run("payouts", "cancel", "unwanted")
        assert.match(no.out, /^unwanted {2}Cancelled/)
        const again = yield* run("payouts", "reconcile", "large", "--json")
        assert.deepStrictEqual([again.code, JSON.parse(again.out).state._tag], [0, "Executed"])
        assert.strictEqual(yield* balance, 2n * 10n ** 18n)
        for (
          const [words, problem] of [
            [["show", "order-2"], "there is no payout order-2"],
            [["approve", "unwanted"], "unwanted is Cancelled"],
            [["cancel", "large"], "it is final"],
            [["reconcile", "order-2"], "there is no payout order-2"]
          ] as const
        ) {
          const late = yield* run("payouts", ...words)
          assert.deepStrictEqual([late.code, late.error.includes(problem)], [2, true], late.error)
        }
      }),
    120_000
  )
})

describe("klaytn payouts adopt", () => {
  it.scopedLive(
    "gives payments that an older version stored the limits of its options, and pays none",
    () =>
      Effect.gen(function*() {
        const { address, balance, environment, run } = yield* staying
        const words = ["--from", address, "--to", receiver, "--payer", "service", "--yes", "--limit-day", "10"]
        for (const [key, amount] of [["-rf", "3"], ["b", "4"]] as const) {
          yield* run("pay", "--key", key, "--amount", amount, ...words, "--approve-above", "1")
        }
        yield* run("payouts", "approve", "-rf")
        yield* run("payouts", "approve", "--", "b")
        yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE klaytn_payouts SET limits = NULL`).pipe(
          Effect.provide(Database.layerSqlite({ file: environment.KLAYTN_PAYOUTS_DB }))
        )
        const limits = ["--limit-day", "5"]
        const old = yield* run("payouts", "work", ...limits)
        assert.deepStrictEqual([old.code, old.out], [3, ""])
        assert.include(old.error, "2 payments with other limits than these")
        // Any process says so in their states, soon after it starts.
        yield* Effect.repeat(Effect.suspend(() => run("payouts", "list")), {
          until: ({ out }) => out.split("an older version, without limits: it waits until it is adopted").length === 3
        })
        const shown = yield* run("payouts", "adopt", ...limits)
        assert.deepStrictEqual([shown.code, shown.out], [2, ""])
        assert.include(shown.error, "2 payments to have these limits: 5 KLAY in 1d")
        assert.include(shown.error, "-rf  Planned  3 KLAY  limits: none: an older version stored it")
        const adopted = yield* run("payouts", "adopt", "--yes", ...limits)
        assert.deepStrictEqual([adopted.code, adopted.out.split("\n").length], [0, 3], adopted.error)
        assert.include(adopted.error, "this one does: klaytn payouts work --limit-day 5\n")
        assert.strictEqual(yield* balance, 0n)
        const worked = yield* run("payouts", "work", ...limits, "--json")
        const ends = worked.out.trim().split("\n").map((line) => JSON.parse(line).state._tag)
        assert.deepStrictEqual([worked.code, ends.sort()], [3, ["Executed", "Refused"]], worked.error)
        const mainnet = yield* run("payouts", "adopt", "--chain", "8217")
        assert.deepStrictEqual([mainnet.code, mainnet.error.includes("mainnet needs limits")], [2, true], mainnet.error)
      }),
    120_000
  )
})

describe("klaytn payouts report", () => {
  it.scopedLive(
    "adds up a day as a page, as CSV and as JSON, and exits with 3 if the chain shows something else",
    () =>
      Effect.gen(function*() {
        const { address, chains, environment, run } = yield* staying
        const words = ["--from", address, "--to", receiver, "--payer", "service", "--yes"]
        assert.strictEqual((yield* run("pay", "--key", "a", "--amount", "1.5", ...words)).code, 0)
        assert.strictEqual((yield* run("pay", "--key", "b", "--amount", "2", ...words)).code, 0)
        const { timestamp } = yield* chains.chain(1001).head
        const report = ["payouts", "report", "--day", new Date(timestamp * 1000).toISOString().slice(0, 10)]
        const page = yield* run(...report)
        assert.deepStrictEqual([page.code, page.error], [0, ""], page.out)
        assert.match(page.out, /^\d{4}-\d\d-\d\d \(UTC\) {2}chain 1001, blocks 0 to \d+, not over yet\n/)
        assert.match(page.out, /\nExecuted +2 +3\.5 KLAY +0\.\d+ KLAY\n/)
        assert.include(page.out, "\ndatabase and chain agree\n")
        const csv = yield* run(...report, "--csv")
        assert.match(csv.out, /\ntotal,\d{4}-\d\d-\d\d,UTC,,KLAY,Executed,2,3\.5,0\.\d+,,\n/)
        yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql`UPDATE klaytn_payouts SET content = REPLACE(content, '2000000000000000000', '3000000000000000000')`).pipe(
            Effect.provide(Database.layerSqlite({ file: environment.KLAYTN_PAYOUTS_DB }))
          )
        const other = yield* run(...report)
        assert.deepStrictEqual([other.code, other.out.includes("1 difference\n")], [3, true], other.out)
        assert.match(
          other.out,
          /\n {2}b: amount is 3 KLAY in the database and 2 KLAY on the chain \(0x[0-9a-f]{64}\)\n$/
        )
        const json = yield* run(...report, "--json")
        assert.deepInclude(JSON.parse(json.out).differences[0], { _tag: "Differs", key: "b", field: "amount" })
        for (
          const [words, problem] of [
            [["report"], "report needs --day"],
            [["report", "--day", "today"], "report needs --day"],
            [["show", "a", "--day", "2026-01-01"], "--day goes with report"],
            [["show", "a", "--csv"], "--csv goes with list and report"]
          ] as const
        ) {
          const refused = yield* run("payouts", ...words)
          assert.deepStrictEqual([refused.code, refused.error.includes(problem)], [2, true], refused.error)
        }
      }),
    120_000
  )
})

describe("klaytn payouts watch", () => {
  it.scopedLive("writes every change once for a reader, over all of its runs", () =>
    Effect.gen(function*() {
      const { address, run } = yield* staying
      const words = ["--from", address, "--to", receiver, "--amount", "1", "--payer", "service", "--yes"]
      const watch = ["payouts", "watch", "--reader", "ledger", "--once", "--json"]
      const keys: Array<string> = []
      for (const key of ["a", "b"]) {
        assert.strictEqual((yield* run("pay", "--key", key, ...words)).code, 0)
        const { code, error, out } = yield* run(...watch)
        assert.strictEqual(code, 0, error)
        keys.push(...out.trim().split("\n").map((line) => `${JSON.parse(line).key} ${JSON.parse(line).state._tag}`))
      }
      const states = ["Reserved", "Sending", "Sent", "Executed"]
      assert.deepStrictEqual(keys, ["a", "b"].flatMap((key) => states.map((state) => `${key} ${state}`)))
      assert.strictEqual((yield* run(...watch)).out, "")
      const all = yield* run("payouts", "watch", "--once")
      assert.match(all.out, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}a {2}Reserved {2}Reserved {2}nonce 1, from 0x/)
      const last = yield* run("payouts", "watch", "--once", "--after", "7")
      assert.match(last.out, /^\S+ {2}b {2}Executed {2}Found {2}.*\n$/)
      for (
        const [more, problem] of [
          [["watch", "--after", "99"], "no change of this database has come so far"],
          [["watch", "--after", "1", "--reader", "x"], "choose one of --reader and --after"],
          [["list", "--once"], "--once goes with watch, not with list"]
        ] as const
      ) {
        const refused = yield* run("payouts", ...more)
        assert.deepStrictEqual([refused.code, refused.error.includes(problem)], [2, true], refused.error)
      }
    }), 120_000)
})

describe("klaytn payouts resolve", () => {
  it.scopedLive(
    "shows the payment and what it means, and ends a payment in doubt only with --yes",
    () =>
      Effect.gen(function*() {
        const { address, balance, control, run } = yield* staying
        const words = ["--from", address, "--to", receiver, "--amount", "2", "--payer", "service", "--yes"]
        assert.strictEqual((yield* run("pay", "--key", "first", ...words)).code, 0)
        yield* control.addFault({
          times: 1000,
          operation: "wallet.sendValue",
          action: { kind: "drop", when: "before" }
        })
        const paying = yield* Effect.fork(run("pay", "--key", "lost", ...words))
        const list = Effect.suspend(() => run("payouts", "list"))
        yield* Effect.repeat(Effect.zipLeft(list, Effect.sleep("50 millis")), {
          until: ({ out }) => /^lost +Unknown/m.test(out)
        })
        yield* Fiber.interrupt(paying)
        const resolve = ["payouts", "resolve", "lost"]
        const shown = yield* run(...resolve, "--not-sent")
        assert.strictEqual(shown.code, 2, shown.error)
        assert.match(shown.error, /^lost is \w+:\n {2}2 KLAY from 0x\w{40} to 0x\w{40}\n/)
        assert.include(shown.error, "A copy of its request that still arrives pays all the same")
        assert.include(shown.error, "nothing was changed")
        const other = yield* run(...resolve, "--sent", `0x${"ab".repeat(32)}`, "--yes")
        assert.deepStrictEqual([other.code, other.error.includes("the chain shows no such transaction")], [2, true])
        // A process that was stopped while it was sending leaves a payment that may be on its way.
        yield* run("payouts", "reconcile", "lost")
        const ended = yield* run(...resolve, "--not-sent", "--yes")
        assert.deepStrictEqual([ended.code, ended.out.startsWith("lost  Cancelled")], [0, true], ended.error)
        const history = yield* run("payouts", "show", "lost", "--json")
        assert.strictEqual(JSON.parse(history.out).history.at(-1).event._tag, "DeclaredNotSent")
        const late = yield* run(...resolve, "--not-sent", "--yes", "--json")
        assert.deepStrictEqual([late.code, late.out], [2, ""])
        assert.strictEqual(yield* balance, 2n * 10n ** 18n)
      }),
    120_000
  )

  it.effect("says what is missing or does not go together, before anything is opened", () =>
    Effect.forEach(
      [
        [["resolve", "a"], "resolve needs one of --not-sent and --sent HASH"],
        [["resolve", "a", "--not-sent", "--sent", "0x12"], "resolve needs one of"],
        [["resolve", "a", "--sent", "0x12"], "--sent takes the hash of a transaction"],
        [["cancel", "a", "--yes"], "--yes goes with adopt, nonces and resolve, not with cancel"],
        [["list", "a"], "KEY goes with show, approve, cancel, adopt, reconcile and resolve, not with list"],
        [["approve"], "approve needs the KEY of a payment"],
        [["lst"], "did you mean list?"]
      ] as const,
      ([words, problem]) =>
        Effect.gen(function*() {
          const { code, error } = yield* klaytn(["payouts", ...words], { environment: {} })
          assert.deepStrictEqual([code, error.includes(problem)], [2, true], error)
        }),
      { discard: true }
    ))
})

describe("klaytn pay on a database that has to be corrected", () => {
  it.effect("ends at once, says what to do, and does not ask to be run again", () =>
    Effect.gen(function*() {
      const error = new EngineError({
        reason: "Unusable",
        database: "payouts.db",
        message: "payouts.db can't be used (SQLITE_FULL). Free space on its disk, or raise the limit."
      })
      const workflows = {
        namespace: "klaytn",
        runs: true,
        health: error,
        forget: () => error,
        failure: error,
        untilDatabaseAnswers: identity
      }
      const cause = yield* whileUsable(Effect.never).pipe(
        Effect.provideService(Engine.Engine, workflows),
        Effect.sandbox,
        Effect.flip
      )
      const { exit, hints, message } = fromCause(cause)
      assert.deepStrictEqual([exit, message], ["refused", error.message])
      assert.include(hints?.[0], "the same command continues")
      const exits = (["Passing", "Unusable"] as const).map((kind) =>
        fromCause(Cause.fail(new DatabaseFailed({ problem: error.message, kind }))).exit
      )
      assert.deepStrictEqual(exits, ["tryAgain", "refused"])
    }))

  it.scopedLive("that can't be opened ends with 2", () =>
    Effect.gen(function*() {
      const { address, run } = yield* staying
      const folderAsFile = yield* folder
      const pay = ["pay", "--key", "a", "--from", address, "--to", receiver, "--amount", "1", "--payer", "service"]
      for (const place of [folderAsFile, join(folderAsFile, "none", "payouts.db")]) {
        const { code, error } = yield* run(...pay, "--db", place)
        assert.strictEqual(code, 2, error)
        assert.include(error, "can't be used (SQLITE_CANTOPEN, unable to open the file)")
        assert.strictEqual(error.split(place).length, 2, error)
      }
    }), 60_000)
})

describe("klaytn pay --dry-run", () => {
  it.scopedLive("works on no payment that is stored already", () =>
    Effect.gen(function*() {
      const { address, environment, run } = yield* staying
      const submitted = Effect.flatMap(Payouts.Payouts, ({ submit }) =>
        submit({ key: "begun", from: address, to: receiver, value: 1n, payer: FeeDelegation.service })).pipe(
          Effect.provide(Payouts.layer()),
          Effect.provide(Engine.layerClient()),
          Effect.provide(Database.layerSqlite({ file: environment.KLAYTN_PAYOUTS_DB })),
          Effect.provide(ClientConfig.layerConfig({ service: "wallet" })),
          Effect.provide(FetchHttpClient.layer),
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
        )
      assert.strictEqual((yield* submitted).state._tag, "Planned")
      const pay = ["pay", "--key", "other", "--from", address, "--to", receiver, "--payer", "service", "--amount", "2"]
      for (let times = 0; times < 5; times++) {
        const shown = yield* run(...pay, "--dry-run")
        assert.strictEqual(shown.code, 0, shown.error)
      }
      const list = yield* run("payouts", "list")
      assert.match(list.out, /\nbegun +Planned/)
    }), 60_000)
})

describe("klaytn pay --token", () => {
  it.scopedLive(
    "pays whole tokens once, and refuses what the token can't express or the account does not have",
    () =>
      Effect.gen(function*() {
        const { address, chains, run } = yield* staying
        const chain = chains.chain(1001)
        const deployer = chains.account("alice")
        const token = yield* SandboxToken.deploy(chain, deployer, {
          kind: "ft",
          name: "Coin",
          symbol: "CN",
          decimals: 6
        })
        yield* SandboxToken.mint(chain, deployer, token, { kind: "ft", to: address, amount: 20_000_000n })
        const pay = (key: string, amount: string) =>
          run(
            ...["pay", "--key", key, "--from", address, "--to", receiver, "--amount", amount, "--token", token.address],
            ...["--payer", "service", "--yes"]
          )
        for (let times = 0; times < 2; times++) {
          const paid = yield* pay("t-1", "12.5")
          assert.strictEqual(paid.code, 0, paid.error)
          assert.match(paid.out, /\nt-1 {2}Executed/)
        }
        const fine = yield* pay("t-2", "0.0000001")
        assert.deepStrictEqual([fine.code, fine.error.includes("the unit allows 6")], [2, true], fine.error)
        const much = yield* pay("t-3", "7.6")
        assert.deepStrictEqual([much.code, much.out.includes("would refuse the call")], [3, true], much.out)
        const dry = (...limits: ReadonlyArray<string>) =>
          run(
            ...["pay", "--key", "t-4", "--from", address, "--to", receiver, "--amount", "1", "--token", token.address],
            ...["--payer", "service", "--dry-run", ...limits]
          )
        const limited = yield* dry("--limit", "1", "--limit-day", "2")
        assert.deepStrictEqual([limited.code, limited.error.includes("--unlimited-tokens")], [2, true], limited.error)
        const approved = yield* dry("--limit", "1", "--approve-above", "0.5")
        assert.include(approved.out, "1 new payment, 1 of them wait for approval")
        const unlimited = yield* dry("--limit", "1", "--unlimited-tokens")
        assert.deepStrictEqual([unlimited.code, unlimited.out.startsWith("1 new payment\n")], [0, true], unlimited.out)
        const listed = yield* run("payouts", "list", "--to", receiver)
        assert.match(listed.out, /^t-1 +Executed +12\.5 CN \(token 0x[0-9a-fA-F]{40}\) +0x/m)
        assert.strictEqual((yield* run("payouts", "list", "--to", address)).out, "no payments\n")
        assert.strictEqual((yield* run("payouts", "list", "--until", "2020-01-01", "--json")).out, "")
        const [header, row, ...more] = (yield* run("payouts", "list", "--csv")).out.trim().split("\n")
        assert.strictEqual(
          header,
          "key,state,amount,unit,token,from,to,created,updated,transaction,block,nonce,problem"
        )
        assert.match(row ?? "", /^t-1,Executed,12\.5,CN \(token 0x[0-9a-fA-F]{40}\),0x/)
        assert.include(row, `,${token.address},${address},${receiver},`)
        assert.deepStrictEqual(more, [])
        assert.strictEqual((yield* run("payouts", "list", "--to", address, "--csv")).out.trim(), header)
        const shown = yield* run("payouts", "show", "t-1")
        assert.match(shown.out, /^t-1 {2}Executed\n {2}amount +12\.5 CN \(token 0x[0-9a-fA-F]{40}\)\n {2}token +0x/)
        assert.match(shown.out, /\n {2}\d{4}-\d\d-\d\dT[\d:]{8}Z {2}SendBegun\n/)
      }),
    120_000
  )
})

describe("klaytn payouts nonces", () => {
  it.scopedLive(
    "shows what the chain and the database have of an account, and frees what nothing holds",
    () =>
      Effect.gen(function*() {
        const { address, environment, run } = yield* staying
        yield* run(
          "pay",
          "--key",
          "a",
          "--from",
          address,
          "--to",
          receiver,
          "--amount",
          "1",
          "--payer",
          "service",
          "--yes"
        )
        const good = yield* run("payouts", "nonces", "--from", address)
        assert.deepStrictEqual([good.code, good.error], [0, ""])
        assert.match(good.out, /the chain: next (\d+) in blocks, \1 with what waits\nthe database: next \1\n/)
        const book = JSON.stringify({ next: 100_001, open: [], unresolved: [], gaps: [] })
        yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`UPDATE klaytn_values SET value = ${book} WHERE id LIKE 'nonces%'`
        ).pipe(Effect.provide(Database.layerSqlite({ file: environment.KLAYTN_PAYOUTS_DB })))
        const ahead = yield* run("payouts", "nonces", "--from", address)
        assert.deepStrictEqual([ahead.code, ahead.out.includes("the database is ahead of the chain")], [3, true])
        assert.strictEqual((yield* run("payouts", "nonces", "--from", address, "--reset")).code, 2)
        const reset = yield* run("payouts", "nonces", "--from", address, "--reset", "--yes")
        assert.deepStrictEqual([reset.code, reset.out], [0, good.out], reset.error)
        assert.strictEqual((yield* run("payouts", "nonces")).code, 2)
      }),
    120_000
  )
})
