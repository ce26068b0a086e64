import { basic, fd, fdUser } from "@effect-klaytn/wallet/TransactionsApi"
import { sendValue } from "@effect-klaytn/wallet/WalletApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { Payer, PoolType } from "../../WalletRecord.js"
import { type BodyOf, withEvenInput } from "./bodies.js"
import * as drafts from "./drafts.js"
import { byNamed, bySender, byService, feeRatioOf } from "./drafts.js"
import { send } from "./sending.js"
import { type RawRequest, sendRaw } from "./sendRaw.js"
import { call, getTransaction } from "./walletReads.js"
import type { Failure, PoolHeaders, WalletRequest } from "./WalletRequest.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"

/** The part of a request that a handler reads besides its body. */
interface HandlerInput {
  readonly headers: PoolHeaders
}

/** The types of pools that a transaction may name: the sender's, and the fee payer's if the customer has one. */
const poolTypesOf = (payer: Payer): ReadonlyArray<PoolType> =>
  payer === "sender" || payer === "global" ? ["account-pool"] : ["account-pool", "feepayer-pool"]

/** A handler that makes a transaction of its body. */
const handler = <Payload>(
  { serve }: WalletService,
  endpoint: BodyOf<Payload>,
  payerOf: (body: NoInfer<Payload>) => Payer,
  draft: (request: WalletRequest, body: NoInfer<Payload>, payer: Payer) => Effect.Effect<drafts.Draft, Failure>
) =>
  serve((request, { headers }: HandlerInput) =>
    Effect.gen(function*() {
      const body = yield* request.transactionBody(endpoint, withEvenInput)
      const payer = payerOf(body)
      const asked = yield* draft(request, body, payer)
      return yield* send(request, yield* request.pools(headers, poolTypesOf(payer)), asked)
    })
  )

/** A handler that takes a raw transaction. */
const rawHandler = <
  Payload extends Omit<RawRequest, "feeRatio" | "payer"> & { readonly feeRatio?: number | undefined }
>(
  { serve }: WalletService,
  endpoint: BodyOf<Payload>,
  payerOf: (body: NoInfer<Payload>) => Payer
) =>
  serve((request, { headers }: HandlerInput) =>
    Effect.gen(function*() {
      const body = yield* request.transactionBody(endpoint)
      const feeRatio = (yield* feeRatioOf(request, body)) ?? 0
      const payer = payerOf(body)
      const pools = yield* request.pools(headers, poolTypesOf(payer))
      return yield* sendRaw(request, pools, { ...body, payer, feeRatio })
    })
  )

/** The transfer of coin in the API document. */
export const sendValueHandler = (service: WalletService) =>
  handler(service, sendValue, drafts.byStyle(service.settings.style), drafts.value)

/** The further transactions, receipts and contract reads, as the contract has them. */
export const transactionsLayer = (service: WalletService) =>
  HttpApiBuilder.group(WalletServiceApi, "transactions", (handlers) =>
    handlers
      .handleRaw("sendLegacy", handler(service, basic.legacy, bySender, drafts.legacy))
      .handleRaw("deploy", handler(service, basic.deploy, bySender, drafts.deploy))
      .handleRaw("execute", handler(service, basic.execute, bySender, drafts.execute))
      .handleRaw("cancel", handler(service, basic.cancel, bySender, drafts.cancel))
      .handleRaw("anchor", handler(service, basic.anchor, bySender, drafts.anchor))
      .handleRaw("updateAccount", handler(service, basic.accountUpdate, bySender, drafts.update))
      .handleRaw("sendRlp", rawHandler(service, basic.rlp, bySender))
      .handleRaw("fdSendValue", handler(service, fd.value, byService, drafts.value))
      .handleRaw("fdDeploy", handler(service, fd.deploy, byService, drafts.deploy))
      .handleRaw("fdExecute", handler(service, fd.execute, byService, drafts.execute))
      .handleRaw("fdCancel", handler(service, fd.cancel, byService, drafts.cancel))
      .handleRaw("fdAnchor", handler(service, fd.anchor, byService, drafts.anchor))
      .handleRaw("fdUpdateAccount", handler(service, fd.accountUpdate, byService, drafts.update))
      .handleRaw("fdSendRlp", rawHandler(service, fd.rlp, byService))
      .handleRaw("fdUserSendValue", handler(service, fdUser.value, byNamed, drafts.value))
      .handleRaw("fdUserDeploy", handler(service, fdUser.deploy, byNamed, drafts.deploy))
      .handleRaw("fdUserExecute", handler(service, fdUser.execute, byNamed, drafts.execute))
      .handleRaw("fdUserCancel", handler(service, fdUser.cancel, byNamed, drafts.cancel))
      .handleRaw("fdUserAnchor", handler(service, fdUser.anchor, byNamed, drafts.anchor))
      .handleRaw("fdUserUpdateAccount", handler(service, fdUser.accountUpdate, byNamed, drafts.update))
      .handleRaw("fdUserSendRlp", rawHandler(service, fdUser.rlp, byNamed))
      .handleRaw("getTransaction", service.serve((request, { path }) => getTransaction(request, path.hash)))
      .handleRaw("callContract", service.serve(call)))
