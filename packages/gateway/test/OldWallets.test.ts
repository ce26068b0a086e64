import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Driver from "@effect-klaytn/store/Driver"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { dirname } from "node:path"
import { databases } from "../../engine/test/support/databases.js"
import * as wallets from "../scripts/wallets.js"
import * as CallerFile from "../src/CallerFile.js"
import * as command from "../src/internal/command.js"
import * as world from "./support/world.js"

/** Opens the wallets of older versions: from their files, or from a dump that is played into a database of the test. */
const kinds = {
  SQLite: (_: Redacted.Redacted) => (version: string) =>
    Effect.map(
      world.file("index.db"),
      (file) => ({ ...wallets.unpack("files", version, dirname(file)), key: undefined })
    ),
  Postgres: (url: Redacted.Redacted) => (version: string) =>
    Effect.gen(function*() {
      const files = wallets.unpack("postgres", version, dirname(yield* world.file("index.db")))
      // The dump sets what holds for its connection alone.
      yield* Effect.scoped(
        Effect.flatMap(PgClient.make({ url, maxConnections: 1 }), (sql) => sql.unsafe(files.dump))
      ).pipe(Effect.provide(Reactivity.layer))
      return { ...files, database: Redacted.value(url), key: Redacted.make(wallets.masterKey) }
    })
} as const

const headersOf = ({ accessKeyId, secretAccessKey }: {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}) => ({
  authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`,
  "content-type": "application/json"
})

describe.each(databases)("a wallet of an older version on %s", (name, database) => {
  it.scopedLive.each(wallets.versions(name === "SQLite" ? "files" : "postgres"))(
    "%s is opened, has its accounts, answers its keys, and ends what was under way",
    (version) =>
      Effect.gen(function*() {
        const { url } = yield* database
        const files = yield* kinds[name](url)(version)
        const { database: place, facts, key } = files
        const { more } = facts
        const source = key === undefined ? {} : { key: Redacted.value(key) }
        const node = yield* Sandbox.make(wallets.sandboxOptions(files.node))
        const open = world.start({
          node: { url: `${node.url}/rpc/${world.chain}` },
          database: place,
          chain: world.chain,
          wallet: { feePayerStyle: "paths", key }
        })
        const ask = (
          { url }: { readonly url: string },
          method: string,
          path: string,
          body?: unknown,
          { caller = facts, key }: { readonly caller?: Parameters<typeof headersOf>[0]; readonly key?: string } = {}
        ) =>
          world.send(`${url}${path}`, {
            method,
            headers: { ...headersOf(caller), ...(key !== undefined && { "idempotency-key": key }) },
            ...(body !== undefined && { body: JSON.stringify(body) })
          })
        const pay = (gateway: { readonly url: string }, peb: number, key: string, caller?: typeof facts) =>
          ask(gateway, "POST", "/v2/tx/value", wallets.payment(facts, peb), { key, ...(caller && { caller }) })
        const chain = node.chains.chain(world.chain)
        const received = Effect.map(
          chain.account(`0x${facts.receiver.slice(2)}`),
          Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance })
        )
        const early = yield* Effect.flip(command.wallet.status(place))
        assert.include(early.message, "an earlier version made these tables, and this command changes none")
        // Before the owner has looked at the callers, none may use the wallet.
        yield* Effect.scoped(Effect.flatMap(open, (gateway) =>
          Effect.gen(function*() {
            const early = yield* pay(gateway, 1, "paid")
            assert.isAtLeast(early.status, 400, early.text)
          })))
        const { callers, fingerprint } = yield* command.callers.movable(place)
        const shown = callers.map((
          { limits, name, pools, rights }
        ) => [name, rights.join(), pools?.join(), limits.largestValue])
        const till = ["till", "wallet", "default", 5n]
        assert.deepStrictEqual(shown, [["old", "read,wallet", undefined, undefined], ...(more ? [till] : [])])
        yield* command.callers.move(place, fingerprint)
        const gateway = yield* open
        // The wallet itself ends the payment that was under way when the older gateway was killed.
        yield* world.until(Effect.map(received, (balance) => balance === 3n))
        assert.strictEqual((yield* pay(gateway, 1, "paid")).text, facts.paid)
        assert.strictEqual((yield* pay(gateway, 2, facts.underWay)).status, 200)
        assert.strictEqual(yield* received, 3n)
        assert.strictEqual((yield* pay(gateway, 4, "new")).status, 200)
        yield* world.until(Effect.map(received, (balance) => balance === 7n))
        const { text } = yield* ask(gateway, "GET", "/v2/account")
        for (const address of facts.accounts) assert.include(text, address)
        yield* command.wallet.verifyAudit(place, source)
        if (more === undefined) {
          return assert.strictEqual((yield* command.wallet.status(place)).keys, facts.accounts.length)
        }
        const [, , third] = facts.accounts
        assert.strictEqual(
          (yield* ask(gateway, "POST", "/v2/tx/value", wallets.payment(facts, 6), { caller: more.till })).status,
          400
        )
        const again = yield* ask(gateway, "POST", "/v2/key", { size: 1 }, { key: "keys" })
        assert.strictEqual(again.status, 200)
        assert.include(again.text, more.keyId)
        assert.notInclude(text, more.deleted)
        const signed = yield* ask(gateway, "POST", `/v2/multisig/account/${third}/tx/${more.held}/sign`)
        assert.strictEqual(signed.status, 200, signed.text)
        yield* world.until(Effect.map(received, (balance) => balance === 15n))
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
