/**
 * Accounts with private keys that this process holds.
 */
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble, type Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Redacted from "effect/Redacted"

/**
 * An account with its key pair. It signs with this key as long as its account key is the initial one or a public key
 * equal to this one.
 *
 * @category models
 */
export interface DevAccount {
  readonly address: Hex
  /** Compressed, 33 bytes. */
  readonly publicKey: Hex
  readonly privateKey: Redacted.Redacted<Uint8Array>
}

/**
 * The account that belongs to a private key of 32 bytes.
 *
 * @category constructors
 */
export const fromPrivateKey = (privateKey: Uint8Array, curve: Secp256k1 = noble): DevAccount => {
  const key = curve.publicKey(privateKey)
  return {
    address: PublicKey.addressOf(key),
    publicKey: PublicKey.compressedOf(key),
    privateKey: Redacted.make(privateKey)
  }
}

/**
 * Derives an account from a seed and a name: the same seed and name give the same account in every process. Never use
 * such an account on a real chain: anyone who knows the seed has its key.
 *
 * @example
 * ```ts
 * import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
 *
 * const alice = DevAccount.derive("my tests", "alice")
 * console.log(alice.address === DevAccount.derive("my tests", "alice").address) // true
 * ```
 *
 * @category constructors
 */
export const derive = (seed: string, name: string, curve: Secp256k1 = noble): DevAccount =>
  // A hash is a valid private key in all but one of 2^127 cases.
  fromPrivateKey(keccak_256(utf8ToBytes(`effect-klaytn sandbox account\n${seed}\n${name}`)), curve)

/**
 * Reveals the private key as a 0x string, to pass it deliberately to a wallet or another client.
 *
 * @category getters
 */
export const revealPrivateKey = (account: DevAccount): Hex => fromBytes(Redacted.value(account.privateKey))
