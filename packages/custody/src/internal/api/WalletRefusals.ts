import type * as Chain from "@effect-klaytn/core/Chain"
import { BadRequest } from "@effect-klaytn/core/ErrorBody"
import { gateway, resource } from "@effect-klaytn/core/ServiceCode"
import { otherChain, type RequestIds, ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import { codes, type WalletCode } from "@effect-klaytn/wallet/WalletCode"
import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import type { WalletRefused } from "../../CustodyError.js"

/** A code that the service has, too. */
type ServiceCode = Exclude<WalletCode, "frozen" | "notPermitted" | "tooMany">

/** The wallet's texts, word for word as observed. */
const texts: Readonly<Record<ServiceCode, string>> = {
  noData: "data don't exist",
  alreadyDisabled: "account has been already deleted or disabled",
  alreadyEnabled: "account has been already deleted or enabled",
  notASigner: "account is invalid to sign the transaction",
  notLegacyAccount: "the requested account must be a legacy account; if the account is multisig account, use " +
    "`PUT /v2/tx/{fd|fd-user}/account` API for multisig transaction and /v2/multisig/**/** APIs",
  notHex: "it has to start with '0x' and allows [0-9a-fA-F]",
  empty: "cannot be empty or zero value",
  notAnAddress: "it just allow Klaytn address form",
  outOfRange: "its value is out of range",
  feeRatioOutOfRange: "fee ratio must be between 1 and 99; feeRatio",
  badAccountKey: "failed to decode account keys",
  unknownFeePayer: "failed to get feepayer",
  rlpDiffers: "rlp value and request value are not same",
  alreadySubmitted: "already submitted transaction. Confirm transaction hash",
  legacyInRoleBased: "AccountKeyLegacy type is not supported in AccountKeyRoleBased type",
  notFeeDelegated: "it just allow (Partial)FeeDelegation transaction type",
  feeRatioMissing: "PartialFeeDelegation transaction must set fee ratio to non-zero value",
  feeRatioUnwanted: "FeeDelegation transaction cannot set fee ratio, use PartialFeeDelegation transaction type",
  notBasic: "it just allow Basic transaction type",
  unknownTransaction: "failed to retrieve a transaction from klaytn node",
  nodeRefused: "failed to send a raw transaction to klaytn node",
  unusableAccount: "failed to get an account",
  corruptedAccount: "account key corrupted. can not use this account",
  hasCoin: "an account that needs it has coin: send the coin away first, or name the parameter withCoin=true",
  keyUnknown: "the wallet does not know this Idempotency-Key, and takes no new ones until its owner accepts them",
  keyReused: "this Idempotency-Key can't be used for this request"
}

/** The text of a refusal, with what it is about: a field, an ID, or the reason. */
export const refusalText = (name: ServiceCode, about?: string): string =>
  about === undefined ? texts[name] : `${texts[name]}; ${about}`

/** The node's own message, as it follows the service's text. */
export const nodeMessage = (message: string): string => `-32000::${message}`

const validation: ReadonlySet<WalletCode> = new Set([
  "notHex",
  "empty",
  "notAnAddress",
  "outOfRange",
  "feeRatioOutOfRange"
])

/** The wallet's refusals. Errors of validation have no `requestId`, all others have one. */
export class WalletRefusals extends ServiceRefusals {
  readonly #ids: RequestIds

  constructor(ids: RequestIds) {
    super(ids)
    this.#ids = ids
  }

  /** A refusal by the name of its code, with what it is about. */
  of(name: ServiceCode, about?: string): BadRequest {
    const body = { code: codes[name], message: refusalText(name, about) }
    return new BadRequest(validation.has(name) ? body : { ...body, requestId: this.#ids.next() })
  }

  /** Fails with the same. */
  fail(name: ServiceCode, about?: string): Effect.Effect<never, BadRequest> {
    return Effect.failSync(() => this.of(name, about))
  }

  /** Inferred: no source shows the answer to a chain that is missing or unknown. Ours: a wallet of one chain names both. */
  override chain(header: string | undefined, served?: Chain.Chain) {
    const isEmpty = header === undefined || header === ""
    return this.of(isEmpty ? "empty" : "outOfRange", `x-chain-id${otherChain(header, served)}`)
  }

  /** Ours: the wallet does not do what the caller asks. The audit log has the same ID. */
  policy(reason: WalletRefused["reason"], message: string, requestId: string) {
    if (reason === "keys") {
      return new BadRequest({ code: codes.keyUnknown, message: refusalText("keyUnknown", message), requestId })
    }
    const passing = reason === "frozen" || reason === "tooMany" ? codes[reason] : codes.notPermitted
    const code = reason === "rights" ? gateway.notAllowed : passing
    return new BadRequest({ code, message: `[NotPermitted]${message}`, requestId })
  }

  /** Ours: the node behind the wallet did not answer, and what to do about a request of this kind. */
  node(operation: string, { headers, method }: Pick<HttpServerRequest, "headers" | "method">, requestId: string) {
    const again = headers["idempotency-key"] === undefined
      ? "without an Idempotency-Key, look whether it was done before you repeat it"
      : "repeat it with the same Idempotency-Key"
    const why = operation === "send"
      ? "it is not known yet whether the node has the transaction; its bytes are kept, and sent again"
      : `the node behind this wallet gave no answer that can be used (${operation})`
    return this.internal(`${why}: ${method === "GET" ? "ask again" : again}`, requestId)
  }

  /** An ID for an error body. */
  requestId(): string {
    return this.#ids.next()
  }

  /** The list of resources has a code of its own. */
  noResources() {
    return new BadRequest({ code: resource.noData, message: texts.noData, requestId: this.#ids.next() })
  }
}
