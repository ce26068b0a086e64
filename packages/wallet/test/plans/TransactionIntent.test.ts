import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as Result from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as intents from "../../src/internal/plans/transactionIntent.js"
import type { FoundTransaction } from "../../src/SendOutcome.js"
import type { TransactionRequest } from "../../src/TransactionRequest.js"
import { TransactionResult } from "../../src/TransactionResult.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"

const alice = Either.getOrThrow(Address.make(Records.alice))
const bob = Either.getOrThrow(Address.make(Records.bob))
const signer = Either.getOrThrow(Address.make(Old.oldAddress))
const hash = Either.getOrThrow(Hash.make(Records.hash))
const value = Schema.decodeSync(Amount.Peb)(10n ** 18n)
const data = (text: string) => Either.getOrThrow(HexEncoding.makeData(text))

/** The bytes of a transaction, signed with the key of `Old` unless nobody shall have. */
const bytes = (given: Parameters<typeof Transaction.make>[0], signed = true, chainId = 1001) => {
  const made = Transaction.make(given)
  const whole = signed
    ? Result.flatMap(made, (one) => Transaction.signAsSender(one, { chainId, privateKey: Old.oldKey }))
    : made
  const encoded = Result.flatMap(whole, (one) => Transaction.encode(one))
  assert.isTrue(encoded.ok)
  return data(encoded.ok ? encoded.value : "")
}

const common = { nonce: 7n, gas: 21_000n, gasPrice: 25_000_000_000n }
const legacy = { type: "LegacyTransaction", ...common, to: bob, value, input: "0x" } as const
const transfer = { type: "ValueTransfer", ...common, from: alice, to: bob, value } as const
const dynamic = {
  type: "EthereumDynamicFee",
  chainId: 1001,
  nonce: 7n,
  gas: 21_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  to: bob,
  value,
  input: "0x",
  accessList: []
} as const

const asked = (request: TransactionRequest, nonce?: number): intents.TransactionIntent =>
  intents.make({ request, chain: 1001, nonce })
const raw = (rlp: HexEncoding.HexData) => asked({ _tag: "Rlp", rlp })

const key = { type: "AccountKeyPublic", publicKey: `0x${Records.publicKey.slice(2)}` } as const
const encodedKey = (accountKey: AccountKey.AccountKey): string => {
  const encoded = AccountKey.encode(accountKey)
  return encoded.ok ? encoded.value : ""
}

const found = (typeInt: number, more: Partial<FoundTransaction> = {}): FoundTransaction => ({
  transactionHash: hash,
  from: alice,
  nonce: 7,
  typeInt,
  to: undefined,
  value: 0n,
  input: "0x",
  key: undefined,
  feePayer: undefined,
  state: "succeeded",
  ...more
})

