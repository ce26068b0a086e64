/** Bytes that callers hand in: what is refused before anything is signed, counted or stored, and what is written down of it. */
import { unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as signing from "../src/internal/wallet/signing.js"
import { chain, make, serve } from "./support/guardedWallet.js"

const bob = `0x${"b0".repeat(20)}` as const
const klay = 10n ** 18n
const gkei = 10n ** 9n

const limited: WalletCaller = { ...unlimited("limited"), limits: { largestFee: klay } }

const start = Effect.gen(function*() {
  const opened = yield* make({ maxPrice: 40n * gkei })
  const { audit, local, wallet } = opened
  const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
  yield* local.fund(account.address, 100n * klay)
  const ask = yield* serve(opened, [limited, unlimited("all")])
  const fields = { nonce: 0n, gas: 25_000n, gasPrice: 25n * gkei, from: account.address, to: bob, value: 1n }
  const privateKey = new Uint8Array(32).fill(7)
  /** The bytes of a payment that the account has signed, or another key. */
  const signed = (
    change: Partial<typeof fields>,
    { by = "account", type = "ValueTransfer" }: {
      readonly by?: "account" | "another"
      readonly type?: "ValueTransfer" | "FeeDelegatedValueTransfer"
    } = {}
  ) =>
    Effect.gen(function*() {
      const made = Transaction.make({ type, ...fields, ...change })
      assert(made.ok)
      const options = { chainId: chain, curve: wallet.curve }
      const signer = yield* wallet.signer(account)
      const key = by === "another" ? privateKey : Redacted.value(signer.privateKey)
      const transaction = Transaction.signAsSender(made.value, { ...options, privateKey: key })
      assert(transaction.ok)
      return yield* signing.encode(transaction.value)
    })
  /** The answer to bytes, and the events that it leaves in the audit log. */
  const send = (rlp: Hex, path = "/v2/tx/rlp") =>
    Effect.gen(function*() {
      const before = (yield* audit.verify())?.number ?? 0
      const { body } = yield* ask("limited", { method: "POST", path, body: { rlp, submit: true } })
      const lines = yield* audit.after(before)
      return { body, events: lines.map(({ line }): unknown => JSON.parse(line).event) }
    })
  /** The transaction that the wallet makes of bytes, and does not send. */
  const paid = (rlp: Hex) =>
    Effect.gen(function*() {
      const { body } = yield* ask("limited", { method: "POST", path: "/v2/tx/fd/rlp", body: { rlp, submit: false } })
      const raw = `0x${String(body["rlp"]).slice(2)}` as const
      const transaction = yield* signing.decode(raw)
      assert(Transaction.isFeeDelegatedTransaction(transaction))
      return { raw, signatures: transaction.feePayerSignatures }
    })
  return { paid, send, signed }
})

describe("a raw transaction", () => {
  it.scoped("is refused before it is written down as sent, by what no node takes and its signers may not sign", () =>
    Effect.gen(function*() {
      const { send, signed } = yield* start
      const gas = Transaction.largestGas + 1n
      const delegated = yield* signed({ gas: 400_000_000n }, { type: "FeeDelegatedValueTransfer" })
      const tried = [
        [yield* send(yield* signed({ gasPrice: 41n * gkei })), 1069403, /41 gkei is above 40 gkei/],
        [yield* send(yield* signed({ gas })), 1065001, /gas limit exceeds the upper limit/],
        [yield* send(`0x${"00".repeat(Transaction.largestSize + 1)}`), 1065001, /oversized data/],
        [yield* send(delegated, "/v2/tx/fd/rlp"), 1069403, /the fee may be larger than 1 KLAY/],
        [yield* send(yield* signed({}, { by: "another" })), 1065001, /invalid account key/]
      ] as const
      for (const [{ body, events }, code, message] of tried) {
        assert.deepStrictEqual([body.code, events], [code, ["refused"]], JSON.stringify(body))
        assert.match(body.message ?? "", message)
      }
      const { body, events } = yield* send(yield* signed({}))
      assert.deepStrictEqual([body.code, events], [undefined, ["sent"]], JSON.stringify(body))
    }))

  it.scoped("is paid for by one signature of the fee payer, in place of an earlier one", () =>
    Effect.gen(function*() {
      const { paid, send, signed } = yield* start
      const first = yield* paid(yield* signed({ gas: 50_000n }, { type: "FeeDelegatedValueTransfer" }))
      const second = yield* paid(first.raw)
      assert.deepStrictEqual([first.signatures.length, second.signatures.length], [1, 1])
      assert.notStrictEqual(second.signatures[0]?.r, first.signatures[0]?.r)
      const { body } = yield* send(first.raw, "/v2/tx/fd/rlp")
      assert.strictEqual(body["status"], "Submitted", JSON.stringify(body))
    }))
})
