import { BadRequest } from "@effect-klaytn/core/ErrorBody"
import { resource } from "@effect-klaytn/core/ServiceCode"
import type { ServiceRefusals } from "@effect-klaytn/indexer/ServiceRefusals"
import { codes } from "@effect-klaytn/wallet/WalletCode"
import type { RequestIds } from "../gateway/RequestIds.js"

const noData = "data don't exist"
const unusable = "failed to get an account"
const corrupted = "account key corrupted. can not use this account"

/**
 * The wallet's refusals, word for word as observed; texts marked inferred are the sandbox's own. Errors
 * of validation have no `requestId`, all others have one.
 */
export class WalletRefusals {
  readonly #ids: RequestIds
  readonly #gateway: ServiceRefusals

  constructor(ids: RequestIds, gateway: ServiceRefusals) {
    this.#ids = ids
    this.#gateway = gateway
  }

  #invalid(code: number, message: string) {
    return new BadRequest({ code, message })
  }

  #refused(code: number, message: string) {
    return new BadRequest({ code, message, requestId: this.#ids.next() })
  }

  noCredential() {
    return this.#gateway.noCredential()
  }

  wrongCredential() {
    return this.#gateway.wrongCredential()
  }

  /** Inferred: no source shows the answer to a chain that is missing or unknown. */
  chain(header: string | undefined) {
    return header === undefined || header === "" ? this.empty("x-chain-id") : this.outOfRange("x-chain-id")
  }

  route() {
    return this.#gateway.route()
  }

  internal() {
    return this.#gateway.internal()
  }

  /** Not found; `what` is the ID that was looked for, where the answer names it. */
  noData(what?: string) {
    return this.#refused(codes.noData, what === undefined ? noData : `${noData}; ${what}`)
  }

  alreadyDisabled() {
    return this.#refused(codes.alreadyDisabled, "account has been already deleted or disabled")
  }

  alreadyEnabled() {
    return this.#refused(codes.alreadyEnabled, "account has been already deleted or enabled")
  }

  notASigner(address: string) {
    return this.#refused(codes.notASigner, `account is invalid to sign the transaction; ${address}`)
  }

  notLegacyAccount() {
    return this.#refused(
      codes.notLegacyAccount,
      "the requested account must be a legacy account; if the account is multisig account, use " +
        "`PUT /v2/tx/{fd|fd-user}/account` API for multisig transaction and /v2/multisig/**/** APIs"
    )
  }

  notHex(field: string) {
    return this.#invalid(codes.notHex, `it has to start with '0x' and allows [0-9a-fA-F]; ${field}`)
  }

  empty(field: string) {
    return this.#invalid(codes.empty, `cannot be empty or zero value; ${field}`)
  }

  notAnAddress(field: string) {
    return this.#invalid(codes.notAnAddress, `it just allow Klaytn address form; ${field}`)
  }

  outOfRange(field: string) {
    return this.#invalid(codes.outOfRange, `its value is out of range; ${field}`)
  }

  feeRatioOutOfRange() {
    return this.#invalid(codes.feeRatioOutOfRange, "fee ratio must be between 1 and 99; feeRatio")
  }

  badAccountKey(why: string) {
    return this.#refused(codes.badAccountKey, `failed to decode account keys; ${why}`)
  }

  unknownFeePayer() {
    return this.#refused(codes.unknownFeePayer, "failed to get feepayer")
  }

  rlpDiffers(field: "feeRatio" | "feePayer" | "from") {
    return this.#refused(codes.rlpDiffers, `rlp value and request value are not same; ${field}`)
  }

  alreadySubmitted(hash: string) {
    return this.#refused(
      codes.alreadySubmitted,
      `already submitted transaction. Confirm transaction hash; ${hash}`
    )
  }

  legacyInRoleBased() {
    return this.#refused(
      codes.legacyInRoleBased,
      "AccountKeyLegacy type is not supported in AccountKeyRoleBased type"
    )
  }

  notFeeDelegated() {
    return this.#refused(codes.notFeeDelegated, "it just allow (Partial)FeeDelegation transaction type")
  }

  feeRatioMissing() {
    return this.#refused(
      codes.feeRatioMissing,
      "PartialFeeDelegation transaction must set fee ratio to non-zero value"
    )
  }

  feeRatioUnwanted() {
    return this.#refused(
      codes.feeRatioUnwanted,
      "FeeDelegation transaction cannot set fee ratio, use PartialFeeDelegation transaction type"
    )
  }

  notBasic() {
    return this.#refused(codes.notBasic, "it just allow Basic transaction type")
  }

  unknownTransaction() {
    return this.#refused(codes.unknownTransaction, "failed to retrieve a transaction from klaytn node")
  }

  /** The node's own message after the service's. */
  nodeRefused(message: string) {
    return this.#refused(codes.nodeRefused, nodeRefusal(message))
  }

  /** The account that should sign is unknown or disabled; `corrupted`: the chain has another key for it. */
  unusable(why: "unknown" | "corrupted" = "unknown") {
    return this.#refused(codes.unusableAccount, `${unusable}; ${why === "corrupted" ? corrupted : noData}`)
  }

  /** The list of resources has a code of its own. */
  noResources() {
    return this.#refused(resource.noData, noData)
  }

  corrupted() {
    return this.#refused(codes.corruptedAccount, corrupted)
  }
}

/** The text for a transaction that the node refused, also in a failed registration. */
export const nodeRefusal = (message: string): string =>
  `failed to send a raw transaction to klaytn node; -32000::${message}`
