import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import { type AccountRecord, failKey, legacyKey } from "./AccountRecord.js"

const fail: AccountKey.AccountKey = { type: "AccountKeyFail" }
const known = new Map<string, AccountKey.AccountKey>([[legacyKey, AccountKey.legacy], [failKey, fail]])

/** The key of an account. A stored key that cannot be read lets nobody sign. */
export const keyOf = (account: AccountRecord): AccountKey.AccountKey => {
  const cached = known.get(account.key)
  if (cached !== undefined) return cached
  const decoded = AccountKey.decode(`0x${account.key.slice(2)}`)
  const key = decoded.ok ? decoded.value : fail
  if (known.size > 10_000) known.clear()
  known.set(account.key, key)
  return key
}

/** Do the signers together satisfy the account's key for a role? */
export const speaksFor = (
  account: AccountRecord,
  address: Hex,
  role: AccountKey.Role,
  signers: ReadonlyArray<Signer>
): boolean => AccountKey.isSatisfiedBy(keyOf(account), { role, address, signers })
