import type { RequestChain } from "@effect-klaytn/core/OperationApi"
import { basic, fd, fdUser } from "@effect-klaytn/wallet/TransactionsApi"
import { sendValue } from "@effect-klaytn/wallet/WalletApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { PoolType } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import type { Draft, Payer } from "../wallet/Draft.js"
import { type BodyOf, readBody, withEvenInput } from "./bodies.js"
import { completeCancellation } from "./draftBody.js"
import * as drafts from "./draftBody.js"
import { sendRaw } from "./sendRaw.js"
import { TransactionSender } from "./TransactionSender.js"
import * as readHandlers from "./walletReads.js"
import { type PoolHeaders, type Refused, type WalletRequest, WalletServiceApi } from "./WalletRequest.js"

/** The request of a handler, as far as it is read. */
interface HandlerRequest {
  readonly headers: PoolHeaders
}

type Served = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Refused,
  RequestChain | HttpServerRequest.HttpServerRequest
>

/** The pools that a transaction may name: the sender's, and that of the fee payer where the customer has one. */
const poolTypesOf = ({ kind }: Payer): ReadonlyArray<PoolType> =>
  kind === "user" ? ["account-pool", "feepayer-pool"] : ["account-pool"]

/** The operations that make transactions. */
export const make = (request: WalletRequest) => {
  const sender = new TransactionSender(request)
  const read = drafts.make(request.refusals)

  const serve = <Payload>(
    endpoint: BodyOf<Payload>,
    payerOf: (body: NoInfer<Payload>) => Payer,
    draft: (body: NoInfer<Payload>, payer: Payer, wallet: ChainWallet) => Effect.Effect<Draft, Refused>
  ) =>
  ({ headers }: HandlerRequest): Served =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const body = yield* readBody(request.refusals, endpoint, withEvenInput(yield* request.json))
      const payer = payerOf(body)
      const asked = yield* draft(body, payer, wallet)
      const pools = yield* request.pools(wallet, headers, poolTypesOf(payer))
      return HttpServerResponse.unsafeJson(yield* sender.send(wallet, pools, asked))
    })

  const serveRaw = <
    Payload extends {
      readonly rlp: string
      readonly from?: string | undefined
      readonly submit?: boolean | undefined
      readonly feeRatio?: number | undefined
    }
  >(endpoint: BodyOf<Payload>, payerOf: (body: NoInfer<Payload>) => Payer) =>
  ({ headers }: HandlerRequest): Served =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const body = yield* readBody(request.refusals, endpoint, yield* request.json)
      const feeRatio = yield* read.feeRatioOf(body.feeRatio)
      const payer = payerOf(body)
      const pools = yield* request.pools(wallet, headers, poolTypesOf(payer))
      const result = yield* sendRaw(sender, wallet, pools, {
        rlp: drafts.hexOf(body.rlp),
        from: body.from === undefined ? undefined : drafts.hexOf(body.from),
        submit: body.submit === true,
        payer,
        feeRatio: feeRatio ?? 0
      })
      return HttpServerResponse.unsafeJson(result)
    })

  type Cancellation = Parameters<typeof completeCancellation>[2]

  /** Cancels what the body names by its nonce or by its hash. */
  const cancel = (body: Cancellation, payer: Payer, wallet: ChainWallet) =>
    Effect.flatMap(completeCancellation(request, wallet, body), (named) => read.cancel(named, payer))

  const { byNamed, byService, bySender, byStyle } = drafts
  return {
    sendValue: serve(sendValue, byStyle(request.fees.style), read.value),
    sendLegacy: serve(basic.legacy, bySender, read.legacy),
    deploy: serve(basic.deploy, bySender, read.deploy),
    execute: serve(basic.execute, bySender, read.execute),
    cancel: serve(basic.cancel, bySender, cancel),
    anchor: serve(basic.anchor, bySender, read.anchor),
    updateAccount: serve(basic.accountUpdate, bySender, read.update),
    sendRlp: serveRaw(basic.rlp, bySender),
    fdSendValue: serve(fd.value, byService, read.value),
    fdDeploy: serve(fd.deploy, byService, read.deploy),
    fdExecute: serve(fd.execute, byService, read.execute),
    fdCancel: serve(fd.cancel, byService, cancel),
    fdAnchor: serve(fd.anchor, byService, read.anchor),
    fdUpdateAccount: serve(fd.accountUpdate, byService, read.update),
    fdSendRlp: serveRaw(fd.rlp, byService),
    fdUserSendValue: serve(fdUser.value, byNamed, read.value),
    fdUserDeploy: serve(fdUser.deploy, byNamed, read.deploy),
    fdUserExecute: serve(fdUser.execute, byNamed, read.execute),
    fdUserCancel: serve(fdUser.cancel, byNamed, cancel),
    fdUserAnchor: serve(fdUser.anchor, byNamed, read.anchor),
    fdUserUpdateAccount: serve(fdUser.accountUpdate, byNamed, read.update),
    fdUserSendRlp: serveRaw(fdUser.rlp, byNamed)
  }
}

/** The further transactions, receipts and contract reads, as the contract has them. */
export const transactionsLayer = (request: WalletRequest) => {
  const serve = make(request)
  const reads = readHandlers.make(request)
  return HttpApiBuilder.group(WalletServiceApi, "transactions", (handlers) =>
    handlers
      .handleRaw("sendLegacy", serve.sendLegacy)
      .handleRaw("deploy", serve.deploy)
      .handleRaw("execute", serve.execute)
      .handleRaw("cancel", serve.cancel)
      .handleRaw("anchor", serve.anchor)
      .handleRaw("updateAccount", serve.updateAccount)
      .handleRaw("sendRlp", serve.sendRlp)
      .handleRaw("fdSendValue", serve.fdSendValue)
      .handleRaw("fdDeploy", serve.fdDeploy)
      .handleRaw("fdExecute", serve.fdExecute)
      .handleRaw("fdCancel", serve.fdCancel)
      .handleRaw("fdAnchor", serve.fdAnchor)
      .handleRaw("fdUpdateAccount", serve.fdUpdateAccount)
      .handleRaw("fdSendRlp", serve.fdSendRlp)
      .handleRaw("fdUserSendValue", serve.fdUserSendValue)
      .handleRaw("fdUserDeploy", serve.fdUserDeploy)
      .handleRaw("fdUserExecute", serve.fdUserExecute)
      .handleRaw("fdUserCancel", serve.fdUserCancel)
      .handleRaw("fdUserAnchor", serve.fdUserAnchor)
      .handleRaw("fdUserUpdateAccount", serve.fdUserUpdateAccount)
      .handleRaw("fdUserSendRlp", serve.fdUserSendRlp)
      .handleRaw("getTransaction", ({ path }) => reads.getTransaction(path.hash))
      .handleRaw("callContract", () => reads.callContract))
}
