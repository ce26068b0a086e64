import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { klaytn } from "../support/terminal.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-wallet-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const klaytnScript = join(import.meta.dirname, "../../scripts/klaytn.mjs")
/** Standard input is a pipe that says that it is a terminal. */
const asTerminal = "data:text/javascript,process.stdin.isTTY=true;process.stdin.setRawMode=()=>process.stdin"

/** Runs the command in a process of its own, and types each answer when its question is there. */
const typing = (words: ReadonlyArray<string>, answers: ReadonlyArray<readonly [question: string, answer: string]>) =>
  Effect.async<{ readonly code: number | null; readonly out: string; readonly error: string }>((resume) => {
    const child = spawn(process.execPath, ["--import", asTerminal, klaytnScript, ...words])
    const texts = { out: "", error: "" }
    const left = [...answers]
    child.stdout.on("data", (data: Buffer) => texts.out += data.toString())
    child.stderr.on("data", (data: Buffer) => {
      texts.error += data.toString()
      const [question, answer] = left[0] ?? []
      if (question !== undefined && texts.error.includes(question)) {
        left.shift()
        child.stdin.write(answer)
      }
    })
    child.on("close", (code) => resume(Effect.succeed({ code, ...texts })))
    return Effect.sync(() => child.kill())
  })

/** Of the key of 32 bytes 0x5c, with the password "a long password" and little work. */
const keystore = {
  "version": 3,
  "id": "c3c7df6d-d63b-47d3-a35f-e470ad00dff3",
  "address": "b7cf38e4b36b03895e5580abe5b379e6739e8c4c",
  "crypto": {
    "cipher": "aes-128-ctr",
    "cipherparams": {
      "iv": "93896b0a2c2155707aee45d97c415b1d"
    },
    "ciphertext": "1df57fc22455c0995eb8614a2e35c9325e5dd978ff340ff1fce93c0296c63a14",
    "mac": "1b573571efa3157c6facf492f6519b87f81855733097d5e8fb9c8da2a38c4f9d",
    "kdf": "scrypt",
    "kdfparams": {
      "n": 1024,
      "r": 8,
      "p": 1,
      "dklen": 32,
      "salt": "8d0758b2632b6816d880d3a4b142a3fc0696f9ac420adca59e3b84ac69b87356"
    }
  }
}

/** Waits until a file is there. */
const there = (file: string): Effect.Effect<void> =>
  Effect.suspend(() => existsSync(file) ? Effect.void : Effect.zipRight(Effect.sleep("50 millis"), there(file)))

/** A gateway with a wallet, which runs until the scope ends, and a caller. */
const startWith = Effect.fnUntraced(function*(...options: ReadonlyArray<string>) {
  const { url: node } = yield* Sandbox.make({ seed: "klaytn gateway wallet" })
  const path = yield* folder
  const db = join(path, "index.db")
  const caller = JSON.parse(
    (yield* klaytn([
      "gateway",
      "callers",
      "add",
      "shop",
      "--db",
      db,
      "--rights",
      "wallet",
      "--max-value",
      "1",
      "--max-day",
      "5",
      "--json"
    ])).out
  )
  const [out, errors, stopped] = [[] as Array<string>, [] as Array<string>, yield* Deferred.make<void>()]
  const words = ["gateway", "--node", `${node}/rpc/1001`, "--db", db, "--port", "0", "--wallet", "--json", ...options]
  yield* Effect.forkScoped(klaytn(words, { out, errors, stopped }))
  yield* Effect.addFinalizer(() => Deferred.succeed(stopped, undefined))
  while (!out.join("").includes("\n")) yield* Effect.sleep("50 millis")
  const { url } = JSON.parse(out.join("").split("\n")[0] ?? "")
  const authorization = `Basic ${Buffer.from(`${caller.accessKeyId}:${caller.secretAccessKey}`).toString("base64")}`
  const post = (where: string, asked: unknown = {}) =>
    Effect.promise(async () => {
      const init = { method: "POST", headers: { authorization }, body: JSON.stringify(asked) }
      const answer = await fetch(url + where, init)
      const body: { readonly code?: number; readonly address?: string; readonly rlp?: string } = JSON.parse(
        await answer.text()
      )
      return { status: answer.status, body }
    })
  const wallet = (...more: ReadonlyArray<string>) => klaytn(["gateway", "wallet", ...more, "--db", db])
  yield* there(`${db}.wallet.key`)
  return { caller, db, path, post, wallet, errors, node: `${node}/rpc/1001` }
})

