import * as Driver from "@effect-klaytn/indexer/Driver"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import * as wallets from "../scripts/wallets.js"
import * as CallerFile from "../src/CallerFile.js"
import * as command from "../src/internal/command.js"
import * as world from "./support/world.js"

const versions = readdirSync(new URL("wallets/", import.meta.url))

describe("a wallet of an older version", () => {
  it.scopedLive.each(versions)(
    "%s is opened, has its accounts, answers its keys, and ends what was under way",
    (version) =>
      Effect.gen(function*() {
        const files = wallets.unpack(version, dirname(yield* world.file("index.db")))
        const { database, facts } = files
        // The owner looks at the callers, and moves their rights into the wallet.
        const { callers, fingerprint } = yield* command.callers.movable(database)
        assert.deepStrictEqual(callers.map(({ name, rights }) => [name, rights]), [["old", ["read", "wallet"]]])
        yield* command.callers.move(database, fingerprint)
        const node = yield* Sandbox.make(wallets.sandboxOptions(files.node))
        const gateway = yield* world.start({
          node: { url: `${node.url}/rpc/${world.chain}` },
          database,
          chain: world.chain,
          wallet: { feePayerStyle: "paths" }
        })
        const pair = `${facts.accessKeyId}:${facts.secretAccessKey}`
        const headers = {
          authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
          "content-type": "application/json"
        }
        const post = (peb: number, key: string) =>
          world.send(`${gateway.url}/v2/tx/value`, {
            method: "POST",
            headers: { ...headers, "idempotency-key": key },
            body: JSON.stringify(wallets.payment(facts, peb))
          })
        const chain = node.chains.chain(world.chain)
        const received = Effect.map(
          chain.account(`0x${facts.receiver.slice(2)}`),
          Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance })
        )
        // The wallet itself ends the payment that was under way when the older gateway was killed.
        yield* world.until(Effect.map(received, (balance) => balance === 3n))
        assert.strictEqual((yield* post(1, "paid")).text, facts.paid)
        assert.strictEqual((yield* post(2, facts.underWay)).status, 200)
        assert.strictEqual(yield* received, 3n)
        assert.strictEqual((yield* post(4, "new")).status, 200)
        assert.strictEqual(yield* received, 7n)
        const { text } = yield* world.send(`${gateway.url}/v2/account`, { headers })
        for (const address of facts.accounts) assert.include(text, address)
        yield* command.wallet.verifyAudit(database, {})
        assert.strictEqual((yield* command.wallet.status(database)).keys, facts.accounts.length)
      }),
    120_000
  )
})

describe("a file of callers of version 1", () => {
  it.scopedLive("is opened: its callers may read, as before, and not use the wallet", () =>
    Effect.gen(function*() {
      const database = yield* world.file("index.db")
      const file = CallerFile.beside(database)
      const { accessKeyId, secretAccessKey } = yield* Effect.scoped(
        Effect.flatMap(CallerFile.open(file), ({ add }) => add("accounting"))
      )
      // Version 1 had neither rights nor pools nor limits.
      const old = Driver.open(file)
      for (const column of ["rights", "pools", "limits"]) old.exec(`ALTER TABLE callers DROP COLUMN ${column}`)
      old.exec("PRAGMA user_version = 1")
      old.close()
      const callers = yield* CallerFile.open(file)
      const [caller] = yield* callers.list
      assert.deepInclude(caller, { name: "accounting", rights: ["read"], pools: undefined, limits: {} })
      const pair = `${accessKeyId}:${Redacted.value(secretAccessKey)}`
      const header = `Basic ${Buffer.from(pair).toString("base64")}`
      assert.strictEqual(callers.check(header), "ok")
      assert.deepStrictEqual(callers.callerOf(header)?.rights, ["read"])
      yield* callers.add("shop", { rights: ["wallet"], limits: { dailySum: 5n } })
      assert.lengthOf(yield* callers.list, 2)
    }))
})
