import type { AccountKey as NodeKey } from "@effect-klaytn/node/Account"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"

interface Point {
  readonly x: bigint
  readonly y: bigint
}

const publicKeyOf = ({ x, y }: Point): Hex | undefined => {
  const digits = [x, y].map((coordinate) => coordinate.toString(16).padStart(64, "0")).join("")
  const compressed = PublicKey.compress(`0x04${digits}`)
  return compressed.ok ? compressed.value : undefined
}

type SingleKey = Exclude<NodeKey, { readonly keyType: 5 }>

const roleKeyOf = (key: SingleKey): AccountKey.RoleKey | undefined => {
  switch (key.keyType) {
    case 0:
      return { type: "AccountKeyNil" }
    case 1:
      return AccountKey.legacy
    case 2: {
      const publicKey = publicKeyOf(key.key)
      return publicKey && { type: "AccountKeyPublic", publicKey }
    }
    case 3:
      return { type: "AccountKeyFail" }
    case 4: {
      const keys = key.key.keys.flatMap(({ key: point, weight }) => {
        const publicKey = publicKeyOf(point)
        return publicKey === undefined ? [] : [{ weight, publicKey }]
      })
      return keys.length === key.key.keys.length
        ? { type: "AccountKeyWeightedMultiSig", threshold: key.key.threshold, keys }
        : undefined
    }
  }
}

/** An account key as the transactions of the chain have it; undefined if one of its points is not on the curve. */
export const accountKeyOf = (key: NodeKey): AccountKey.AccountKey | undefined => {
  if (key.keyType !== 5) return roleKeyOf(key)
  const [transaction, accountUpdate, feePayer] = key.key.map(roleKeyOf)
  if (transaction === undefined) return undefined
  if (key.key.length > 1 && accountUpdate === undefined || key.key.length > 2 && feePayer === undefined) {
    return undefined
  }
  return {
    type: "AccountKeyRoleBased",
    keys: accountUpdate === undefined
      ? [transaction]
      : feePayer === undefined
      ? [transaction, accountUpdate]
      : [transaction, accountUpdate, feePayer]
  }
}
