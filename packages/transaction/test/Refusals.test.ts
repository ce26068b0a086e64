import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Hex from "../src/Hex.js"
import * as PrivateKey from "../src/PrivateKey.js"
import * as PublicKey from "../src/PublicKey.js"
import * as Secp256k1 from "../src/Secp256k1.js"
import * as Signature from "../src/Signature.js"
import * as Transaction from "../src/Transaction.js"
import { get, K1, K2, reason } from "./fixtures.js"

// The worked example of a value transfer: type 8, chain 1.
const head = "8204d219830f4240947b65b75d204abed71587c9e519a89277766ee1d00a94a94f5374fce5edbc8e2a8697c15331677e6ebf0b"
const R = "f3d0cd43661cabf53425535817c5058c27781f478cb5459874feaa462ed3a29a"
const S = "6748abe186269ff10b8100a4b7d7fea274b53ea2905acbf498dc8b5ab1bf4fbc"
const raw = `0x08f87a${head}f845f84325a0${R}a0${S}` as const

const decoded = get(Transaction.decode(raw))

type Item = string | Array<Item>

const real: Array<Item> = ["0x25", `0x${R}`, `0x${S}`]

/** The same transaction with some elements replaced, written by a general RLP library. */
const write = (changes: Record<number, Item>): Hex.Hex => {
  const items: Array<Item> = [
    "0x04d2",
    "0x19",
    "0x0f4240",
    "0x7b65b75d204abed71587c9e519a89277766ee1d0",
    "0x0a",
    K1.address,
    [real]
  ]
  for (const [i, item] of Object.entries(changes)) {
    items[Number(i)] = item
  }
  return `0x08${Hex.fromBytes(RLP.encode(items)).slice(2)}`
}

