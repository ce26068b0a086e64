/**
 * A signer whose secret no operation names, such as the service's own fee payer.
 */
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { GlobalFeePayer } from "./ChainWallet.js"
import { StoreFailure } from "./CustodyError.js"
import { OpenedSecrets } from "./internal/OpenedSecrets.js"
import type { SecretStore } from "./SqlSecrets.js"
import type { Sealer } from "./Vault.js"

/**
 * The signer of a secret that is kept under a name. The secret is read and opened each time, and overwritten at the end of the
 * request.
 *
 * @category constructors
 */
export const make = (
  secrets: Pick<SecretStore, "secret">,
  sealer: Sealer,
  curve: Secp256k1,
  name: string
): Effect.Effect<GlobalFeePayer, StoreFailure> => {
  const open = Effect.gen(function*() {
    const kept = yield* secrets.secret(name)
    const privateKey = kept && sealer.open(name, kept.sealed)
    if (privateKey === undefined) {
      return yield* new StoreFailure({
        operation: "secret",
        cause: new Error(`the key of the ${name} can't be opened`)
      })
    }
    ;(yield* OpenedSecrets)?.push(privateKey)
    const key = curve.publicKey(privateKey)
    return {
      address: PublicKey.addressOf(key),
      publicKey: PublicKey.compressedOf(key),
      privateKey: Redacted.make(privateKey)
    }
  })
  return Effect.map(open, ({ address, privateKey }) => {
    Redacted.value(privateKey).fill(0)
    return { address, open }
  })
}