describe("a transaction on the chain", () => {
  it("is what was asked for if its kind, receiver, value, input and key are, whoever pays", () => {
    const rows: ReadonlyArray<
      readonly [request: TransactionRequest, typeInt: number, more: Partial<FoundTransaction>]
    > = [
      [{ _tag: "Value", from: alice, to: bob, value }, 8, { to: bob, value }],
      [{ _tag: "Value", from: alice, to: bob, value, memo: "hi" }, 16, { to: bob, value, input: "0x6869" }],
      [{ _tag: "Deploy", from: alice, input: data("0x01") }, 40, { input: "0x01" }],
      [{ _tag: "Deploy", from: alice, input: data("0x01"), value }, 40, { input: "0x01", value }],
      [{ _tag: "Execute", from: alice, to: bob, input: data("0x01") }, 48, { to: bob, input: "0x01" }],
      [{ _tag: "Execute", from: alice, to: bob, input: data("0x01"), value }, 48, { to: bob, input: "0x01", value }],
      [{ _tag: "Anchor", from: alice, input: data("0x02") }, 72, { input: "0x02" }],
      [{ _tag: "Cancel", from: alice, nonce: 7 }, 56, {}],
      [{ _tag: "AccountUpdate", from: alice, accountKey: key }, 32, { key: encodedKey(key) }]
    ]
    for (const [request, typeInt, more] of rows) {
      for (const payer of [0, 1, 2]) {
        assert.strictEqual(intents.compare(asked(request), found(typeInt + payer, more)), "same", request._tag)
      }
      const others = [
        found(typeInt + 8, more),
        found(typeInt, { ...more, to: alice }),
        found(typeInt, { ...more, value: 5n }),
        found(typeInt, { ...more, input: "0xff" }),
        found(typeInt, { ...more, from: bob }),
        ...(more.key === undefined ? [] : [found(typeInt, { ...more, key: "0x01c0" })])
      ]
      // A transfer with an input is a transfer still, with a memo.
      for (const other of request._tag === "Value" ? others.slice(1) : others) {
        assert.strictEqual(intents.compare(asked(request), other), "different", request._tag)
      }
    }
    const old: TransactionRequest = { _tag: "Legacy", from: alice, to: bob, value, input: data("0x") }
    assert.strictEqual(intents.compare(asked(old), found(0, { to: bob, value })), "same")
    assert.strictEqual(intents.compare(asked(old), found(8, { to: bob, value })), "different")
  })

  it("is told by the kinds of Ethereum one by one", () => {
    const sent = raw(bytes(dynamic))
    const same = { from: signer, to: bob, value }
    assert.strictEqual(intents.compare(sent, found(30722, same)), "same")
    assert.strictEqual(intents.compare(sent, found(30721, same)), "different")
  })

  it("can't be told from what can't be read, or where only one side shows a key", () => {
    assert.strictEqual(intents.compare(raw(data("0x1234")), found(8)), "unclear")
    assert.strictEqual(
      intents.compare(asked({ _tag: "AccountUpdate", from: alice, accountKey: key }), found(32)),
      "unclear"
    )
    assert.strictEqual(
      intents.compare(asked({ _tag: "Anchor", from: alice, input: data("0x") }), found(72, { key: "0x01c0" })),
      "unclear"
    )
  })
})

describe("raw bytes", () => {
  it("are sent by who stands in them, whoever signed; in the forms without a sender by who signed", () => {
    assert.strictEqual(raw(bytes(transfer)).from, alice)
    assert.strictEqual(raw(bytes(legacy)).from, signer)
    assert.strictEqual(raw(bytes(legacy, false)).from, undefined)
    assert.strictEqual(asked({ _tag: "Rlp", rlp: bytes(legacy, false), from: bob }).from, bob)
  })

  it("are safe to repeat once they are signed or name a nonce above 0", () => {
    assert.isTrue(raw(bytes({ ...legacy, nonce: 0n })).isKeyed)
    assert.isTrue(raw(bytes(legacy, false)).isKeyed)
    assert.isFalse(raw(bytes({ ...legacy, nonce: 0n }, false)).isKeyed)
    assert.isFalse(raw(data("0x1234")).isKeyed)
  })

  it("of another chain can't be read, and are told from those that nobody can read", () => {
    const elsewhere = bytes(legacy, true, 8217)
    assert.strictEqual(raw(elsewhere).raw, undefined)
    assert.isTrue(intents.isOfAnotherChain(intents.readRaw(elsewhere, 1001)))
    assert.isFalse(intents.isOfAnotherChain(intents.readRaw(elsewhere, 8217)))
    assert.isFalse(intents.isOfAnotherChain(intents.readRaw("0x1234", 1001)))
  })

  it("move what they say, and anything where they call, create, change a key or can't be read", () => {
    const moves = (rlp: HexEncoding.HexData): unknown => intents.movesOf(raw(rlp), undefined)
    const fee = 21_000n * 25_000_000_000n
    assert.deepStrictEqual(moves(bytes(transfer)), { to: bob, value, fee, opaque: false })
    assert.deepStrictEqual(moves(bytes(legacy)), { to: bob, value, fee, opaque: false })
    assert.deepStrictEqual(moves(bytes({ ...legacy, input: "0x01" })), { to: bob, value, fee, opaque: true })
    assert.deepStrictEqual(moves(bytes({ type: "LegacyTransaction", ...common, value, input: "0x" })), {
      to: undefined,
      value,
      fee,
      opaque: true
    })
    assert.deepStrictEqual(moves(bytes({ type: "AccountUpdate", ...common, from: alice, key })), {
      to: undefined,
      value: 0n,
      fee,
      opaque: true
    })
    assert.deepStrictEqual(moves(data("0x1234")), { to: undefined, value: 0n, fee: 0n, opaque: true })
  })
})

