import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "../src/Hex.js"
import * as PrivateKey from "../src/PrivateKey.js"
import * as Transaction from "../src/Transaction.js"
import type { BlobSidecar } from "../src/TransactionBody.js"
import { get } from "./fixtures.js"

/** A transaction with a blob as a node of Kaia 2.2.1 gave its bytes, with the hash and the sender that it named. */
const recorded = {
  raw:
    "0x7803f8978203e980843b9aca008514f46b040082ea609400000000000000000000000000000000000a11ce0580c087038d7ea4c68000e1a001638cc81d248f2713b15ee421fbcbd715f76a07f79144e2ab3f696a996c9ba801a0737555fe0e8a94cb778d387342bc78f35cdaaaaf503ee58877f69f3125733641a05cde17230b55ae6250dfb5a64775af723bcc9b9fb13bc99e196a395ff7496fa9",
  hash: "0x306a2102c2a0f04ddece4d68fdca30ced3b3beee915c559cac9bb4b9f9b3f228",
  sender: "0x3b198163cd8266902d5da0977d81f1ca41a1c89d"
} as const

/** The sidecar of a blob of zeros: its commitment and all proofs are the point at infinity. */
const infinity: Hex = `0xc0${"00".repeat(47)}`
const sidecar: BlobSidecar = {
  version: 1,
  blobs: [`0x${"00".repeat(131_072)}`],
  commitments: [infinity],
  proofs: Array.from({ length: 128 }, () => infinity)
}

const withSidecar = (one: BlobSidecar): Transaction.Of<"EthereumBlob"> => ({
  ...get(Transaction.decode(recorded.raw)) as Transaction.Of<"EthereumBlob">,
  sidecar: one
})

describe("a transaction with blobs", () => {
  it("has the fields, the hash and the sender that a node names", () => {
    const decoded = get(Transaction.decode(recorded.raw, { chainId: 1001 }))
    const { signatures, ...body } = decoded
    assert.deepStrictEqual(body, {
      type: "EthereumBlob",
      chainId: 1001,
      nonce: 0n,
      maxPriorityFeePerGas: 1_000_000_000n,
      maxFeePerGas: 90_000_000_000n,
      gas: 60_000n,
      to: "0x00000000000000000000000000000000000a11ce",
      value: 5n,
      input: "0x",
      accessList: [],
      maxFeePerBlobGas: 1_000_000_000_000_000n,
      blobVersionedHashes: ["0x01638cc81d248f2713b15ee421fbcbd715f76a07f79144e2ab3f696a996c9ba8"]
    })
    assert.strictEqual(signatures.length, 1)
    assert.strictEqual(get(Transaction.encode(decoded)), recorded.raw)
    assert.strictEqual(get(Transaction.hash(decoded)), recorded.hash)
    assert.strictEqual(get(Transaction.recoverSenders(decoded, { chainId: 1001 }))[0]?.address, recorded.sender)
  })

  it("is sent with its sidecar, and has the same hash and signature without", () => {
    const sent = withSidecar(sidecar)
    const raw = get(Transaction.encode(sent))
    // The transaction, the version, and lists with a blob of 131,072 bytes, a commitment and 128 proofs.
    assert.strictEqual(raw.length, 2 + 2 * 137_565)
    assert.strictEqual(raw.slice(14, 14 + recorded.raw.length - 6), recorded.raw.slice(6))
    assert.strictEqual(raw.slice(14 + recorded.raw.length - 6, 30 + recorded.raw.length - 6), "01fa020004ba0200")
    assert.deepStrictEqual(get(Transaction.decode(raw)), sent)
    assert.strictEqual(get(Transaction.encode(sent, { form: "eth" })), `0x${raw.slice(4)}`)
    for (const hash of [Transaction.hash, Transaction.senderHash]) assert.strictEqual(get(hash(sent)), recorded.hash)
    assert.deepStrictEqual(Transaction.withoutSidecar(sent), get(Transaction.decode(recorded.raw)))
    const { signatures: _, ...unsigned } = sent
    const privateKey: Hex = `0x${"5".repeat(64)}`
    const made = get(Transaction.make(unsigned))
    const signed = get(Transaction.signAsSender(made, { chainId: 1001, privateKey }))
    assert.deepStrictEqual(signed.sidecar, sidecar)
    assert.strictEqual(
      get(Transaction.recoverSenders(signed, { chainId: 1001 }))[0]?.address,
      get(PrivateKey.toAddress(privateKey))
    )
    assert.deepStrictEqual(
      get(Transaction.signAsSender(Transaction.withoutSidecar(made), { chainId: 1001, privateKey })).signatures,
      signed.signatures
    )
  })

  it("may have a sidecar of version 0, whose bytes name no version", () => {
    const sent = withSidecar({ ...sidecar, version: 0, proofs: [infinity] })
    const raw = get(Transaction.encode(sent))
    assert.deepStrictEqual(get(Transaction.decode(raw)), sent)
    assert.strictEqual(get(Transaction.hash(sent)), recorded.hash)
  })

  it("says what is wrong with a sidecar", () => {
    const cases: ReadonlyArray<readonly [sidecar: object, path: string, message: string]> = [
      [{ ...sidecar, version: 2 }, "sidecar.version", "sidecar.version: is 2 instead of 1"],
      [{ ...sidecar, blobs: ["0x00"] }, "sidecar.blobs[0]", "sidecar.blobs[0]: has 1 bytes instead of 131072"],
      [
        { ...sidecar, commitments: ["0x00"] },
        "sidecar.commitments[0]",
        "sidecar.commitments[0]: has 1 bytes instead of 48"
      ],
      [{ ...sidecar, proofs: undefined }, "sidecar.proofs", "sidecar.proofs: is missing"]
    ]
    for (const [wrong, path, message] of cases) {
      const encoded = Transaction.encode(withSidecar(wrong as BlobSidecar))
      assert.deepStrictEqual(encoded.ok ? encoded.value : [encoded.error.path, encoded.error.message], [path, message])
    }
    const raw = get(Transaction.encode(withSidecar(sidecar)))
    const version = raw.indexOf("01fa020004")
    for (const [digits, message] of [["02", "is 2 instead of 1"], ["80", "is 0 instead of 1"]]) {
      const decoded = Transaction.decode(`${raw.slice(0, version)}${digits}${raw.slice(version + 2)}` as Hex)
      assert.strictEqual(decoded.ok ? "" : decoded.error.message, `sidecar.version: ${message}`)
    }
  })
})
