import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { fail, flatMap, map, type Result, succeed } from "@effect-klaytn/transaction/Result"
import { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import type { AccountKeyBody, RoleKeyBody } from "@effect-klaytn/wallet/AccountKeyBody"
import * as Either from "effect/Either"

/** A public key as in a request: uncompressed, with its prefix. */
const publicKeyOf = (key: string): Result<`0x${string}`> =>
  key.length === 132
    ? PublicKey.compress(`0x${key.slice(2)}`)
    : fail(new TransactionError("InvalidKey", "", `a public key has 65 bytes, this has ${(key.length - 2) / 2}`))

const readWeightedKeys = (
  keys: ReadonlyArray<{ readonly publicKey: string; readonly weight: number }>
): Result<ReadonlyArray<AccountKey.WeightedKey>> =>
  keys.reduce<Result<ReadonlyArray<AccountKey.WeightedKey>>>(
    (all, { publicKey, weight }) =>
      flatMap(all, (known) => map(publicKeyOf(publicKey), (key) => [...known, { weight, publicKey: key }])),
    succeed([])
  )

/** A multisig key of public keys as in a request, unchecked. */
const multiSigKeyOf = (
  threshold: number,
  keys: ReadonlyArray<{ readonly publicKey: string; readonly weight: number }>
): Result<AccountKey.AccountKeyWeightedMultiSig> =>
  map(readWeightedKeys(keys), (known) => ({ type: "AccountKeyWeightedMultiSig", threshold, keys: known }))

const roleKeyOf = (body: RoleKeyBody): Result<AccountKey.RoleKey> => {
  switch (body.keyType) {
    case 1:
      return succeed(AccountKey.legacy)
    case 2:
      return map(publicKeyOf(body.key), (publicKey) => ({ type: "AccountKeyPublic", publicKey }))
    case 3:
      return succeed({ type: "AccountKeyFail" })
    case 4:
      return multiSigKeyOf(body.key.threshold, body.key.weightedKeys)
  }
}

const keyOf = (body: AccountKeyBody): Result<AccountKey.AccountKey> => {
  if (body.keyType !== 5) return roleKeyOf(body)
  const [transaction, accountUpdate, feePayer] = body.key
  return flatMap(
    roleKeyOf(transaction),
    (first) =>
      flatMap(
        roleKeyOf(accountUpdate),
        (second) => map(roleKeyOf(feePayer), (third) => ({ type: "AccountKeyRoleBased", keys: [first, second, third] }))
      )
  )
}

/** Why a body is not an account key. */
export type KeyProblem = "legacy in a role" | TransactionError

/** The multisig key of a request. */
export const severalKeysOf = (
  threshold: number,
  keys: ReadonlyArray<{ readonly publicKey: string; readonly weight: number }>
): Result<AccountKey.AccountKey> => flatMap(multiSigKeyOf(threshold, keys), AccountKey.validate)

/** The account key of a request. */
export const accountKeyOf = (body: AccountKeyBody): Either.Either<AccountKey.AccountKey, KeyProblem> => {
  if (body.keyType === 5 && body.key.some(({ keyType }) => keyType === 1)) return Either.left("legacy in a role")
  const key = flatMap(keyOf(body), AccountKey.validate)
  return key.ok ? Either.right(key.value) : Either.left(key.error)
}
