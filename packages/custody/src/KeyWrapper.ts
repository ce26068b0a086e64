/**
 * Wraps the key of a wallet with a master key that the database never sees.
 *
 * **When to use**
 *
 * In a program, to keep the master key in a key management service: give its client the two functions of {@link KeyWrapper}.
 * Each is called when a wallet is opened or gets another master key, and never for a signature.
 */
import * as Effect from "effect/Effect"
import { MasterKeyError } from "./MasterKeyError.js"
import { Vault } from "./Vault.js"

/**
 * A master key, wherever it is kept.
 *
 * @category models
 */
export interface KeyWrapper {
  /** Seals 32 bytes. */
  readonly wrap: (key: Uint8Array) => Effect.Effect<Uint8Array, MasterKeyError>
  /** The 32 bytes that {@link KeyWrapper.wrap} sealed. Fails with the reason `Wrong` if another key sealed them. */
  readonly unwrap: (wrapped: Uint8Array) => Effect.Effect<Uint8Array, MasterKeyError>
}

const name = "effect-klaytn wallet root"

/**
 * The bytes of a master key.
 *
 * @category constants
 */
export const keyBytes = 32

/**
 * A master key of 32 bytes that this process holds. `key` may be overwritten afterwards.
 *
 * @category constructors
 */
export const ofKey = (key: Uint8Array): KeyWrapper => {
  const vault = new Vault(key)
  return {
    wrap: (secret) => Effect.sync(() => vault.seal(name, secret)),
    unwrap: (wrapped) =>
      Effect.suspend(() => {
        const secret = vault.open(name, wrapped)
        return secret === undefined
          ? new MasterKeyError({ reason: "Wrong", message: "the wallet was sealed with another master key" })
          : Effect.succeed(secret)
      })
  }
}
