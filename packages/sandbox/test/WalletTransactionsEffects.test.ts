import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  account,
  balance,
  chain,
  feePayer,
  globalPayer,
  hex,
  klay,
  run,
  somebody,
  unitPrice
} from "./support/walletStory.js"
import { ask, get } from "./support/wire.js"

describe("What the wallet sends", () => {
  it.effect("by the document's body is paid by the fee payer it names, in either spelling, else by the sender", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const payer = yield* feePayer
      const send = (more: object) =>
        Effect.map(
          ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x1", submit: true, ...more }),
          ({ body }) => [body.typeInt, body.feePayer, body.gas, body.nonce]
        )
      assert.deepStrictEqual(yield* send({}), [8, undefined, 1_000_000, 0])
      assert.deepStrictEqual(yield* send({ feePayer: payer, nonce: 0 }), [9, payer, 1_000_000, 1])
      assert.deepStrictEqual(yield* send({ fee_payer: payer, memo: "memo", gasLimit: 0 }), [17, payer, 1_000_000, 2])
      assert.deepStrictEqual(yield* send({ gasLimit: 80_000, gas: 90_000, nonce: 3 }), [8, undefined, 80_000, 3])
      assert.deepStrictEqual(yield* send({ gas: 90_000, memo: "", feePayer: null }), [8, undefined, 90_000, 4])
    })))

  it.effect("moves the balances of sender, receiver and fee payers by exactly the value and the fee", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const user = yield* feePayer
      const service = yield* globalPayer
      const moved = (path: string, more: object) =>
        Effect.gen(function*() {
          const all = Effect.all([from, user, service, somebody].map(balance))
          const before = yield* all
          const { body } = yield* ask("POST", path, { from, to: somebody, value: "0x5", submit: true, ...more })
          const after = yield* all
          const { fee, gasUsed } = yield* Effect.flatten((yield* chain).transaction(body.transactionHash))
          return { fee, gasUsed, by: after.map((one, index) => one - (before[index] ?? 0n)) }
        })
      const basic = 21_000n * unitPrice
      assert.deepStrictEqual(yield* moved("/v2/tx/value", {}), {
        fee: basic,
        gasUsed: 21_000n,
        by: [-5n - basic, 0n, 0n, 5n]
      })
      const paid = 31_000n * unitPrice
      assert.deepStrictEqual((yield* moved("/v2/tx/fd/value", {})).by, [-5n, 0n, -paid, 5n])
      assert.deepStrictEqual((yield* moved("/v2/tx/fd-user/value", { feePayer: user })).by, [-5n, -paid, 0n, 5n])
      assert.deepStrictEqual((yield* moved("/v2/tx/value", { feePayer: user })).by, [-5n, -paid, 0n, 5n])
      const shared = 36_000n * unitPrice
      const third = shared * 30n / 100n
      assert.deepStrictEqual((yield* moved("/v2/tx/fd/value", { feeRatio: 30 })).by, [
        -5n - (shared - third),
        0n,
        -third,
        5n
      ])
      assert.deepStrictEqual((yield* moved("/v2/tx/fd-user/value", { feeRatio: 30, feePayer: user })).by, [
        -5n - (shared - third),
        -third,
        0n,
        5n
      ])
    })))

  it.effect("at the same time without a nonce gets consecutive ones, and all are mined", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const other = yield* account
      const send = (sender: string, path: string) =>
        Effect.map(
          ask("POST", path, { from: sender, to: somebody, value: "0x1", submit: true }),
          ({ body }) => ({ nonce: body.nonce, hash: body.transactionHash })
        )
      const sent = yield* Effect.all(
        Array.from({ length: 50 }, (_, index) => send(from, index % 2 === 0 ? "/v2/tx/value" : "/v2/tx/fd/value")),
        { concurrency: "unbounded" }
      ).pipe(Effect.zip(
        Effect.all(Array.from({ length: 10 }, () => send(other, "/v2/tx/value")), {
          concurrency: "unbounded"
        }),
        { concurrent: true }
      ))
      assert.deepStrictEqual(
        sent.map((all) => all.map(({ nonce }) => nonce).toSorted((a, b) => a - b)),
        [Array.from({ length: 50 }, (_, nonce) => nonce), Array.from({ length: 10 }, (_, nonce) => nonce)]
      )
      const on = yield* chain
      const mined = yield* Effect.forEach(sent.flat(), ({ hash }) => Effect.flatten(on.transaction(hash)))
      assert.deepStrictEqual(new Set(mined.map(({ status }) => status)), new Set([1]))
      assert.strictEqual(yield* balance(somebody), 60n)
    })))

  it.effect("stands in the transfer history of sender and receiver at once", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const { body } = yield* ask("POST", "/v2/tx/fd/value", {
        from,
        to: somebody,
        value: "0x9",
        memo: "x",
        submit: true
      })
      for (const address of [from, somebody]) {
        const { text } = yield* get(`/v2/transfer/account/${address}?size=1`)
        const { items: [transfer] } = JSON.parse(text)
        assert.deepStrictEqual(
          [transfer.transactionHash, transfer.from, transfer.to, transfer.value, transfer.typeInt, transfer.feePayer],
          [body.transactionHash, from, somebody, "0x9", 17, yield* globalPayer]
        )
      }
    })))

  it.effect("waits for its block where blocks are made on demand, one nonce after the other", () =>
    run(
      Effect.gen(function*() {
        const { body: made } = yield* ask("POST", "/v2/account")
        const from = made.address.toLowerCase()
        const on = yield* chain
        yield* on.fund(hex(from), klay)
        const hashes: Array<`0x${string}`> = []
        for (let nonce = 0; nonce < 3; nonce++) {
          const { body } = yield* ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x1", submit: true })
          assert.deepStrictEqual([body.nonce, body.status], [nonce, "Submitted"])
          hashes.push(body.transactionHash)
        }
        assert.deepStrictEqual(yield* on.pending, hashes)
        assert.strictEqual(yield* balance(somebody), 0n)
        yield* on.mine()
        assert.strictEqual(yield* balance(somebody), 3n)
      }),
      { mining: "manual" }
    ))
})
