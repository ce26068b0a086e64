import * as FastCheck from "effect/FastCheck"
import type { AccountKeyRoleBased, RoleKey } from "../src/AccountKey.js"
import * as Hex from "../src/Hex.js"
import * as PrivateKey from "../src/PrivateKey.js"
import * as Transaction from "../src/Transaction.js"
import type { AccessListEntry, SignedAuthorization } from "../src/TransactionBody.js"
import * as TransactionType from "../src/TransactionType.js"
import { get } from "./fixtures.js"

const bytes = (minLength: number, maxLength = minLength): FastCheck.Arbitrary<Hex.Hex> =>
  FastCheck.uint8Array({ minLength, maxLength }).map(Hex.fromBytes)

const address = bytes(20)
const uint64 = FastCheck.bigInt(0n, 2n ** 64n - 1n)
const uint256 = FastCheck.bigInt(0n, 2n ** 256n - 1n)

/** Private keys with their public halves; few, because deriving is slow. */
const keyPairs = Array.from({ length: 16 }, (_, i) => {
  const privateKey: Hex.Hex = `0x${(i + 1).toString(16).padStart(64, "5")}`
  return {
    privateKey,
    publicKey: get(PrivateKey.toPublicKey(privateKey)),
    address: get(PrivateKey.toAddress(privateKey))
  }
})

export const keyPair = FastCheck.constantFrom(...keyPairs)

export const chainId = FastCheck.constantFrom(1, 1001, 8217)

const single: FastCheck.Arbitrary<RoleKey> = keyPair.map(({ publicKey }) => ({ type: "AccountKeyPublic", publicKey }))

const multi: FastCheck.Arbitrary<RoleKey> = FastCheck.uniqueArray(
  FastCheck.record({
    weight: FastCheck.integer({ min: 1, max: 1000 }),
    publicKey: keyPair.map((key) => key.publicKey)
  }),
  { minLength: 1, maxLength: 10, selector: (key) => key.publicKey }
).chain((keys) =>
  FastCheck.integer({ min: 1, max: keys.reduce((sum, key) => sum + key.weight, 0) }).map((threshold) => ({
    type: "AccountKeyWeightedMultiSig",
    threshold,
    keys
  }))
)

const real: FastCheck.Arbitrary<RoleKey> = FastCheck.oneof(
  FastCheck.constant<RoleKey>({ type: "AccountKeyLegacy" }),
  FastCheck.constant<RoleKey>({ type: "AccountKeyFail" }),
  single,
  multi
)

const role = FastCheck.oneof(real, FastCheck.constant<RoleKey>({ type: "AccountKeyNil" }))

const roleBased: FastCheck.Arbitrary<AccountKeyRoleBased> = FastCheck.oneof(
  FastCheck.tuple(role),
  FastCheck.tuple(role, role),
  FastCheck.tuple(role, role, role)
).map((keys) => ({ type: "AccountKeyRoleBased", keys }))

/** Any key that an account update may set. */
export const accountKey = FastCheck.oneof(real, roleBased)

const accessList: FastCheck.Arbitrary<ReadonlyArray<AccessListEntry>> = FastCheck.array(
  FastCheck.record({ address, storageKeys: FastCheck.array(bytes(32), { maxLength: 3 }) }),
  { maxLength: 3 }
)

const authorizationList: FastCheck.Arbitrary<ReadonlyArray<SignedAuthorization>> = FastCheck.array(
  FastCheck.record({
    chainId: uint256,
    address,
    nonce: uint64,
    yParity: FastCheck.integer({ min: 0, max: 255 }),
    r: uint256,
    s: uint256
  }),
  { maxLength: 3 }
)

const to = FastCheck.option(address, { nil: undefined })

const fields = FastCheck.record({
  nonce: uint64,
  gas: uint64,
  gasPrice: uint256,
  maxPriorityFeePerGas: uint256,
  maxFeePerGas: uint256,
  from: address,
  value: uint256,
  input: bytes(0, 80),
  key: accountKey,
  humanReadable: FastCheck.boolean(),
  codeFormat: FastCheck.integer({ min: 0, max: 255 }),
  feeRatio: FastCheck.integer({ min: 1, max: 99 }),
  accessList,
  maxFeePerBlobGas: uint256,
  blobVersionedHashes: FastCheck.array(bytes(32), { maxLength: 3 }),
  authorizationList,
  chainId
})

/**
 * An unsigned transaction of a type. All fields of all types are offered; `make` keeps those of the type, which is
 * also a test of it.
 */
export const unsigned = (type: TransactionType.TransactionType): FastCheck.Arbitrary<Transaction.Transaction> =>
  FastCheck.tuple(fields, address, to).map(([all, required, optional]) => {
    const creates = type.includes("Deploy") || type === "LegacyTransaction" ||
      (TransactionType.isEthereum(type) && type !== "EthereumSetCode" && type !== "EthereumBlob")
    const target = creates ? optional : required
    return get(Transaction.make({ type, ...all, ...(target === undefined ? {} : { to: target }) }))
  })

/** Signed by `sender` and, where there is one, `payer`, each as the owner of its address. */
export const sign = (
  transaction: Transaction.Transaction,
  sender: Hex.Hex,
  payer: Hex.Hex,
  chain: number
): Transaction.Transaction => {
  const options = { chainId: "chainId" in transaction ? transaction.chainId : chain, privateKey: sender }
  const signed = get(Transaction.signAsSender(transaction, options))
  return Transaction.isFeeDelegatedTransaction(signed)
    ? get(Transaction.signAsFeePayer(signed, { ...options, privateKey: payer }))
    : signed
}
