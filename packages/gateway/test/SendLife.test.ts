import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Driver from "@effect-klaytn/store/Driver"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { copyFileSync, existsSync } from "node:fs"
import { databases } from "../../engine/test/support/databases.js"
import * as command from "../src/internal/command.js"
import { answering, client, isAddress } from "../src/internal/postgres.js"
import * as walletFile from "../src/internal/walletFile.js"
import { key, klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

interface Call {
  readonly id: unknown
}

/** A place for an index and a wallet, on each database. */
const places = databases.map(([name, open]) =>
  [
    name,
    name === "SQLite" ? world.file("index.db") : Effect.map(open, ({ url }) => Redacted.value(url))
  ] as const
)

/** A gateway's wallet in front of a chain that makes blocks when asked, with a funded account and a funded fee payer. */
const startOn = Effect.fnUntraced(function*(place: typeof places[number][1]) {
  const sandbox = yield* Sandbox.make({ seed: "sends", mining: "manual" })
  const chain = sandbox.chains.chain(world.chain)
  const rpc = `${sandbox.url}/rpc/${world.chain}`
  const proxy = yield* world.proxyOf(rpc)
  const database = yield* place
  const opened = yield* open(database, proxy.url, {
    wallet: {
      feePayerStyle: "paths",
      patience: "1 second",
      cancelAfter: "1 second",
      ...(isAddress(database) && { key })
    }
  })
  const { body: { address } } = yield* opened.ask("POST", "/v2/account", {})
  const from: `0x${string}` = address
  /** A method of the node. */
  const node = (method: string, ...params: ReadonlyArray<unknown>) =>
    world.send(rpc, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(world.call(method, ...params))
    })
  const mine = node("evm_mine")
  const fund = (receiver: string) => Effect.zipRight(chain.fund(`0x${receiver.slice(2)}`, 100n * klay), mine)
  yield* fund(from)
  yield* fund(opened.gateway.wallet?.globalFeePayer ?? from)
  const received = Effect.map(chain.account(bob), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))
  const pay = (
    peb: number,
    key: string,
    more: object = {},
    path = "/v2/tx/value",
    { url, ...headers }: { readonly url?: string; readonly authorization?: string } = {}
  ) =>
    opened.ask("POST", path, { from, to: bob, value: `0x${peb.toString(16)}`, submit: true, ...more }, {
      "idempotency-key": key,
      ...headers
    }, url)
  const find = (hash: string) => opened.ask("GET", `/v2/tx/${hash}`)
  /** Blocks are made, and the next ones cost so many gkei, until something holds. */
  const minedUntil = <E>(holds: Effect.Effect<boolean, E>) =>
    world.until(Effect.zipRight(Effect.delay(mine, "50 millis"), holds))
  /** The node does not answer when it is given a transaction. */
  const isAway = { current: false }
  /** Bytes that it refuses, with a text. */
  const refused: { bytes: string | undefined; text: string } = { bytes: undefined, text: "" }
  proxy.answer = (seen, response) => {
    if (isAway.current && seen.body.includes("sendRawTransaction")) return void response.destroy()
    if (refused.bytes !== undefined && seen.body.includes(refused.bytes)) {
      const asked: Call | ReadonlyArray<Call> = JSON.parse(seen.body)
      const error = { code: -32000, message: refused.text }
      const answers = [asked].flat().map(({ id }) => ({ jsonrpc: "2.0", id, error }))
      response.writeHead(200, { "content-type": "application/json" })
      return void response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
    }
    proxy.passOn(seen.body, response)
  }
  return { ...opened, chain, database, find, from, isAway, mine, minedUntil, node, pay, proxy, received, refused }
})

