import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as commands from "../src/internal/walletCommands.js"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

const bob = `0x${"b0".repeat(20)}` as const
const gkei = 10n ** 9n

const hex = (value: bigint): string => `0x${value.toString(16)}`

interface Created {
  readonly address: string
  readonly publicKey: string
}

/** An account with two keys, and a way to set the base fee of the next block. */
const start = Effect.gen(function*() {
  const sandbox = yield* Sandbox.make({ seed: "held" })
  const chain = sandbox.chains.chain(world.chain)
  const rpc = `${sandbox.url}/rpc/${world.chain}`
  const database = yield* world.file("index.db")
  const { ask } = yield* open(database, rpc)
  const node = (method: string, ...params: ReadonlyArray<unknown>) =>
    world.send(rpc, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(world.call(method, ...params))
    })
  const create = Effect.map(ask("POST", "/v2/account", {}), ({ body }): Created => body)
  const [account, other] = [yield* create, yield* create]
  yield* chain.fund(`0x${account.address.slice(2).toLowerCase()}`, 100n * klay)
  const updated = yield* ask("PUT", `/v2/account/${account.address}/multisig`, {
    threshold: 2,
    weightedKeys: [account, other].map(({ publicKey }) => ({ publicKey, weight: 1 }))
  })
  assert.strictEqual(updated.status, 200, updated.text)
  const pay = (key: string) =>
    ask("POST", "/v2/tx/value", { from: account.address, to: bob, value: "0x5", submit: true }, {
      "idempotency-key": key
    })
  const sign = (signer: Created, id: string) => ask("POST", `/v2/multisig/account/${signer.address}/tx/${id}/sign`)
  /** Hands in a signature that nobody of the account has made. */
  const signBadly = (id: string) =>
    ask("POST", `/v2/multisig/tx/${id}/sign`, {
      // The point with x = 1 is on the curve: a key belongs to this signature, whatever the bytes.
      signatures: [{ V: "0x7f5", R: "0x1", S: "0x1" }]
    })
  const waiting = Effect.map(
    ask("GET", `/v2/multisig/account/${account.address}/tx`),
    ({ body }) =>
      (body.items ?? []).map(({ status, transactionId, txData }: {
        readonly status: number
        readonly transactionId: string
        readonly txData: { readonly gasPrice: string; readonly nonce: number }
      }) => ({ id: transactionId, status, price: BigInt(txData.gasPrice) / gkei, nonce: txData.nonce }))
  )
  const baseFee = (price: bigint) =>
    Effect.zipRight(node("anvil_setNextBlockBaseFeePerGas", hex(price * gkei)), node("evm_mine"))
  const received = Effect.map(chain.account(bob), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))
  /** Makes the last signature, and waits until a block has paid. */
  const signLast = (id: string) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* sign(other, id)).body.status, "Submitted")
      yield* world.until(Effect.map(received, (balance) => balance === 5n))
    })
  return { account, other, baseFee, database, pay, sign, signBadly, signLast, waiting }
})

