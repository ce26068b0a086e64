import { assert, describe, it } from "@effect/vitest"
import * as Transaction from "../src/Transaction.js"
import * as TransactionType from "../src/TransactionType.js"
import { get, K1, K2, load } from "./fixtures.js"

const { chainId, feePayerPrivateKey, senderPrivateKey, vectors } = load("documentation")

describe("the worked example of the documentation", () => {
  it("exists for the legacy type and all 21 Klaytn types", () => {
    assert.deepStrictEqual(
      vectors.map((vector) => vector.transaction.type),
      TransactionType.all.filter((type) => !TransactionType.isEthereum(type))
    )
  })

  for (const vector of vectors) {
    const name = vector.transaction.type

    it(`${name}: signing its fields with its keys gives its raw bytes and hashes`, () => {
      let transaction = get(Transaction.make(vector.transaction))
      assert.strictEqual(get(Transaction.senderDigest(transaction, chainId)), vector.senderDigest)
      transaction = get(Transaction.signAsSender(transaction, { chainId, privateKey: senderPrivateKey }))
      if (Transaction.isFeeDelegatedTransaction(transaction)) {
        assert.strictEqual(get(Transaction.feePayerDigest(transaction, chainId)), vector.feePayerDigest)
        transaction = get(Transaction.signAsFeePayer(transaction, { chainId, privateKey: feePayerPrivateKey }))
      }
      assert.strictEqual(get(Transaction.encode(transaction)), vector.raw)
      assert.strictEqual(get(Transaction.hash(transaction)), vector.hash)
      assert.strictEqual(get(Transaction.senderHash(transaction)), vector.senderHash)
    })

    it(`${name}: its raw bytes decode to its fields and name its signers`, () => {
      const decoded = get(Transaction.decode(vector.raw, { chainId }))
      const { signatures, ...fields } = decoded
      const { feePayerSignatures: _, ...body } = { feePayerSignatures: [], ...fields }
      assert.deepStrictEqual(body, { ...vector.transaction })
      assert.strictEqual(signatures.length, 1)
      assert.deepStrictEqual(get(Transaction.recoverSenders(decoded, { chainId })), [
        { publicKey: K1.publicKey, address: K1.address }
      ])
      if (Transaction.isFeeDelegatedTransaction(decoded)) {
        assert.deepStrictEqual(get(Transaction.recoverFeePayers(decoded, { chainId })), [
          { publicKey: K2.publicKey, address: K2.address }
        ])
      }
    })
  }
})

describe("the published Ethereum types", () => {
  const ethereum = load("ethereum")

  for (const vector of ethereum.vectors) {
    const name = vector.transaction.type

    it(`${name}: encodes to the published bytes, with 0x78 for klay_ and without for eth_ methods`, () => {
      assert.strictEqual(get(Transaction.senderPayload(vector.transaction, ethereum.chainId)), vector.senderPayload)
      assert.strictEqual(get(Transaction.encode(vector.transaction)), vector.raw)
      assert.strictEqual(get(Transaction.encode(vector.transaction, { form: "eth" })), `0x${vector.raw.slice(4)}`)
    })

    it(`${name}: decodes from both forms to the same transaction and hash`, () => {
      const klay = get(Transaction.inspect(vector.raw, { chainId: ethereum.chainId }))
      const eth = get(Transaction.inspect(`0x${vector.raw.slice(4)}`, { chainId: ethereum.chainId }))
      assert.deepStrictEqual(klay.transaction, vector.transaction)
      assert.deepStrictEqual(eth.transaction, klay.transaction)
      assert.deepStrictEqual([klay.wrapped, eth.wrapped], [true, false])
      assert.strictEqual(get(Transaction.hash(klay.transaction)), get(Transaction.senderHash(eth.transaction)))
    })
  }
})
