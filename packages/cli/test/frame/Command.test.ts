import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "../../src/internal/command/commands.js"
import * as Word from "../../src/internal/frame/Word.js"
import { exitCodes } from "../../src/internal/terminal/exitCode.js"
import { klaytn } from "../support/terminal.js"

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8")

/** Where the options of `klaytn sandbox` are described. */
const readmeOfSandbox = readFileSync(join(import.meta.dirname, "../../../sandbox/README.md"), "utf8")

/** The commands, and those below them. */
const all = commands.flatMap((command) => [command, ...command.subcommands])

/** The words of an example, as a shell would split them. */
const wordsOf = (example: string): ReadonlyArray<string> =>
  [...(example.split(" | ")[0] ?? "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")

describe("klaytn", () => {
  it.effect("lists its commands, options, variables and exit codes, for --help, help and no words at all", () =>
    Effect.gen(function*() {
      const { code, error, out } = yield* klaytn(["--help"])
      assert.strictEqual(code, 0)
      assert.strictEqual(error, "")
      for (const { page } of commands) assert.include(out, `${page.name} `)
      for (const { meaning } of Object.values(exitCodes)) assert.include(out.replace(/\s+/g, " "), meaning)
      assert.include(out, "KLAYTN_SECRET_ACCESS_KEY")
      assert.deepStrictEqual(yield* klaytn([]), { code, error, out })
      assert.deepStrictEqual(yield* klaytn(["help"]), { code, error, out })
      assert.deepStrictEqual(yield* klaytn(["-h"]), { code, error, out })
    }))

  it.effect("has a page for each command, with its options and examples", () =>
    Effect.forEach(all, ({ page, words }) =>
      Effect.gen(function*() {
        const { code, out } = yield* klaytn([...page.name.split(" "), "--help"])
        assert.strictEqual(code, 0)
        assert.isAbove(Object.keys(page.examples).length, 0, page.name)
        const joined = out.replaceAll(/ \\\n +/g, " ")
        for (const example of Object.keys(page.examples)) assert.include(joined, `$ ${example}\n`, page.name)
        for (const word of words.filter(Word.isOption)) {
          assert.include(out, Word.termOf(word))
          assert.notStrictEqual(word.meaning, "", `${page.name} ${word.name} has a meaning`)
        }
        assert.deepStrictEqual(yield* klaytn(["help", ...page.name.split(" ")]), { code, out, error: "" })
      }), { discard: true }))

  it.effect("takes every example of its pages", () =>
    Effect.forEach(
      all.flatMap(({ page, read }) => Object.keys(page.examples).map((example) => ({ example, page, read }))),
      ({ example, page, read }) => Effect.asVoid(read(wordsOf(example).slice(1 + page.name.split(" ").length))),
      { discard: true }
    ))

  it.effect("fits its pages into 100 columns, but for examples", () =>
    Effect.forEach([[], ...all.map(({ page }) => page.name.split(" "))], (words) =>
      Effect.gen(function*() {
        const { out } = yield* klaytn([...words, "--help"])
        const long = out.split("\n").filter((line) => line.length > 100 && !line.startsWith("  $ "))
        assert.deepStrictEqual(long, [])
      }), { discard: true }))

  it.effect("has colours on a terminal only", () =>
    Effect.gen(function*() {
      assert.notInclude((yield* klaytn(["--help"])).out, "\x1b")
      assert.include((yield* klaytn(["--help"], { isTerminal: true })).out, "\x1b[1mUSAGE\x1b[0m")
    }))

  it.effect("says what is wrong with its words, and what may be meant, with exit code 2", () =>
    Effect.forEach(
      [
        [["cal"], "there is no command cal", "did you mean call?"],
        [["pya"], "there is no command pya", "did you mean pay?"],
        [["--chain", "1001"], "no command is given", "klaytn --help"],
        [["doctor", "--jsn"], "there is no option --jsn", "did you mean --json?"],
        [["doctor", "--json", "--json"], "--json is given twice", ""],
        [["doctor", "--json=yes"], "--json takes no value", "klaytn doctor --help"],
        [["doctor", "--chain"], "--chain needs a value", "klaytn doctor --help"],
        [["doctor", "--chain", "--json"], "--chain needs a value", "klaytn doctor --help"],
        [["doctor", "--chain", "5"], "--chain is 8217, 1001, mainnet or testnet, not 5", ""],
        [["plan", "--windows", "many"], "--windows takes a whole number, at least 1", "klaytn plan --help"],
        [["plan", "--size", "5000"], "--size takes a whole number from 1 to 1000", "klaytn plan --help"],
        [["accounts"], "ACTION is missing", "klaytn accounts --help"],
        [["payouts", "lst"], "ACTION is list, show, watch", "did you mean list?"],
        [["gateway"], "--db is not given", "klaytn gateway --help"],
        [["snapshot", "ownrs"], "one argument too many: ownrs", "did you mean owners?"],
        [["--verison"], "no command is given", "did you mean --version?"],
        [["doctor", "now"], "one argument too many: now", "klaytn doctor --help"],
        [["--completions", "tcsh"], "--completions takes bash, zsh or fish", ""]
      ] as const,
      ([words, message, hint]) =>
        Effect.gen(function*() {
          const { code, error, out } = yield* klaytn(words)
          assert.strictEqual(code, 2, words.join(" "))
          assert.strictEqual(out, "")
          assert.include(error.replace("klaytn: ", ""), message)
          assert.include(error, hint)
        }),
      { discard: true }
    ))

  it.effect("does not show a key again that is typed in a wrong place", () =>
    Effect.gen(function*() {
      const key = "4f".repeat(32)
      for (
        const words of [[key], [`--${key}`], ["doctor", `0x${key}`], ["doctor", "--chain", key], ["plan", "--to", key]]
      ) {
        const { code, error, out } = yield* klaytn(words)
        assert.strictEqual(code, 2, words.join(" "))
        assert.notInclude((out + error).replaceAll(/\s/g, ""), key.slice(0, 32))
      }
    }))

  /** Why a command refuses its words; empty if it takes them. */
  const refusal = (name: string, ...words: ReadonlyArray<string>) => {
    const command = commands.find(({ page }) => page.name === name) ?? assert.fail()
    return Effect.match(command.read(words), { onFailure: ({ message }) => message, onSuccess: () => "" })
  }

  it.effect("takes an option that may be repeated as often as it is given", () =>
    Effect.gen(function*() {
      const origin = "https://dapp.example"
      assert.strictEqual(yield* refusal("sandbox", "--dev-rpc-origin", origin, `--dev-rpc-origin=${origin}`), "")
      assert.include(yield* refusal("sandbox", "--port", "1", "--port", "2"), "given twice")
    }))

  it.effect("takes the name of an option as a value behind = only", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusal("pay", "--memo=--yes"), "")
      assert.strictEqual(yield* refusal("pay", "--memo", "--yes?"), "")
      assert.include(yield* refusal("pay", "--memo", "--yes"), "--memo needs a value")
    }))

  it.effect("takes an argument that begins with a dash, and what stands behind -- whatever it is", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusal("payouts", "show", "-rf", "--db", "p.db"), "")
      assert.strictEqual(yield* refusal("payouts", "show", "--db", "p.db", "--", "--json"), "")
      assert.include(yield* refusal("payouts", "show", "-db", "p.db"), "there is no option -db")
      assert.include(yield* refusal("payouts", "show", "-rf", "-x"), "there is no option -x")
      const { error } = yield* klaytn(["payouts", "show", "--order"])
      assert.include(error, "a value that begins with a dash stands behind --, after all options")
      const behind = yield* klaytn(["payouts", "lst", "--", "--help", "--json"])
      assert.match(behind.error, /^klaytn: ACTION is list, /)
    }))

  it.effect("never shows the value of an option that it does not know", () =>
    Effect.gen(function*() {
      const { error } = yield* klaytn(["doctor", "--secret-access-key=hunter22"])
      assert.include(error, "--secret-access-key")
      assert.notInclude(error, "hunter22")
    }))

  it.effect("writes an error as one line of JSON with --json", () =>
    Effect.gen(function*() {
      const { code, error, out } = yield* klaytn(["call", "--json"], { environment: {} })
      assert.strictEqual(code, 0)
      assert.strictEqual(error, "")
      assert.isAbove(out.trimEnd().split("\n").length, 100)
      const failed = yield* klaytn(["call", "klay_blockNumber", "--json"], { environment: {} })
      assert.strictEqual(failed.code, 2)
      assert.strictEqual(failed.out, "")
      const parsed = JSON.parse(failed.error)
      assert.strictEqual(parsed.error.exitCode, 2)
      assert.strictEqual(parsed.error.kind, "Configuration")
      assert.include(parsed.error.details.join(), "KLAYTN_NODE_URL")
    }))

  it.effect("names every missing setting at once, and what helps", () =>
    Effect.gen(function*() {
      const { code, error } = yield* klaytn(["call", "klay_blockNumber"], {
        environment: { KLAYTN_NODE_URL: "http://node.example" }
      })
      assert.strictEqual(code, 2)
      for (const name of ["CHAIN_ID", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "NODE_URL"]) {
        assert.include(error, `KLAYTN_${name}`)
      }
      assert.include(error, "--sandbox")
      assert.include(error, "klaytn doctor")
    }))

  it.effect("completes its commands and options in three shells", () =>
    Effect.forEach(["bash", "zsh", "fish"], (shell) =>
      Effect.gen(function*() {
        const { code, out } = yield* klaytn(["--completions", shell])
        assert.strictEqual(code, 0)
        for (const { page } of commands) assert.include(out, page.name)
        assert.include(out, shell === "fish" ? "-l fee-payer-style" : "--fee-payer-style")
        assert.include(out, shell === "fish" ? "-l sandbox" : "--sandbox")
      }), { discard: true }))
})

describe("README", () => {
  it("has the table of exit codes, as it is in the help", () => {
    const rows = [...readme.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [code, meaning])
    assert.deepStrictEqual(rows, Object.values(exitCodes).map(({ code, meaning }) => [`${code}`, meaning]))
  })

  it("names every command and every option", () => {
    for (const { page, words } of all) {
      assert.include(readme, `klaytn ${page.name}`)
      const text = page.name === "sandbox" ? readmeOfSandbox : readme
      for (const { name } of words.filter(Word.isOption)) assert.include(text, name, `${page.name} ${name}`)
    }
  })
})