describe("a transaction that waits for the signatures of several", () => {
  it.scopedLive(
    "is made at four times the base fee, and runs when the base fee has risen meanwhile",
    () =>
      Effect.gen(function*() {
        const { account, baseFee, pay, sign, signLast, waiting } = yield* start
        const { body: { transactionId } } = yield* pay("one")
        assert.deepStrictEqual(yield* waiting, [{ id: transactionId, status: 2, price: 100n, nonce: 1 }])
        yield* sign(account, transactionId)
        yield* baseFee(90n)
        yield* signLast(transactionId)
      }),
    60_000
  )

  it.scopedLive(
    "takes the signatures of its keys alone",
    () =>
      Effect.gen(function*() {
        const { account, pay, sign, signBadly, signLast } = yield* start
        const { body: { transactionId } } = yield* pay("one")
        yield* sign(account, transactionId)
        const { body, status } = yield* signBadly(transactionId)
        assert.strictEqual(status, 400)
        assert.include(body.message, "account is invalid to sign the transaction")
        // With another signature beside those of the keys, no node would take it.
        yield* signLast(transactionId)
      }),
    60_000
  )

  it.scopedLive(
    "and that its owner has ended is signed and sent by nobody",
    () =>
      Effect.gen(function*() {
        const { account, database, other, pay, sign, signLast, waiting } = yield* start
        const { body: { transactionId } } = yield* pay("one")
        assert.strictEqual((yield* sign(account, transactionId)).body.status, "Signed")
        yield* commands.endRow(database, {}, { table: "pending", id: 1 })
        for (const signer of [account, other]) {
          const { body, status } = yield* sign(signer, transactionId)
          assert.strictEqual(status, 400)
          assert.include(body.message, "data don't exist")
        }
        assert.deepStrictEqual(yield* waiting, [])
        // Its nonce is free for what follows.
        const { body: next } = yield* pay("two")
        assert.deepStrictEqual((yield* waiting).map(({ nonce }: { readonly nonce: number }) => nonce), [1])
        yield* sign(account, next.transactionId)
        yield* signLast(next.transactionId)
      }),
    60_000
  )

  it.scopedLive(
    "is not sent at a price below the base fee: its signers are asked anew at the same nonce",
    () =>
      Effect.gen(function*() {
        const { account, baseFee, other, pay, sign, signLast, waiting } = yield* start
        const { body: { transactionId } } = yield* pay("one")
        yield* sign(account, transactionId)
        yield* baseFee(150n)
        // As long as the wallet has the base fee of before in mind, the node refuses.
        const last = yield* Effect.repeat(sign(other, transactionId), {
          until: ({ text }) => text.includes("takes its place"),
          times: 20
        })
        assert.strictEqual(last.status, 400, last.text)
        const [next] = yield* waiting
        assert.deepInclude(next, { status: 2, price: 600n, nonce: 1 })
        assert.include(last.body.message, `${next.id} takes its place at 600 gkei: sign that one`)
        // Nobody has signed the new price, and the old transaction is over for all.
        assert.deepStrictEqual(yield* waiting, [next])
        assert.strictEqual((yield* sign(account, transactionId)).body.message, last.body.message)
        assert.deepInclude((yield* sign(account, next.id)).body, { status: "Signed", signedWeight: 1 })
        yield* signLast(next.id)
        assert.deepStrictEqual(yield* waiting, [])
      }),
    60_000
  )
})

describe("a price", () => {
  it.scopedLive(
    "is not paid above the bound, whether the node names it or a caller in raw bytes",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* Sandbox.make({ seed: "bound" })
        const chain = sandbox.chains.chain(world.chain)
        const rpc = `${sandbox.url}/rpc/${world.chain}`
        const { ask } = yield* open(yield* world.file("index.db"), rpc, {
          wallet: { feePayerStyle: "paths", maxGasPrice: 40n * gkei }
        })
        const { body: { address } } = yield* ask("POST", "/v2/account", {})
        const from: `0x${string}` = address.toLowerCase()
        yield* chain.fund(from, 100n * klay)
        const raw = (gasPrice: bigint, nonce: bigint) => {
          const fields = { type: "ValueTransfer", nonce, gasPrice, gas: 25_000n, from, to: bob, value: 5n } as const
          const made = Transaction.make(fields)
          const rlp = made.ok ? Transaction.encode(made.value) : made
          return ask("POST", "/v2/tx/rlp", { rlp: rlp.ok ? rlp.value : "", submit: true })
        }
        const refused = yield* raw(41n * gkei, 0n)
        assert.deepStrictEqual([refused.status, refused.body.code], [400, 1069403])
        assert.include(refused.body.message, "the price 41 gkei is above 40 gkei")
        assert.strictEqual((yield* raw(40n * gkei, 0n)).status, 200)
        const fee = { method: "anvil_setNextBlockBaseFeePerGas", params: [hex(41n * gkei)] }
        for (const { method, params } of [fee, { method: "evm_mine", params: [] }]) {
          yield* world.send(rpc, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(world.call(method, ...params))
          })
        }
        const dear = yield* Effect.delay(
          ask("POST", "/v2/tx/value", { from, to: bob, value: "0x5", submit: true }),
          "300 millis"
        )
        assert.deepStrictEqual([dear.status, dear.body.code], [400, 1069403])
        assert.match(dear.body.message, /the base fee of the newest block, 41 gkei, is above 40 gkei/)
      }),
    60_000
  )
})
