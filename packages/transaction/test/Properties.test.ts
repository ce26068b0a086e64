import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import * as FastCheck from "effect/FastCheck"
import * as AccountKey from "../src/AccountKey.js"
import * as Hex from "../src/Hex.js"
import { Faults } from "../src/internal/faults.js"
import * as rlp from "../src/internal/rlp.js"
import * as Transaction from "../src/Transaction.js"
import { TransactionError } from "../src/TransactionError.js"
import * as TransactionType from "../src/TransactionType.js"
import { accountKey, chainId, keyPair, sign, unsigned } from "./arbitraries.js"
import { get } from "./fixtures.js"

const check = <A>(arbitrary: FastCheck.Arbitrary<A>, numRuns: number, predicate: (value: A) => void): void =>
  FastCheck.assert(FastCheck.property(arbitrary, predicate), { numRuns })

/** A byte position and what to do there. */
const mutation = FastCheck.record({
  position: FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  kind: FastCheck.constantFrom("change", "insert", "remove"),
  bits: FastCheck.integer({ min: 1, max: 255 })
})

const mutate = (
  bytes: Uint8Array,
  { bits, kind, position }: typeof mutation extends FastCheck.Arbitrary<infer A> ? A : never
) => {
  const copy = [...bytes]
  const at = Math.floor(position * copy.length)
  if (kind === "change") {
    copy[at] = (copy[at] ?? 0) ^ bits
  } else {
    copy.splice(at, kind === "insert" ? 0 : 1, ...(kind === "insert" ? [bits] : []))
  }
  return Uint8Array.from(copy)
}

const differ = (a: Uint8Array, b: Uint8Array) => Hex.fromBytes(a) !== Hex.fromBytes(b)

for (const type of TransactionType.all) {
  const signed = FastCheck.tuple(unsigned(type), keyPair, keyPair, chainId).map((
    [transaction, sender, payer, chain]
  ) => ({
    chain: "chainId" in transaction ? transaction.chainId : chain,
    sender,
    payer,
    transaction: sign(transaction, sender.privateKey, payer.privateKey, chain)
  }))

  describe(`a ${type}`, () => {
    it("decodes to what was encoded, unsigned", () => {
      check(unsigned(type), 30, (transaction) => {
        const raw = get(Transaction.encode(transaction))
        assert.deepStrictEqual(get(Transaction.decode(raw)), transaction)
      })
    })

    it("decodes to what was encoded and encodes to what was decoded, signed", () => {
      check(signed, 12, ({ chain, transaction }) => {
        const raw = get(Transaction.encodeBytes(transaction))
        const decoded = get(Transaction.decode(raw, { chainId: chain }))
        assert.deepStrictEqual(decoded, transaction)
        assert.deepStrictEqual(get(Transaction.encodeBytes(decoded)), raw)
        assert.strictEqual(Transaction.chainId(decoded), chain)
      })
    })

    it("names those who signed", () => {
      check(signed, 3, ({ chain, payer, sender, transaction }) => {
        const { privateKey: _, ...expected } = sender
        assert.deepStrictEqual(get(Transaction.recoverSenders(transaction, { chainId: chain })), [expected])
        if (Transaction.isFeeDelegatedTransaction(transaction)) {
          const { privateKey: _, ...expected } = payer
          assert.deepStrictEqual(get(Transaction.recoverFeePayers(transaction, { chainId: chain })), [expected])
          assert.strictEqual(transaction.feePayer, payer.address)
        }
      })
    })

    it("with a byte changed, put in or left out is refused with a reason or is another transaction", () => {
      check(
        FastCheck.tuple(signed, FastCheck.array(mutation, { minLength: 40, maxLength: 40 })),
        5,
        ([{ transaction }, mutations]) => {
          const raw = get(Transaction.encodeBytes(transaction))
          const original = get(Transaction.inspect(raw))
          for (const each of mutations) {
            const mutated = mutate(raw, each)
            if (differ(mutated, raw)) {
              const result = Transaction.inspect(mutated)
              if (result.ok) {
                assert.notDeepEqual(result.value, original)
                // A changed type byte can leave the form that stops after the sender's part; it is not the one written.
                if (result.value.feePayerForm !== "SenderOnly") {
                  const form = result.value.wrapped ? "klay" : "eth"
                  assert.deepStrictEqual(get(Transaction.encodeBytes(result.value.transaction, { form })), mutated)
                }
              } else {
                assert.instanceOf(result.error, TransactionError)
              }
            }
          }
        }
      )
    })
  })
}

