/** What callers hand in, what the node says and what the database has: none of it stops somebody else's sends. */
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { databases } from "../../engine/test/support/databases.js"
import { beside } from "../src/GatewayWallet.js"
import { callers } from "../src/internal/command.js"
import * as commands from "../src/internal/walletCommands.js"
import * as walletFile from "../src/internal/walletFile.js"
import { status } from "../src/internal/walletStatus.js"
import { key, klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const
const source = { key: Redacted.value(key) }

/** A wallet with an account in the default pool, and a caller who may use the pool `evil` alone. */
const start = (database: typeof places[number][1]) =>
  Effect.gen(function*() {
    const sandbox = yield* world.sandbox
    const chain = sandbox.chains.chain(world.chain)
    const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
    const place = yield* database
    const opened = yield* open(place, proxy.url, { wallet: { feePayerStyle: "paths", key, pools: ["evil"] } })
    const { ask } = opened
    const { body: { address } } = yield* ask("POST", "/v2/account", {})
    const from: `0x${string}` = address.toLowerCase()
    yield* chain.fund(from, 100n * klay)
    const evil = yield* callers.add(place, "evil", {
      rights: ["wallet"],
      pools: ["evil"],
      limits: { largestValue: 0n }
    })
    const authorization = `Basic ${Buffer.from(`${evil.accessKeyId}:${evil.secretAccessKey}`).toString("base64")}`
    const krn = `krn:1001:wallet:${opened.gateway.wallet?.accountId}:account-pool:evil`
    const byEvil = (body: object, path = "/v2/tx/rlp") =>
      ask("POST", path, { submit: true, ...body }, { authorization, "x-krn": krn })
    yield* world.until(Effect.map(byEvil({ rlp: "0x00" }), (answer) => answer.status === 400))
    const pay = (name: string) =>
      ask("POST", "/v2/tx/value", { from, to: bob, value: "0x5", submit: true }, { "idempotency-key": name })
    const balance = (of: `0x${string}`) =>
      Effect.map(chain.account(of), Option.match({ onNone: () => 0n, onSome: (account) => account.balance }))
    const audited = Effect.map(
      commands.auditLines(place, source, 0),
      (lines) => lines.map(({ line }) => line).filter((line) => line.includes("\"evil\""))
    )
    return {
      ...opened,
      audited,
      balance,
      byEvil,
      chain,
      database: place,
      evil: { authorization, krn },
      from,
      pay,
      proxy
    }
  })

const places = databases.map(([name, open]) =>
  [
    name,
    name === "SQLite" ? world.file("index.db") : Effect.map(open, ({ url }) => Redacted.value(url))
  ] as const
)

const garbage = { v: 2037n, r: BigInt(`0x${"11".repeat(32)}`), s: BigInt(`0x${"22".repeat(32)}`) }

const common = { gasPrice: 25_000_000_000n, gas: 100_000n, to: bob, value: 0n } as const

/** The bytes of a transaction that a key has signed, or that a signature was put to. */
const rawOf = (made: ReturnType<typeof Transaction.make>, by?: Uint8Array) => {
  assert(made.ok)
  const signed = by === undefined
    ? { ok: true as const, value: { ...made.value, signatures: [garbage] } }
    : Transaction.signAsSender(made.value, { chainId: 1001, privateKey: by })
  assert(signed.ok)
  const raw = Transaction.encode(signed.value)
  assert(raw.ok)
  return raw.value
}

describe("a caller who has not the key of an address", () => {
  it.scopedLive("is told the same of one in another pool as of anybody's", () =>
    Effect.gen(function*() {
      const { ask, byEvil, chain, evil: { authorization, krn }, from } = yield* start(world.file("index.db"))
      const stranger = `0x${"cc".repeat(20)}` as const
      yield* chain.fund(stranger, klay)
      const headers = { authorization, "x-krn": krn.replace("account-pool", "key-pool") }
      const { body: { items: [{ keyId }] } } = yield* ask("POST", "/v2/key", {}, headers)
      const signer = randomBytes(32)
      const asked = (address: `0x${string}`) => {
        const made = Transaction.make({ type: "ValueTransfer", ...common, from: address, nonce: 0n })
        return Effect.forEach(
          [
            byEvil({ rlp: rawOf(made) }),
            byEvil({ rlp: rawOf(made, signer) }),
            byEvil({ rlp: rawOf(made, signer), submit: false }),
            ask("POST", "/v2/registration/account", [{ address, keyId }], { authorization, "x-krn": krn })
          ],
          Effect.map(({ body, status }) => {
            const { requestId: _, ...rest } = body
            return [status, JSON.stringify(rest).toLowerCase().replaceAll(address, "it")]
          })
        )
      }
      const told = yield* asked(from)
      assert.deepStrictEqual(told, yield* asked(stranger))
      assert.isTrue(told.slice(0, 3).every(([status]) => status !== 200), JSON.stringify(told))
      assert.include(told[3]?.[1], "\"status\":\"all failed\"")
    }))
})

describe.each(places)("a wallet on %s", (_, place) => {
  it.scopedLive("stores nothing for an account that has not signed, and writes down who asked", () =>
    Effect.gen(function*() {
      const { ask, audited, balance, byEvil, chain, database, from, pay } = yield* start(place)
      const other = randomBytes(32)
      const transfer = (nonce: bigint, sender = from) =>
        Transaction.make({ type: "ValueTransfer", ...common, from: sender, nonce })
      // Neither held by the wallet nor by who signs.
      const stranger = `0x${"cc".repeat(20)}` as const
      yield* chain.fund(stranger, klay)
      const tried = {
        "nobody's signature": rawOf(transfer(0n)),
        "nobody's signature, a nonce that no number holds": rawOf(transfer(2n ** 60n)),
        "nobody's signature, the last nonce that there is": rawOf(transfer(2n ** 64n - 1n)),
        "another's signature": rawOf(transfer(0n), other),
        "nobody's signature, for a stranger": rawOf(transfer(0n, stranger)),
        "another's signature, for a stranger": rawOf(transfer(0n, stranger), other),
        "more bytes than a node takes": rawOf(
          Transaction.make({
            type: "ValueTransferMemo",
            ...common,
            from,
            nonce: 0n,
            input: `0x${"00".repeat(200_000)}`
          })
        ),
        "more gas than a node takes": rawOf(
          Transaction.make({ type: "ValueTransfer", ...common, from, nonce: 0n, gas: 500_000_001n })
        ),
        "no transaction": "0x1234"
      }
      for (const [about, rlp] of Object.entries(tried)) {
        // A caller of the account's pool may no more than others.
        for (const answer of [yield* byEvil({ rlp }), yield* ask("POST", "/v2/tx/rlp", { rlp, submit: true })]) {
          assert.strictEqual(answer.status, 400, `${about}: ${answer.text}`)
        }
      }
      const delegated = Transaction.make({ type: "FeeDelegatedValueTransfer", ...common, from, nonce: 0n })
      assert.strictEqual((yield* byEvil({ rlp: rawOf(delegated) }, "/v2/tx/fd/rlp")).status, 400)
      assert.deepStrictEqual((yield* status(database)).sendsUnderWay, [])
      const answer = yield* pay("after")
      assert.deepStrictEqual([answer.status, yield* balance(bob)], [200, 5n], answer.text)
      const lines = yield* audited
      assert.isAtLeast(lines.filter((line) => line.includes("\"refused\"") && line.includes(from)).length, 6)
    }))

  it.scopedLive("takes the signed transaction of its account from callers of its pool alone", () =>
    Effect.gen(function*() {
      const { ask, balance, byEvil, database, from } = yield* start(place)
      const signed = yield* ask("POST", "/v2/tx/value", { from, to: bob, value: "0x7", submit: false })
      const { rlp } = signed.body
      assert.strictEqual((yield* byEvil({ rlp })).status, 400)
      assert.deepStrictEqual((yield* status(database)).sendsUnderWay, [])
      const sent = yield* ask("POST", "/v2/tx/rlp", { rlp, submit: true })
      assert.deepStrictEqual([sent.status, yield* balance(bob)], [200, 7n], sent.text)
    }))

  it.scopedLive("takes no nonce far above the last one that its account has used, signed or to be signed", () =>
    Effect.gen(function*() {
      const { ask, balance, database, from, pay } = yield* start(place)
      const transfer = { from, to: bob, value: "0x7" }
      for (const nonce of [1_000_001, 2 ** 52]) {
        const { body: { rlp } } = yield* ask("POST", "/v2/tx/value", { ...transfer, nonce, submit: false })
        const answers = [
          yield* ask("POST", "/v2/tx/value", { ...transfer, nonce, submit: true }),
          yield* ask("POST", "/v2/tx/rlp", { rlp, submit: true })
        ]
        for (const { body, status } of answers) {
          assert.strictEqual(status, 400, JSON.stringify(body))
          assert.include(body.message, "nonce too high")
        }
      }
      assert.deepStrictEqual((yield* status(database)).sendsUnderWay, [])
      assert.strictEqual((yield* pay("after")).body.nonce, 0)
      assert.strictEqual(yield* balance(bob), 5n)
    }))

  it.scopedLive("serves the signed transaction of an account that it does not hold, and pays the fee where it is asked to", () =>
    Effect.gen(function*() {
      const { audited, balance, byEvil, chain, database, proxy } = yield* start(place)
      const secret = randomBytes(32)
      const made = Transaction.make({ type: "ValueTransfer", ...common, from: bob, nonce: 0n })
      assert(made.ok)
      const signed = Transaction.signAsSender(made.value, { chainId: 1001, privateKey: secret })
      assert(signed.ok)
      const signers = Transaction.recoverSenders(signed.value, { chainId: 1001 })
      const stranger = signers.ok ? signers.value[0]?.address ?? bob : bob
      yield* chain.fund(stranger, klay)
      const payer = (yield* status(database)).feePayers[0]?.address ?? bob
      yield* chain.fund(payer, klay)
      const rlp = rawOf(
        Transaction.make({ type: "FeeDelegatedValueTransfer", ...common, from: stranger, nonce: 0n, value: 3n }),
        secret
      )
      // A copy of the node that is behind shows another key.
      let behind = 2
      const account = { nonce: 0, balance: "0x0", humanReadable: false, key: { keyType: 3, key: {} } }
      proxy.answer = ({ body }, response) => {
        if (!body.includes("getAccount") || !body.includes(stranger) || behind-- <= 0) {
          return proxy.passOn(body, response)
        }
        const asked: ReadonlyArray<{ readonly id: number }> = [JSON.parse(body)].flat()
        const answers = asked.map(({ id }) => ({ jsonrpc: "2.0", id, result: { accType: 1, account } }))
        response.writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify(body.startsWith("[") ? answers : answers[0]))
      }
      const sent = yield* byEvil({ rlp }, "/v2/tx/fd/rlp")
      assert.isAtMost(behind, 0)
      assert.deepStrictEqual(
        [sent.status, yield* balance(bob), yield* balance(stranger)],
        [200, 3n, klay - 3n],
        sent.text
      )
      assert.isBelow(Number(yield* balance(payer)), Number(klay))
      assert.isTrue((yield* audited).some((line) => line.includes("\"sent\"") && line.includes(stranger)))
    }))

  it.scopedLive("believes no node that names a nonce which cannot be, and stores nothing on its word", () =>
    Effect.gen(function*() {
      const { balance, database, gateway, pay, proxy } = yield* start(place)
      for (const [name, nonce] of [["far", 2n ** 60n], ["last", 2n ** 64n - 1n], ["nearer", 1_000_100n]] as const) {
        proxy.answer = ({ body }, response) => {
          if (!body.includes("getTransactionCount")) return proxy.passOn(body, response)
          const asked: ReadonlyArray<{ readonly id: number }> = [JSON.parse(body)].flat()
          const answers = asked.map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${nonce.toString(16)}` }))
          response.writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify(body.startsWith("[") ? answers : answers[0]))
        }
        const lied = yield* pay(name)
        assert.strictEqual(lied.status, 500, `${name}: ${lied.text}`)
        const { sendsUnderWay } = yield* status(database)
        assert.deepStrictEqual(sendsUnderWay.filter((send) => send.nonce > 3n), [])
        proxy.answer = undefined
        assert.strictEqual((yield* pay(name)).status, 200)
      }
      assert.strictEqual(yield* balance(bob), 15n)
      assert.isAtLeast((yield* gateway.status).wallet?.impossibleAnswers ?? 0, 3)
    }))

  it.scopedLive("passes over a row that can't be read, tells of it, and goes on with the others", () =>
    Effect.gen(function*() {
      const { ask, balance, database, from, gateway, pay, proxy } = yield* start(place)
      const sql = yield* walletFile.openDatabase(beside(database))
      // A time that no number holds, of the same account.
      const bytes = (length: number) => new Uint8Array(randomBytes(length))
      yield* sql`INSERT INTO wallet_sends_1001
        (account, nonce, hash, sender_hash, raw, state, cancels, attempts, request, created, updated)
        VALUES (${new Uint8Array(Buffer.from(from.slice(2), "hex"))}, ${7}, ${bytes(32)}, ${bytes(32)}, ${
        bytes(9)
      }, 0, 0, 0, NULL,
        ${2n ** 62n}, 1)`
      // A send whose answer is lost is sent again by the keeper.
      let lost = 0
      proxy.answer = ({ body }, response) =>
        body.includes("sendRawTransaction") && lost++ === 0 ? void response.destroy() : proxy.passOn(body, response)
      yield* Effect.fork(pay("lost"))
      yield* world.until(Effect.map(balance(bob), (has) => has === 5n))
      assert.strictEqual((yield* pay("next")).status, 200)
      assert.strictEqual(yield* balance(bob), 10n)
      yield* status(database)
      // The keeper, or the status page, has met the row.
      yield* world.until(Effect.map(gateway.status, ({ wallet }) => (wallet?.unreadableRows ?? 0) >= 1))
      // Its owner sees it, and ends it.
      const [row, ...others] = yield* commands.unreadableRows(database)
      assert(row !== undefined && others.length === 0)
      assert.deepStrictEqual([row.table, row.why], [
        "sends",
        "column created of a stored row is not a whole number below 2^53"
      ])
      const ended = { table: "sends", id: row.id } as const
      yield* commands.endRow(database, source, ended)
      const [left] = yield* sql<
        { readonly n: unknown }
      >`SELECT count(*) AS n FROM wallet_sends_1001 WHERE state = 0 AND id = ${row.id}`
      assert.strictEqual(Number(left?.n), 0)
      const again = yield* Effect.flip(commands.endRow(database, source, ended))
      assert.match(again.message, /no row .* that can be ended/)
      const lines = yield* commands.auditLines(database, source, 0)
      assert.isTrue(lines.some(({ line }) => line.includes("repair: end a row of sends")))
      // An account that can't be read hides no other one.
      yield* ask("POST", "/v2/account", {})
      yield* sql`UPDATE wallet_accounts_1001 SET created = ${
        2n ** 62n
      } WHERE id = (SELECT min(id) FROM wallet_accounts_1001)`
      const listed = yield* ask("GET", "/v2/account?size=1")
      assert.deepStrictEqual([listed.status, listed.body.items.length], [200, 1], listed.text)
      assert.deepStrictEqual((yield* commands.unreadableRows(database)).map(({ table }) => table), [
        "sends",
        "accounts"
      ])
    }))
})