describe("decoding refuses", () => {
  const cases: ReadonlyArray<readonly [name: string, raw: Hex.Hex, reason: string, path: string]> = [
    ["no bytes", "0x", "Truncated", ""],
    ["a list of nothing", "0xc0", "WrongShape", "nonce"],
    ["a type that is reserved", `0x18${raw.slice(4)}`, "UnknownType", "type"],
    ["a type of Ethereum that it does not know", "0x7805c0", "UnknownType", "type"],
    ["0x78 with nothing behind it", "0x78", "UnknownType", "type"],
    ["bytes behind the transaction", `${raw}00`, "TrailingBytes", ""],
    ["bytes that end early", Hex.fromBytes(get(Hex.toBytes(raw)).subarray(0, -1)), "Truncated", ""],
    ["a leading zero in an integer", write({ 0: "0x0004d2" }), "LeadingZero", "nonce"],
    ["a zero that is written out", write({ 0: "0x00" }), "LeadingZero", "nonce"],
    ["an integer of more than 64 bits", write({ 0: `0x01${"00".repeat(8)}` }), "OutOfRange", "nonce"],
    ["an integer of more than 256 bits", write({ 1: `0x01${"00".repeat(32)}` }), "OutOfRange", "gasPrice"],
    ["an address that is too short", write({ 3: "0x7b65" }), "WrongShape", "to"],
    ["a list where bytes belong", write({ 3: ["0x7b65"] }), "WrongShape", "to"],
    ["bytes where a list belongs", write({ 6: "0x01" }), "WrongShape", "signatures"],
    ["a field too many", write({ 7: "0x" }), "WrongShape", ""],
    ["a field too few", `0x08f3${head}`, "WrongShape", ""],
    ["a signature of two numbers", write({ 6: [["0x25", `0x${R}`]] }), "WrongShape", "signatures[0]"],
    [
      "a placeholder beside a signature",
      write({ 6: [["0x01", "0x", "0x"], real] }),
      "InvalidSignature",
      "signatures[0]"
    ],
    ["a placeholder with another V", write({ 6: [["0x02", "0x", "0x"]] }), "InvalidSignature", "signatures[0]"],
    ["V of a placeholder with R", write({ 6: [["0x01", `0x${R}`, "0x"]] }), "InvalidSignature", "signatures[0]"],
    ["V of a placeholder with S", write({ 6: [["0x01", "0x", `0x${S}`]] }), "InvalidSignature", "signatures[0]"],
    ["V of a placeholder with both", write({ 6: [["0x01", `0x${R}`, `0x${S}`]] }), "WrongChain", "signatures[0].v"],
    [
      "R of the order",
      write({ 6: [["0x25", `0x${Signature.order.toString(16)}`, `0x${S}`]] }),
      "InvalidSignature",
      "signatures[0]"
    ],
    [
      "S of the order",
      write({ 6: [["0x25", `0x${R}`, `0x${Signature.order.toString(16)}`]] }),
      "InvalidSignature",
      "signatures[0]"
    ],
    [
      "S above the order",
      write({ 6: [["0x25", `0x${R}`, `0x${"ff".repeat(32)}`]] }),
      "InvalidSignature",
      "signatures[0]"
    ],
    ["R of zero", write({ 6: [["0x25", "0x", `0x${S}`]] }), "InvalidSignature", "signatures[0]"],
    ["S of zero", write({ 6: [["0x25", `0x${R}`, "0x"]] }), "InvalidSignature", "signatures[0]"],
    [
      "R above the order",
      write({ 6: [["0x25", `0x${"ff".repeat(32)}`, `0x${S}`]] }),
      "InvalidSignature",
      "signatures[0]"
    ],
    [
      "signatures for two chains",
      write({ 6: [real, ["0x0805", `0x${R}`, `0x${S}`]] }),
      "WrongChain",
      "signatures[1].v"
    ],
    [
      "a byte below 0x80 with a prefix",
      `0x08f87b8204d28119${head.slice(8)}f845f84325a0${R}a0${S}`,
      "NonCanonicalRlp",
      ""
    ],
    ["a long length for few bytes", `0x08f87b${head}f846f84425b820${R}a0${S}`, "NonCanonicalRlp", ""],
    ["a length with a leading zero", `0x08f9007a${head}f845f84325a0${R}a0${S}`, "NonCanonicalRlp", ""],
    ["bytes where the whole list belongs", "0x0880", "WrongShape", ""],
    ["lists in lists in lists", "0x08c5c4c3c2c1c0", "WrongShape", ""],
    ["V that names no chain", `0x08f87a${head}f845f8431ba0${R}a0${S}`, "WrongChain", "signatures[0].v"]
  ]

  for (const [name, bytes, why, path] of cases) {
    it(`${name}`, () => {
      const result = Transaction.decode(bytes)
      assert.isFalse(result.ok)
      if (!result.ok) {
        assert.deepStrictEqual([result.error.reason, result.error.path], [why, path])
        assert.strictEqual(result.error._tag, "TransactionError")
      }
    })
  }

  it("nothing of the unchanged example", () => assert.strictEqual(write({}), raw))

  it("text that is not hexadecimal", () => {
    assert.strictEqual(reason(Transaction.decode("0x0")), "NotHex")
    assert.strictEqual(reason(Transaction.decode("0xzz")), "NotHex")
  })

  it("high S, the other form of the same signature", () => {
    const [signature] = decoded.signatures
    assert.isDefined(signature)
    if (signature !== undefined) {
      const high = { ...signature, v: signature.v + 1n, s: Signature.order - signature.s }
      assert.isTrue(Signature.isHighS(high))
      const written = high.s.toString(16).padStart(64, "0")
      const result = Transaction.decode(`0x08f87a${head}f845f84326a0${R}a0${written}`)
      assert.strictEqual(reason(result), "HighS")
      const transaction = { ...decoded, signatures: [high] }
      assert.strictEqual(reason(Transaction.encode(transaction)), "HighS")
      assert.strictEqual(reason(Transaction.recoverSenders(transaction, { chainId: 1 })), "HighS")
    }
  })

  it("V of another chain than the one asked for", () => {
    assert.strictEqual(reason(Transaction.decode(raw, { chainId: 1001 })), "WrongChain")
    assert.strictEqual(reason(Transaction.decode(raw, { chainId: 1 })), "accepted")
    assert.strictEqual(reason(Transaction.recoverSenders(decoded, { chainId: 8217 })), "WrongChain")
  })

  it("to compare with what is no chain ID", () => {
    for (const chainId of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.strictEqual(reason(Transaction.decode(raw, { chainId })), "OutOfRange")
    }
  })

  it("a fee ratio outside 1 to 99, and a chain ID of zero", () => {
    const body = ["0x", "0x01", "0x5208", K2.address, "0x01", K1.address]
    const of = (type: string, items: Array<Item>): Hex.Hex => `0x${type}${Hex.fromBytes(RLP.encode(items)).slice(2)}`
    for (
      const [ratio, why] of [["0x", "OutOfRange"], ["0x01", "accepted"], ["0x63", "accepted"], ["0x64", "OutOfRange"]]
    ) {
      const result = Transaction.decode(of("0a", [...body, ratio ?? "", [["0x01", "0x", "0x"]]]))
      assert.deepStrictEqual([reason(result), result.ok || result.error.path], [why, why === "accepted" || "feeRatio"])
    }
    const dynamic: Array<Item> = ["0x", "0x01", "0x02", "0x5208", K2.address, "0x01", "0x", [], "0x01", "0x", "0x"]
    assert.strictEqual(reason(Transaction.decode(of("02", ["0x03e9", ...dynamic]))), "accepted")
    assert.strictEqual(reason(Transaction.decode(of("02", ["0x", ...dynamic]))), "OutOfRange")
  })

  it("the chain ID of another chain in an Ethereum type", () => {
    const transaction = get(Transaction.make({
      type: "EthereumDynamicFee",
      chainId: 1001,
      nonce: 0n,
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: 2n,
      gas: 21_000n,
      to: K2.address,
      value: 0n,
      input: "0x",
      accessList: []
    }))
    const bytes = get(Transaction.encode(transaction))
    assert.strictEqual(reason(Transaction.decode(bytes, { chainId: 8217 })), "WrongChain")
    assert.strictEqual(
      reason(Transaction.signAsSender(transaction, { chainId: 8217, privateKey: K1.privateKey })),
      "WrongChain"
    )
  })
})