describe("a payment that was raised after a backup of its wallet", () => {
  it.scopedLive(
    "has paid its key in the restored wallet, which knows the first attempt alone",
    () =>
      Effect.gen(function*() {
        const { database, isAway, mine, minedUntil, node, pay, proxy, received } = yield* startOn(
          world.file("index.db")
        )
        isAway.current = true
        assert.strictEqual((yield* pay(5, "one")).status, 500)
        const backup = `${database}.backup`
        yield* command.wallet.backup(database, {}, backup)
        yield* node("anvil_setNextBlockBaseFeePerGas", `0x${(100n * 10n ** 9n).toString(16)}`)
        yield* mine
        isAway.current = false
        yield* minedUntil(Effect.map(received, (balance) => balance === 5n))
        const restored = yield* world.file("index.db")
        copyFileSync(`${database}.wallet.key`, `${restored}.wallet.key`)
        yield* command.wallet.restore(restored, {}, backup)
        const [caller] = yield* command.callers.list(database)
        assert(caller !== undefined)
        const credential = yield* command.callers.add(restored, caller.name, { rights: ["read", "wallet"] })
        const copy = yield* open(restored, proxy.url, { wallet: { feePayerStyle: "paths", patience: "1 second" } })
        const authorization = `Basic ${
          Buffer.from(`${credential.accessKeyId}:${credential.secretAccessKey}`).toString("base64")
        }`
        for (let i = 0; i < 3; i++) {
          const again = yield* pay(5, "one", {}, "/v2/tx/value", { url: copy.gateway.url, authorization })
          assert.deepStrictEqual([again.status, again.body.status], [200, "Submitted"])
          yield* mine
        }
        assert.strictEqual(yield* received, 5n)
      }),
    60_000
  )
})

/** Runs a statement on the tables of a wallet. */
const inWallet = (
  database: string,
  statement: (schema: string) => string
): Effect.Effect<unknown, unknown, Scope.Scope> =>
  isAddress(database)
    ? Effect.flatMap(client(database, answering(1)), (sql) => sql.unsafe(statement("klaytn_index_wallet.")))
    : Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => Driver.open(`${database}.wallet`)),
        (driver) => Effect.sync(() => driver.close())
      ),
      (driver) => driver.exec(statement(""))
    )

/** Takes all callers out of a wallet, as a backup is without them. */
const loseCallers = (database: string) => inWallet(database, (schema) => `DELETE FROM ${schema}wallet_callers`)

