/**
 * The commonest mistakes, and what the command says of each. `mistakes.txt` is what people read: a command behind `$` with its exit
 * code, and its answer. `MISTAKES=write vitest run packages/cli/test/frame/mistakes.test.ts` writes the answers as they are now.
 */
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { klaytn } from "../support/terminal.js"

const page = join(import.meta.dirname, "mistakes.txt")
const commands = Array.from(
  readFileSync(page, "utf8").matchAll(/^\$ klaytn (.*?)(?: {3}# exit \d+)?$/gm),
  ([, line = ""]) => line
)

/** What no answer may have in it: names of functions, classes and system calls, and the tree of a schema's error. */
const notForPeople =
  /\b(?:exports|payouts|Range|wallet)\.\w+: invalid|ENOENT|EISDIR|FileSystem\.|SystemError|ParseError|ConnectionFailed|└─|├─|undefined|\[object/

/** Words of a command; a folder of the test stands for `@`. */
const wordsOf = (line: string, folder: string): ReadonlyArray<string> =>
  line.split(" ").map((word) => word.replace(/^@/, `${folder}/`))

it.scopedLive(
  "says of the commonest mistakes what is wrong, where, and what to do, and leaves no file",
  () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-mistakes-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      mkdirSync(join(folder, "folder"))
      writeFileSync(join(folder, "text.db"), "this is no database ".repeat(300))
      writeFileSync(join(folder, "text.json"), "{")
      writeFileSync(join(folder, "text.csv"), "key,to\nx")
      const before = readdirSync(folder)
      const wire = Testing.wire(
        ...Array.from({ length: 3 }, () => Testing.json(401, { code: 1010009, message: "invalid" }))
      )
      const answers: Array<string> = []
      for (const line of commands) {
        const { code, error, out } = yield* klaytn(wordsOf(line, folder), { wire })
        const answer = `${out}${error}`.trimEnd().replaceAll(`${folder}/`, "@").replaceAll(folder, "@")
        assert.notStrictEqual(code, 0, line)
        assert.notMatch(answer, notForPeople, line)
        for (const name of line.match(/@\w[\w./]*/g) ?? []) {
          assert.isAtMost((answer.split("\n")[0] ?? "").split(name).length, 2, `${line}: names ${name} twice`)
        }
        answers.push(`$ klaytn ${line}   # exit ${code}\n${answer}\n`)
      }
      assert.isAtLeast(answers.length, 40)
      assert.deepStrictEqual(readdirSync(folder), before)
      if (process.env["MISTAKES"] === "write") writeFileSync(page, answers.join("\n"))
      assert.strictEqual(answers.join("\n"), readFileSync(page, "utf8"))
    }),
  120_000
)