describe("an answer", () => {
  const payment = asked({ _tag: "Value", from: alice, to: bob, value }, 7)
  const told = (more: object) =>
    Schema.decodeUnknownSync(TransactionResult)({
      ...Records.result,
      signatures: undefined,
      transactionHash: undefined,
      rlp: undefined,
      ...more
    })

  it("fits where nothing in it is anything else than was asked for", () => {
    assert.strictEqual(intents.mismatch(payment, told({})), undefined)
    assert.strictEqual(intents.mismatch(payment, told({ rlp: bytes(transfer) })), undefined)
    assert.strictEqual(intents.mismatch(payment, told({ rlp: "0x1234" })), undefined)
    assert.strictEqual(intents.mismatch({ ...payment, nonce: undefined }, told({ nonce: 9 })), undefined)
    assert.strictEqual(intents.mismatch(raw(data("0x1234")), told({ from: bob, rlp: "0x5678" })), undefined)
    // Bytes without a sender of their own, which nobody signed yet.
    const old = asked({ _tag: "Legacy", from: alice, to: bob, value }, 7)
    assert.strictEqual(intents.mismatch(old, told({ rlp: bytes(legacy, false) })), undefined)
  })

  it("says that the transaction of its name can't run any more, whatever its nonce", () => {
    for (const [stage, nonce] of [["replaced", 3], ["cancelled", 7]] as const) {
      const answer = told({ nonce, status: "CommitError", outcome: { stage, since: 1 } })
      assert.isFalse(intents.isOfLowerNonce(payment, answer))
      assert.include(intents.mismatch(payment, answer), `can't run any more (${stage})`)
    }
    assert.strictEqual(
      intents.mismatch(payment, told({ status: "CommitError" })),
      "a transaction that failed in its block"
    )
  })

  it("fits where its bytes are of a kind of Ethereum, whose hash leaves out the first byte", () => {
    const rlp = bytes(dynamic)
    const sent = raw(rlp)
    const transactionHash = sent.raw === undefined ? undefined : intents.hashOf(sent.raw)
    assert.isDefined(transactionHash)
    const answer = told({ from: signer, typeInt: 30722, rlp, transactionHash })
    assert.strictEqual(intents.mismatch(sent, answer), undefined)
    assert.strictEqual(
      intents.mismatch(sent, told({ from: signer, typeInt: 30722, rlp, transactionHash: Records.otherHash })),
      "a hash that is not that of its own bytes"
    )
  })

  it("does not fit where its bytes are of another sender, nonce, content, key or chain", () => {
    const misfits: ReadonlyArray<readonly [rlp: HexEncoding.HexData, what: string]> = [
      [bytes({ ...transfer, from: bob }), "bytes of another sender or nonce"],
      [bytes({ ...transfer, nonce: 8n }), "bytes of another sender or nonce"],
      [bytes(legacy), "bytes of another sender or nonce"],
      [bytes({ ...transfer, to: alice }), "another content"],
      [bytes({ ...transfer, value: 1n }), "another content"],
      [bytes({ ...transfer, type: "ValueTransferMemo", input: "0x01" }), "another content"],
      [bytes({ type: "Cancel", ...common, from: alice }), "another content"],
      [bytes(transfer, true, 8217), "bytes of another chain"]
    ]
    for (const [rlp, what] of misfits) assert.strictEqual(intents.mismatch(payment, told({ rlp })), what)
    const update = asked({ _tag: "AccountUpdate", from: alice, accountKey: key }, 7)
    const updated = (accountKey: AccountKey.AccountKey) =>
      intents.mismatch(
        update,
        told({
          to: null,
          value: null,
          rlp: bytes({ type: "AccountUpdate", ...common, from: alice, key: accountKey })
        })
      )
    assert.strictEqual(updated(key), undefined)
    assert.strictEqual(updated({ type: "AccountKeyLegacy" }), "another content")
    const old = asked({ _tag: "Legacy", from: alice, to: bob, value }, 7)
    const created = bytes({ type: "LegacyTransaction", ...common, value, input: "0x" }, false)
    assert.strictEqual(intents.mismatch(old, told({ rlp: created })), "another content")
  })
})