describe("building refuses", () => {
  const input = {
    type: "ValueTransfer",
    nonce: 0n,
    gasPrice: 1n,
    gas: 21_000n,
    from: K1.address,
    to: K2.address,
    value: 1n
  } as const

  it("numbers out of range", () => {
    assert.strictEqual(reason(Transaction.make({ ...input, value: -1n })), "OutOfRange")
    assert.strictEqual(reason(Transaction.make({ ...input, nonce: 2n ** 64n })), "OutOfRange")
    assert.strictEqual(reason(Transaction.make({ ...input, value: 2n ** 256n })), "OutOfRange")
  })

  it("a fee ratio outside 1 to 99", () => {
    for (const feeRatio of [0, 100, 1.5, Number.NaN]) {
      const result = Transaction.make({ ...input, type: "FeeDelegatedValueTransferWithRatio", feeRatio })
      assert.strictEqual(reason(result), "OutOfRange")
    }
  })

  it("addresses that are no addresses", () => {
    assert.strictEqual(reason(Transaction.make({ ...input, to: "0x12" })), "WrongShape")
    assert.strictEqual(reason(Transaction.make({ ...input, from: "0xno" })), "NotHex")
  })

  it("but takes checksummed addresses and lowers their case", () => {
    const made = get(Transaction.make({ ...input, to: "0x33F524631e573329a550296f595c820D6c65213f" }))
    assert.strictEqual(made.to, K2.address)
  })
})

