import type { Chain } from "@effect-klaytn/core/Chain"
import { deriveKey } from "@effect-klaytn/service/Derive"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"

/** The last part of the ID of a key. */
export const hashOf = (chain: Chain, publicKey: Hex): Hex => fromBytes(deriveKey(publicKey, `key id ${chain}`))

/** The name to which the secret of a key is bound. */
export const sealName = (chain: Chain, customer: string, hash: Hex): string => `krn:${chain}:wallet:${customer}:${hash}`
