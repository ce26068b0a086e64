import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { codes, entries, errorsModule } from "../../scripts/errors.js"
import { placeOf } from "../../src/internal/explain/runExplain.js"
import { Failure } from "../../src/internal/terminal/Failure.js"
import { explained } from "../../src/internal/terminal/failureOf.js"
import { klaytn } from "../support/terminal.js"

const generated = join(import.meta.dirname, "../../src/internal/terminal/errors.generated.ts")

/** Every class of errors that a public module of a package exports. Read as text: loading them all takes seconds. */
const errorClasses = (): ReadonlyArray<string> => {
  const packages = join(import.meta.dirname, "../../..")
  return readdirSync(packages).flatMap((folder) => {
    const src = join(packages, folder, "src")
    return readdirSync(src).filter((name) => /^[A-Z]\w*\.ts$/.test(name)).flatMap((name) =>
      Array.from(
        readFileSync(join(src, name), "utf8").matchAll(/^export class (\w+)\s+extends [\w.]*Error\b/gm),
        ([, tag = ""]) => tag
      )
    )
  })
}

describe("klaytn explain", () => {
  it("has the entries of docs/errors.md as they are now", () => {
    assert.strictEqual(readFileSync(generated, "utf8"), errorsModule(), "npx tsx packages/cli/scripts/errors.ts")
    for (const { tag, text } of entries()) assert.isAbove(text.length, 0, tag)
  })

  it("has an entry for every error of every package, and for nothing else", () => {
    const classes = errorClasses()
    assert.isAbove(classes.length, 50)
    assert.deepStrictEqual(entries().map(({ tag }) => tag).toSorted(), [...new Set(classes)].toSorted())
  })

  it.effect("prints what an error means, and what to do, with nothing to look up elsewhere", () =>
    Effect.gen(function*() {
      const { code, error, out } = yield* klaytn(["explain", "outcomeunknown"])
      assert.strictEqual(code, 0)
      assert.strictEqual(error, "")
      assert.strictEqual(
        out,
        [
          "OutcomeUnknown  of every call",
          "",
          "A call that changes something may or may not have happened. Only a send with a nonce was repeated.",
          "",
          "Do: find out before you call again: look for `transactionHash` if there is one, or list what the",
          "call would have made. `Effect.retry` around such a call can do it twice.",
          ""
        ].join("\n")
      )
    }))

  it.effect("lists all of them without a name, as text and as JSON", () =>
    Effect.gen(function*() {
      const { out } = yield* klaytn(["explain"])
      const json = (yield* klaytn(["explain", "--json"])).out.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(json.map(({ tag }) => tag), entries().map(({ tag }) => tag))
      for (const { tag } of entries()) assert.match(out, new RegExp(`^  ${tag} `, "m"))
      assert.deepStrictEqual(out.split("\n").filter((line) => line.length > 100), [])
    }))

  it.effect("prints what each code means that the service, a gateway or a node answers, and the error that comes of it", () =>
    Effect.gen(function*() {
      const { code, out } = yield* klaytn(["explain", "1040011"])
      assert.strictEqual(code, 0)
      assert.include(out, "1040011  a code of history and tokens\n\nA range that is too wide or reversed")
      assert.include(out, "\nRejected  of every call\n")
      assert.include((yield* klaytn(["explain", "-32601"])).out, "\nMethodNotFound  of a node\n")
      const unknown = yield* klaytn(["explain", "1234567"])
      assert.strictEqual(unknown.code, 2)
      assert.include(unknown.error, "the code 1234567 is not known here")
    }))

  it("knows every code that the sources write", () => {
    const packages = join(import.meta.dirname, "../../..")
    const known = new Set(codes().map(({ code }) => String(code)))
    const written = readdirSync(packages).flatMap((folder) =>
      readdirSync(join(packages, folder, "src"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) =>
          readFileSync(join(packages, folder, "src", name), "utf8").match(/\b10[1467]\d{4}\b|-32\d{3}\b/g) ?? []
        )
    )
    assert.isAbove(written.length, 50)
    assert.deepStrictEqual([...new Set(written)].filter((code) => !known.has(code)), [])
  })

  it.effect("says which error may be meant", () =>
    Effect.gen(function*() {
      const { code, error } = yield* klaytn(["explain", "RateLimitd"])
      assert.strictEqual(code, 2)
      assert.include(error, "there is no error RateLimitd")
      assert.include(error, "did you mean RateLimited?")
    }))

  it("links to the repository, once the manifest names it", () => {
    assert.deepStrictEqual(
      placeOf({ name: "cli", repository: { url: "git+https://host.example/owner/name.git" } }, "NotSent"),
      ["https://host.example/owner/name/blob/main/docs/errors.md#notsent"]
    )
    assert.deepStrictEqual(placeOf({ name: "cli" }, "NotSent"), [])
  })

  it("is not named by a failure whose page would only refer back to the message", () => {
    const hintsOf = (kind: string, exit: "usage" | "tryAgain") =>
      explained(new Failure({ message: "", kind, exit })).hints ?? []
    const named = ["klaytn explain GatewayError"]
    // The page says that these may pass.
    assert.deepStrictEqual(hintsOf("GatewayError", "tryAgain"), named)
    for (const kind of ["GatewayError", "EngineError", "DatabaseError", "DatabaseFileError", "KeyTransferError"]) {
      assert.deepStrictEqual(hintsOf(kind, "usage"), [], kind)
    }
    // Such as an export, which continues.
    assert.deepStrictEqual(hintsOf("SinkError", "usage"), ["klaytn explain SinkError"])
  })

  it.effect("is named by every failure whose entry says more than the failure, and by no other", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(401, { code: 1010009, message: "invalid credential" }))
      const { error } = yield* klaytn(["call", "klay_blockNumber"], { wire })
      assert.include(error, "  -> klaytn explain Unauthorized\n")
      const { error: json } = yield* klaytn(["call", "klay_blockNumber", "--json"], { wire })
      assert.include(JSON.parse(json).error.hints, "klaytn explain Unauthorized")
      const { error: words } = yield* klaytn(["cal"])
      assert.notInclude(words, "explain")
    }))

  it.effect("is what the library names", () =>
    Effect.gen(function*() {
      const [, ...words] = ServiceError.explain({ _tag: "SendUnknown" }).split(" ")
      assert.include((yield* klaytn(words)).out, "SendUnknown  of a send")
    }))
})
