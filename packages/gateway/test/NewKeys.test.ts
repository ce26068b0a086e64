import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { copyFileSync, existsSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { callers, wallet } from "../src/internal/command.js"
import { key, klay } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

const start = Effect.gen(function*() {
  const node = yield* world.sandbox
  const chain = node.chains.chain(world.chain)
  const database = yield* world.file("index.db")
  /** A gateway on a database, as one caller sees it. */
  const run = (place: string) =>
    Effect.gen(function*() {
      yield* Effect.ignore(callers.revoke(place, "till"))
      const { accessKeyId, secretAccessKey } = yield* callers.add(place, "till", { rights: ["read", "wallet"] })
      const gateway = yield* world.start({
        node: { url: `${node.url}/rpc/${world.chain}` },
        database: place,
        chain: world.chain,
        wallet: { feePayerStyle: "paths", key }
      })
      const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
      const post = (path: string, body: object, name: string) =>
        Effect.map(
          world.send(`${gateway.url}${path}`, {
            method: "POST",
            headers: { authorization, "content-type": "application/json", "idempotency-key": name },
            body: JSON.stringify(body)
          }),
          ({ status, text }) => ({ status, body: JSON.parse(text) })
        )
      const pay = (from: string, name: string) =>
        post("/v2/tx/value", { from, to: bob, value: "0x5", submit: true }, name)
      return { post, pay }
    })
  const received = Effect.map(chain.account(bob), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))
  const account = (post: Effect.Effect.Success<ReturnType<typeof run>>["post"]) =>
    Effect.gen(function*() {
      const { body } = yield* post("/v2/account", {}, "account")
      const address = String(body.address)
      yield* chain.fund(`0x${address.slice(2)}`, 100n * klay)
      return address
    })
  return { database, run, account, received }
})

const source = { key: Redacted.value(key) }

describe("a key that the wallet does not know", () => {
  it.scopedLive(
    "is refused after a restore until the owner accepts new keys, and one that is known answers",
    () =>
      Effect.gen(function*() {
        const { account, database, received, run } = yield* start
        const backup = join(dirname(database), "one.backup")
        const from = yield* Effect.scoped(Effect.gen(function*() {
          const { pay, post } = yield* run(database)
          const address = yield* account(post)
          assert.strictEqual((yield* pay(address, "before")).status, 200)
          yield* wallet.backup(database, source, backup)
          assert.strictEqual((yield* pay(address, "after")).status, 200)
          return address
        }))
        assert.strictEqual(yield* received, 10n)
        const restored = yield* world.file("index.db")
        yield* wallet.restore(restored, source, backup)
        const { pay } = yield* run(restored)
        assert.include((yield* wallet.status(restored)).newKeysRefused, "restored")
        for (const key of ["after", "new"]) {
          const { body, status } = yield* pay(from, key)
          assert.deepStrictEqual([status, body.code], [400, 1069409])
        }
        assert.strictEqual((yield* pay(from, "before")).status, 200)
        assert.strictEqual(yield* received, 10n)
        yield* wallet.acceptKeys(restored, source)
        assert.strictEqual((yield* pay(from, "new")).status, 200)
        assert.strictEqual(yield* received, 15n)
        assert.isUndefined((yield* wallet.status(restored)).newKeysRefused)
      }),
    60_000
  )

  it.scopedLive("is accepted at once after a restore that says so", () =>
    Effect.gen(function*() {
      const { account, database, run } = yield* start
      const backup = join(dirname(database), "one.backup")
      const from = yield* Effect.scoped(Effect.gen(function*() {
        const { post } = yield* run(database)
        const address = yield* account(post)
        yield* wallet.backup(database, source, backup)
        return address
      }))
      const restored = yield* world.file("index.db")
      yield* wallet.restore(restored, source, backup, true)
      const { pay } = yield* run(restored)
      assert.strictEqual((yield* pay(from, "new")).status, 200)
    }), 60_000)

  it.scopedLive.each(
    [["put back in its place", true], ["in another folder, without what is beside it", false]] as const
  )(
    "is refused in an older copy of the wallet's file, %s",
    ([, isInPlace]) =>
      Effect.gen(function*() {
        const { account, database, received, run } = yield* start
        const from = yield* Effect.scoped(Effect.flatMap(run(database), ({ post }) => account(post)))
        const folder = dirname(yield* world.file("copy"))
        const copy = (into: string) => {
          for (const end of ["wallet", "wallet-wal", "wallet-shm"]) {
            const [one, other] = into === folder
              ? [`${database}.${end}`, join(folder, end)]
              : [join(folder, end), `${into}.${end}`]
            rmSync(other, { force: true })
            if (existsSync(one)) copyFileSync(one, other)
          }
        }
        copy(folder)
        // The same wallet goes on, is stopped, and is started again: nothing is refused.
        yield* Effect.scoped(Effect.gen(function*() {
          const { pay } = yield* run(database)
          assert.strictEqual((yield* pay(from, "paid")).status, 200)
        }))
        yield* Effect.scoped(Effect.gen(function*() {
          const { pay } = yield* run(database)
          assert.strictEqual((yield* pay(from, "paid again")).status, 400)
          assert.strictEqual((yield* pay(from, "paid-again")).status, 200)
        }))
        const place = isInPlace ? database : yield* world.file("index.db")
        copy(place)
        const { pay } = yield* run(place)
        assert.strictEqual((yield* pay(from, "paid")).body.code, 1069409)
        assert.strictEqual(yield* received, 10n)
        yield* wallet.acceptKeys(place, source)
        assert.strictEqual((yield* pay(from, "new")).status, 200)
      }),
    60_000
  )
})
