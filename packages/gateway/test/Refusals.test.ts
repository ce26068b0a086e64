import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as command from "../src/internal/command.js"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

const gkei = 10n ** 9n

const hex = (value: bigint): string => `0x${value.toString(16)}`

/** A gateway's wallet in front of a chain that makes blocks when asked, and a caller `shop` with limits. */
const start = Effect.gen(function*() {
  const sandbox = yield* Sandbox.make({ seed: "refusals", mining: "manual" })
  const rpc = `${sandbox.url}/rpc/${world.chain}`
  const proxy = yield* world.proxyOf(rpc)
  const database = yield* world.file("index.db")
  const opened = yield* open(database, proxy.url, { wallet: { feePayerStyle: "paths", patience: "1 second" } })
  const shop = yield* command.callers.add(database, "shop", {
    rights: ["read", "wallet"],
    limits: { largestValue: 10n * klay, dailySum: 20n * klay }
  })
  const authorization = `Basic ${Buffer.from(`${shop.accessKeyId}:${shop.secretAccessKey}`).toString("base64")}`
  const ask = (method: string, path: string, body?: unknown, key?: string) =>
    opened.ask(method, path, body, { authorization, ...(key === undefined ? {} : { "idempotency-key": key }) })
  /** A method of the node. */
  const node = (method: string, ...params: ReadonlyArray<unknown>) =>
    world.send(rpc, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(world.call(method, ...params))
    })
  /** Sets the base fee of the next blocks, and waits until no look at the price of before is kept: one is good for 250 ms. */
  const baseFee = (price: bigint) =>
    node("anvil_setNextBlockBaseFeePerGas", hex(price * gkei)).pipe(
      Effect.zipRight(node("evm_mine")),
      Effect.zipRight(Effect.sleep("300 millis"))
    )
  const fund = (receiver: string) =>
    Effect.zipRight(sandbox.chains.chain(world.chain).fund(`0x${receiver.slice(2)}`, 100n * klay), node("evm_mine"))
  const account = Effect.gen(function*() {
    const { body } = yield* opened.ask("POST", "/v2/account", {})
    yield* fund(body.address)
    const from: `0x${string}` = body.address
    return { ...body, from }
  })
  yield* fund(opened.gateway.wallet?.globalFeePayer ?? bob)
  /** What counts against the limits of the caller, and what was signed for it: sum and lines. */
  const counted = Effect.gen(function*() {
    const { limitsUsed } = yield* command.wallet.status(database)
    const lines = yield* command.wallet.auditLines(database, {}, 0)
    const signed = lines.filter(({ line }) => {
      const entry: { readonly event: string; readonly caller?: string } = JSON.parse(line)
      return entry.event === "signed" && entry.caller === "shop"
    })
    return [limitsUsed.find(({ caller }) => caller === "shop")?.spent ?? 0n, signed.length] as const
  })
  return { ...opened, account, ask, baseFee, counted, database, node, own: opened.ask, proxy }
})

