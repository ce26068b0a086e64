import * as Driver from "@effect-klaytn/store/Driver"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync, statSync } from "node:fs"
import * as CallerFile from "../src/CallerFile.js"
import * as world from "./support/world.js"

const headerOf = ({ accessKeyId, secretAccessKey }: CallerFile.NewCaller, more = ""): string =>
  `Basic ${Buffer.from(`${accessKeyId}:${Redacted.value(secretAccessKey)}${more}`).toString("base64")}`

const refusal = (effect: Effect.Effect<unknown, { readonly reason: string; readonly message: string }, never>) =>
  Effect.map(Effect.flip(effect), ({ message, reason }) => `${reason}: ${message}`)

describe("a file of callers", () => {
  it.scoped("lets in who has a secret of it, and keeps no secret", () =>
    Effect.gen(function*() {
      const path = yield* world.file("index.db.callers")
      const file = yield* CallerFile.open(path)
      const [one, two] = [yield* file.add("accounting"), yield* file.add("website")]
      assert.match(one.accessKeyId, /^KASK[0-9A-Z]{16}$/)
      assert.match(Redacted.value(one.secretAccessKey), /^[0-9A-Za-z]{43}$/)
      assert.strictEqual(file.check(headerOf(one)), "ok")
      assert.strictEqual(file.check(headerOf(two)), "ok")
      assert.strictEqual(file.check(headerOf({ ...one, secretAccessKey: two.secretAccessKey })), "wrong")
      assert.strictEqual(file.check(headerOf(one, "x")), "wrong")
      assert.strictEqual(file.check(undefined), "malformed")
      assert.strictEqual(file.check("Bearer x"), "malformed")
      assert.deepStrictEqual((yield* file.list).map(({ name }) => name), ["accounting", "website"])
      const bytes = readFileSync(path)
      assert.isTrue(bytes.includes(one.accessKeyId))
      assert.isFalse(bytes.includes(Redacted.value(one.secretAccessKey)))
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    }))

  it.scoped("refuses names that are not valid, taken or unknown", () =>
    Effect.gen(function*() {
      const file = yield* CallerFile.open(yield* world.file("index.db.callers"))
      yield* file.add("a.b-c_1")
      assert.match(yield* refusal(file.add("a.b-c_1")), /^Caller: there is a caller a\.b-c_1 already/)
      for (const name of ["", "a b", "../a", "-a", "ä", "a".repeat(65)]) {
        assert.match(yield* refusal(file.add(name)), /^Caller: .* can't name a caller/)
      }
      // They may be a key, and are not shown.
      for (const name of ["a1".repeat(32), `0x${"a1".repeat(32)}`]) {
        const text = yield* refusal(file.add(name))
        assert.match(text, /^Caller: .* can't name a caller/)
        assert.notInclude(text, "a1a1")
      }
      assert.match(yield* refusal(file.revoke("a")), /^Caller: there is no caller "a"/)
      assert.strictEqual((yield* file.list).length, 1)
    }))

  it.scopedLive("passes over a row that can't be read, which lets nobody in and can be revoked", () =>
    Effect.gen(function*() {
      const path = yield* world.file("index.db.callers")
      const file = yield* CallerFile.open(path)
      const bad = yield* file.add("bad", { rights: ["wallet"] })
      const driver = Driver.open(CallerFile.walletBeside(path))
      driver.exec("UPDATE wallet_callers SET limits = 'none'")
      const newer = yield* file.add("newer", { rights: ["wallet"] })
      // A limit that this program does not know, limits of a newer version, and a right.
      driver.exec(`UPDATE wallet_callers SET limits = '{"hourlySum":"1"}' WHERE name = 'newer'`)
      const later = yield* file.add("later", { rights: ["wallet"] })
      driver.exec(`UPDATE wallet_callers SET limits = '{"version":2}' WHERE name = 'later'`)
      const signer = yield* file.add("signer", { rights: ["wallet"] })
      driver.exec(`UPDATE wallet_callers SET rights = 'wallet,sign' WHERE name = 'signer'`)
      // Limits of before they had a version.
      const old = yield* file.add("old", { rights: ["wallet"] })
      driver.exec(`UPDATE wallet_callers SET limits = '{"dailySum":"5"}' WHERE name = 'old'`)
      driver.close()
      const good = yield* file.add("good", { rights: ["wallet"] })
      assert.deepStrictEqual((yield* file.list).map(({ name }) => name), ["good", "old"])
      assert.deepStrictEqual(file.callerOf(headerOf(old))?.limits, { dailySum: 5n })
      assert.strictEqual(file.callerOf(headerOf(good))?.name, "good")
      assert.throws(() => file.callerOf(headerOf(bad)))
      for (const one of [newer, later, signer]) assert.throws(() => file.callerOf(headerOf(one)))
      assert.match(yield* refusal(file.add("bad")), /there is a caller bad already/)
      yield* file.revoke("bad")
      yield* file.add("bad", { rights: ["wallet"] })
      assert.deepStrictEqual((yield* file.list).map(({ name }) => name), ["bad", "good", "old"])
    }))

  it.scopedLive("refuses callers of a wallet that a newer program has upgraded", () =>
    Effect.gen(function*() {
      const path = yield* world.file("index.db.callers")
      const file = yield* CallerFile.open(path)
      yield* file.add("one", { rights: ["wallet"] })
      const driver = Driver.open(CallerFile.walletBeside(path))
      driver.exec("INSERT INTO wallet_caller_versions (migration_id, name) VALUES (99, 'later')")
      driver.close()
      for (const refused of [file.list, file.add("two", { rights: ["wallet"] }), file.revoke("one")]) {
        assert.match(yield* refusal(refused), /^Wallet: .* have version 99/)
      }
    }))
})

describe("a gateway with callers", () => {
  it.scopedLive("asks for a credential, takes one that is created while it runs, and refuses it once it is revoked", () =>
    Effect.gen(function*() {
      const sandbox = yield* world.sandbox
      const database = yield* world.file("index.db")
      const gateway = yield* world.start({ node: { url: `${sandbox.url}/rpc/${world.chain}` }, database, maxLag: 0 })
      yield* world.ready(gateway)
      const paths = ["/status", "/metrics", "/v2/contract/ft", "/nowhere"]
      const statuses = (headers: Record<string, string>) =>
        Effect.gen(function*() {
          const all = yield* Effect.forEach(paths, (path) => world.send(`${gateway.url}${path}`, { headers }))
          const node = yield* world.rpc(gateway, world.call("klay_gasPrice"), headers)
          return [...all, node].map(({ status }) => status)
        })
      const none = [401, 401, 401, 401, 401]
      assert.deepStrictEqual(yield* statuses({}), none)
      assert.strictEqual((yield* world.send(`${gateway.url}/health`)).status, 200)
      // A process of its own would open the file in the same way.
      const callers = yield* CallerFile.open(CallerFile.beside(database))
      const caller = yield* callers.add("accounting")
      const authorization = headerOf(caller)
      assert.deepStrictEqual(yield* statuses({ authorization }), [200, 200, 200, 400, 200])
      yield* callers.revoke("accounting")
      assert.deepStrictEqual(yield* statuses({ authorization }), none)
      const { text } = yield* world.send(`${gateway.url}/status`, { headers: { authorization } })
      assert.strictEqual(JSON.parse(text).code, 1_010_009)
    }))
})
