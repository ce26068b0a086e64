import { assert, describe, it } from "@effect/vitest"
import * as Secp256k1 from "../src/Secp256k1.js"
import type { Signature } from "../src/Signature.js"
import * as Transaction from "../src/Transaction.js"
import { get, K1, K2, reason } from "./fixtures.js"

const body = { nonce: 0n, gasPrice: 1n, gas: 31_000n, to: K2.address, value: 1n } as const

const transfer = get(Transaction.make({ type: "ValueTransfer", ...body, from: K1.address }))
const delegated = get(Transaction.make({ type: "FeeDelegatedValueTransfer", ...body, from: K1.address }))
const legacy = get(Transaction.make({ type: "LegacyTransaction", ...body, input: "0x" }))
const ethereum = get(Transaction.make({
  type: "EthereumDynamicFee",
  chainId: 1001,
  nonce: 0n,
  maxPriorityFeePerGas: 1n,
  maxFeePerGas: 2n,
  gas: 21_000n,
  to: K2.address,
  value: 0n,
  input: "0x",
  accessList: [{ address: K2.address, storageKeys: [`0x${"11".repeat(32)}`] }]
}))

const first = { chainId: 1001, privateKey: K1.privateKey }
const second = { chainId: 1001, privateKey: K2.privateKey }

/** Why it was refused and where, or true. */
const refusal = (result: ReturnType<typeof Transaction.encode>) => result.ok || [result.error.reason, result.error.path]

/** A transaction with some of its parts replaced by what no type would let in. */
const odd = (transaction: Transaction.Transaction, parts: object): Transaction.Transaction => ({
  ...transaction,
  ...parts
})

const [signature = assert.fail("it is not signed")] = get(Transaction.signAsSender(transfer, first)).signatures

describe("signing", () => {
  it("adds a signature of each key, once, for one chain", () => {
    for (const transaction of [transfer, delegated, legacy, ethereum]) {
      const once = get(Transaction.signAsSender<Transaction.Transaction>(transaction, first))
      assert.strictEqual(once.signatures.length, 1)
      assert.deepStrictEqual(get(Transaction.signAsSender(once, first)), once)
      assert.strictEqual(get(Transaction.signAsSender(once, second)).signatures.length, 2)
      assert.strictEqual(reason(Transaction.signAsSender(once, { ...second, chainId: 8217 })), "WrongChain")
    }
  })

  it("adds a signature where a back end can't tell whose the others are", () => {
    const blind: Secp256k1.Secp256k1 = { ...Secp256k1.noble, recover: () => undefined }
    const once = get(Transaction.signAsSender(transfer, { ...first, curve: blind }))
    assert.strictEqual(get(Transaction.signAsSender(once, { ...second, curve: blind })).signatures.length, 2)
  })

  it("as a fee payer is refused beside the signature of one that is not named", () => {
    const { feePayer: _, ...paid } = get(Transaction.signAsFeePayer(delegated, second))
    assert.strictEqual(reason(Transaction.signAsFeePayer(paid, second)), "FeePayerMismatch")
  })
})

describe("recovery", () => {
  it("tells who signed, also in an Ethereum type", () => {
    for (const transaction of [transfer, delegated, legacy, ethereum]) {
      const signed = get(Transaction.signAsSender<Transaction.Transaction>(transaction, first))
      assert.deepStrictEqual(get(Transaction.recoverSenders(signed, { chainId: 1001 })), [
        { publicKey: K1.publicKey, address: K1.address }
      ])
    }
  })

  it("takes no public key of another form from a back end", () => {
    const short: Secp256k1.Secp256k1 = { ...Secp256k1.noble, recover: () => new Uint8Array(33) }
    const none: Secp256k1.Secp256k1 = { ...Secp256k1.noble, recover: () => undefined }
    const signed = get(Transaction.signAsSender(transfer, first))
    for (const curve of [short, none]) {
      assert.strictEqual(reason(Transaction.recoverSenders(signed, { chainId: 1001, curve })), "InvalidSignature")
    }
  })

  it("is refused for two signatures that name no chain", () => {
    const nameless = { ...signature, v: signature.v - 2037n + 27n }
    const two = odd(legacy, { signatures: [nameless, nameless] })
    assert.strictEqual(reason(Transaction.recoverSenders(two, { chainId: 1001, unprotected: true })), "WrongChain")
  })
})

