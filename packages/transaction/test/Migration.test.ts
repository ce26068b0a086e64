import { assert, describe, it } from "@effect/vitest"
import * as AccountKey from "../src/AccountKey.js"
import * as Transaction from "../src/Transaction.js"
import { get, K1, K2, K3, reason } from "./fixtures.js"

const update = (nonce: bigint) =>
  get(Transaction.make({
    type: "FeeDelegatedAccountUpdate",
    nonce,
    gasPrice: 25_000_000_000n,
    gas: 1_000_000n,
    from: K1.address,
    key: get(AccountKey.fromPublicKey(K3.uncompressed))
  }))

const fields =
  "808505d21dba00830f424094a94f5374fce5edbc8e2a8697c15331677e6ebf0ba302a102dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8"
const zero = "0".repeat(40)

const chains = [
  {
    chainId: 1001,
    payload: `0xf84eb847f84521${fields}8203e98080`,
    digest: "0x7a3a4c4ba510f0015055c8e554991badc8a1e7ed79e89530169054bc251771d0",
    signatures:
      "f847f8458207f5a08f3493891d07228358a2f14130e4c3e4c3f960e0088d9c74d2e3cce31de4843aa007466fd3bc5486f2576abd9623ad0ee86ac26cf3a8e8d3c12860860dd45ae125",
    senderHash: "0xfeef91da6c3a70f22540bc7947ab92fef2acfbd78acc708557646c542cbfd53b",
    feePayerSignatures:
      "f847f8458207f5a076d9deb71ec67805d76ff3a806dd2f580f79b34552f3227177d81ff94340098ba01ab072d91422065039bddf0b502ca6a8777427cacfd74c68448713753e361f2d",
    hash: "0x3747d2016f7c0a4123ed45d8a77d695b60ff906257b7c3cdca7e3e7ea37e9540"
  },
  {
    chainId: 8217,
    payload: `0xf84eb847f84521${fields}8220198080`,
    digest: "0xeb0073aac5ef8f945124d3962f3037916455e8481cf7c8b48fc8829e11d465e8",
    signatures:
      "f847f845824056a0856167af82825e510066fe72933ebdd80fae58bcc634610f8de4cc85780d8dd5a0522493d828772d4afabb3e32e9ea693233dd5f17de6770815dfddc632e856523",
    senderHash: "0x89230d5ada23757a96df82a2cc554a7a6d3545d56327035eb3969e21a9ecb8fb",
    feePayerSignatures:
      "f847f845824055a094dd8b86792dc2541cf716e21df835625ef92c6ec01f1f52e299a20f35de93eea03f864a4dfba70ef10c23bffd8266647bf009685a629df87924f6d3121f03c0c9",
    hash: "0xe48f6ff82b54dcebd2c01ee5e3585cf08d77387d34cc4ede43e8208c801f89db"
  }
] as const

for (const { chainId, digest, feePayerSignatures, hash, payload, senderHash, signatures } of chains) {
  const placeholder = `0x21f8a7${fields}${signatures}94${zero}c4c3018080` as const
  const complete = `0x21f8eb${fields}${signatures}94${K2.address.slice(2)}${feePayerSignatures}` as const

  describe(`a migration on chain ${chainId}`, () => {
    it("signs to the known bytes, with a zero fee payer and a placeholder signature", () => {
      const unsigned = update(0n)
      assert.strictEqual(get(Transaction.senderPayload(unsigned, chainId)), payload)
      assert.strictEqual(get(Transaction.senderDigest(unsigned, chainId)), digest)
      const signed = get(Transaction.signAsSender(unsigned, { chainId, privateKey: K1.privateKey }))
      assert.strictEqual(get(Transaction.encode(signed)), placeholder)
      assert.strictEqual(get(Transaction.senderHash(signed)), senderHash)
      assert.strictEqual(Transaction.chainId(signed), chainId)
    })

    it("completes to the known bytes when the fee payer signs", () => {
      const signed = get(Transaction.decode(placeholder, { chainId }))
      assert.isTrue(Transaction.isFeeDelegatedTransaction(signed))
      if (Transaction.isFeeDelegatedTransaction(signed)) {
        assert.strictEqual(reason(Transaction.hash(signed)), "Unsigned")
        const paid = get(Transaction.signAsFeePayer(signed, { chainId, privateKey: K2.privateKey }))
        assert.strictEqual(get(Transaction.encode(paid)), complete)
        assert.strictEqual(get(Transaction.hash(paid)), hash)
        assert.strictEqual(get(Transaction.senderHash(paid)), senderHash)
      }
    })

    it("may be signed by the fee payer first", () => {
      const paid = get(Transaction.signAsFeePayer(update(0n), { chainId, privateKey: K2.privateKey }))
      const raw = get(Transaction.encode(paid))
      assert.deepStrictEqual(get(Transaction.decode(raw)), paid)
      const signed = get(Transaction.signAsSender(paid, { chainId, privateKey: K1.privateKey }))
      assert.strictEqual(get(Transaction.encode(signed)), complete)
    })
  })
}

describe("a transaction that waits for its fee payer", () => {
  const chain = chains[0]
  const body = `${fields}${chain.signatures}`
  const signed = get(Transaction.signAsSender(update(0n), { chainId: 1001, privateKey: K1.privateKey }))
  const cases = [
    ["zero fee payer and placeholder", `0x21f8a7${body}94${zero}c4c3018080`, "Placeholder", undefined],
    ["empty fee payer and placeholder", `0x21f893${body}80c4c3018080`, "Placeholder", undefined],
    ["empty fee payer and no signatures", `0x21f88f${body}80c0`, "EmptySignatures", undefined],
    ["known fee payer and no signatures", `0x21f8a3${body}94${K2.address.slice(2)}c0`, "EmptySignatures", K2.address],
    ["known fee payer and placeholder", `0x21f8a7${body}94${K2.address.slice(2)}c4c3018080`, "Placeholder", K2.address],
    ["sender's part only", `0x21f88d${body}`, "SenderOnly", undefined]
  ] as const

  for (const [name, raw, form, feePayer] of cases) {
    it(`is read with ${name}`, () => {
      const inspected = get(Transaction.inspect(raw, { chainId: 1001 }))
      assert.strictEqual(inspected.feePayerForm, form)
      assert.deepStrictEqual(inspected.transaction, feePayer === undefined ? signed : { ...signed, feePayer })
    })
  }

  it("keeps a fee payer that is known when it is written", () => {
    assert.strictEqual(get(Transaction.encode({ ...signed, feePayer: K2.address })), cases[4][1])
  })

  it("is refused with an empty fee payer beside a fee payer's signature", () => {
    assert.strictEqual(reason(Transaction.decode(`0x21f8d7${body}80${chain.feePayerSignatures}`)), "WrongShape")
  })
})

it("cuts the leading zero byte of S", () => {
  const signed = get(Transaction.signAsSender(update(245n), { chainId: 1001, privateKey: K1.privateKey }))
  assert.strictEqual(
    get(Transaction.encode(signed)),
    `0x21f8a781f5${
      fields.slice(2)
    }f846f8448207f5a0d505a8a8e991ec59243629aab89797942e2be9e9c13c818ef0d71fbfd69ba07c9ffea9aa21dbcc8cb1db764aedcecc64aea6c42b8db704f1a960172c1b60efac94${zero}c4c3018080`
  )
})