const start = startWith()

describe("klaytn gateway --wallet", () => {
  it.scopedLive.each([["document", "0x09"], ["paths", "0x08"]])(
    "has the payer of fees of --fee-payer-style %s",
    ([style, type]) =>
      Effect.gen(function*() {
        const { post } = yield* startWith("--fee-payer-style", style)
        const { body: { address } } = yield* post("/v2/account")
        const sent = yield* post("/v2/tx/value", { from: address, to: address, value: "0x1", submit: false })
        assert.strictEqual(sent.status, 200)
        assert.match(sent.body.rlp ?? "", new RegExp(`^${type}`))
      })
  )
})

describe("klaytn gateway wallet", () => {
  it.scopedLive("shows the state of a wallet while the gateway runs", () =>
    Effect.gen(function*() {
      const { db, node, post, wallet } = yield* start
      assert.strictEqual((yield* post("/v2/account")).status, 200)
      const alone = yield* wallet("status")
      assert.strictEqual(alone.code, 0, alone.error)
      assert.include(alone.out, "1 account in 1 pool, 1 key in all")
      assert.include(alone.out, "name the node with --node")
      const asked = yield* wallet("status", "--node", node)
      assert.match(asked.out, /0x[0-9a-f]{40} +the global one +0 KLAY {2}EMPTY/)
      assert.include(asked.out, "no send is under way")
      yield* wallet("freeze")
      assert.include((yield* wallet("status")).out, `FROZEN: there is a file ${db}.wallet.frozen`)
      const { chain, feePayers, frozen, pools } = JSON.parse((yield* wallet("status", "--node", node, "--json")).out)
      assert.deepStrictEqual([chain, typeof frozen, pools[0], feePayers[0].balance, feePayers[0].isLow], [
        1001,
        "string",
        { type: "account-pool", name: "default", accounts: 1 },
        "0",
        true
      ])
      const wrong = yield* wallet("status", "--low-balance", "much")
      assert.deepStrictEqual([wrong.code, wrong.error.includes("--low-balance")], [2, true])
    }), 120_000)

  it.scopedLive("freezes, rekeys, backs up and checks a wallet while the gateway runs", () =>
    Effect.gen(function*() {
      const { db, errors, path, post, wallet } = yield* start
      const key = readFileSync(`${db}.wallet.key`, "utf8").trim()
      assert.strictEqual(statSync(`${db}.wallet.key`).mode & 0o777, 0o600)
      assert.strictEqual((yield* post("/v2/account")).status, 200)

      assert.strictEqual((yield* wallet("freeze")).code, 0)
      assert.strictEqual((yield* post("/v2/account")).body.code, 1069423)
      assert.strictEqual((yield* wallet("unfreeze")).code, 0)
      assert.strictEqual((yield* post("/v2/account")).status, 200)

      const file = join(path, "wallet.backup")
      const backup = yield* wallet("backup", file)
      assert.include(backup.out, "has 2 keys, and each was opened")
      assert.isFalse(readFileSync(file).includes(Buffer.from(key, "hex")))
      const again = yield* wallet("backup", file)
      assert.strictEqual(again.code, 2)
      assert.include(again.error, "choose another name")

      const checked = yield* wallet("audit", "verify")
      const [head = ""] = /\d+:0x[0-9a-f]{64}/.exec(checked.out) ?? []
      assert.strictEqual((yield* wallet("audit", "verify", "--head", head)).code, 0)
      assert.include((yield* wallet("audit", "list")).out, "\"caller\":\"shop\"")

      const next = join(path, "new.key")
      writeFileSync(next, `${"5a".repeat(32)}\n`, { mode: 0o644 })
      chmodSync(next, 0o644)
      assert.include((yield* wallet("rekey", "--new-wallet-key-file", next)).error, "chmod 600")
      chmodSync(next, 0o600)
      const rekeyed = yield* wallet("rekey", "--new-wallet-key-file", next)
      assert.strictEqual(rekeyed.code, 0, rekeyed.error)
      assert.strictEqual((yield* post("/v2/account")).status, 200)
      assert.include((yield* wallet("audit", "verify")).error, "another master key")
      assert.strictEqual((yield* wallet("audit", "verify", "--head", head, "--wallet-key-file", next)).code, 0)

      const other = join(path, "other.db")
      writeFileSync(`${other}.wallet.key`, key, { mode: 0o600 })
      const restored = yield* klaytn(["gateway", "wallet", "restore", file, "--db", other])
      assert.include(restored.out, "the wallet has 2 keys", restored.error)
      const twice = yield* klaytn(["gateway", "wallet", "restore", file, "--db", other])
      assert.include(twice.error, "has a wallet already")
      // A running gateway writes no key into its log.
      for (const text of [errors.join(""), backup.out, rekeyed.out, checked.out]) {
        assert.notInclude(text, key)
        assert.notInclude(text, "5a5a5a")
      }
    }), 120_000)

  it.scopedLive(
    "imports a private key from a file, and a keystore with the file of its password",
    () =>
      Effect.gen(function*() {
        const { db } = yield* start
        const path = yield* folder
        const [keyFile, storeFile, passwordFile] = ["key", "store", "password"].map((name) => join(path, name))
        writeFileSync(keyFile ?? "", `0x${"5b".repeat(32)}\n`)
        const imported = yield* klaytn(["gateway", "wallet", "import", keyFile ?? "", "--db", db])
        assert.strictEqual(imported.code, 0, imported.error)
        writeFileSync(storeFile ?? "", JSON.stringify(keystore))
        writeFileSync(passwordFile ?? "", "a long password\n")
        const words = ["import", storeFile ?? "", "--password-file", passwordFile ?? "", "--fee-payer", "--db", db]
        const other = yield* klaytn(["gateway", "wallet", ...words])
        assert.strictEqual(other.code, 0, other.error)
        assert.include(other.out.toLowerCase(), keystore.address)
        assert.notInclude(imported.out + imported.error + other.out + other.error, "5b5b")
      }),
    120_000
  )

  it.scopedLive("asks for secrets on a terminal only, and says what is missing", () =>
    Effect.gen(function*() {
      const db = join(yield* folder, "index.db")
      const error = (...words: ReadonlyArray<string>) =>
        Effect.map(klaytn(["gateway", "wallet", ...words, "--db", db]), ({ code, error: text }) => `${code} ${text}`)
      assert.include(yield* error("import"), "2 ")
      assert.include(yield* error("import"), "on the terminal")
      assert.include(yield* error("backup", "file"), "there is no wallet yet")
      assert.include(yield* error("backup"), "backup takes a FILE")
      assert.include(yield* error("rekey"), "--new-wallet-key-file")
      assert.isFalse(existsSync(`${db}.wallet`))
    }))
  it.scopedLive(
    "asks for a password on standard error, so that standard output has the keystore alone",
    () =>
      Effect.gen(function*() {
        const { db, post } = yield* start
        const { body: { address = "" } } = yield* post("/v2/account")
        const { code, out, error } = yield* typing(["gateway", "wallet", "export", address, "--db", db], [
          ["A password", "a long password\n"],
          ["The same", "a long password\n"]
        ])
        assert.strictEqual(code, 0, error)
        assert.include(address.toLowerCase(), JSON.parse(out).address)
        assert.include(error, "The same password again")
        assert.notInclude(out + error, "a long password")
      }),
    120_000
  )
})
