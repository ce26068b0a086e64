import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as AccountKey from "../src/AccountKey.js"
import * as Hex from "../src/Hex.js"
import * as PrivateKey from "../src/PrivateKey.js"
import * as PublicKey from "../src/PublicKey.js"
import type * as Secp256k1 from "../src/Secp256k1.js"
import * as Signature from "../src/Signature.js"
import * as Transaction from "../src/Transaction.js"
import { TransactionError } from "../src/TransactionError.js"
import * as TransactionType from "../src/TransactionType.js"
import { get, K1, K2 } from "./fixtures.js"

/** A call that takes any values, as a program without types would make it. */
type Anything = (...values: ReadonlyArray<unknown>) => unknown

// What the types forbid is exactly what these tests pass.
const untyped = (f: unknown): Anything => f as Anything

/** Every function that answers a `Result`. */
const fallible: Readonly<Record<string, Anything>> = {
  "Hex.toBytes": untyped(Hex.toBytes),
  "PrivateKey.toKeyBytes": untyped(PrivateKey.toKeyBytes),
  "PrivateKey.toPublicKey": untyped(PrivateKey.toPublicKey),
  "PrivateKey.toAddress": untyped(PrivateKey.toAddress),
  "PublicKey.compress": untyped(PublicKey.compress),
  "PublicKey.uncompress": untyped(PublicKey.uncompress),
  "PublicKey.toAddress": untyped(PublicKey.toAddress),
  "Signature.toV": untyped(Signature.toV),
  "AccountKey.fromPublicKey": untyped(AccountKey.fromPublicKey),
  "AccountKey.encode": untyped(AccountKey.encode),
  "AccountKey.encodeBytes": untyped(AccountKey.encodeBytes),
  "AccountKey.decode": untyped(AccountKey.decode),
  "AccountKey.validate": untyped(AccountKey.validate),
  "AccountKey.update": untyped(AccountKey.update),
  "Transaction.make": untyped(Transaction.make),
  "Transaction.encode": untyped(Transaction.encode),
  "Transaction.encodeBytes": untyped(Transaction.encodeBytes),
  "Transaction.decode": untyped(Transaction.decode),
  "Transaction.inspect": untyped(Transaction.inspect),
  "Transaction.hash": untyped(Transaction.hash),
  "Transaction.senderHash": untyped(Transaction.senderHash),
  "Transaction.senderPayload": untyped(Transaction.senderPayload),
  "Transaction.senderDigest": untyped(Transaction.senderDigest),
  "Transaction.feePayerPayload": untyped(Transaction.feePayerPayload),
  "Transaction.feePayerDigest": untyped(Transaction.feePayerDigest),
  "Transaction.signAsSender": untyped(Transaction.signAsSender),
  "Transaction.signAsFeePayer": untyped(Transaction.signAsFeePayer),
  "Transaction.recoverSenders": untyped(Transaction.recoverSenders),
  "Transaction.recoverFeePayers": untyped(Transaction.recoverFeePayers)
}

/** Every function that judges a value. */
const guards: Readonly<Record<string, Anything>> = {
  "Hex.isHex": untyped(Hex.isHex),
  "AccountKey.isSatisfiedBy": untyped(AccountKey.isSatisfiedBy),
  "Transaction.isFeeDelegatedTransaction": untyped(Transaction.isFeeDelegatedTransaction),
  "TransactionType.isTransactionType": untyped(TransactionType.isTransactionType),
  "TransactionType.isFeeDelegated": untyped(TransactionType.isFeeDelegated),
  "TransactionType.isFeeRatio": untyped(TransactionType.isFeeRatio),
  "TransactionType.isEthereum": untyped(TransactionType.isEthereum),
  "TransactionType.isAccountUpdate": untyped(TransactionType.isAccountUpdate)
}