describe("signing refuses", () => {
  const transfer = get(Transaction.make({
    type: "FeeDelegatedValueTransfer",
    nonce: 0n,
    gasPrice: 1n,
    gas: 31_000n,
    from: K1.address,
    to: K2.address,
    value: 1n
  }))

  it("keys that are no private keys, without repeating them", () => {
    for (const privateKey of ["0x", `0x${"00".repeat(32)}`, `0x${"ff".repeat(32)}`, "0x1234567890abcdef"] as const) {
      const result = Transaction.signAsSender(transfer, { chainId: 1001, privateKey })
      assert.isFalse(result.ok)
      if (!result.ok) {
        assert.strictEqual(result.error.reason, "InvalidKey")
        assert.notInclude(`${result.error.message} ${JSON.stringify(result.error)}`, "1234567890abcdef")
      }
    }
  })

  it("a second fee payer", () => {
    const paid = get(Transaction.signAsFeePayer(transfer, { chainId: 1001, privateKey: K2.privateKey }))
    const other = { chainId: 1001, privateKey: K1.privateKey, feePayer: K1.address }
    assert.strictEqual(reason(Transaction.signAsFeePayer(paid, other)), "FeePayerMismatch")
  })

  it("a fee payer that is no address", () => {
    const options = { chainId: 1001, privateKey: K2.privateKey }
    assert.strictEqual(reason(Transaction.signAsFeePayer(transfer, { ...options, feePayer: "0x12" })), "WrongShape")
    assert.strictEqual(reason(Transaction.signAsFeePayer(transfer, { ...options, feePayer: "0xno" })), "NotHex")
  })

  it("but takes a checksummed fee payer and lowers its case", () => {
    const feePayer = "0x33F524631e573329a550296f595c820D6c65213f"
    const options = { chainId: 1001, privateKey: K2.privateKey, feePayer } as const
    assert.strictEqual(get(Transaction.signAsFeePayer(transfer, options)).feePayer, K2.address)
  })

  it("a chain ID that is no chain ID", () => {
    assert.strictEqual(
      reason(Transaction.signAsSender(transfer, { chainId: 0, privateKey: K1.privateKey })),
      "OutOfRange"
    )
    assert.strictEqual(
      reason(Transaction.signAsSender(transfer, { chainId: 1.5, privateKey: K1.privateKey })),
      "OutOfRange"
    )
  })

  it("to recover where nobody has signed", () => {
    assert.strictEqual(reason(Transaction.recoverSenders(transfer, { chainId: 1001 })), "Unsigned")
    const paid = get(Transaction.signAsFeePayer(transfer, { chainId: 1001, privateKey: K2.privateKey }))
    for (const result of [Transaction.hash(transfer), Transaction.senderHash(transfer), Transaction.hash(paid)]) {
      assert.deepStrictEqual(result.ok || [result.error.reason, result.error.path], ["Unsigned", "signatures"])
    }
    const sent = Transaction.hash(get(Transaction.signAsSender(transfer, { chainId: 1001, privateKey: K1.privateKey })))
    assert.deepStrictEqual(sent.ok || [sent.error.reason, sent.error.path], ["Unsigned", "feePayerSignatures"])
  })

  it("a fee payer's signature for another chain than the sender's or the one asked for", () => {
    const paid = get(Transaction.signAsFeePayer(transfer, { chainId: 8217, privateKey: K2.privateKey }))
    const mixed = { ...get(Transaction.signAsSender(paid, { chainId: 1001, privateKey: K1.privateKey })) }
    const encoded = Transaction.encode(mixed)
    assert.deepStrictEqual(
      encoded.ok || [encoded.error.reason, encoded.error.path],
      ["WrongChain", "feePayerSignatures[0].v"]
    )

    const options = { chainId: 1001, privateKey: K1.privateKey }
    const good = get(Transaction.signAsFeePayer(get(Transaction.signAsSender(transfer, options)), options))
    const raw = get(Transaction.encode(good))
    assert.strictEqual(reason(Transaction.decode(raw, { chainId: 1001 })), "accepted")
    // V of the last signature: 0x7f5 or 0x7f6 names 1001, 0x4055 or 0x4056 names 8217.
    const other: Hex.Hex = `0x${raw.slice(2).replace(/8207f([56])(?!.*8207f)/, "82405$1")}`
    assert.notStrictEqual(other, raw)
    for (const chainId of [1001, undefined]) {
      const decoded = Transaction.decode(other, { chainId })
      assert.deepStrictEqual(
        decoded.ok || [decoded.error.reason, decoded.error.path],
        ["WrongChain", "feePayerSignatures[0].v"]
      )
    }
  })

  it("signatures for two chains on one transaction", () => {
    const signed = get(Transaction.signAsSender(transfer, { chainId: 1001, privateKey: K1.privateKey }))
    const paid = get(Transaction.signAsFeePayer(signed, { chainId: 8217, privateKey: K2.privateKey }))
    assert.strictEqual(reason(Transaction.encode(paid)), "WrongChain")
  })

  it("to change anything when a key signs twice", () => {
    const once = get(Transaction.signAsSender(transfer, { chainId: 1001, privateKey: K1.privateKey }))
    const twice = get(Transaction.signAsSender(once, { chainId: 1001, privateKey: K1.privateKey }))
    assert.deepStrictEqual(twice, once)
    const both = get(Transaction.signAsSender(once, { chainId: 1001, privateKey: K2.privateKey }))
    assert.strictEqual(both.signatures.length, 2)
    assert.deepStrictEqual(get(Transaction.signAsSender(both, { chainId: 1001, privateKey: K1.privateKey })), both)
  })

  it("to change anything when a key signs twice, with a back end that signs differently each time", () => {
    let round = 0
    const random: Secp256k1.Secp256k1 = {
      ...Secp256k1.noble,
      sign: (digest, key) => {
        const bytes = secp256k1.sign(digest, key, {
          prehash: false,
          format: "recovered",
          extraEntropy: new Uint8Array(32).fill(++round)
        })
        return { rs: bytes.subarray(1), recovery: bytes[0] ?? 0 }
      }
    }
    const options = { chainId: 1001, privateKey: K1.privateKey, curve: random }
    const once = get(Transaction.signAsSender(transfer, options))
    assert.notDeepEqual(get(Transaction.signAsSender(transfer, options)), once)
    assert.deepStrictEqual(get(Transaction.signAsSender(once, options)), once)
  })

  it("what a back end answers if it would name another chain", () => {
    const wrong: Secp256k1.Secp256k1 = {
      ...Secp256k1.noble,
      sign: (digest, key) => ({ ...Secp256k1.noble.sign(digest, key), recovery: 2 })
    }
    const result = Transaction.signAsSender(transfer, { chainId: 1001, privateKey: K1.privateKey, curve: wrong })
    assert.strictEqual(reason(result), "OutOfRange")
  })

  it("to let a curve back end throw", () => {
    const broken: Secp256k1.Secp256k1 = {
      sign: () => {
        throw new Error("no")
      },
      recover: () => {
        throw new Error("no")
      },
      publicKey: () => {
        throw new Error("no")
      }
    }
    const options = { chainId: 1001, privateKey: K1.privateKey, curve: broken }
    assert.strictEqual(reason(Transaction.signAsSender(transfer, options)), "InvalidKey")
    assert.strictEqual(reason(Transaction.signAsFeePayer(transfer, options)), "InvalidKey")
    assert.strictEqual(reason(Transaction.recoverSenders(decoded, { chainId: 1, curve: broken })), "InvalidSignature")
    assert.strictEqual(reason(PrivateKey.toPublicKey(K1.privateKey, broken)), "InvalidKey")
  })

  it("to ignore the curve back end that was given", () => {
    const calls: Array<string> = []
    const counting: Secp256k1.Secp256k1 = {
      sign: (digest, key) => {
        calls.push("sign")
        return Secp256k1.noble.sign(digest, key)
      },
      recover: (digest, signature) => {
        calls.push("recover")
        return Secp256k1.noble.recover(digest, signature)
      },
      publicKey: Secp256k1.noble.publicKey
    }
    const signed = get(
      Transaction.signAsSender(transfer, { chainId: 1001, privateKey: K1.privateKey, curve: counting })
    )
    get(Transaction.recoverSenders(signed, { chainId: 1001, curve: counting }))
    assert.deepStrictEqual(calls, ["sign", "recover"])
  })
})