const delegated = TransactionType.all.filter(TransactionType.isFeeDelegated)

describe("a fee payer", () => {
  it.each(delegated)("makes a plain type a %s", (type) => {
    check(unsigned(type), 30, (transaction) => {
      if (!Transaction.isFeeDelegatedTransaction(transaction)) return assert.fail("no fee payer")
      const { feePayer, feePayerSignatures: _, signatures: __, ...body } = transaction
      const plain = type.replace(/^FeeDelegated|WithRatio$/g, "")
      if (!TransactionType.isTransactionType(plain)) return assert.fail(plain)
      const made = get(Transaction.make({ ...body, type: plain } as Transaction.Input<typeof plain>)) // fields of both
      const payer = feePayer === undefined ? {} : { feePayer }
      const ratio = "feeRatio" in transaction ? { feeRatio: transaction.feeRatio } : {}
      assert.deepStrictEqual(get(Transaction.delegate(made, { ...payer, ...ratio })), transaction)
    })
  })

  it.each(["LegacyTransaction", "EthereumAccessList", "EthereumDynamicFee"] as const)("is refused by a %s", (type) => {
    check(unsigned(type), 5, (transaction) => assert.isFalse(Transaction.delegate(transaction, {}).ok))
  })
})

describe("account keys", () => {
  it("decode to what was encoded", () => {
    check(accountKey, 100, (key) => assert.deepStrictEqual(get(AccountKey.decode(get(AccountKey.encode(key)))), key))
  })

  it("with a byte changed, put in or left out are refused with a reason or are another key", () => {
    check(FastCheck.tuple(accountKey, mutation), 200, ([key, each]) => {
      const raw = get(AccountKey.encodeBytes(key))
      const mutated = mutate(raw, each)
      if (differ(mutated, raw)) {
        const result = AccountKey.decode(mutated)
        if (result.ok) {
          assert.notDeepEqual(result.value, key)
          assert.deepStrictEqual(get(AccountKey.encodeBytes(result.value)), mutated)
        }
      }
    })
  })
})

describe("the reader of RLP", () => {
  const item = FastCheck.letrec<{ item: rlp.Encodable }>((tie) => ({
    item: FastCheck.oneof(
      { maxDepth: 3 },
      FastCheck.uint8Array({ maxLength: 70 }),
      FastCheck.array(tie("item"), { maxLength: 4 })
    )
  })).item

  const read = (bytes: Uint8Array) => {
    const faults = new Faults()
    return faults.result(rlp.decode(bytes, "", faults))
  }

  const library = (bytes: Uint8Array) => {
    try {
      return bytes.length === 0 ? undefined : RLP.decode(bytes)
    } catch {
      return undefined
    }
  }

  it("reads what a general library writes", () => {
    check(item, 300, (value) => assert.deepEqual(get(read(RLP.encode(value))), value))
  })

  it("accepts exactly what the library accepts, up to the depth of a transaction", () => {
    check(FastCheck.tuple(item, mutation), 1000, ([value, each]) => {
      const bytes = mutate(RLP.encode(value), each)
      const ours = read(bytes)
      const theirs = library(bytes)
      if (ours.ok) {
        assert.deepEqual(ours.value, theirs)
      } else if (theirs !== undefined) {
        assert.include(ours.error.message, "nested deeper")
      }
    })
  })

  it("refuses random bytes with a reason, never with an exception", () => {
    check(FastCheck.uint8Array({ maxLength: 300 }), 500, (bytes) => {
      const result = Transaction.decode(bytes)
      assert.isTrue(result.ok || result.error instanceof TransactionError)
    })
  })

  it("survives a hundred thousand nested lists", () => {
    assert.isFalse(Transaction.decode(new Uint8Array(100_000).fill(0xc1)).ok)
    assert.isFalse(Transaction.decode(new Uint8Array(100_000).fill(0xf8)).ok)
  })
})