const refuse = (): never => {
  throw new Error("refused")
}

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const nested = (depth: number): unknown => {
  let value: unknown = []
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

/** Values that throw when they are looked at, and others that break what is careless. */
const odd: ReadonlyArray<unknown> = [
  undefined,
  null,
  Symbol("value"),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  1.5,
  10n ** 1_000n,
  -(10n ** 1_000n),
  "0x0",
  `0x${"f".repeat(100_001)}`,
  "x".repeat(100_000),
  refuse,
  new Date(Number.NaN),
  new Proxy({}, { get: refuse }),
  new Proxy([], { get: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
  new Proxy(refuse, { apply: refuse }),
  revoked(),
  { toString: refuse, valueOf: refuse, toJSON: refuse },
  { length: Number.POSITIVE_INFINITY },
  Object.create(Uint8Array.prototype),
  nested(50_000)
]

/** Those and values of every kind, in a box: FastCheck would look at them as well. */
const hostile = FastCheck.oneof(
  FastCheck.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true }).map(
    (value) => ({ value })
  ),
  FastCheck.constantFrom(...odd.map((value) => ({ value })))
)

const valid = {
  type: "FeeDelegatedValueTransferWithRatio",
  nonce: 1n,
  gasPrice: 25n,
  gas: 21_000n,
  to: K2.address,
  value: 1n,
  from: K1.address,
  feeRatio: 30
} as const

const withKey = {
  type: "FeeDelegatedAccountUpdate",
  nonce: 1n,
  gasPrice: 25n,
  gas: 21_000n,
  from: K1.address,
  key: {
    type: "AccountKeyRoleBased",
    keys: [{ type: "AccountKeyWeightedMultiSig", threshold: 1, keys: [{ weight: 1, publicKey: K1.publicKey }] }]
  }
} as const

const ethereum = {
  type: "EthereumDynamicFee",
  chainId: 1001,
  nonce: 1n,
  maxPriorityFeePerGas: 1n,
  maxFeePerGas: 2n,
  gas: 21_000n,
  to: K2.address,
  value: 1n,
  input: "0x",
  accessList: [{ address: K2.address, storageKeys: [`0x${"11".repeat(32)}`] }]
} as const

/** Answers at once; the arithmetic of the curve is not what is tried here. */
const curve: Secp256k1.Secp256k1 = {
  sign: () => ({ rs: new Uint8Array(64).fill(1), recovery: 0 }),
  recover: () => new Uint8Array(65).fill(4),
  publicKey: () => new Uint8Array(65).fill(4)
}

const options = { chainId: 1001, privateKey: K1.privateKey, feePayer: K2.address, role: "feePayer", curve } as const

const signed = get(Transaction.signAsFeePayer(
  get(Transaction.signAsSender(get(Transaction.make(valid)), { chainId: 1001, privateKey: K1.privateKey })),
  { chainId: 1001, privateKey: K2.privateKey }
))

/** Good values, each of which is given one hostile part. */
const subjects: ReadonlyArray<object> = [
  signed,
  get(Transaction.make(withKey)),
  get(Transaction.make(ethereum)),
  withKey.key,
  withKey.key.keys[0]
]

/** All values that differ from a good one in one part, however deep it stands. */
const replaced = (value: unknown, by: unknown): ReadonlyArray<unknown> => [
  by,
  ...(Array.isArray(value)
    ? value.flatMap((each, i) => replaced(each, by).map((one) => value.with(i, one)))
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, each]) => replaced(each, by).map((one) => ({ ...value, [name]: one })))
    : [])
]

const judged = (name: string, answer: unknown): void => {
  assert.isTrue(typeof answer === "object" && answer !== null && "ok" in answer, name)
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return
  assert.instanceOf(answer.error, TransactionError, name)
  if (!(answer.error instanceof TransactionError)) return
  assert.isBelow(answer.error.message.length, 200, name)
  assert.isBelow(answer.error.path.length, 100, name)
}

describe("whatever it is given,", () => {
  it.prop(
    "a function that can fail answers a result, and says in few words why",
    [hostile, hostile],
    ([{ value: a }, { value: b }]) => {
      for (const [name, call] of Object.entries(fallible)) {
        judged(name, call(a, b))
        judged(name, call(a))
      }
    }
  )

  const refusedWith = (bad: unknown): void => {
    for (const subject of subjects.flatMap((one) => replaced(one, bad))) {
      for (const [name, call] of Object.entries(fallible)) judged(name, call(subject, options))
      judged("AccountKey.update", AccountKey.update(AccountKey.legacy, subject as AccountKey.AccountKey))
      judged("AccountKey.update", AccountKey.update(subject as AccountKey.AccountKey, withKey.key))
    }
    for (const other of replaced(options, bad)) {
      for (const subject of subjects) {
        for (const [name, call] of Object.entries(fallible)) judged(name, call(subject, other))
      }
    }
  }

  it.prop(
    "it is refused with a result where one part of a good value is bad",
    [hostile],
    ([{ value: bad }]) => refusedWith(bad),
    { fastCheck: { numRuns: 8 } }
  )

  it("it is refused with a result where one part of a good value is missing", () => {
    for (const none of [undefined, null]) assert.doesNotThrow(() => refusedWith(none))
  })

  it.prop("a guard answers yes or no", [hostile, hostile], ([{ value: a }, { value: b }]) => {
    for (const [name, call] of Object.entries(guards)) {
      assert.isBoolean(call(a, b), name)
      for (const subject of subjects.flatMap((one) => replaced(one, a))) assert.isBoolean(call(subject, b), name)
    }
  }, { fastCheck: { numRuns: 8 } })

  it.prop("nobody who is no signer may act for a key", [hostile], ([{ value: bad }]) => {
    const key = withKey.key
    const good = {
      role: "accountUpdate",
      address: K1.address,
      signers: [{ publicKey: K1.publicKey, address: K1.address }]
    }
    assert.isTrue(untyped(AccountKey.isSatisfiedBy)(key, good))
    for (const signers of [bad, [bad], [...good.signers, bad]]) {
      assert.isFalse(untyped(AccountKey.isSatisfiedBy)(key, { ...good, signers }))
    }
    const bare = { type: "AccountKeyWeightedMultiSig", keys: [{ weight: 1, publicKey: K1.publicKey }] }
    for (const threshold of [0, -1, Number.NaN, bad === 1 ? 0 : bad]) {
      assert.isFalse(untyped(AccountKey.isSatisfiedBy)({ ...bare, threshold }, { ...good, signers: [] }))
    }
  })
})

