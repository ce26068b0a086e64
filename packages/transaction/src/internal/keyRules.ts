import type { AccountKey, Role, RoleKey } from "../AccountKey.js"
import { fail, type Result, succeed } from "../Result.js"
import type { Signer } from "../Signature.js"
import { TransactionError } from "../TransactionError.js"
import { ofRoles } from "./accountKey.js"

const roleIndex: Record<Role, 0 | 1 | 2> = { transaction: 0, accountUpdate: 1, feePayer: 2 }

export const isSatisfiedBy = (
  key: AccountKey,
  role: Role,
  address: string,
  signers: ReadonlyArray<Signer>
): boolean => {
  switch (key.type) {
    case "AccountKeyNil":
    case "AccountKeyFail":
      return false
    case "AccountKeyLegacy":
      return signers.length === 1 && signers.every((signer) => signer.address === address)
    case "AccountKeyPublic":
      return signers.length === 1 && signers.every((signer) => signer.publicKey === key.publicKey)
    case "AccountKeyWeightedMultiSig": {
      const signed = new Set(signers.map((signer) => signer.publicKey))
      const matching = key.keys.filter((entry) => signed.has(entry.publicKey))
      // The chain compares the number of signatures with that of keys, but counts a key's weight once, however often it
      // signs.
      return signers.length <= key.keys.length && matching.length === signed.size && key.threshold >= 1
        && matching.reduce((sum, entry) => sum + BigInt(entry.weight), 0n) >= BigInt(key.threshold)
    }
    case "AccountKeyRoleBased":
      return isSatisfiedBy(key.keys[roleIndex[role]] ?? key.keys[0], role, address, signers)
    default:
      return false
  }
}

const nothingToKeep = (path: string): Result<never> =>
  fail(
    new TransactionError("InvalidKey", path, "AccountKeyNil keeps the key of a role, but the account has none to keep")
  )

export const update = (current: AccountKey, next: AccountKey): Result<AccountKey> => {
  if (next.type === "AccountKeyNil") {
    return nothingToKeep("")
  }
  if (next.type !== "AccountKeyRoleBased") {
    return succeed(next)
  }
  const before: ReadonlyArray<RoleKey | undefined> = current.type === "AccountKeyRoleBased" ? current.keys : []
  const [transaction, accountUpdate, feePayer] = [0, 1, 2].map((i) => {
    const wanted = next.keys[i]
    return wanted === undefined || wanted.type === "AccountKeyNil" ? before[i] : wanted
  })
  if (transaction === undefined) {
    return nothingToKeep("keys[0]")
  }
  const missing = [accountUpdate, feePayer].findIndex((key, i) => i + 1 < next.keys.length && key === undefined)
  return missing >= 0
    ? nothingToKeep(`keys[${missing + 1}]`)
    : succeed(ofRoles(transaction, accountUpdate, feePayer))
}

export const size = (key: AccountKey): number => {
  switch (key.type) {
    case "AccountKeyNil":
    case "AccountKeyLegacy":
    case "AccountKeyFail":
      return 0
    case "AccountKeyPublic":
      return 1
    case "AccountKeyWeightedMultiSig":
      return key.keys.length
    case "AccountKeyRoleBased":
      return key.keys.reduce((sum, role) => sum + (role === undefined ? 0 : size(role)), 0)
  }
}
