/**
 * An account of the hosted wallet as a `Signer` of `@effect-klaytn/node`: programs and `Contract` use it like a signer with
 * keys in the process, and the keys stay at the service.
 *
 * This module needs `@effect-klaytn/node`, which is an optional peer of this package.
 *
 * **Details**
 *
 * A request becomes a send of `Transactions`, with its plan, its policy and its record. The service chooses what the request
 * leaves out: the nonce, the gas limit, and always the gas price. The outcomes are those of `Signer`:
 *
 * | Of `Transactions` | Of `Signer` |
 * |---|---|
 * | `Sent` | waits for the receipt: the success, or `FailedInBlock` |
 * | `NotSent` with the proof `unsent` or `refused` | `NotSent`; `SigningFailed` if the policy refused |
 * | `NotSent` with the proof `block` | `Superseded` |
 * | `NotSent` with the proof `lookup`: another copy may have been accepted | `SendUnknown` |
 * | `Pending`: signers of a multisig account are missing | `SendUnknown` with the reason `signatures` |
 * | `SendUnknown` | one look-up; `SendUnknown` if that shows nothing |
 *
 * The service signs each copy of a request anew, so another hash with the nonce may be the same payment. Therefore another
 * transaction with the nonce is compared by its content before a send is called `Superseded`.
 *
 * **Gotchas**
 *
 * Without a nonce, a send with an unknown outcome is recognised by its content, and an identical send of another program at the
 * same time looks the same. Pass a nonce, for example from `NonceSource`, if there may be one. The service reads nonce 0 as
 * none, so it is refused here.
 *
 * **Example** (writes to a contract; the service pays the fee)
 *
 * ```ts
 * import * as Contract from "@effect-klaytn/node/Contract"
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as HostedSigner from "@effect-klaytn/wallet/HostedSigner"
 * import * as Effect from "effect/Effect"
 *
 * const abi = ["function transfer(address to, uint256 value) returns (bool)"] as const
 *
 * export const pay = (from: string, token: string, to: `0x${string}`) =>
 *   Effect.gen(function*() {
 *     const signer = yield* HostedSigner.make({ address: from, payer: FeeDelegation.service })
 *     const contract = yield* Contract.make({ address: token, abi })
 *     return yield* contract.write("transfer", [to, 5n], { signer }).pipe(
 *       Effect.catchTag("SendUnknown", (unknown) => signer.reconcile(unknown))
 *     )
 *   })
 * ```
 */
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { KlaytnNode } from "@effect-klaytn/node/KlaytnNode"
import type * as Signer from "@effect-klaytn/node/Signer"
import type * as Effect from "effect/Effect"
import type { FeePayerInput } from "./FeeDelegation.js"
import * as internal from "./internal/hostedSends.js"
import type { TransactionLookup } from "./TransactionLookup.js"
import type { Transactions } from "./Transactions.js"

/**
 * A signer for an account of the hosted wallet.
 *
 * @category models
 */
export interface HostedSigner extends Signer.Signer<Signer.AnyRequest> {
  /**
   * Looks again for a send with an unknown outcome, by the record in the error: also for one without a hash, and in a later
   * program. Looks once for the transaction, and then waits for its receipt. Fails with `SendUnknown` if nothing is known yet.
   */
  readonly reconcile: (
    unknown: Signer.SendUnknown,
    options?: Signer.Options
  ) => Effect.Effect<
    Signer.Sent,
    InvalidInput | Exclude<Signer.SendError, Signer.SigningFailed | Signer.NotSent>,
    KlaytnNode
  >
}

/**
 * The account, and who pays its fees.
 *
 * @category models
 */
export interface Options {
  /** An account of the current pool. In one case or with a correct checksum. */
  readonly address: string
  /** Who pays the fee: `FeeDelegation.user(address)`, `FeeDelegation.service` or `FeeDelegation.sender`. */
  readonly payer: FeePayerInput
  /** The percentage that the fee payer pays, 1 to 99. Defaults to all of it. */
  readonly feeRatio?: number | undefined
}

/**
 * Makes a signer for an account of the hosted wallet.
 *
 * @category constructors
 */
export const make: (
  options: Options
) => Effect.Effect<HostedSigner, InvalidInput, Transactions | TransactionLookup> = internal.make