describe("keys", () => {
  it("have one address in either form", () => {
    assert.strictEqual(get(PublicKey.toAddress(K1.publicKey)), K1.address)
    assert.strictEqual(get(PublicKey.toAddress(K1.uncompressed)), K1.address)
    assert.strictEqual(get(PrivateKey.toAddress(K1.privateKey)), K1.address)
    assert.strictEqual(get(PrivateKey.toPublicKey(K1.privateKey)), K1.publicKey)
  })

  it("change form and back", () => {
    assert.strictEqual(get(PublicKey.uncompress(K1.publicKey)), K1.uncompressed)
    assert.strictEqual(get(PublicKey.compress(K1.uncompressed)), K1.publicKey)
    assert.strictEqual(reason(PublicKey.compress("0x04")), "InvalidKey")
    assert.strictEqual(reason(PublicKey.compress(`0x05${"11".repeat(32)}`)), "InvalidKey")
  })

  it("are generated valid and different", () => {
    const [a, b] = [PrivateKey.generate(), PrivateKey.generate()]
    assert.notStrictEqual(a, b)
    assert.strictEqual(reason(PrivateKey.toAddress(a)), "accepted")
  })
})

it("writes a signature as quantities without leading zeros", () => {
  assert.deepStrictEqual(Signature.toQuantities({ v: 2037n, r: 10n, s: 1n }), { V: "0x7f5", R: "0xa", S: "0x1" })
  assert.strictEqual(Signature.chainIdOf({ v: 0x4056n, r: 1n, s: 1n }), 8217)
  assert.strictEqual(get(Signature.toV(1001, 1)), 0x7f6n)
})