describe.each(places)("a send of a gateway's wallet on %s", (_, place) => {
  it.scopedLive(
    "goes on though its caller is not known any more, which status tells, and is cancelled once its caller is revoked",
    () =>
      Effect.gen(function*() {
        const { database, minedUntil, node, pay, received } = yield* startOn(place)
        const rights = { rights: ["read", "wallet"] } as const
        const [first] = yield* command.callers.list(database)
        assert(first !== undefined)
        const unknown = Effect.map(command.wallet.status(database), ({ unknownCallers }) => unknownCallers)
        assert.strictEqual((yield* pay(5, "one")).status, 200)
        assert.deepStrictEqual(yield* unknown, [])
        yield* loseCallers(database)
        assert.deepStrictEqual(yield* unknown, [first.name])
        // The keeper gives it to the node again, which has lost it.
        yield* node("anvil_dropAllTransactions")
        yield* minedUntil(Effect.map(received, (balance) => balance === 5n))
        // The name is that of a reader alone now: who takes its right to read takes nothing of the wallet.
        yield* command.callers.revoke(database, first.name)
        const { accessKeyId, secretAccessKey } = yield* command.callers.add(database, first.name, rights)
        const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
        const isIn = Effect.map(pay(7, "two", {}, "/v2/tx/value", { authorization }), ({ status }) => status === 200)
        yield* world.until(isIn)
        yield* command.callers.revoke(database, first.name)
        assert.deepStrictEqual(yield* unknown, [])
        const isCancelled = Effect.map(
          command.wallet.status(database),
          ({ sendsUnderWay }) =>
            sendsUnderWay.some(({ reason, stage }) => stage === "cancelling" && reason === "its caller was revoked")
        )
        yield* world.until(isCancelled)
        // The node has the cancellation before the next block.
        yield* world.until(
          Effect.map(
            command.wallet.status(database),
            ({ sendsUnderWay }) => sendsUnderWay.some(({ attempts, isCancel }) => isCancel && attempts > 0)
          )
        )
        yield* minedUntil(
          Effect.map(command.wallet.status(database), ({ sendsUnderWay }) => sendsUnderWay.length === 0)
        )
        assert.strictEqual(yield* received, 5n)
      }),
    60_000
  )

  it.scopedLive(
    "whose price falls below the base fee runs at a higher one, and all of its hashes and its key say so",
    () =>
      Effect.gen(function*() {
        const { find, mine, minedUntil, node, pay, received } = yield* startOn(place)
        const first = yield* pay(5, "one")
        assert.deepStrictEqual([first.status, first.body.status], [200, "Submitted"])
        const hash: string = first.body.transactionHash
        assert.deepInclude((yield* find(hash)).body.outcome, { stage: "waiting", transactionHash: hash })
        // The base fee jumps, and the node loses its pool.
        yield* node("anvil_setNextBlockBaseFeePerGas", `0x${(100n * 10n ** 9n).toString(16)}`)
        yield* node("anvil_dropAllTransactions")
        yield* mine
        yield* world.until(
          Effect.map(find(hash), ({ body }) =>
            body.outcome?.transactionHash !== hash && body.outcome?.stage === "waiting")
        )
        yield* minedUntil(Effect.map(received, (balance) =>
          balance === 5n))
        yield* world.until(Effect.map(find(hash), ({ body }) => body.outcome?.stage === "mined"))
        const { body } = yield* find(hash)
        assert.deepInclude(body, { hash, status: "Committed" })
        assert.notStrictEqual(body.transactionHash, hash)
        assert.isAbove(Number(body.gasPrice), Number(first.body.gasPrice))
        const again = yield* pay(5, "one")
        assert.deepInclude(again.body, { status: "Submitted", transactionHash: body.transactionHash })
        assert.strictEqual((yield* find(body.transactionHash)).body.status, "Committed")
        yield* mine
        assert.strictEqual(yield* received, 5n)
      }),
    60_000
  )

  it.scopedLive(
    "that was answered with 200 runs though the node refuses or forgets it, and is told meanwhile",
    () =>
      Effect.gen(function*() {
        const { ask, find, minedUntil, node, pay, received, refused } = yield* startOn(place)
        yield* node("sandbox_addFault", { times: 1, action: { kind: "send", outcome: "forgotten" } })
        const { body: { rlp, transactionHash } } = yield* pay(5, "one")
        Object.assign(refused, { bytes: rlp, text: "txpool is full: 5120" })
        yield* world.until(Effect.map(find(transactionHash), ({ body }) => body.outcome.stage === "refused"))
        const { body } = yield* find(transactionHash)
        assert.deepInclude(body, { status: "Pending" })
        assert.match(body.outcome.reason, /txpool is full/)
        // Its key says the same, and a later payment says what it waits for.
        assert.deepInclude((yield* pay(5, "one")).body, { status: "Pending", transactionHash })
        const later = yield* pay(7, "two")
        assert.deepStrictEqual(
          [later.status, later.body.status, later.body.waitsFor],
          [200, "Pending", { transactionHash, nonce: 0 }]
        )
        const { oldestSends, sendsUnderWay } = (yield* ask("GET", "/status")).body.wallet
        assert.strictEqual(sendsUnderWay, 2)
        assert.strictEqual(oldestSends[0].sends, 2)
        refused.bytes = undefined
        yield* minedUntil(Effect.map(received, (balance) => balance === 12n))
        assert.strictEqual((yield* find(transactionHash)).body.status, "Committed")
      }),
    60_000
  )

  it.scopedLive(
    "that no block can have is cancelled at the cost of its fee payer, and its key needs a new one",
    () =>
      Effect.gen(function*() {
        const { ask, find, from, isAway, minedUntil, pay, received } = yield* startOn(place)
        isAway.current = true
        const path = "/v2/tx/fd/value"
        const unsent = yield* pay(5, "one", { gas: 1 }, path)
        assert.strictEqual(unsent.status, 500, unsent.text)
        isAway.current = false
        const { body: { items } } = yield* ask("GET", "/v2/account?size=1")
        assert.strictEqual(items[0].address.toLowerCase(), from.toLowerCase())
        yield* minedUntil(Effect.map(pay(7, "two", {}, path), ({ body }) => body.status === "Submitted"))
        yield* minedUntil(Effect.map(received, (balance) => balance === 7n))
        // Nothing was answered with 200 under the first key: it is free.
        yield* world.until(Effect.map(pay(5, "one", {}, path), ({ body }) => body.status === "Submitted"))
        yield* minedUntil(Effect.map(received, (balance) => balance === 12n))
        const unknown = yield* find(`0x${"cd".repeat(32)}`)
        assert.deepStrictEqual([unknown.status, unknown.body.code], [400, 1065000])
      }),
    60_000
  )

  it.scopedLive(
    "waits while the largest fee of its caller forbids to raise it, says so, and runs once the base fee has fallen",
    () =>
      Effect.gen(function*() {
        const { ask, database, find, from, mine, minedUntil, node, pay, received } = yield* startOn(place)
        const limits = { largestFee: 5n * 10n ** 16n }
        const shop = yield* command.callers.add(database, "shop", { rights: ["read", "wallet"], limits })
        const authorization = `Basic ${Buffer.from(`${shop.accessKeyId}:${shop.secretAccessKey}`).toString("base64")}`
        yield* world.until(
          Effect.map(ask("GET", `/v2/account/${from}`, undefined, { authorization }), ({ status }) => status === 200)
        )
        const baseFee = (gkei: bigint) =>
          node("anvil_setNextBlockBaseFeePerGas", `0x${(gkei * 10n ** 9n).toString(16)}`)
        yield* node("sandbox_addFault", { times: 1, action: { kind: "send", outcome: "forgotten" } })
        const { body: { transactionHash } } = yield* pay(5, "one", {}, "/v2/tx/value", { authorization })
        yield* baseFee(100n)
        yield* mine
        yield* world.until(Effect.map(find(transactionHash), ({ body }) => body.outcome?.stage === "limited"))
        assert.match((yield* find(transactionHash)).body.outcome.reason, /the most that the largest fee of its caller/)
        assert.deepInclude((yield* pay(5, "one", {}, "/v2/tx/value", { authorization })).body, { status: "Pending" })
        const behind = yield* pay(7, "two")
        assert.deepStrictEqual([behind.status, behind.body.status, behind.body.waitsFor], [200, "Pending", {
          transactionHash,
          nonce: 0
        }])
        // 0.044 KLAY for a million units of gas.
        yield* minedUntil(Effect.zipRight(baseFee(40n), Effect.map(received, (balance) => balance === 12n)))
        yield* world.until(Effect.map(find(transactionHash), ({ body }) => body.status === "Committed"))
        assert.isAtMost(Number((yield* find(transactionHash)).body.gasPrice), 50e9)
      }),
    60_000
  )

  it.scopedLive(
    "of a caller that was revoked is cancelled, though the name has another credential before the keeper comes to it",
    () =>
      Effect.gen(function*() {
        const { ask, database, find, from, isAway, minedUntil, pay, received } = yield* startOn(place)
        const source = isAddress(database) ? { key: Redacted.value(key) } : {}
        const add = Effect.gen(function*() {
          const shop = yield* command.callers.add(database, "shop", { rights: ["read", "wallet"] })
          const authorization = `Basic ${Buffer.from(`${shop.accessKeyId}:${shop.secretAccessKey}`).toString("base64")}`
          yield* world.until(
            Effect.map(ask("GET", `/v2/account/${from}`, undefined, { authorization }), ({ status }) => status === 200)
          )
          return authorization
        })
        const leaked = yield* add
        isAway.current = true
        assert.strictEqual((yield* pay(5, "one", {}, "/v2/tx/value", { authorization: leaked })).status, 500)
        yield* command.wallet.freeze(database, source)
        yield* command.callers.revoke(database, "shop")
        const authorization = yield* add
        isAway.current = false
        yield* command.wallet.unfreeze(database, source)
        const sent = yield* pay(7, "two", {}, "/v2/tx/value", { authorization })
        assert.strictEqual(sent.status, 200, sent.text)
        yield* minedUntil(
          Effect.map(find(sent.body.transactionHash), ({ body }) => body.status === "Committed")
        )
        assert.strictEqual(yield* received, 7n)
      }),
    60_000
  )

  it.scopedLive(
    "whose row is of an older version and names no credential is cancelled if its caller was revoked since",
    () =>
      Effect.gen(function*() {
        const { ask, database, find, from, isAway, minedUntil, pay, received } = yield* startOn(place)
        const source = isAddress(database) ? { key: Redacted.value(key) } : {}
        const add = (name: string) =>
          Effect.gen(function*() {
            const { accessKeyId, secretAccessKey } = yield* command.callers.add(database, name, {
              rights: ["read", "wallet"]
            })
            const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
            yield* world.until(
              Effect.map(
                ask("GET", `/v2/account/${from}`, undefined, { authorization }),
                ({ status }) => status === 200
              )
            )
            return authorization
          })
        const leaked = { shop: yield* add("shop"), till: yield* add("till") }
        isAway.current = true
        for (const [name, authorization] of Object.entries(leaked)) {
          const sent = yield* pay(5, name, {}, "/v2/tx/value", { authorization })
          assert.strictEqual(sent.status, 500, sent.text)
        }
        yield* command.wallet.freeze(database, source)
        yield* inWallet(
          database,
          (schema) => `UPDATE ${schema}wallet_sends_${world.chain} SET credential = NULL, created = created - 60`
        )
        yield* command.callers.revoke(database, "shop")
        yield* command.callers.revoke(database, "till")
        // The one has another credential, the other none.
        const authorization = yield* add("shop")
        isAway.current = false
        yield* command.wallet.unfreeze(database, source)
        const sent = yield* pay(7, "last", {}, "/v2/tx/value", { authorization })
        assert.strictEqual(sent.status, 200, sent.text)
        yield* minedUntil(
          Effect.map(find(sent.body.transactionHash), ({ body }) => body.status === "Committed")
        )
        assert.strictEqual(yield* received, 7n)
      }),
    60_000
  )

  it.scopedLive(
    "of a caller that was revoked is cancelled, which its hash says",
    () =>
      Effect.gen(function*() {
        const { ask, database, find, from, minedUntil, node, received } = yield* startOn(place)
        const shop = yield* command.callers.add(database, "shop", { rights: ["read", "wallet"] })
        const authorization = `Basic ${Buffer.from(`${shop.accessKeyId}:${shop.secretAccessKey}`).toString("base64")}`
        yield* world.until(
          Effect.map(ask("GET", `/v2/account/${from}`, undefined, { authorization }), ({ status }) => status === 200)
        )
        yield* node("sandbox_addFault", { times: 1, action: { kind: "send", outcome: "forgotten" } })
        const payment = { from, to: bob, value: "0x9", submit: true }
        const sent = yield* ask("POST", "/v2/tx/value", payment, { authorization })
        assert.strictEqual(sent.status, 200, sent.text)
        yield* command.callers.revoke(database, "shop")
        yield* minedUntil(
          Effect.map(find(sent.body.transactionHash), ({ body }) => body.outcome.stage === "cancelled")
        )
        const { body } = yield* find(sent.body.transactionHash)
        assert.deepInclude(body, { status: "CommitError", hash: sent.body.transactionHash })
        assert.strictEqual(body.outcome.reason, "its caller was revoked")
        assert.match(body.outcome.transactionHash, /^0x[0-9a-f]{64}$/)
        assert.strictEqual(yield* received, 0n)
      }),
    60_000
  )

  it.scopedLive(
    "does not leave while the wallet is frozen, and does when it is not any more",
    () =>
      Effect.gen(function*() {
        const { database, find, isAway, minedUntil, node, pay, proxy, received } = yield* startOn(place)
        yield* node("sandbox_addFault", { times: 1, action: { kind: "send", outcome: "forgotten" } })
        const { body: { transactionHash } } = yield* pay(3, "forgotten")
        isAway.current = true
        assert.strictEqual((yield* pay(9, "one")).status, 500)
        const source = { key: Redacted.value(key) }
        yield* command.wallet.freeze(database, isAddress(database) ? source : {})
        isAway.current = false
        const given = () => proxy.seen.filter(({ body }) => body.includes("sendRawTransaction")).length
        const refused = yield* pay(9, "two")
        // What the keeper was about to give as the wallet was frozen has left.
        const before = given()
        assert.deepStrictEqual([refused.status, refused.body.code], [400, 1069423])
        yield* Effect.sleep("3 seconds")
        assert.deepStrictEqual([given(), yield* received], [before, 0n])
        assert.include(["waiting", "refused"], (yield* find(transactionHash)).body.outcome.stage)
        yield* command.wallet.unfreeze(database, isAddress(database) ? source : {})
        yield* minedUntil(Effect.map(received, (balance) => balance === 12n))
      }),
    60_000
  )
})

