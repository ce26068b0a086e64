import { Vault } from "@effect-klaytn/custody/Vault"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import * as Sandbox from "../src/Sandbox.js"
import { ask, control } from "./support/wire.js"

const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wallet-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The uncompressed public key that signed 32 bytes of 0x12. */
const signerOf = (signedData: string): string => {
  const bytes = Buffer.from(signedData.slice(2), "hex")
  const signature = { rs: bytes.subarray(0, 64), recovery: bytes[64] ?? 0 }
  const key = noble.recover(new Uint8Array(32).fill(0x12), signature)
  return `0x${Buffer.from(key ?? []).toString("hex")}`
}

const started = <A, E, R>(options: Sandbox.Options, run: Effect.Effect<A, E, R | Sandbox.Sandbox>) =>
  Effect.provide(run, Sandbox.layer(options))

/** Why it does not start, and the failure as a console shows it. */
const refusedStart = (options: Sandbox.Options) =>
  Effect.match(started(options, Effect.void), {
    onSuccess: () => ({ reason: "started", shown: "" }),
    onFailure: (failure) => ({ reason: String(failure.reason), shown: inspect(failure) })
  })

interface Made {
  readonly keyId: string
  readonly publicKey: string
  readonly blob: string
}

/** Opens the blob of a key with the key in the file beside the database. */
const secretOf = ({ blob, keyId, publicKey }: Made, key: Buffer): Buffer => {
  const name = keyId.replace(/:key-pool:default:/, ":")
  const secret = new Vault(key).open(name, Buffer.from(blob.slice(2), "hex"))
  assert.isDefined(secret)
  assert.deepStrictEqual(`0x${Buffer.from(noble.publicKey(secret ?? Buffer.alloc(32))).toString("hex")}`, publicKey)
  return Buffer.from(secret ?? [])
}

/** A secret as bytes, and in the forms that texts have it in. */
const forms = (secret: Buffer): ReadonlyArray<Buffer> => [
  secret,
  ...(["hex", "base64", "base64url"] as const).map((encoding) => Buffer.from(secret.toString(encoding))),
  Buffer.from(secret.toString("hex").toUpperCase()),
  Buffer.from(secret.join(","))
]

const hides = (secret: Buffer, where: string, bytes: Buffer): void => {
  for (const form of forms(secret)) assert.isFalse(bytes.includes(form), `${where} shows a private key`)
}

