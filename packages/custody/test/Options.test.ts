import * as Keyring from "@effect-klaytn/custody/Keyring"
import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import * as MasterKey from "@effect-klaytn/custody/MasterKey"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chain, openDatabase } from "./support/guardedWallet.js"

const wrong = [-1, Number.NaN, -60_000]

describe("a duration that is none", () => {
  it.effect("is refused by MasterKey.fromCommand(timeout), and no command runs", () =>
    Effect.gen(function*() {
      for (const timeout of wrong) {
        assert.strictEqual((yield* Effect.flip(MasterKey.fromCommand("exit 1", timeout)))._tag, "InvalidInput")
      }
    }))

  it.scoped("is refused by Keyring.rekey as patience, before the database is read", () =>
    Effect.gen(function*() {
      const sql = yield* openDatabase()
      const key = KeyWrapper.ofKey(new Uint8Array(32))
      for (const patience of wrong) {
        const failure = yield* Effect.flip(Keyring.rekey(sql, chain, { from: key, to: key, patience }))
        assert.strictEqual(failure._tag, "InvalidInput")
      }
    }))
})