describe("a value of its own type", () => {
  const numbers = FastCheck.oneof(FastCheck.double(), FastCheck.integer())
  const bigints = FastCheck.bigInt()
  const signatures = FastCheck.record({ v: bigints, r: bigints, s: bigints })
  const texts = FastCheck.string().map((text): Hex.Hex => `0x${text}`)

  it.prop("never makes a plain conversion throw", [numbers, signatures, texts], ([number, signature, text]) => {
    Signature.isHighS(signature)
    Signature.chainIdOf(signature)
    Signature.recoveryOf(signature)
    Signature.toQuantities(signature)
    Signature.toV(number, number)
    TransactionType.fromTypeInt(number)
    TransactionType.fromWireName(text)
    assert.isTrue(Transaction.intrinsicGas({ ...signed, type: "ValueTransferMemo", to: text, input: text }) > 0n)
  })

  it.prop("never makes a conversion of bytes throw", [FastCheck.uint8Array()], ([bytes]) => {
    assert.strictEqual(Hex.fromBytes(bytes).length, 2 + 2 * bytes.length)
    PublicKey.addressOf(bytes)
    PublicKey.compressedOf(bytes)
  })
})

describe("a private key that stands in the wrong place", () => {
  // One that no fixture holds, so that it can come from nowhere else.
  const secret = "8b1e3f5a79d20c46e88a1b7c95d3f0e2467a8c9b0d1f2e3a4b5c6d7e8f901234"
  const forms: Readonly<Record<string, unknown>> = {
    "text": secret,
    "text with 0x": `0x${secret}`,
    "text behind the byte of a type": `0x78${secret}`,
    "a bigint": BigInt(`0x${secret}`),
    "a number": Number(`0x${secret}`),
    "bytes": Uint8Array.from(Buffer.from(secret, "hex")),
    "an object that becomes text": { toString: () => secret },
    "a list": [secret]
  }
  const traces = [secret.slice(0, 12), secret.slice(-12), BigInt(`0x${secret}`).toString().slice(0, 12), "6.29"]

  const keepsSecret = (name: string, answer: unknown): void => {
    if (typeof answer !== "object" || answer === null || !("error" in answer)) return
    const { error } = answer
    const told = error instanceof Error ? `${error} ${JSON.stringify(error)}` : ""
    assert.notStrictEqual(told, "", name)
    for (const trace of traces) assert.notInclude(told.toLowerCase(), trace, name)
  }

  for (const [as, form] of Object.entries(forms)) {
    it(`is not repeated, given as ${as}`, () => {
      for (const [name, call] of Object.entries(fallible)) {
        keepsSecret(name, call(form, form))
        for (const subject of subjects.flatMap((one) => replaced(one, form))) keepsSecret(name, call(subject, options))
        for (const other of replaced(options, form)) {
          for (const subject of subjects) keepsSecret(name, call(subject, other))
        }
      }
    })
  }
})

it("an error keeps its words in JSON", () => {
  const refused = Transaction.decode("0x")
  assert.isFalse(refused.ok)
  if (!refused.ok) {
    assert.deepStrictEqual(JSON.parse(JSON.stringify(refused.error)), {
      _tag: "TransactionError",
      reason: "Truncated",
      path: "",
      message: refused.error.message
    })
  }
})
