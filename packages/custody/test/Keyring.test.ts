import * as Keyring from "@effect-klaytn/custody/Keyring"
import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as LocalChain from "@effect-klaytn/local-chain/LocalChain"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { randomBytes } from "node:crypto"
import { chain, make, makeTables, openDatabase, walletIn } from "./support/guardedWallet.js"
import { happeningBefore } from "./support/statements.js"

type Sql = Effect.Effect.Success<ReturnType<typeof openDatabase>>

const realClock = Clock.make()

const master = () => KeyWrapper.ofKey(randomBytes(32))

const names = (sql: Sql) =>
  Effect.map(
    sql<{ name: string }>`SELECT name FROM sqlite_master ORDER BY name`,
    (rows) => rows.map(({ name }) => name)
  )

/** Whether every account of a wallet can sign. */
const signsAll = (wallet: Effect.Effect.Success<ReturnType<typeof walletIn>>["wallet"]) =>
  Effect.gen(function*() {
    const accounts = yield* wallet.accounts(yield* wallet.pool("account-pool"), { limit: 100 })
    for (const account of accounts) yield* wallet.signer(account)
    return accounts.length
  })

/** A connection whose process dies at a statement. */
const dyingAt = (sql: Sql, statement: number): Sql => {
  let count = 0
  return new Proxy(sql, {
    apply: (target, self, words) => {
      // A name, as in `sql("table")`, is no statement.
      if (typeof words[0] !== "string" && ++count > statement) throw new Error("killed")
      return Reflect.apply(target, self, words)
    }
  })
}

describe("the master key", () => {
  it.scoped("is told to be wrong at the start, before anything is written", () =>
    Effect.gen(function*() {
      const { sql, wallet, wrapper } = yield* make()
      yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const roots = yield* sql`SELECT * FROM wallet_roots_1001`
      const failure = yield* Effect.flip(Keyring.check(sql, chain, master()))
      assert.deepInclude(failure, { _tag: "MasterKeyError", reason: "Wrong" })
      assert.deepStrictEqual(yield* sql`SELECT * FROM wallet_roots_1001`, roots)
      assert.isTrue(yield* Keyring.check(sql, chain, wrapper))
    }))

  it.scoped("makes no tables in a database that has none", () =>
    Effect.gen(function*() {
      const sql = yield* openDatabase()
      assert.isFalse(yield* Keyring.check(sql, chain, master()))
      assert.deepStrictEqual(yield* names(sql), [])
    }))

  it.scoped("is told to be lost if the wallet has keys and no root", () =>
    Effect.gen(function*() {
      const { sql, wallet, wrapper } = yield* make()
      yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      yield* sql`DELETE FROM wallet_roots_1001`
      assert.strictEqual((yield* Effect.flip(Keyring.check(sql, chain, wrapper)))._tag, "MasterKeyError")
      assert.strictEqual(
        (yield* Effect.flip(Effect.scoped(Keyring.open(sql, chain, wrapper)))).message.slice(0, 24),
        "the wallet has keys, but"
      )
      // Nothing may be restored over them.
      assert.isTrue(yield* Keyring.isMade(sql, chain))
    }))
})

describe("a sealed secret", () => {
  it.scoped("is bound to its row, and each has a data key of its own", () =>
    Effect.gen(function*() {
      const { keyring } = yield* make()
      const secret = randomBytes(32)
      const one = keyring.seal("one", secret)
      assert.deepStrictEqual(keyring.open("one", one), secret)
      assert.isUndefined(keyring.open("two", one))
      const other = keyring.seal("one", randomBytes(32))
      // A nonce that came twice would tell what both have in common: that of the data key, and that of the secret.
      for (const [from, to] of [[5, 17], [65, 77]]) {
        assert.notDeepEqual(other.subarray(from, to), one.subarray(from, to))
      }
      // The data key of one record opens no other.
      assert.isUndefined(keyring.open("one", Buffer.concat([other.subarray(0, 65), one.subarray(65)])))
      for (let at = 0; at < one.length; at++) {
        const changed = Uint8Array.from(one)
        changed[at] = (changed[at] ?? 0) ^ 1
        assert.isUndefined(keyring.open("one", changed), `byte ${at}`)
      }
    }))
})

describe("the sealed key of an account", () => {
  it.scoped("that somebody has put in place of another one opens nothing", () =>
    Effect.gen(function*() {
      const { sql, wallet } = yield* make()
      const pool = yield* wallet.pool("account-pool")
      const [one, other] = [yield* wallet.createAccount(pool), yield* wallet.createAccount(pool)]
      yield* sql`UPDATE wallet_keys_1001 SET sealed = ${other.key.sealed} WHERE id = ${one.key.id}`
      const changed = yield* wallet.store.account(one.address)
      assert(changed !== undefined)
      const failure = yield* Effect.flip(wallet.signer(changed))
      assert.include(String(failure.cause), "was changed in the database")
    }))
})

