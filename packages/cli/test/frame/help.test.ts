/** Pages of help on a terminal of 80 columns. */
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "../../src/internal/command/commands.js"
import * as help from "../../src/internal/frame/help.js"
import type { Subcommand } from "../../src/internal/frame/Subcommand.js"
import { variables } from "../../src/internal/frame/variables.js"
import type * as Screen from "../../src/internal/terminal/Screen.js"
import { klaytn } from "../support/terminal.js"

const output: Screen.Output = {
  write: () => Effect.void,
  flushed: Effect.succeed(true),
  isTerminal: true,
  columns: 80,
  hasColors: false
}

const all: ReadonlyArray<Subcommand> = commands.flatMap((one) => [one, ...one.subcommands])
const actionsOf = ({ words }: Subcommand): ReadonlyArray<string> =>
  words.find(({ name }) => name === "ACTION")?.choices ?? []

it("has no line that a terminal of 80 columns breaks, and an example goes on behind a backslash", () => {
  const pages = all.flatMap((one) =>
    [[], ...actionsOf(one).map((action) => [action])].map((words) => help.ofCommand(output, one, words))
  )
  assert.isAbove(pages.length, 50)
  for (const page of [help.ofAll(output, commands), ...pages]) {
    assert.deepStrictEqual(page.split("\n").filter((line) => line.length > 80), [])
    for (const [, line = ""] of page.matchAll(/^ {2}\$ (.*(?:\\\n.*)*)$/gm)) assert.notMatch(line, /\\\n {0,3}\S/)
  }
})

it.effect("has a page for each action of a group, with the options that go with it", () =>
  Effect.gen(function*() {
    const { out } = yield* klaytn(["accounts", "create", "--help"])
    assert.include(out, "  klaytn accounts create [options]\n")
    assert.include(out, "$ klaytn accounts create --sandbox")
    assert.notInclude(out, "accounts list\n")
    assert.notInclude(out, "ADDRESS  ")
    const callers = (yield* klaytn(["gateway", "callers", "add", "--help"])).out
    assert.include(callers, "  klaytn gateway callers add NAME [options]\n")
    const list = (yield* klaytn(["help", "payouts", "report"])).out
    assert.include(list, "--day DAY")
    assert.include(list, "--csv")
    assert.notMatch(list, /^ {2}--reader/m)
    const nonces = (yield* klaytn(["payouts", "nonces", "--help"])).out
    assert.include(nonces, "nonces shows the nonces of the account --from")
    assert.match(nonces, /^ {2}--from ACCOUNT +The account\.$/m)
    assert.match(nonces, /^ {2}--yes +Reset them\.$/m)
    assert.strictEqual(nonces.split("$ klaytn").length, 2)
    for (const other of ["resolve ends", "ACTION is", "--limit"]) assert.notInclude(nonces, other)
    const show = (yield* klaytn(["payouts", "show", "--help"])).out
    assert.include(show, "  klaytn payouts show KEY [options]\n")
    for (const other of ["resolve ends", "[KEY]", "--limit", "--approve-above"]) assert.notInclude(show, other)
    assert.include((yield* klaytn(["payouts", "adopt", "--help"])).out, "  klaytn payouts adopt [KEY] [options]\n")
    assert.include((yield* klaytn(["payouts", "work", "--help"])).out, "  --limit-day KLAY")
  }))

it.effect("is that of the command behind another one, if that one has no such action", () =>
  Effect.gen(function*() {
    const of = (...words: ReadonlyArray<string>) => Effect.map(klaytn(words), ({ out }) => out)
    const plan = yield* of("plan", "--help")
    assert.strictEqual(yield* of("export", "plan", "--help"), plan)
    assert.strictEqual(yield* of("help", "export", "plan"), plan)
    assert.include(
      yield* of("gateway", "wallet", "export", "--help"),
      "  klaytn gateway wallet export WHAT [options]\n"
    )
    assert.strictEqual(yield* of("export", "--out", "plan", "--help"), yield* of("export", "--help"))
  }))

it("names each variable that a command reads, and no other", () => {
  const sources = ["cli/src", "core/src/internal/config", "core/src/OwnNode.ts"].flatMap((place) => {
    const path = join(import.meta.dirname, "../../../", place)
    const names = place.endsWith(".ts") ? [""] : readdirSync(path, { encoding: "utf8", recursive: true })
    return names.filter((name) => /^$|\.ts$/.test(name) && !name.endsWith("variables.ts")).map((name) =>
      join(path, name)
    )
  })
  const read = new Set(sources.flatMap((file) => readFileSync(file, "utf8").match(/(?<=")KLAYTN_\w+(?=")/g) ?? []))
  assert.isAbove(read.size, 12)
  for (const service of Endpoints.services) read.add(Endpoints.variable(service))
  assert.sameMembers(Object.keys(variables), [...read])
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8")
  const services = new Set(Endpoints.services.map((service) => Endpoints.variable(service)))
  for (const name of read) if (!services.has(name)) assert.include(readme, `\`${name}\``)
})
