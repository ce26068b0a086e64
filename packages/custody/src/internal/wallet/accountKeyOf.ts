import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Result } from "@effect-klaytn/transaction/Result"
import { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import type { AccountKeyBody, RoleKeyBody } from "@effect-klaytn/wallet/AccountKeyBody"
import * as Either from "effect/Either"

type Read<A> = Either.Either<A, TransactionError>

const read = <A>(result: Result<A>): Read<A> => result.ok ? Either.right(result.value) : Either.left(result.error)

/** A public key as in a request: uncompressed, with its prefix. */
const publicKeyOf = (key: string): Read<Hex> =>
  key.length === 132
    ? read(PublicKey.compress(`0x${key.slice(2)}`))
    : Either.left(new TransactionError("InvalidKey", "", `a public key has 65 bytes, this has ${(key.length - 2) / 2}`))

/** Several public keys as in a request. */
interface SeveralKeys {
  readonly threshold: number
  readonly weightedKeys: ReadonlyArray<{ readonly publicKey: string; readonly weight: number }>
}

const multiSigKeyOf = ({ threshold, weightedKeys }: SeveralKeys): Read<AccountKey.AccountKeyWeightedMultiSig> =>
  Either.map(
    Either.all(
      weightedKeys.map(({ publicKey, weight }) =>
        Either.map(publicKeyOf(publicKey), (key) => ({ weight, publicKey: key }))
      )
    ),
    (keys) => ({ type: "AccountKeyWeightedMultiSig", threshold, keys })
  )

const roleKeyOf = (body: RoleKeyBody): Read<AccountKey.RoleKey> => {
  switch (body.keyType) {
    case 1:
      return Either.right(AccountKey.legacy)
    case 2:
      return Either.map(publicKeyOf(body.key), (publicKey) => ({ type: "AccountKeyPublic", publicKey }))
    case 3:
      return Either.right({ type: "AccountKeyFail" })
    case 4:
      return multiSigKeyOf(body.key)
  }
}

const keyOf = (body: AccountKeyBody): Read<AccountKey.AccountKey> => {
  if (body.keyType !== 5) return roleKeyOf(body)
  const [transaction, accountUpdate, feePayer] = body.key
  const roles = [roleKeyOf(transaction), roleKeyOf(accountUpdate), roleKeyOf(feePayer)] as const
  return Either.map(Either.all(roles), (keys) => ({ type: "AccountKeyRoleBased", keys }))
}

/** The multisig key of a request. */
export const severalKeysOf = (keys: SeveralKeys): Read<AccountKey.AccountKey> =>
  Either.flatMap(multiSigKeyOf(keys), (key) => read(AccountKey.validate(key)))

/** The account key of a request, or why the body is none. */
export const accountKeyOf = (
  body: AccountKeyBody
): Either.Either<AccountKey.AccountKey, "legacy in a role" | TransactionError> =>
  body.keyType === 5 && body.key.some(({ keyType }) => keyType === 1)
    ? Either.left("legacy in a role")
    : Either.flatMap(keyOf(body), (key) => read(AccountKey.validate(key)))
