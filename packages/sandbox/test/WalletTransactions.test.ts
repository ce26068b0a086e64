import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sandbox from "../src/Sandbox.js"
import { ask, refusal } from "./support/wire.js"

const clock = { start: 1_600_000_000, step: 1 }
const somebody = "0x1111111111111111111111111111111111111111"
const unitPrice = 25_000_000_000n
const klay = 10n ** 18n

const run = <A, E>(test: Effect.Effect<A, E, Sandbox.Sandbox>, options: Sandbox.Options = {}) =>
  Effect.provide(test, Sandbox.layer({ seed: "wallet transactions", clock, ...options }))

const chain = Effect.map(Sandbox.Sandbox, ({ engine }) => engine.chain(1001))

const hex = (text: string): `0x${string}` => `0x${text.slice(2)}`

const fund = (address: string, peb = 100n * klay) => Effect.flatMap(chain, (on) => on.fund(hex(address), peb))

const balance = (address: string) =>
  Effect.map(
    Effect.flatMap(chain, (on) => on.account(hex(address))),
    Option.match({ onNone: () => 0n, onSome: (account) => account.balance })
  )

/** The address, in lower case, of a new account with coin. */
const account = (path = "/v2/account", body?: unknown) =>
  Effect.gen(function*() {
    const { body: made } = yield* ask("POST", path, body)
    yield* fund(made.address)
    return String(made.address).toLowerCase()
  })

const feePayer = account("/v2/feepayer", { withoutAccountUpdate: true })

/** Hash, sender and fee payer as the bytes of a transaction themselves tell. */
const proven = (rlp: string) => {
  const decoded = Transaction.decode(hex(rlp), { chainId: 1001 })
  if (!decoded.ok) throw decoded.error
  const transaction = decoded.value
  const senders = Transaction.recoverSenders(transaction, { chainId: 1001 })
  const payers = Transaction.isFeeDelegatedTransaction(transaction)
    ? Transaction.recoverFeePayers(transaction, { chainId: 1001 })
    : undefined
  return {
    hash: `0x${Buffer.from(keccak_256(Buffer.from(rlp.slice(2), "hex"))).toString("hex")}`,
    sender: senders.ok ? senders.value[0]?.address : senders.error,
    feePayer: payers === undefined ? undefined : payers.ok ? payers.value[0]?.address : payers.error,
    signatures: transaction.signatures
  }
}

/** The global fee payer. */
const globalPayer = Effect.map(Sandbox.Sandbox, ({ engine }) => engine.account("global fee payer").address)

describe("A value transfer", () => {
  it.effect("is signed, sent and mined, and answered with the bytes and their hash", () =>
    run(Effect.gen(function*() {
      const from = yield* account()
      const { body, status } = yield* ask("POST", "/v2/tx/value", {
        from,
        to: somebody,
        value: "0x12",
        submit: true
      })
      const { hash, sender, signatures } = proven(body.rlp)
      assert.deepStrictEqual([status, body], [200, {
        from,
        to: somebody,
        value: "0x12",
        gas: 1_000_000,
        gasPrice: "0x5d21dba00",
        nonce: 0,
        typeInt: 8,
        rlp: body.rlp,
        signatures: [{
          V: `0x${signatures[0]?.v.toString(16)}`,
          R: `0x${signatures[0]?.r.toString(16)}`,
          S: `0x${signatures[0]?.s.toString(16)}`
        }],
        status: "Submitted",
        transactionHash: hash
      }])
      assert.strictEqual(sender, from)
      assert.strictEqual(yield* balance(somebody), 18n)
      assert.strictEqual(yield* balance(from), 100n * klay - 18n - 21_000n * unitPrice)
    })))
})