describe("a send that its wallet was about to give to the node", () => {
  it.scopedLive(
    "does not leave once the wallet is frozen",
    () =>
      Effect.gen(function*() {
        const { database, isAway, pay, proxy, received } = yield* startOn(world.file("index.db"))
        isAway.current = true
        assert.strictEqual((yield* pay(9, "one")).status, 500)
        // The next round gives it again.
        yield* inWallet(database, () => `UPDATE wallet_sends_${world.chain} SET updated = 0, leased = 0`)
        isAway.current = false
        // What the keeper reads of the chain before it gives the bytes.
        const held: Array<() => void> = []
        const { answer } = proxy
        proxy.answer = (seen, response) =>
          seen.body.includes("getTransactionCount")
            ? void held.push(() => answer?.(seen, response))
            : answer?.(seen, response)
        yield* world.until(Effect.sync(() => held.length > 0))
        const given = proxy.seen.filter(({ body }) => body.includes("sendRawTransaction")).length
        yield* command.wallet.freeze(database)
        proxy.answer = answer
        for (const go of held) go()
        yield* Effect.sleep("2 seconds")
        assert.strictEqual(proxy.seen.filter(({ body }) => body.includes("sendRawTransaction")).length, given)
        assert.strictEqual(yield* received, 0n)
      }),
    60_000
  )
})

