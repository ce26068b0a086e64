import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import manifest from "../../package.json" with { type: "json" }

const dir = join(import.meta.dirname, "../..")

/** The bundle alone, as it is installed without anything beside it. */
const installed = Effect.acquireRelease(
  Effect.sync(() => {
    const { stderr, status } = spawnSync(process.execPath, [join(dir, "scripts/klaytn.mjs"), "--version"], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
    const place = mkdtempSync(join(tmpdir(), "klaytn-"))
    for (const name of readdirSync(join(dir, "dist")).filter((one) => one.endsWith(".mjs"))) {
      cpSync(join(dir, "dist", name), join(place, name))
    }
    return place
  }),
  (place) => Effect.sync(() => rmSync(place, { recursive: true }))
)

const run = (place: string, ...words: ReadonlyArray<string>) =>
  Effect.sync(() =>
    spawnSync(process.execPath, [join(place, "bin.mjs"), ...words], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], NO_COLOR: "1" }
    })
  )

describe("the bundle", () => {
  it.scopedLive("runs alone: the version, the help, and the exit codes", () =>
    Effect.gen(function*() {
      const place = yield* installed
      assert.strictEqual((yield* run(place, "--version")).stdout, `${manifest.version}\n`)
      const help = yield* run(place, "--help")
      assert.strictEqual(help.status, 0, help.stderr)
      assert.include(help.stdout, "USAGE")
      const call = yield* run(place, "call", "klay_blockNumber")
      assert.strictEqual(call.status, 2)
      assert.strictEqual(call.stdout, "")
      assert.include(call.stderr, "KLAYTN_NODE_URL")
      assert.strictEqual((yield* run(place, "doctor")).status, 3)
    }))

  it.scopedLive("loads no client and no schema for a page of help", () =>
    Effect.gen(function*() {
      const place = yield* installed
      const texts = new Map<string, string>()
      const load = (file: string): void => {
        if (texts.has(file)) return
        const text = readFileSync(join(place, file), "utf8")
        texts.set(file, text)
        // What is loaded with a module; `import(...)` is loaded later.
        for (const [, next = ""] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.mjs)"/g)) load(next)
      }
      // The entry loads its own parts in any case.
      const entry = readFileSync(join(place, "bin.mjs"), "utf8")
      for (const [, part = ""] of entry.matchAll(/"\.\/(chunk-[^"]+\.mjs)"/g)) load(part)
      const all = [...texts.values()].join("\n")
      assert.isAbove(texts.size, 1)
      assert.include(all, "effect/Effect")
      for (const absent of ["@effect/platform/HttpClient", "effect/Schema/"]) assert.notInclude(all, absent)
    }))

  it.scopedLive("says in one sentence that a sandbox or a gateway is not installed beside it", () =>
    Effect.gen(function*() {
      const place = yield* installed
      for (
        const [what, ...words] of [
          ["sandbox", "call", "klay_blockNumber", "--sandbox"],
          ["gateway", "gateway", "callers", "list", "--db", "index.db"]
        ]
      ) {
        const { status, stderr, stdout } = yield* run(place, ...words)
        assert.strictEqual(status, 2)
        assert.strictEqual(stdout, "")
        assert.strictEqual(
          stderr,
          `klaytn: a ${what} needs the package @effect-klaytn/${what} beside this command: ` +
            `in a clone of effect-klaytn, \`npx -y pnpm@10.34.9 tarballs cli ${what}\` prints the line that installs them\n`
        )
      }
    }))

  it.scopedLive("has no sandbox, no gateway and no EVM in it", () =>
    Effect.gen(function*() {
      yield* installed
      const made: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(dir, "dist/.bundle.json"), "utf8"))
      const modules = Object.keys(made)
      assert.include(modules, "packages/cli/src/internal/frame/main.ts")
      assert.deepStrictEqual(modules.filter((module) => /^packages\/(?:sandbox|gateway)\//.test(module)), [])
      const notice = readFileSync(join(dir, "dist/bin.mjs"), "utf8")
      assert.match(notice, /^ \* effect \d/m)
      assert.notInclude(notice, "@ethereumjs/evm")
      assert.deepStrictEqual(Object.keys(manifest.dependencies), ["libsql"])
    }))
})
