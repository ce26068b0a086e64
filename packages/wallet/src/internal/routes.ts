/** The operation and the body of a plan. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Operation from "@effect-klaytn/core/Operation"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { fromAccountKey } from "../AccountKeyBody.js"
import type { Contents } from "../SendPlan.js"
import type { TransactionResult } from "../TransactionResult.js"
import { basic, fd, fdUser } from "../TransactionsApi.js"
import * as WalletApi from "../WalletApi.js"
import { poolHeader } from "./client.js"
import type { TransactionIntent } from "./transactionIntent.js"

type SendCall = Effect.Effect<TransactionResult, ServiceError>

/** The operation as one that is safe to repeat, if the send names its nonce. */
const withSafety = <O extends Operation.Any>(operation: O, { isKeyed }: TransactionIntent): O =>
  isKeyed ? Operation.withSafety(operation, "keyed") : operation

/** The document's value transfer: the fee payer is a field. The client's `dialect` names the fields. */
const byField = (
  client: ServiceClient.ServiceClient,
  contents: Contents,
  request: Extract<Contents["request"], { readonly _tag: "Value" }>,
  intent: TransactionIntent
): Option.Option<SendCall> => {
  const { feeRatio, gasLimit, nonce, payer, pool, submit } = contents
  const { dialect } = client.settings
  if (payer._tag === "SenderPays" || feeRatio !== undefined) return Option.none()
  const { from, memo, to, value } = request
  return Option.some(client.call(withSafety(WalletApi.sendValue, intent), {
    headers: poolHeader(pool),
    payload: {
      from,
      to,
      value,
      memo,
      nonce,
      gasLimit: dialect.gas === "gas" ? undefined : gasLimit,
      gas: dialect.gas === "gasLimit" ? undefined : gasLimit,
      submit,
      ...(payer._tag === "UserFeePayer" ? { [dialect.feePayer]: payer.address } : {})
    }
  }))
}

type Shared = { readonly feeRatio: number | undefined; readonly feePayer: Address }

/** The call for the fee payer of a send, each of which has paths of its own; none if a sender who pays names a ratio. */
const pick = ({ feeRatio, payer }: Contents) =>
(
  bySender: () => SendCall,
  byService: () => SendCall,
  byUser: (shared: Shared) => SendCall
): Option.Option<SendCall> => {
  switch (payer._tag) {
    case "SenderPays":
      return feeRatio === undefined ? Option.some(bySender()) : Option.none()
    case "ServiceFeePayer":
      return Option.some(byService())
    case "UserFeePayer":
      return Option.some(byUser({ feeRatio, feePayer: payer.address }))
  }
}

/** The form of public clients: each kind of request has a path of its own for each kind of fee payer. */
const byPath = (
  client: ServiceClient.ServiceClient,
  contents: Contents,
  intent: TransactionIntent
): Option.Option<SendCall> => {
  const { feeRatio, gasLimit, nonce, payer, pool, request, submit } = contents
  const headers = poolHeader(pool)
  const call = client.call
  const safely = <O extends Operation.Any>(operation: O): O => withSafety(operation, intent)
  const common = { nonce, gas: gasLimit, submit }
  const picked = pick(contents)
  switch (request._tag) {
    case "Value": {
      const { from, memo, to, value } = request
      const own = { from, to, value, memo, ...common }
      return picked(
        () => call(safely(WalletApi.sendValue), { headers, payload: own }),
        () => call(safely(fd.value), { headers, payload: { ...own, feeRatio } }),
        (shared) => call(safely(fdUser.value), { headers, payload: { ...own, ...shared } })
      )
    }
    case "Legacy": {
      const own = { from: request.from, to: request.to, value: request.value, input: request.input, ...common }
      return payer._tag === "SenderPays" && feeRatio === undefined
        ? Option.some(call(safely(basic.legacy), { headers, payload: own }))
        : Option.none()
    }
    case "Deploy": {
      const own = { from: request.from, value: request.value, input: request.input, ...common }
      return picked(
        () => call(safely(basic.deploy), { headers, payload: own }),
        () => call(safely(fd.deploy), { headers, payload: { ...own, feeRatio } }),
        (shared) => call(safely(fdUser.deploy), { headers, payload: { ...own, ...shared } })
      )
    }
    case "Execute": {
      const own = { from: request.from, to: request.to, value: request.value, input: request.input, ...common }
      return picked(
        () => call(safely(basic.execute), { headers, payload: own }),
        () => call(safely(fd.execute), { headers, payload: { ...own, feeRatio } }),
        (shared) => call(safely(fdUser.execute), { headers, payload: { ...own, ...shared } })
      )
    }
    case "Anchor": {
      const own = { from: request.from, input: request.input, ...common }
      return picked(
        () => call(safely(basic.anchor), { headers, payload: own }),
        () => call(safely(fd.anchor), { headers, payload: { ...own, feeRatio } }),
        (shared) => call(safely(fdUser.anchor), { headers, payload: { ...own, ...shared } })
      )
    }
    case "Cancel": {
      const { from, transactionHash } = request
      const own = { from, ...common, nonce: request.nonce, transactionHash }
      return picked(
        () => call(safely(basic.cancel), { headers, payload: own }),
        () => call(safely(fd.cancel), { headers, payload: { ...own, feeRatio } }),
        (shared) => call(safely(fdUser.cancel), { headers, payload: { ...own, ...shared } })
      )
    }
    case "AccountUpdate":
      return Option.flatMap(fromAccountKey(request.accountKey), (accountKey) => {
        const own = { from: request.from, accountKey, ...common }
        return picked(
          () => call(safely(basic.accountUpdate), { headers, payload: own }),
          () => call(safely(fd.accountUpdate), { headers, payload: { ...own, feeRatio } }),
          (shared) => call(safely(fdUser.accountUpdate), { headers, payload: { ...own, ...shared } })
        )
      })
    case "Rlp": {
      const own = { rlp: request.rlp, from: request.from, submit }
      return picked(
        () => call(safely(basic.rlp), { headers, payload: own }),
        () => call(safely(fd.rlp), { headers, payload: { ...own, feeRatio } }),
        (shared) => call(safely(fdUser.rlp), { headers, payload: { ...own, ...shared } })
      )
    }
  }
}

/** The call of a plan; none if nothing on the wire corresponds to it. */
export const call = (
  client: ServiceClient.ServiceClient,
  contents: Contents,
  intent: TransactionIntent
): Option.Option<SendCall> =>
  contents.feePayerStyle === "document" && contents.request._tag === "Value"
    ? byField(client, contents, contents.request, intent)
    : byPath(client, contents, intent)

/** Whether a plan goes to a path that takes the pools of the account and of the fee payer together. */
export const namesBothPools = (
  { feePayerStyle, payer, request }: Pick<Contents, "feePayerStyle" | "payer" | "request">
) => payer._tag === "UserFeePayer" && !(feePayerStyle === "document" && request._tag === "Value")
