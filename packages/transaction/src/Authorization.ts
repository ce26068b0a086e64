/**
 * Authorizations of accounts to run another contract's code as their own (EIP-7702), for transactions of the type
 * `EthereumSetCode`.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fromBytes, type Hex } from "./Hex.js"
import * as body from "./internal/body.js"
import * as ecdsa from "./internal/ecdsa.js"
import { catchThrown, Faults } from "./internal/faults.js"
import * as rlp from "./internal/rlp.js"
import * as signatures from "./internal/signatures.js"
import { fail, flatMap, map, type Result, succeed } from "./Result.js"
import type { Secp256k1 } from "./Secp256k1.js"
import type { Signer } from "./Signature.js"
import type { SignedAuthorization } from "./TransactionBody.js"
import { TransactionError } from "./TransactionError.js"

/**
 * What an account signs: the contract whose code it runs (the zero address for none), its own nonce at that moment, and
 * the chain (0 for every chain). An account that sends the transaction itself has raised its nonce by then.
 *
 * @category models
 */
export type Authorization = Pick<SignedAuthorization, "chainId" | "address" | "nonce">

const magic = Uint8Array.of(0x05)

const digestBytes = (authorization: Authorization): Result<Uint8Array> => {
  const faults = new Faults()
  const list = body.authorization.write(authorization, "authorization", faults)
  return map(faults.result(list), (items) => keccak_256(concatBytes(magic, rlp.encode(items))))
}

/**
 * The Keccak-256 hash that the account signs.
 *
 * @category signing
 */
export const digest = (authorization: Authorization): Result<Hex> =>
  catchThrown(() => map(digestBytes(authorization), fromBytes))

/**
 * Signs an authorization with the private key of the account. The account must have `AccountKeyLegacy`.
 *
 * **Example** (an account runs the code of a contract)
 *
 * ```ts
 * import * as Authorization from "@effect-klaytn/transaction/Authorization"
 * import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
 *
 * const privateKey = PrivateKey.generate()
 * const signed = Authorization.sign({
 *   chainId: 1001n,
 *   address: "0x7b65b75d204abed71587c9e519a89277766ee1d0",
 *   nonce: 0n
 * }, { privateKey })
 * if (signed.ok) console.log(Authorization.recover(signed.value).ok) // true
 * ```
 *
 * @category signing
 */
export const sign = (
  authorization: Authorization,
  options: { readonly privateKey: Hex | Uint8Array; readonly curve?: Secp256k1 | undefined }
): Result<SignedAuthorization> =>
  catchThrown(() =>
    flatMap(digestBytes(authorization), (hash) =>
      flatMap(ecdsa.sign(hash, options), ({ r, recovery, s }) => {
        const { address, chainId, nonce } = authorization
        const faults = new Faults()
        signatures.check("EthereumSetCode", { v: BigInt(recovery), r, s }, "signature", faults)
        return faults.result({ chainId, address, nonce, yParity: recovery, r, s })
      }))
  )

/**
 * Recovers the account that signed an authorization. Fails with `InvalidSignature` or `HighS` if the chain passes over the
 * authorization for that reason.
 *
 * @category recovery
 */
export const recover = (
  authorization: SignedAuthorization,
  options: { readonly curve?: Secp256k1 | undefined } = {}
): Result<Signer> =>
  catchThrown(() => {
    const { r, s, yParity } = authorization
    const faults = new Faults()
    signatures.check("EthereumSetCode", { v: BigInt(yParity), r, s }, "authorization", faults)
    return flatMap(flatMap(faults.result(authorization), digestBytes), (hash) => {
      const signer = ecdsa.recover(hash, { r, s, recovery: yParity }, options.curve)
      return signer === undefined
        ? fail(new TransactionError("InvalidSignature", "authorization", "no key can have made it"))
        : succeed(signer)
    })
  })