describe("writing refuses", () => {
  it("what is no transaction", () => {
    for (const value of [undefined, null, 7, "ValueTransfer", Symbol("ValueTransfer")]) {
      const result = Transaction.encode(value as unknown as Transaction.Transaction)
      assert.deepStrictEqual(refusal(result), ["WrongShape", ""])
      assert.include(result.ok ? "" : result.error.message, "is not a transaction")
    }
  })

  const cases: ReadonlyArray<readonly [name: string, Transaction.Transaction, why: string, path: string]> = [
    ["a nonce of more than 64 bits", odd(transfer, { nonce: 2n ** 64n }), "OutOfRange", "nonce"],
    ["gas of more than 64 bits", odd(transfer, { gas: 2n ** 64n }), "OutOfRange", "gas"],
    ["a key that is missing", odd(transfer, { type: "AccountUpdate" }), "WrongShape", "key"],
    ["an access list that is missing", odd(ethereum, { accessList: undefined }), "WrongShape", "accessList"],
    ["a hole in an access list", odd(ethereum, { accessList: [undefined] }), "WrongShape", "accessList[0].address"],
    [
      "storage keys that are missing",
      odd(ethereum, { accessList: [{ address: K2.address }] }),
      "WrongShape",
      "accessList[0].storageKeys"
    ],
    ["a hole in a list of signatures", odd(transfer, { signatures: [undefined] }), "WrongShape", "signatures[0].v"],
    [
      "a hole behind a signature",
      odd(transfer, { signatures: [signature, undefined] }),
      "WrongShape",
      "signatures[1].v"
    ],
    [
      "V that is no number",
      odd(transfer, { signatures: [{ ...signature, v: Symbol("v") }] }),
      "WrongShape",
      "signatures[0].v"
    ],
    ["two signatures of one", odd(legacy, { signatures: [signature, signature] }), "WrongShape", "signatures"],
    ["a hole behind the one", odd(legacy, { signatures: [signature, undefined] }), "WrongShape", "signatures"],
    [
      "a fee payer's signature without the fee payer",
      odd(get(Transaction.signAsFeePayer(delegated, second)), { feePayer: undefined }),
      "WrongShape",
      "feePayer"
    ],
    ...[2n, 27n, 37n].map((v) =>
      [
        `V of ${v} in an Ethereum type`,
        odd(ethereum, { signatures: [{ ...signature, v }] }),
        "InvalidSignature",
        "signatures[0].v"
      ] as const
    )
  ]
  it.each(cases)(
    "%s",
    (_, transaction, why, path) => assert.deepStrictEqual(refusal(Transaction.encode(transaction)), [why, path])
  )

  it("V of a chain ID above the largest, and no other", () => {
    const largest: Signature = { ...signature, v: 2n * BigInt(Number.MAX_SAFE_INTEGER) + 36n }
    assert.isTrue(refusal(Transaction.encode(odd(transfer, { signatures: [largest] }))))
    const above = { ...largest, v: largest.v + 1n }
    assert.deepStrictEqual(refusal(Transaction.encode(odd(transfer, { signatures: [above] }))), [
      "WrongChain",
      "signatures[0].v"
    ])
  })
})

describe("what the sender signed", () => {
  it("has a hash of its own, whatever the fee payer's signature", () => {
    const sent = get(Transaction.signAsSender(delegated, first))
    const other = get(Transaction.signAsFeePayer(delegated, { ...second, chainId: 8217 }))
    const mixed = { ...other, signatures: sent.signatures }
    assert.strictEqual(get(Transaction.senderHash(mixed)), get(Transaction.senderHash(sent)))
  })

  it("has none with signatures for two chains", () => {
    const [elsewhere = assert.fail("it is not signed")] =
      get(Transaction.signAsSender(transfer, { ...second, chainId: 8217 })).signatures
    const mixed = { ...transfer, signatures: [signature, elsewhere] }
    assert.strictEqual(reason(Transaction.senderHash(mixed)), "WrongChain")
  })
})

it("reads a fee payer of the zero address if one has signed", () => {
  const zero = "0x0000000000000000000000000000000000000000"
  const signed = get(Transaction.signAsFeePayer(delegated, { ...second, feePayer: zero }))
  const read = get(Transaction.decode(get(Transaction.encode(signed))))
  assert.deepStrictEqual(read, signed)
})
