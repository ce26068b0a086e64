import * as Core from "@kaiachain/js-ext-core"
import { assert, describe, it } from "vitest"
import * as AccountKey from "../../packages/transaction/src/AccountKey.js"
import type { Hex } from "../../packages/transaction/src/Hex.js"
import type { Signature } from "../../packages/transaction/src/Signature.js"
import * as Transaction from "../../packages/transaction/src/Transaction.js"
import * as TransactionType from "../../packages/transaction/src/TransactionType.js"
import { accountKey, chainIds, get, only, owner, quantity, random, sign, transaction } from "./random.js"

/** What is used of a transaction of js-ext-core. */
interface Theirs {
  readonly addSenderSig: (signature: ReadonlyArray<Hex>) => void
  readonly addFeePayerSig: (signature: ReadonlyArray<Hex>) => void
  readonly sigRLP: () => Hex
  readonly sigFeePayerRLP: () => Hex
  readonly senderTxHashRLP: () => Hex
  readonly txHashRLP: () => Hex
}

interface KeyObject {
  readonly type: number
  readonly key?: Hex
  readonly threshold?: number
  readonly keys?: ReadonlyArray<KeyObject | { readonly weight: number; readonly key: Hex }>
}

// Its types require fields that it fills in itself.
const core = Core as unknown as {
  readonly KlaytnTxFactory: {
    readonly fromObject: (fields: Record<string, unknown>) => Theirs
    readonly fromRLP: (raw: Hex) => Theirs
  }
  readonly AccountKeyFactory: {
    readonly fromObject: (fields: KeyObject) => { readonly toRLP: () => Hex }
    readonly fromRLP: (raw: Hex) => { readonly toRLP: () => Hex }
  }
}

// It knows neither anchoring nor the types that came from elsewhere.
const known = TransactionType.all.filter((type) =>
  !type.includes("Anchoring") && !TransactionType.isEthereum(type) && type !== "LegacyTransaction"
)

/** Our account key in its words: numbers for types, `key` and `keys`. */
const keyObject = (key: AccountKey.AccountKey): KeyObject => {
  switch (key.type) {
    case "AccountKeyNil":
      return { type: 0 }
    case "AccountKeyLegacy":
      return { type: 1 }
    case "AccountKeyPublic":
      return { type: 2, key: key.publicKey }
    case "AccountKeyFail":
      return { type: 3 }
    case "AccountKeyWeightedMultiSig":
      return {
        type: 4,
        threshold: key.threshold,
        keys: key.keys.map(({ publicKey, weight }) => ({ weight, key: publicKey }))
      }
    case "AccountKeyRoleBased":
      return { type: 5, keys: key.keys.map((role) => keyObject(role ?? AccountKey.nil)) }
  }
}

const build = (ours: Transaction.Transaction, chainId: number, feePayer?: Hex): Theirs => {
  const fields: Record<string, unknown> = { ...ours, feePayer }
  const { feePayerSignatures: _, gas, input, key: __, signatures: ___, type: ____, ...rest } = fields
  return core.KlaytnTxFactory.fromObject({
    ...rest,
    type: TransactionType.typeInt(ours.type),
    chainId,
    gasLimit: gas,
    data: input,
    ...("key" in ours ? { key: keyObject(ours.key) } : {})
  })
}

const tuple = ({ r, s, v }: Signature): ReadonlyArray<Hex> => [
  quantity(v),
  `0x${r.toString(16).padStart(64, "0")}`,
  `0x${s.toString(16).padStart(64, "0")}`
]

const rounds = 12

describe("js-ext-core", () => {
  for (const type of known) {
    it(`agrees on ${type}: payloads, raw bytes, hash inputs, decoding`, () => {
      const r = random(0xc07e + TransactionType.typeInt(type))
      for (let i = 0; i < rounds; i++) {
        const [sender, payer, chainId] = [owner(r), owner(r), r.pick(chainIds)]
        const unsigned = transaction(r, type, sender, chainId, "without nil")
        const ours = sign(unsigned, sender, payer, chainId)
        let theirs = build(unsigned, chainId)

        assert.strictEqual(theirs.sigRLP(), get(Transaction.senderPayload(unsigned, chainId)))
        theirs.addSenderSig(tuple(only(ours.signatures)))
        const raw = get(Transaction.encode(ours))
        if (Transaction.isFeeDelegatedTransaction(ours)) {
          const waiting = get(Transaction.signAsSender(unsigned, { chainId, privateKey: sender.privateKey }))
          const inspected = get(Transaction.inspect(theirs.senderTxHashRLP(), { chainId }))
          assert.deepStrictEqual(inspected, { transaction: waiting, feePayerForm: "SenderOnly", wrapped: false })
          theirs = build(unsigned, chainId, ours.feePayer)
          theirs.addSenderSig(tuple(only(ours.signatures)))
          assert.strictEqual(theirs.sigFeePayerRLP(), get(Transaction.feePayerPayload(ours, chainId)))
          theirs.addFeePayerSig(tuple(only(ours.feePayerSignatures)))
        }
        assert.strictEqual(theirs.txHashRLP(), raw)
        assert.deepStrictEqual(get(Transaction.decode(theirs.txHashRLP(), { chainId })), ours)
        assert.strictEqual(core.KlaytnTxFactory.fromRLP(raw).txHashRLP(), raw)
      }
    })
  }

  it("agrees on account keys", () => {
    const r = random(5)
    for (let i = 0; i < 100; i++) {
      const key = accountKey(r, "without nil")
      const bytes = get(AccountKey.encode(key))
      assert.strictEqual(core.AccountKeyFactory.fromObject(keyObject(key)).toRLP(), bytes)
      assert.strictEqual(core.AccountKeyFactory.fromRLP(bytes).toRLP(), bytes)
    }
  })
})
