import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { KeyWrapper } from "@effect-klaytn/custody/KeyWrapper"
import * as MasterKey from "@effect-klaytn/custody/MasterKey"
import type { MasterKeyError } from "@effect-klaytn/custody/MasterKeyError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "master-key-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const canary = "c0ffee".repeat(10) + "abcd"

/** Whether two wrappers have the same key. */
const areSame = (one: KeyWrapper, other: KeyWrapper) =>
  Effect.gen(function*() {
    const key = randomBytes(32)
    return Buffer.from(yield* other.unwrap(yield* one.wrap(key))).equals(key)
  })

/** Why a key is refused. No form of the error has a part of the key. */
const reason = (read: Effect.Effect<KeyWrapper, MasterKeyError | InvalidInput>) =>
  Effect.map(Effect.flip(read), (failure) => {
    const shown = `${failure.message} ${JSON.stringify(failure)} ${inspect(failure, { depth: 9 })} ${failure.stack}`
    assert.notInclude(shown, "c0ffee")
    return failure._tag === "MasterKeyError" ? failure.reason : failure._tag
  })

describe("a master key", () => {
  it.scopedLive("is read from a text, a file and a command, in hexadecimal or Base64", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "key")
      writeFileSync(file, `${Buffer.from(canary, "hex").toString("base64")}\n`, { mode: 0o600 })
      const text = yield* MasterKey.fromText(Redacted.make(canary))
      assert.isTrue(yield* areSame(text, yield* MasterKey.fromFile(file)))
      assert.isTrue(yield* areSame(text, yield* MasterKey.fromCommand(`echo ${canary}`)))
      const other = yield* MasterKey.fromText(Redacted.make("11".repeat(32)))
      assert.strictEqual((yield* Effect.flip(areSame(text, other))).reason, "Wrong")
      assert.notInclude(inspect(text, { depth: 9, showHidden: true }), "c0ffee")
    }))

  it.scopedLive("is refused in a file that others can read", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "key")
      writeFileSync(file, canary)
      for (const mode of [0o644, 0o640, 0o604, 0o660, 0o620]) {
        chmodSync(file, mode)
        assert.strictEqual(yield* reason(MasterKey.fromFile(file)), "Mode")
      }
      chmodSync(file, 0o400)
      yield* MasterKey.fromFile(file)
      const made = join(yield* folder, "made")
      yield* MasterKey.make(made)
      assert.strictEqual(statSync(made).mode & 0o777, 0o600)
      assert.strictEqual(yield* reason(MasterKey.make(made)), "Missing")
    }))

  it.scopedLive("of another form, or that can't be had, is refused without being shown", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "key")
      writeFileSync(file, `${canary}00`, { mode: 0o600 })
      assert.strictEqual(yield* reason(MasterKey.fromFile(file)), "Form")
      assert.strictEqual(yield* reason(MasterKey.fromFile(`${file}-other`)), "Missing")
      assert.strictEqual(yield* reason(MasterKey.fromText(Redacted.make(canary.slice(1)))), "Form")
      assert.strictEqual(yield* reason(MasterKey.fromCommand(`echo ${canary}; exit 3`)), "Command")
      assert.strictEqual(yield* reason(MasterKey.fromCommand("true")), "Command")
      assert.strictEqual(yield* reason(MasterKey.fromCommand(`echo ${canary}${canary}`)), "Form")
      assert.strictEqual(yield* reason(MasterKey.fromCommand("sleep 5", "50 millis")), "Command")
    }))
})