describe("The secrets of the wallet", () => {
  it.scoped("outlive a restart on the same database file, and only the file beside it opens them", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const database = join(at, "sandbox.db")
      const [account, signed] = yield* started(
        { database },
        Effect.gen(function*() {
          const { accountId, walletKeyFile } = yield* Sandbox.Sandbox
          assert.deepStrictEqual(walletKeyFile, `${database}.key`)
          assert.deepStrictEqual(statSync(`${database}.key`).mode & 0o777, 0o600)
          const { body } = yield* ask("POST", "/v2/account")
          const { body: signature } = yield* ask("POST", `/v2/key/${body.keyId}/sign`, { data: `0x${"12".repeat(32)}` })
          assert.match(body.krn, new RegExp(accountId))
          return [body, signature]
        })
      )
      yield* started(
        { database },
        Effect.gen(function*() {
          assert.deepStrictEqual((yield* ask("GET", `/v2/account/${account.address}`)).body, account)
          const again = yield* ask("POST", `/v2/key/${account.keyId}/sign`, { data: `0x${"12".repeat(32)}` })
          // Signatures differ each time; whose they are does not.
          assert.strictEqual(signerOf(again.body.signedData), signerOf(signed.signedData))
          assert.strictEqual(signerOf(signed.signedData), account.publicKey)
          assert.notStrictEqual((yield* ask("POST", "/v2/account")).body.address, account.address)
        })
      )
      for (const walletKey of ["another key", "00".repeat(32), `${" "}`].map((key) => Redacted.make(key))) {
        const refused = yield* refusedStart({ database, walletKey })
        assert.deepStrictEqual(refused.reason, "WalletKey")
      }
      rmSync(`${database}.key`)
      const lost = yield* refusedStart({ database })
      assert.deepStrictEqual(lost.reason, "WalletKey")
      assert.deepStrictEqual(readdirSync(at).includes("sandbox.db.key"), false)
    }))

  it.scoped("open with the words that were given at the first start, and leave no file", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const database = join(at, "sandbox.db")
      const walletKey = Redacted.make("correct horse battery staple")
      const { body } = yield* started({ database, walletKey }, ask("POST", "/v2/account"))
      const { body: again } = yield* started({ database, walletKey }, ask("GET", `/v2/account/${body.address}`))
      assert.deepStrictEqual(again, body)
      assert.isFalse(readdirSync(at).some((name) => name.endsWith(".key")))
      for (const wrong of ["correct horse battery stapler", ""]) {
        const refused = yield* refusedStart({ database, walletKey: Redacted.make(wrong) })
        assert.deepStrictEqual(refused.reason, "WalletKey")
        assert.notInclude(refused.shown, "stapler")
      }
      const without = yield* refusedStart({ database })
      assert.deepStrictEqual(without.reason, "WalletKey")
    }))

  it.scoped("are nowhere in the open: not in the files, the journal, the logs, the answers or what a console shows", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const database = join(at, "sandbox.db")
      const shown: Array<string> = []
      const log = Logger.replace(Logger.defaultLogger, Logger.make((line) => void shown.push(inspect(line))))
      const keys: Array<Made> = []
      yield* started(
        { database },
        Effect.gen(function*() {
          const sandbox = yield* Sandbox.Sandbox
          const created = yield* ask("POST", "/v2/key", { size: 20 })
          keys.push(...created.body.items)
          const [key] = keys
          const calls = [
            ask("POST", `/v2/key/${key?.keyId}/sign`, { data: `0x${"12".repeat(32)}` }),
            ask("POST", `/v2/key/${key?.keyId}/sign`, { data: "0x12" }),
            ask("GET", `/v2/key/${key?.keyId}`),
            ask("POST", "/v2/registration/account", [{ keyId: key?.keyId, address: "0x12", rlp: "0x12" }]),
            ask("POST", "/v2/account"),
            ask("POST", "/v2/feepayer"),
            ask("GET", "/v2/account"),
            ask("DELETE", `/v2/key/${key?.keyId}`),
            ask("GET", `/v2/key/${key?.keyId}`),
            control("GET", "/requests")
          ]
          for (const call of calls) shown.push(JSON.stringify(yield* call))
          shown.push(inspect(sandbox, { depth: 12, showHidden: true }), JSON.stringify(Object.keys(sandbox)))
        })
      ).pipe(Effect.provide(log))
      const secret = Buffer.from(readFileSync(`${database}.key`, "utf8").trim(), "hex")
      const files = readdirSync(at).filter((name) => !name.endsWith(".key"))
      const written = files.map((name) => readFileSync(join(at, name)))
      assert.isAbove(Buffer.concat(written).length, 10_000)
      for (const one of [secret, ...keys.map((key) => secretOf(key, secret))]) {
        for (const [index, bytes] of written.entries()) hides(one, files[index] ?? "", bytes)
        for (const text of shown) hides(one, "an answer or a log", Buffer.from(text))
      }
    }))

  it.effect("are bound to their name, and to every byte of them", () =>
    Effect.sync(() => {
      const vault = new Vault(Buffer.alloc(32, 1))
      const secret = Buffer.alloc(32, 2)
      const sealed = vault.seal("one", secret)
      assert.deepStrictEqual(vault.open("one", sealed), secret)
      assert.notDeepEqual(vault.seal("one", secret), sealed)
      assert.isUndefined(vault.open("two", sealed))
      assert.isUndefined(new Vault(Buffer.alloc(32, 3)).open("one", sealed))
      for (let index = 0; index < sealed.length; index++) {
        const changed = Uint8Array.from(sealed)
        changed[index] = (changed[index] ?? 0) ^ 1
        assert.isUndefined(vault.open("one", changed), `byte ${index}`)
      }
      for (let length = 0; length < sealed.length; length++) {
        assert.isUndefined(vault.open("one", sealed.subarray(0, length)), `${length} bytes`)
      }
      assert.notInclude(inspect(vault, { depth: 9, showHidden: true }), Buffer.alloc(32, 1).toString("hex"))
      assert.deepStrictEqual(JSON.stringify(vault), "{}")
    }))

  it.effect("are the same again in memory with the same seed, and new with another or with none", () =>
    Effect.gen(function*() {
      const first = (options: Sandbox.Options) =>
        started(options, Effect.map(ask("POST", "/v2/account"), ({ body }) => body.address))
      assert.deepStrictEqual(yield* first({ seed: "one" }), yield* first({ seed: "one" }))
      assert.notStrictEqual(yield* first({ seed: "one" }), yield* first({ seed: "two" }))
      assert.notStrictEqual(yield* first({}), yield* first({}))
    }))
})
