/** Messages signed as wallets sign them. */
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Redacted from "effect/Redacted"

/** The signature of an account under a message, 65 bytes that end in 27 or 28. */
export const signMessage = (from: DevAccount, message: Hex, form: "Klaytn" | "Ethereum"): Hex => {
  const bytes = Buffer.from(message.slice(2), "hex")
  const digest = keccak_256(Buffer.concat([Buffer.from(`\x19${form} Signed Message:\n${bytes.length}`), bytes]))
  const { recovery, rs } = noble.sign(digest, Redacted.value(from.privateKey))
  return fromBytes(Buffer.concat([rs, Uint8Array.of(27 + recovery)]))
}
