import { createRequire } from "node:module"
import { assert, describe, it } from "vitest"
import * as AccountKey from "../../packages/transaction/src/AccountKey.js"
import type { Hex } from "../../packages/transaction/src/Hex.js"
import * as PublicKey from "../../packages/transaction/src/PublicKey.js"
import * as Transaction from "../../packages/transaction/src/Transaction.js"
import * as TransactionType from "../../packages/transaction/src/TransactionType.js"
import { accountKey, chainIds, get, only, type Owner, owner, quantity, random, sign, transaction } from "./random.js"

/** What is used of a transaction of caver-js. */
interface Theirs {
  readonly sign: (keyring: Keyring) => Promise<Theirs>
  readonly signAsFeePayer: (keyring: Keyring) => Promise<Theirs>
  readonly getRLPEncoding: () => Hex
  readonly getRawTransaction: () => Hex
  readonly getRLPEncodingForSignature: () => Hex
  readonly getRLPEncodingForFeePayerSignature: () => Hex
  readonly getTransactionHash: () => Hex
  readonly getSenderTxHash: () => Hex
  readonly recoverPublicKeys: () => ReadonlyArray<Hex>
  readonly recoverFeePayerPublicKeys: () => ReadonlyArray<Hex>
}

interface Keyring {
  readonly address: Hex
}

interface CaverJs {
  readonly transaction:
    & Record<string, { readonly create: (fields: Record<string, unknown>) => Theirs }>
    & { readonly decode: (raw: Hex) => Theirs }
  readonly account: {
    readonly createFromRLPEncoding: (address: unknown, key: Hex) => unknown
    readonly accountKey: { readonly decode: (key: Hex) => { readonly getRLPEncoding: () => Hex } }
  }
  readonly wallet: {
    readonly keyring: { readonly create: (address: Hex, keys: Hex | ReadonlyArray<Hex>) => Keyring }
  }
}

// A CommonJS package whose own types leave most of this out.
const Caver: new() => CaverJs = createRequire(import.meta.url)("caver-js")
const caver = new Caver()

const camel = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1)

/** Our unsigned transaction as caver-js builds it from the same fields. */
const build = (ours: Transaction.Transaction, chainId: number): Theirs => {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(ours)) {
    fields[name] = typeof value === "bigint" || typeof value === "number" ? quantity(value) : value
  }
  const { feePayerSignatures: _, key: __, signatures: ___, type: ____, ...rest } = fields
  const type = caver.transaction[camel(ours.type)]
  assert(type !== undefined)
  return type.create({
    ...rest,
    chainId: quantity(chainId),
    ...("key" in ours
      ? { account: caver.account.createFromRLPEncoding(ours.from, get(AccountKey.encode(ours.key))) }
      : {})
  })
}

const single = ({ address, privateKey }: Owner): Keyring => caver.wallet.keyring.create(address, privateKey)

/** caver-js leaves out the first byte of an uncompressed key. */
const withPrefix = (key: string): string => `0x04${key.slice(2)}`

const rounds = 12

describe("caver-js", () => {
  // It does not have the type that sets code.
  for (const type of TransactionType.all.filter((each) => each !== "EthereumSetCode" && each !== "EthereumBlob")) {
    it(`agrees on ${type}: payload, signatures, raw bytes, hashes, decoding, signers`, async () => {
      const r = random(0xca7e5 + TransactionType.typeInt(type))
      for (let i = 0; i < rounds; i++) {
        const [sender, payer, chainId] = [owner(r), owner(r), r.pick(chainIds)]
        const unsigned = transaction(r, type, sender, chainId)
        const theirs = build(unsigned, chainId)
        const ours = sign(unsigned, sender, payer, chainId)

        assert.strictEqual(theirs.getRLPEncodingForSignature(), get(Transaction.senderPayload(unsigned, chainId)))
        await theirs.sign(single(sender))
        if (Transaction.isFeeDelegatedTransaction(ours)) {
          assert.strictEqual(
            theirs.getRLPEncoding(),
            get(Transaction.encode(get(Transaction.signAsSender(unsigned, { chainId, privateKey: sender.privateKey }))))
          )
          await theirs.signAsFeePayer(single(payer))
          assert.strictEqual(
            theirs.getRLPEncodingForFeePayerSignature(),
            get(Transaction.feePayerPayload(ours, chainId))
          )
        }

        const raw = get(Transaction.encode(ours))
        assert.strictEqual(theirs.getRLPEncoding(), raw)
        assert.strictEqual(theirs.getTransactionHash(), get(Transaction.hash(ours)))
        assert.strictEqual(theirs.getSenderTxHash(), get(Transaction.senderHash(ours)))
        assert.deepStrictEqual(get(Transaction.decode(theirs.getRawTransaction(), { chainId })), ours)
        assert.strictEqual(caver.transaction.decode(raw).getRLPEncoding(), raw)
        assert.strictEqual(
          withPrefix(only(theirs.recoverPublicKeys())),
          get(PublicKey.uncompress(only(get(Transaction.recoverSenders(ours, { chainId }))).publicKey))
        )
        if (Transaction.isFeeDelegatedTransaction(ours)) {
          assert.strictEqual(
            withPrefix(only(theirs.recoverFeePayerPublicKeys())),
            get(PublicKey.uncompress(only(get(Transaction.recoverFeePayers(ours, { chainId }))).publicKey))
          )
        }
      }
    })
  }

  it("agrees on transactions that several keys sign", async () => {
    const r = random(77)
    for (const type of TransactionType.all.filter((each) => TransactionType.isFeeDelegated(each))) {
      const [sender, payer, chainId] = [owner(r), owner(r), r.pick(chainIds)]
      const senderKeys = [owner(r), owner(r), owner(r)]
      const payerKeys = [owner(r), owner(r)]
      let ours = transaction(r, type, sender, chainId)
      const theirs = build(ours, chainId)
      await theirs.sign(caver.wallet.keyring.create(sender.address, senderKeys.map((key) => key.privateKey)))
      await theirs.signAsFeePayer(caver.wallet.keyring.create(payer.address, payerKeys.map((key) => key.privateKey)))
      for (const { privateKey } of senderKeys) {
        ours = get(Transaction.signAsSender(ours, { chainId, privateKey }))
      }
      for (const { privateKey } of payerKeys) {
        assert(Transaction.isFeeDelegatedTransaction(ours))
        ours = get(Transaction.signAsFeePayer(ours, { chainId, privateKey, feePayer: payer.address }))
      }
      assert.strictEqual(theirs.getRLPEncoding(), get(Transaction.encode(ours)))
      assert.deepStrictEqual(get(Transaction.decode(theirs.getRLPEncoding(), { chainId })), ours)
    }
  })

  it("agrees on account keys", () => {
    const r = random(4)
    for (let i = 0; i < 100; i++) {
      const bytes = get(AccountKey.encode(accountKey(r)))
      assert.strictEqual(caver.account.accountKey.decode(bytes).getRLPEncoding(), bytes)
      assert.strictEqual(get(AccountKey.encode(get(AccountKey.decode(bytes)))), bytes)
    }
  })
})
