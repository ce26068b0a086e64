import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { klaytn } from "./support/terminal.js"

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
    }), 60_000)

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
    }), 60_000)

  it.scopedLive("refuses what is not complete or can't be, and says what to add", () =>
    Effect.gen(function*() {
      const cases = [
        [["pay", "--key", "a", "--payer", "service"], "a payment needs --key"],
        [["pay", "--key", "a"], "--payer is not given"],
        [[...one, "--file", "x.csv"], "--file names all payments"],
        [[...one, "--limit", "-1"], "--limit -1: it has a sign"],
        [["payouts", "show"], "show needs the key"],
        [["payouts", "list", "--state", "Lost"], "--state takes any of Planned"]
      ] as const
      for (const [words, problem] of cases) {
        const { code, error } = yield* offline(...words)
        assert.deepStrictEqual([code, error.includes(problem)], [2, true], error)
      }
    }), 60_000)
})

describe("klaytn payouts", () => {
  it.scopedLive("lists and shows what was paid, and approves what waits", () =>
    Effect.gen(function*() {
      const db = ["--db", join(yield* folder, "payouts.db")]
      const waits = yield* offline(...one, "--yes", "--approve-above", "1", ...db)
      assert.strictEqual(waits.code, 3)
      const list = yield* offline("payouts", "list", ...db)
      assert.match(list.out, /^order-1 {2}WaitingForApproval {2}/)
      const shown = yield* offline("payouts", "show", "order-1", "--json", ...db)
      assert.deepStrictEqual(
        JSON.parse(shown.out).history.map(({ event }: { event: { _tag: string } }) => event._tag),
        [
          "ApprovalNeeded"
        ]
      )
      const none = yield* offline("payouts", "show", "order-2", ...db)
      assert.deepStrictEqual([none.code, none.error.includes("there is no payout order-2")], [2, true])
      const no = yield* offline("payouts", "give-up", "order-1", ...db)
      assert.match(no.out, /^order-1 {2}GivenUp/)
      const late = yield* offline("payouts", "approve", "order-1", ...db)
      assert.deepStrictEqual([late.code, late.error.includes("order-1 is GivenUp")], [2, true])
    }), 120_000)
})