describe("the commands that freeze a wallet", () => {
  it.scopedLive("refuse to freeze a wallet that is not there, and need no key to end what a file has frozen", () =>
    Effect.gen(function*() {
      const database = yield* world.file("indx.db")
      const missing = yield* Effect.flip(command.wallet.freeze(database))
      assert.match(missing.message, /there is no wallet yet/)
      assert.isFalse(existsSync(`${database}.wallet.frozen`))
      const { database: place } = yield* startOn(world.file("index.db"))
      yield* command.wallet.freeze(place)
      assert.isDefined((yield* command.wallet.status(place)).frozen)
      yield* command.wallet.unfreeze(place, { keyFile: `${place}.no.key` })
      assert.isUndefined((yield* command.wallet.status(place)).frozen)
    }))

  it.scopedLive("say that they have not ended what a program has frozen, for which they need its key", () =>
    Effect.gen(function*() {
      const { database } = yield* startOn(world.file("index.db"))
      const sql = yield* walletFile.openDatabase(`${database}.wallet`)
      yield* sql`INSERT INTO wallet_frozen_1001 (id, since, reason) VALUES (1, 1, 'by a program')`
      yield* command.wallet.freeze(database)
      yield* Effect.flip(command.wallet.unfreeze(database, { keyFile: `${database}.no.key` }))
      assert.isDefined((yield* command.wallet.status(database)).frozen)
      assert.isTrue(existsSync(`${database}.wallet.frozen`))
      yield* command.wallet.unfreeze(database, {})
      assert.isUndefined((yield* command.wallet.status(database)).frozen)
    }))
})
