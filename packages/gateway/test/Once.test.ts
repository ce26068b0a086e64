import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { databases } from "../../engine/test/support/databases.js"
import { callers } from "../src/internal/command.js"
import { isAddress } from "../src/internal/postgres.js"
import { key, klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

/** A place for an index and a wallet, on each database. */
const places = databases.map(([name, open]) =>
  [
    name,
    name === "SQLite" ? world.file("index.db") : Effect.map(open, ({ url }) => Redacted.value(url))
  ] as const
)

type CallerOptions = Parameters<typeof callers.add>[2]

/** A gateway's wallet, a funded account of it, and ways to be its callers. */
const startOn = Effect.fnUntraced(function*(place: typeof places[number][1]) {
  const sandbox = yield* world.sandbox
  const chain = sandbox.chains.chain(world.chain)
  const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
  const database = yield* place
  const opened = yield* open(database, proxy.url, {
    wallet: { feePayerStyle: "paths", patience: "1 second", ...(isAddress(database) && { key }) }
  })
  const { body: { address } } = yield* opened.ask("POST", "/v2/account", {})
  const from: `0x${string}` = address
  yield* chain.fund(from, 100n * klay)
  const received = Effect.map(chain.account(bob), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))
  /** Adds a caller, waits until the gateway knows it, and gives its credential. */
  const caller = (name: string, options: CallerOptions = { rights: ["read", "wallet"] }) =>
    Effect.gen(function*() {
      const { accessKeyId, secretAccessKey } = yield* callers.add(database, name, options)
      const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
      const look = opened.ask("GET", `/v2/account/${from}`, undefined, { authorization })
      yield* world.until(Effect.map(look, ({ status }) => status === 200))
      return { authorization }
    })
  /** A payment to bob, in peb. */
  const pay = (peb: number, key: string, headers: Readonly<Record<string, string>>, more: object = {}) =>
    opened.ask("POST", "/v2/tx/value", { from, to: bob, value: `0x${peb.toString(16)}`, submit: true, ...more }, {
      "idempotency-key": key,
      ...headers
    })
  return { ...opened, caller, chain, database, from, pay, proxy, received }
})

describe.each(places)("a key of a gateway's wallet on %s", (_, place) => {
  it.scopedLive(
    "that has paid is answered by the payment, and not counted or signed again",
    () =>
      Effect.gen(function*() {
        const { caller, chain, from, pay, proxy, received } = yield* startOn(place)
        const shop = yield* caller("shop", { rights: ["read", "wallet"], limits: { dailySum: 10n } })
        // The node takes the payment and is gone.
        let isGone = false
        proxy.answer = ({ body }, response) => {
          if (isGone) return void response.destroy()
          isGone = body.includes("sendRawTransaction")
          proxy.passOn(body, response, () => isGone)
        }
        assert.strictEqual((yield* pay(6, "invoice-1", shop)).status, 500)
        proxy.answer = undefined
        const again = yield* pay(6, "invoice-1", shop)
        assert.deepStrictEqual([again.status, again.body.status], [200, "Submitted"])
        assert.strictEqual(yield* received, 6n)
        // The payment is counted once: 4 of the day are left.
        assert.strictEqual((yield* pay(4, "invoice-2", shop)).status, 200)
        assert.strictEqual((yield* pay(1, "invoice-3", shop)).body.code, 1069403)
        assert.strictEqual(Option.getOrThrow(yield* chain.account(from)).nonce, 2n)
      }),
    60_000
  )

  it.scopedLive(
    "belongs to the caller's name, whatever the credential, and to no other caller",
    () =>
      Effect.gen(function*() {
        const { caller, database, pay, received } = yield* startOn(place)
        const first = yield* pay(7, "invoice-9", yield* caller("till"))
        yield* callers.revoke(database, "till")
        const again = yield* pay(7, "invoice-9", yield* caller("till"))
        assert.deepStrictEqual([again.status, again.text], [200, first.text])
        assert.strictEqual(yield* received, 7n)
        assert.strictEqual((yield* pay(7, "invoice-9", yield* caller("bank"))).status, 200)
        assert.strictEqual(yield* received, 14n)
      }),
    60_000
  )

  it.scopedLive(
    "pays once whatever nonce, gas and price its payment names when it comes again",
    () =>
      Effect.gen(function*() {
        const { caller, pay, received } = yield* startOn(place)
        const till = yield* caller("till")
        const first = yield* pay(3, "invoice-4", till, { nonce: 0, gas: 100_000 })
        const again = yield* pay(3, "invoice-4", till, { nonce: 5, gas: 200_000 })
        assert.deepStrictEqual([first.status, again.text], [200, first.text])
        assert.strictEqual(yield* received, 3n)
      }),
    60_000
  )
})