describe("rekey", () => {
  it.scoped("seals every secret anew that a table has, and stops at one that was changed", () =>
    Effect.gen(function*() {
      const { keyring, sql, wallet, wrapper } = yield* make()
      const { key } = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const secret = randomBytes(32)
      const secrets = SqlSecrets.make(sql, chain)
      yield* secrets.keepSecret("payer", { publicKey: key.publicKey, sealed: keyring.seal("payer", secret) })
      const [second, third] = [master(), master()]
      yield* Keyring.rekey(sql, chain, { from: wrapper, to: second, patience: 0 })
      const renewed = yield* Keyring.load(sql, chain, second)
      assert.deepStrictEqual(renewed.open("payer", (yield* secrets.secret("payer"))?.sealed ?? secret), secret)
      const tables = yield* sql<{ name: string }>`SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE c.name = 'sealed' ORDER BY m.name`
      assert.deepStrictEqual(
        tables.map(({ name }) => name),
        ["wallet_keys_1001", "wallet_sealed_1001", "wallet_secrets_1001"]
      )
      yield* sql`UPDATE wallet_secrets_1001 SET sealed = ${renewed.seal("payer", secret).fill(0, 5, 17)}`
      const failure = yield* Effect.flip(Keyring.rekey(sql, chain, { from: second, to: third, patience: 0 }))
      assert.include(String(failure.cause), "a sealed secret was changed")
      assert.isAbove((yield* sql`SELECT * FROM wallet_roots_1001`).length, 1)
    }))

  it.scoped("brings no secret back that is destroyed meanwhile", () =>
    Effect.gen(function*() {
      const { sql, wallet, wrapper } = yield* make()
      const { key } = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const destroyed = sql`UPDATE wallet_keys_1001 SET sealed = NULL WHERE id = ${key.id}`
      const changed = happeningBefore(sql, "UPDATE ? SET sealed = ?", destroyed)
      yield* Keyring.rekey(changed, chain, { from: wrapper, to: master(), patience: 0 })
      assert.deepStrictEqual(yield* sql`SELECT sealed FROM wallet_keys_1001`, [{ sealed: null }])
    }))

  it.scoped("fails, and deletes no root, if another one begins before its end", () =>
    Effect.gen(function*() {
      const { sql, wallet, wrapper } = yield* make()
      yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const [second, third] = [master(), master()]
      const begun = Effect.gen(function*() {
        const other = yield* Effect.forkDaemon(
          Keyring.rekey(sql, chain, { from: second, to: third, patience: "1 hour" })
        )
        while ((yield* sql`SELECT * FROM wallet_roots_1001`).length < 3) yield* Effect.yieldNow()
        yield* Fiber.interrupt(other)
      })
      let opened = 0
      // The root before, and the new one, are opened twice: when the key is checked, and for the work.
      const slow = {
        ...second,
        unwrap: (key: Uint8Array) =>
          Effect.zipRight(
            Effect.orDie(Effect.suspend(() => ++opened === 4 ? begun : Effect.void)),
            second.unwrap(key)
          )
      }
      const failure = yield* Effect.flip(Keyring.rekey(sql, chain, { from: wrapper, to: slow, patience: 0 }))
      assert.include(String(failure.cause), "another process changes the master key")
      yield* Keyring.rekey(sql, chain, { from: second, to: third, patience: 0 })
      const local = yield* LocalChain.make({ chainId: chain })
      assert.strictEqual(yield* signsAll((yield* walletIn(sql, local, third)).wallet), 1)
    }))

  it.scoped("lets others write while the key management service is asked, and refuses a second change", () =>
    Effect.gen(function*() {
      const { sql, wallet, wrapper } = yield* make()
      const pool = yield* wallet.pool("account-pool")
      yield* wallet.createAccount(pool)
      const [asked, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const next = master()
      const slow: KeyWrapper.KeyWrapper = {
        ...next,
        wrap: (key) =>
          Effect.zipRight(
            Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(answered)),
            next.wrap(key)
          )
      }
      const rekeyed = yield* Effect.fork(Keyring.rekey(sql, chain, { from: wrapper, to: slow, patience: 0 }))
      yield* Deferred.await(asked)
      // Is held up by nobody: a transaction of the change of keys would end only with the answer.
      yield* wallet.createAccount(pool)
      const { secrets } = yield* Keyring.rekey(sql, chain, { from: wrapper, to: next, patience: 0 })
      assert.strictEqual(secrets, 3)
      yield* Deferred.succeed(answered, undefined)
      const failure = yield* Effect.flip(rekeyed)
      assert(failure._tag === "StoreFailure")
      assert.include(String(failure.cause), "another process changes the master key")
      assert.isTrue(yield* Keyring.check(sql, chain, next))
    }))

  it.scoped("leaves nothing that the old master key or the old root opens, while reads go on", () =>
    Effect.gen(function*() {
      const { keyring, sql, wallet, wrapper } = yield* make()
      const pool = yield* wallet.pool("account-pool")
      const account = yield* wallet.createAccount(pool)
      const next = master()
      const rekeyed = yield* Effect.fork(Keyring.rekey(sql, chain, { from: wrapper, to: next, patience: 0 }))
      yield* wallet.signer(account)
      // The secret of the account and the key of the audit log.
      assert.deepInclude(yield* rekeyed, { secrets: 2, isResumed: false })
      assert.strictEqual(
        (yield* Effect.flip(Keyring.check(sql, chain, wrapper))).message,
        "the wallet was sealed with another master key"
      )
      yield* Keyring.check(sql, chain, next)
      const [row] = yield* sql<{ link: unknown; sealed: Uint8Array }>`
        SELECT link, sealed FROM wallet_roots_1001, wallet_keys_1001`
      assert.isNull(row?.link)
      assert.strictEqual((yield* sql`SELECT * FROM wallet_roots_1001`).length, 1)
      // This keyring still has the old root alone.
      assert.isDefined(keyring.renew(account.key.sealed ?? new Uint8Array()))
      assert.isUndefined(keyring.renew(row?.sealed ?? new Uint8Array()))
    }))

  it.scoped("is taken over by a process that runs", () =>
    Effect.gen(function*() {
      const { keyring, sql, wallet, wrapper } = yield* make()
      const pool = yield* wallet.pool("account-pool")
      yield* wallet.createAccount(pool)
      const rekeyed = yield* Effect.fork(
        Keyring.rekey(sql, chain, { from: wrapper, to: master(), patience: "100 millis" })
      )
      yield* Effect.sleep("20 millis")
      yield* keyring.refresh
      yield* rekeyed
      yield* wallet.createAccount(pool)
      assert.strictEqual(yield* signsAll(wallet), 2)
    }).pipe(Effect.withClock(realClock)))

  it.scoped("stores no key that a process seals with the old root afterwards", () =>
    Effect.gen(function*() {
      const { sql, wallet, wrapper } = yield* make()
      const pool = yield* wallet.pool("account-pool")
      yield* Keyring.rekey(sql, chain, { from: wrapper, to: master(), patience: 0 })
      const failure = yield* Effect.flip(wallet.createAccount(pool))
      assert.include(failure.message, "the master key was changed")
      assert.strictEqual(yield* wallet.store.countKeys, 0)
    }))

  it.scoped(
    "that is killed at any statement loses no key, and is finished by the same call",
    () =>
      Effect.gen(function*() {
        const local = yield* LocalChain.make({ chainId: chain })
        let kills = 0
        for (let statement = 0;; statement++) {
          const isDone = yield* Effect.scoped(Effect.gen(function*() {
            const sql = yield* openDatabase()
            yield* makeTables(sql)
            const [from, to] = [master(), master()]
            const { wallet } = yield* walletIn(sql, local, from)
            for (let i = 0; i < 3; i++) yield* wallet.createAccount(yield* wallet.pool("account-pool"))
            const exit = yield* Effect.exit(
              Effect.suspend(() => Keyring.rekey(dyingAt(sql, statement), chain, { from, to, patience: 0 }))
            )
            if (exit._tag === "Failure") kills++
            const opening = yield* Effect.forEach([from, to], (one) => Effect.isSuccess(Keyring.check(sql, chain, one)))
            assert.strictEqual(opening.filter(Boolean).length, 1, `killed at ${statement}: one master key opens`)
            const reopened = yield* walletIn(sql, local, opening[0] === true ? from : to)
            assert.strictEqual(yield* signsAll(reopened.wallet), 3, `killed at ${statement}`)
            if (exit._tag === "Failure" && opening[0] === false) {
              yield* Keyring.rekey(sql, chain, { from, to, patience: 0 }).pipe(
                Effect.catchTag("MasterKeyError", () => Effect.void)
              )
            } else if (exit._tag === "Failure") yield* Keyring.rekey(sql, chain, { from, to, patience: 0 })
            const finished = yield* walletIn(sql, local, to)
            assert.strictEqual(yield* signsAll(finished.wallet), 3)
            assert.strictEqual((yield* sql`SELECT * FROM wallet_roots_1001`).length, 1)
            return exit._tag === "Success"
          }))
          if (isDone) break
        }
        assert.isAbove(kills, 10)
      }),
    60_000
  )
})
