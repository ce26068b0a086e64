import { basic, fd, fdUser } from "@effect-klaytn/wallet/TransactionsApi"
import { sendValue } from "@effect-klaytn/wallet/WalletApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { Payer, PoolType } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import type { Draft } from "../wallet/Draft.js"
import { type BodyOf, readBody, withEvenInput } from "./bodies.js"
import * as drafts from "./draftBody.js"
import { byNamed, bySender, byService, feeRatioOf } from "./draftBody.js"
import { send } from "./sending.js"
import { type RawRequest, sendRaw } from "./sendRaw.js"
import { call, getTransaction } from "./walletReads.js"
import { type Failure, type PoolHeaders, type WalletRequest, WalletServiceApi } from "./WalletRequest.js"

/** The request of a handler, as far as it is read. */
interface HandlerRequest {
  readonly headers: PoolHeaders
}

/** The pools that a transaction may name: the sender's, and that of the fee payer where the customer has one. */
const poolTypesOf = (payer: Payer): ReadonlyArray<PoolType> =>
  payer === "sender" || payer === "global" ? ["account-pool"] : ["account-pool", "feepayer-pool"]

/** A handler that makes a transaction of its body. */
const handler = <Payload>(
  request: WalletRequest,
  endpoint: BodyOf<Payload>,
  payerOf: (body: NoInfer<Payload>) => Payer,
  draft: (body: NoInfer<Payload>, payer: Payer, wallet: ChainWallet) => Effect.Effect<Draft, Failure>
) =>
  request.serve(({ headers }: HandlerRequest) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const body = yield* readBody(request.refusals, endpoint, withEvenInput(yield* request.json))
      const payer = payerOf(body)
      const asked = yield* draft(body, payer, wallet)
      const pools = yield* request.pools(wallet, headers, poolTypesOf(payer))
      return yield* send(request, wallet, pools, asked)
    })
  )

/** A handler that takes a raw transaction. */
const rawHandler = <
  Payload extends Omit<RawRequest, "feeRatio" | "payer"> & { readonly feeRatio?: number | undefined }
>(
  request: WalletRequest,
  endpoint: BodyOf<Payload>,
  payerOf: (body: NoInfer<Payload>) => Payer
) =>
  request.serve(({ headers }: HandlerRequest) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const body = yield* readBody(request.refusals, endpoint, yield* request.json)
      const feeRatio = (yield* feeRatioOf(request, body)) ?? 0
      const payer = payerOf(body)
      const pools = yield* request.pools(wallet, headers, poolTypesOf(payer))
      return yield* sendRaw(request, wallet, pools, { ...body, payer, feeRatio })
    })
  )

/** The transfer of coin of the document's operations. */
export const sendValueHandler = (request: WalletRequest) =>
  handler(request, sendValue, drafts.byStyle(request.fees.style), drafts.make(request).value)

/** The further transactions, receipts and contract reads, as the contract has them. */
export const transactionsLayer = (request: WalletRequest) => {
  const read = drafts.make(request)
  return HttpApiBuilder.group(WalletServiceApi, "transactions", (handlers) =>
    handlers
      .handleRaw("sendLegacy", handler(request, basic.legacy, bySender, read.legacy))
      .handleRaw("deploy", handler(request, basic.deploy, bySender, read.deploy))
      .handleRaw("execute", handler(request, basic.execute, bySender, read.execute))
      .handleRaw("cancel", handler(request, basic.cancel, bySender, read.cancel))
      .handleRaw("anchor", handler(request, basic.anchor, bySender, read.anchor))
      .handleRaw("updateAccount", handler(request, basic.accountUpdate, bySender, read.update))
      .handleRaw("sendRlp", rawHandler(request, basic.rlp, bySender))
      .handleRaw("fdSendValue", handler(request, fd.value, byService, read.value))
      .handleRaw("fdDeploy", handler(request, fd.deploy, byService, read.deploy))
      .handleRaw("fdExecute", handler(request, fd.execute, byService, read.execute))
      .handleRaw("fdCancel", handler(request, fd.cancel, byService, read.cancel))
      .handleRaw("fdAnchor", handler(request, fd.anchor, byService, read.anchor))
      .handleRaw("fdUpdateAccount", handler(request, fd.accountUpdate, byService, read.update))
      .handleRaw("fdSendRlp", rawHandler(request, fd.rlp, byService))
      .handleRaw("fdUserSendValue", handler(request, fdUser.value, byNamed, read.value))
      .handleRaw("fdUserDeploy", handler(request, fdUser.deploy, byNamed, read.deploy))
      .handleRaw("fdUserExecute", handler(request, fdUser.execute, byNamed, read.execute))
      .handleRaw("fdUserCancel", handler(request, fdUser.cancel, byNamed, read.cancel))
      .handleRaw("fdUserAnchor", handler(request, fdUser.anchor, byNamed, read.anchor))
      .handleRaw("fdUserUpdateAccount", handler(request, fdUser.accountUpdate, byNamed, read.update))
      .handleRaw("fdUserSendRlp", rawHandler(request, fdUser.rlp, byNamed))
      .handleRaw("getTransaction", request.serve(({ path }) => getTransaction(request, path.hash)))
      .handleRaw("callContract", request.serve(() => call(request))))
}
