import * as Keystore from "@effect-klaytn/custody/Keystore"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import * as CallerFile from "../src/CallerFile.js"
import * as command from "../src/internal/command.js"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

/** A gateway with a wallet in front of a sandbox. */
const start = Effect.gen(function*() {
  const sandbox = yield* world.sandbox
  const node = `${sandbox.url}/rpc/${world.chain}`
  const proxy = yield* world.proxyOf(node)
  const database = yield* world.file("index.db")
  const opened = yield* open(database, proxy.url)
  const chain = sandbox.chains.chain(world.chain)
  const balance = (of: `0x${string}`) =>
    Effect.map(chain.account(of), Option.match({ onNone: () => 0n, onSome: (account) => account.balance }))
  return { ...opened, chain, proxy, node, database, balance }
})

describe("keys that come and go", () => {
  it.scopedLive("an imported key sends for callers, and is the same when exported", () =>
    Effect.gen(function*() {
      const { ask, balance, chain, database } = yield* start
      const secret = randomBytes(32)
      const expected = PublicKey.addressOf(noble.publicKey(secret))
      yield* chain.fund(expected, klay)
      const pool = { type: "account-pool", name: "default" } as const
      const { wallet } = command
      const imported = yield* wallet.importAccount(database, {}, pool, { raw: secret.toString("hex") })
      assert.strictEqual(imported, expected)
      const twice = yield* Effect.flip(
        wallet.importAccount(database, {}, pool, { raw: `0x${secret.toString("hex")}` })
      )
      assert.include(twice.message, "has the account")
      const sent = yield* ask("POST", "/v2/tx/value", { from: imported, to: bob, value: "0x7", submit: true })
      assert.strictEqual(sent.status, 200, sent.text)
      assert.strictEqual(yield* balance(bob), 7n)
      const keystore = yield* wallet.exportAccount(database, {}, imported, "correct horse battery")
      assert.notInclude(keystore, secret.toString("hex"))
      const opened = yield* Keystore.open(keystore, Redacted.make("correct horse battery"))
      assert.isTrue(secret.equals(opened))
      const wrong = yield* Effect.flip(Keystore.open(keystore, Redacted.make("correct horse batteries")))
      assert.notInclude(JSON.stringify(wrong), secret.toString("hex"))
      // The keystore brings the account into another wallet.
      const other = yield* world.file("other.db")
      yield* Effect.scoped(open(other, (yield* start).node))
      assert.strictEqual(
        yield* wallet.importAccount(other, {}, pool, { keystore, password: "correct horse battery" }),
        expected
      )
      const lines = yield* wallet.auditLines(database, {}, 0)
      assert.isTrue(lines.some(({ line }) => line.includes("\"what\":\"export\"") && line.includes(expected)))
      yield* wallet.verifyAudit(database, {})
    }), 120_000)
})

describe("a keystore of an account whose key was changed", () => {
  it.scopedLive("is refused unless the chain says that the key is the account's", () =>
    Effect.gen(function*() {
      const { ask, database, node } = yield* start
      const { wallet } = command
      const { body: { address } } = yield* ask("POST", "/v2/account", {})
      const secret = randomBytes(32)
      const own = PublicKey.addressOf(noble.publicKey(secret))
      const pool = { type: "account-pool", name: "default" } as const
      const given = {
        keystore: yield* Keystore.seal(secret, address, Redacted.make("password1234"), 1024),
        password: "password1234"
      }
      const alone = yield* Effect.flip(wallet.importAccount(database, {}, pool, given))
      assert.include(
        alone.message,
        `the keystore is of the account ${address.toLowerCase()}, and its key is that of the address ${own}: name a node`
      )
      const asked = yield* Effect.flip(wallet.importAccount(database, {}, pool, given, { node: { url: node } }))
      assert.include(asked.message, "has another key on the chain than this one")
      const unchanged = { ...given, keystore: yield* Keystore.seal(secret, own, Redacted.make("password1234"), 1024) }
      assert.strictEqual(yield* wallet.importAccount(database, {}, pool, unchanged, { node: { url: node } }), own)
    }), 60_000)
})