/** An answer that is no failure of a node on a loaded machine: after one, the same request may come again. */
const answered = <A extends { readonly status: number }, E>(asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.repeat(asked, { until: ({ status }) => status !== 500, times: 10 })

interface Case {
  readonly name: string
  readonly path?: string
  readonly body: object
  readonly status?: number
  readonly code: number
  readonly message: string
  readonly before?: Effect.Effect<unknown, { readonly message: string }>
  readonly after?: Effect.Effect<unknown, { readonly message: string }>
}

describe("a refusal before anything is sent", () => {
  it.scopedLive(
    "costs its caller no nonce, no part of a limit, and not the key of the request",
    () =>
      Effect.gen(function*() {
        const { account, ask, baseFee, counted, database, own, proxy } = yield* start
        const { from } = yield* account
        const one = { from, to: bob, value: hex(klay), submit: true }
        const disabled = yield* account
        const dear = Transaction.make({
          type: "ValueTransfer",
          nonce: 0n,
          gasPrice: 751n * gkei,
          gas: 21_000n,
          to: bob,
          value: klay,
          from
        })
        assert(dear.ok)
        const encoded = Transaction.encode(dear.value)
        assert(encoded.ok)
        const limit = { code: 1069403 } as const
        const cases: ReadonlyArray<Case> = [
          { name: "a value", body: { ...one, value: hex(11n * klay) }, ...limit, message: "the largest" },
          { name: "a fee", body: { ...one, gas: 100_000_000 }, ...limit, message: "the fee may be larger" },
          {
            name: "a fee of the fee payer",
            path: "/v2/tx/fd/value",
            body: { ...one, gas: 100_000_000 },
            ...limit,
            message: "the fee may be larger"
          },
          {
            name: "a price",
            path: "/v2/tx/rlp",
            body: { rlp: encoded.value, submit: true },
            ...limit,
            message: "751 gkei"
          },
          {
            name: "the base fee",
            body: one,
            ...limit,
            message: "gkei",
            before: baseFee(800n),
            after: baseFee(25n)
          },
          {
            name: "a frozen wallet",
            body: one,
            code: 1069423,
            message: "frozen",
            before: command.wallet.freeze(database, {}),
            after: command.wallet.unfreeze(database, {})
          },
          {
            name: "a disabled account",
            body: { ...one, from: disabled.from },
            code: 1065100,
            message: "failed to get an account",
            before: own("PUT", `/v2/account/${disabled.from}/disable`)
          },
          {
            name: "an unknown fee payer",
            path: "/v2/tx/fd-user/value",
            body: { ...one, feePayer: bob },
            code: 1061905,
            message: "feepayer"
          },
          {
            name: "a nonce of no time soon",
            body: { ...one, nonce: 1_500_000 },
            code: 1065001,
            message: "nonce too high"
          },
          {
            name: "a nonce of another payment",
            body: { ...one, value: "0x1", nonce: 7 },
            code: 1065001,
            message: "the same nonce",
            before: own("POST", "/v2/tx/value", { ...one, nonce: 7 })
          },
          {
            name: "a node that does not answer",
            body: one,
            status: 500,
            code: 1041000,
            message: "",
            before: Effect.sync(() => {
              proxy.answer = (_, response) => void response.destroy()
            }),
            after: Effect.sync(() => {
              proxy.answer = undefined
            })
          }
        ]
        for (const { after, before, body, code, message, name, path = "/v2/tx/value", status = 400 } of cases) {
          const key = name.replaceAll(" ", "-")
          if (before !== undefined) yield* before
          const counts = yield* counted
          const asked = ask("POST", path, body, key)
          const answer = yield* status === 500 ? asked : answered(asked)
          assert.deepStrictEqual([answer.status, answer.body.code], [status, code], `${name}: ${answer.text}`)
          assert.include(answer.body.message, message, `${name}: ${answer.text}`)
          if (after !== undefined) yield* after
          assert.deepStrictEqual(yield* counted, counts, name)
          // A refusal gives the key back, for other content as well. After a failure the same request may come again.
          const again = status === 400 ? { from, to: bob, value: "0x0" } : one
          const next = yield* answered(ask("POST", "/v2/tx/value", { ...again, submit: status === 500 }, key))
          assert.deepStrictEqual([next.status, next.body.nonce], [200, 0], `${name}: ${next.text}`)
        }
        assert.strictEqual((yield* counted)[0], klay)
      }),
    90_000
  )

  it.scopedLive(
    "of the last signature of a multisig transaction counts against no limit",
    () =>
      Effect.gen(function*() {
        const { account, ask, baseFee, counted, node, own } = yield* start
        const { from, ...first } = yield* account
        const second = yield* account
        const weightedKeys = [first, second].map(({ publicKey }) => ({ weight: 1, publicKey }))
        const changed = yield* answered(own("PUT", `/v2/account/${from}/multisig`, { threshold: 2, weightedKeys }))
        assert.strictEqual(changed.status, 200, changed.text)
        yield* node("evm_mine")
        const held = yield* ask("POST", "/v2/tx/value", { from, to: bob, value: hex(3n * klay), submit: true })
        assert.strictEqual(held.status, 200, held.text)
        const sign = (address: string) =>
          ask("POST", `/v2/multisig/account/${address}/tx/${held.body.transactionId}/sign`, {})
        assert.strictEqual((yield* sign(from)).status, 200)
        const counts = yield* counted
        assert.deepStrictEqual(counts, [3n * klay, 1])
        yield* baseFee(200n)
        const last = yield* sign(second.from)
        assert.strictEqual(last.status, 400)
        assert.include(last.body.message, "fell below the base fee")
        assert.deepStrictEqual(yield* counted, counts)
      }),
    60_000
  )
})
