/** The operation and the body of a plan. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Operation from "@effect-klaytn/core/Operation"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { fromAccountKey } from "../../AccountKeyBody.js"
import type { Contents } from "../../TransactionRequest.js"
import type { TransactionResult } from "../../TransactionResult.js"
import { basic, fd, fdUser } from "../../TransactionsApi.js"
import * as WalletApi from "../../WalletApi.js"
import { type PoolHeader, poolHeader } from "../contract/fields.js"
import type { TransactionIntent } from "./transactionIntent.js"

type SendCall = Effect.Effect<TransactionResult, ServiceError>

type SendOperation<Body> = Operation.Operation<
  string,
  HttpMethod,
  { readonly headers: PoolHeader; readonly payload: Body },
  TransactionResult
>

type Shared = { readonly feeRatio?: number | undefined }

/** The operations of one kind: the sender pays, the service's fee payer does, or a fee payer of the customer. */
type ByPayer<Body> = readonly [
  SendOperation<Body>,
  SendOperation<NoInfer<Body> & Shared>,
  SendOperation<NoInfer<Body> & Shared & { readonly feePayer: Address }>
]

/** Refuses fields that no part of a body is made of, so that no field of a request is left out of what is sent. */
type NoneUnused<Body, Given> = { readonly [Field in Exclude<keyof Given, keyof Body | "_tag">]: never }

/** The fields of a body, each of which the operation sends. */
const sent = <Body, Given extends NoInfer<Body>>(
  _: SendOperation<Body>,
  body: Given & NoneUnused<Body, Given>
): Given => body

/** What a call is known by. */
export interface Keys {
  /** A key that the service knows, so that the call may be repeated. */
  readonly key?: string | undefined
  /** A name of the payment, which the service may know or not: it makes no call repeatable. It is sent in place of a key. */
  readonly name?: string | undefined
}

/** The calls of a plan. A call is safe to repeat if the send names its nonce, or if the call has a key. */
const callsOf = (
  client: ServiceClient.ServiceClient,
  { feeRatio, payer, pool }: Contents,
  { isKeyed }: TransactionIntent,
  { key, name }: Keys
) => {
  const headers = { ...poolHeader(pool), "idempotency-key": name ?? key }
  const isRepeatable = isKeyed || key !== undefined
  const call = <Body>(operation: SendOperation<Body>, payload: NoInfer<Body>): Option.Option<SendCall> =>
    Option.some(client.call(isRepeatable ? Operation.withSafety(operation, "keyed") : operation, { headers, payload }))
  /** None if a sender who pays names a ratio. */
  const bySender = <Body, Given extends NoInfer<Body>>(
    operation: SendOperation<Body>,
    body: Given & NoneUnused<Body, Given>
  ) => payer._tag === "SenderPays" && feeRatio === undefined ? call<Body>(operation, body) : Option.none()
  const byPayer = <Body, Given extends NoInfer<Body>>(
    [own, byService, byUser]: ByPayer<Body>,
    body: Given & NoneUnused<Body, Given>
  ) => {
    if (payer._tag === "SenderPays") return bySender(own, body)
    if (payer._tag === "ServiceFeePayer") return call<Body & Shared>(byService, { ...body, feeRatio })
    const { address: feePayer } = payer
    return call<Body & Shared & { readonly feePayer: Address }>(byUser, { ...body, feeRatio, feePayer })
  }
  return { call, bySender, byPayer }
}

/** The call that carries out a plan; none if the service has no request for it. */
export const call = (
  client: ServiceClient.ServiceClient,
  contents: Contents,
  intent: TransactionIntent,
  keys: Keys
): Option.Option<SendCall> => {
  const { feePayerStyle, feeRatio, gasLimit, nonce, payer, request, submit } = contents
  const { bySender, byPayer, call } = callsOf(client, contents, intent, keys)
  const common = { nonce, gas: gasLimit, submit }
  // A body is encoded with the fields of its schema: the tag of the request is left out.
  switch (request._tag) {
    case "Value": {
      if (feePayerStyle === "paths") {
        return byPayer([WalletApi.sendValue, fd.value, fdUser.value], { ...request, ...common })
      }
      // The document's value transfer: the fee payer is a field. The client's `dialect` names the fields.
      const { dialect } = client.settings
      return payer._tag === "SenderPays" || feeRatio !== undefined ? Option.none() : call(WalletApi.sendValue, {
        ...sent(WalletApi.sendValue, {
          ...request,
          nonce,
          submit,
          gasLimit: dialect.gas === "gas" ? undefined : gasLimit,
          gas: dialect.gas === "gasLimit" ? undefined : gasLimit
        }),
        ...(payer._tag === "UserFeePayer" ? { [dialect.feePayer]: payer.address } : {})
      })
    }
    case "Legacy":
      return bySender(basic.legacy, { ...request, ...common })
    case "Deploy":
      return byPayer([basic.deploy, fd.deploy, fdUser.deploy], { ...request, ...common })
    case "Execute":
      return byPayer([basic.execute, fd.execute, fdUser.execute], { ...request, ...common })
    case "Anchor":
      return byPayer([basic.anchor, fd.anchor, fdUser.anchor], { ...request, ...common })
    case "Cancel":
      return byPayer([basic.cancel, fd.cancel, fdUser.cancel], { ...common, nonce: undefined, ...request })
    case "AccountUpdate":
      return Option.flatMap(
        fromAccountKey(request.accountKey),
        (accountKey) =>
          byPayer([basic.accountUpdate, fd.accountUpdate, fdUser.accountUpdate], { ...request, ...common, accountKey })
      )
    case "Rlp":
      return byPayer([basic.rlp, fd.rlp, fdUser.rlp], { ...request, submit })
  }
}

/** Whether the call names both pools: the account pool and that of the fee payers. */
export const namesBothPools = (
  { feePayerStyle, payer, request }: Pick<Contents, "feePayerStyle" | "payer" | "request">
) => payer._tag === "UserFeePayer" && !(feePayerStyle === "document" && request._tag === "Value")