describe("the state of a wallet", () => {
  it.scopedLive(
    "shows accounts, fee payers and their coin, sends under way and limits used, without a key",
    () =>
      Effect.gen(function*() {
        const { ask, chain, database, gateway, node, proxy } = yield* start
        const callers = yield* CallerFile.open(CallerFile.beside(database))
        const limited = yield* callers.add("shop", { rights: ["wallet"], limits: { dailySum: 100n } })
        const authorization = `Basic ${
          Buffer.from(`${limited.accessKeyId}:${Redacted.value(limited.secretAccessKey)}`).toString("base64")
        }`
        const { body: { address } } = yield* ask("POST", "/v2/account", {})
        const global = gateway.wallet?.globalFeePayer ?? ""
        yield* chain.fund(address, klay)
        yield* chain.fund(`0x${global.slice(2)}`, 30n * klay)
        const payment = { from: address, to: bob, value: "0x5", submit: true }
        assert.strictEqual((yield* ask("POST", "/v2/tx/value", payment, { authorization })).status, 200)
        // The key may be lost: a status needs none.
        const key = readFileSync(`${database}.wallet.key`)
        writeFileSync(`${database}.wallet.key`, "")
        const status = yield* command.wallet.status(database, { node: { url: node } })
        writeFileSync(`${database}.wallet.key`, key)
        assert.deepStrictEqual(status.pools, [
          { type: "account-pool", name: "default", accounts: 1 },
          { type: "feepayer-pool", name: "default", accounts: 0 }
        ])
        assert.strictEqual(status.frozen, undefined)
        assert.deepStrictEqual(status.feePayers, [
          { address: `0x${global.slice(2)}`, pool: undefined, balance: 30n * klay, isLow: false }
        ])
        assert.deepStrictEqual(status.limitsUsed, [{ caller: "shop", pool: "default", spent: 5n, limit: 100n }])

        // A node that loses every transaction.
        proxy.answer = (seen, response) => {
          if (seen.body.includes("sendRawTransaction")) return void response.destroy()
          proxy.passOn(seen.body, response)
        }
        yield* Effect.forkScoped(ask("POST", "/v2/tx/value", payment))
        yield* world.until(
          Effect.map(
            command.wallet.status(database),
            ({ sendsUnderWay }) =>
              sendsUnderWay.some(({ from, nonce }) => from === address.toLowerCase() && nonce === 1n)
          )
        )
        yield* command.wallet.freeze(database)
        const later = yield* command.wallet.status(database, { node: { url: node }, lowBalance: 31n * klay })
        assert.include(later.frozen, "there is a file")
        assert.isTrue(later.feePayers[0]?.isLow)
        const other = { node: { url: node.replace(/1001$/, "8217") } }
        const elsewhere = yield* Effect.flip(command.wallet.status(database, other))
        assert.strictEqual(elsewhere.message, "the node is on chain 8217, and the wallet on chain 1001")
        assert.strictEqual((yield* command.wallet.status(database)).feePayers[0]?.balance, undefined)
        const shown = Effect.map(ask("GET", "/status"), ({ body }) => body.wallet)
        // The first payment is under way until its block is final.
        yield* world.until(Effect.map(shown, ({ sendsUnderWay }) => sendsUnderWay === 1))
        assert.include((yield* shown).frozen, "there is a file")
      }),
    120_000
  )

  it.effect("is refused for an address of Postgres that can't be read, without the address", () =>
    Effect.gen(function*() {
      const database = "postgres://user:password-5a@[::bad/name"
      const { wallet } = command
      const commands: ReadonlyArray<Effect.Effect<unknown, command.GatewayError>> = [
        wallet.status(database),
        wallet.freeze(database),
        Effect.flatMap(wallet.inSchema(database, "klaytn_index"), (place) => wallet.status(place)),
        wallet.verifyAudit(database, { keyFile: "/dev/null" })
      ]
      for (const refused of commands) {
        const { message, reason } = yield* Effect.flip(refused)
        assert.match(message, /^This is not the address of a Postgres database: /)
        assert.notInclude(message + reason, "password-5a")
      }
      const schema = yield* Effect.flip(wallet.inSchema("postgres://user@host/name", "No Schema"))
      assert.include(schema.message, "can't name a schema")
      assert.strictEqual(yield* wallet.inSchema("index.db", "anything"), "index.db")
    }))

  it.scopedLive("warns in the log of a fee payer that has little, and counts in /metrics", () => {
    const log: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => {
        log.push(String(message))
      })
    )
    return Effect.gen(function*() {
      const { ask, database, gateway } = yield* start
      const warning = `the global fee payer ${gateway.wallet?.globalFeePayer} has no coin, and can pay no fee`
      yield* world.until(Effect.sync(() => log.some((line) => line.includes(warning))))
      assert.lengthOf(log.filter((line) => line.includes("fee payer")), 1)
      yield* ask("POST", "/v2/account", {})
      yield* command.wallet.freeze(database)
      yield* ask("POST", "/v2/account", {})
      const text = yield* Effect.promise(async () => {
        const callers = await Effect.runPromise(
          Effect.scoped(Effect.flatMap(CallerFile.open(CallerFile.beside(database)), ({ add }) => add("monitor")))
        )
        const pair = `${callers.accessKeyId}:${Redacted.value(callers.secretAccessKey)}`
        const headers = { authorization: `Basic ${Buffer.from(pair).toString("base64")}` }
        return (await fetch(`${gateway.url}/metrics`, { headers })).text()
      })
      for (
        const line of [
          "klaytn_gateway_wallet_frozen 1",
          "klaytn_gateway_wallet_sends_under_way 0",
          "klaytn_gateway_wallet_oldest_send_seconds{account=\"\"} 0",
          "klaytn_gateway_wallet_fee_payers{pool=\"\"} 1",
          "klaytn_gateway_wallet_fee_payers_low{pool=\"\"} 1",
          "klaytn_gateway_wallet_fee_payer_lowest_klay{pool=\"\"} 0",
          "klaytn_wallet_refusals_total{reason=\"frozen\"} "
        ]
      ) assert.include(text, line)
    }).pipe(Effect.provide(logger))
  })
})
