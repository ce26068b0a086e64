/** From the contents of a plan to the operation and body that stand for it. */
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
import * as pools from "./pools.js"
import * as subject from "./subject.js"

type Call = Effect.Effect<TransactionResult, ServiceError>

/** A field that is left out when it is absent. */
const maybe = <const Name extends string, A>(name: Name, value: A | undefined): { readonly [K in Name]?: A } => {
  const fields: { [K in Name]?: A } = {}
  if (value !== undefined) fields[name] = value
  return fields
}

/** The operation as one that is safe to repeat, if the send names its nonce. */
const safely = <O extends Operation.Any>(operation: O, contents: Contents): O =>
  subject.isKeyed(contents) ? Operation.withSafety(operation, "keyed") : operation

/** The document's form: the fee payer is a field, and the words are those of the dialect. */
const byField = (client: ServiceClient.ServiceClient, contents: Contents): Option.Option<Call> => {
  const { gasLimit, nonce, payer, request, submit } = contents
  const { dialect } = client.settings
  if (request._tag !== "Value" || payer._tag === "SenderPays" || contents.feeRatio !== undefined) return Option.none()
  return Option.some(client.call(safely(WalletApi.sendValue, contents), {
    headers: pools.header(contents.pool),
    payload: {
      from: request.from,
      to: request.to,
      value: request.value,
      ...maybe("memo", request.memo),
      ...maybe("nonce", nonce),
      ...(dialect.gas === "gas" ? {} : maybe("gasLimit", gasLimit)),
      ...(dialect.gas === "gasLimit" ? {} : maybe("gas", gasLimit)),
      submit,
      ...(payer._tag === "UserFeePayer" ? { [dialect.feePayer]: payer.address } : {})
    }
  }))
}

const byPath = (client: ServiceClient.ServiceClient, contents: Contents): Option.Option<Call> => {
  const { feeRatio, gasLimit, nonce, payer, request, submit } = contents
  const headers = pools.header(contents.pool)
  const call = client.call
  const safe = <O extends Operation.Any>(operation: O): O => safely(operation, contents)
  const ratio = maybe("feeRatio", feeRatio)
  const common = { ...maybe("nonce", nonce), ...maybe("gas", gasLimit), submit }
  const pick = (
    sender: (() => Call) | undefined,
    service: () => Call,
    user: (more: { readonly feeRatio?: number; readonly feePayer: typeof request.from & string }) => Call
  ): Option.Option<Call> => {
    switch (payer._tag) {
      case "SenderPays":
        return feeRatio === undefined && sender !== undefined ? Option.some(sender()) : Option.none()
      case "ServiceFeePayer":
        return Option.some(service())
      case "UserFeePayer":
        return Option.some(user({ ...ratio, feePayer: payer.address }))
    }
  }
  switch (request._tag) {
    case "Value": {
      const { from, memo, to, value } = request
      const own = { from, to, value, ...maybe("memo", memo), ...common }
      return pick(
        () => call(safe(WalletApi.sendValue), { headers, payload: own }),
        () => call(safe(fd.value), { headers, payload: { ...own, ...ratio } }),
        (more) => call(safe(fdUser.value), { headers, payload: { ...own, ...more } })
      )
    }
    case "Legacy": {
      const { from, input, to, value } = request
      const own = { from, ...maybe("to", to), ...maybe("value", value), ...maybe("input", input), ...common }
      return payer._tag === "SenderPays" && feeRatio === undefined
        ? Option.some(call(safe(basic.legacy), { headers, payload: own }))
        : Option.none()
    }
    case "Deploy": {
      const { from, input, value } = request
      const own = { from, ...maybe("value", value), input, ...common }
      return pick(
        () => call(safe(basic.deploy), { headers, payload: own }),
        () => call(safe(fd.deploy), { headers, payload: { ...own, ...ratio } }),
        (more) => call(safe(fdUser.deploy), { headers, payload: { ...own, ...more } })
      )
    }
    case "Execute": {
      const { from, input, to, value } = request
      const own = { from, to, ...maybe("value", value), input, ...common }
      return pick(
        () => call(safe(basic.execute), { headers, payload: own }),
        () => call(safe(fd.execute), { headers, payload: { ...own, ...ratio } }),
        (more) => call(safe(fdUser.execute), { headers, payload: { ...own, ...more } })
      )
    }
    case "Anchor": {
      const own = { from: request.from, input: request.input, ...common }
      return pick(
        () => call(safe(basic.anchor), { headers, payload: own }),
        () => call(safe(fd.anchor), { headers, payload: { ...own, ...ratio } }),
        (more) => call(safe(fdUser.anchor), { headers, payload: { ...own, ...more } })
      )
    }
    case "Cancel": {
      const { from, transactionHash } = request
      const own = { from, ...common, ...maybe("nonce", request.nonce), ...maybe("transactionHash", transactionHash) }
      return pick(
        () => call(safe(basic.cancel), { headers, payload: own }),
        () => call(safe(fd.cancel), { headers, payload: { ...own, ...ratio } }),
        (more) => call(safe(fdUser.cancel), { headers, payload: { ...own, ...more } })
      )
    }
    case "AccountUpdate":
      return Option.flatMap(fromAccountKey(request.accountKey), (accountKey) => {
        const own = { from: request.from, accountKey, ...common }
        return pick(
          () => call(safe(basic.accountUpdate), { headers, payload: own }),
          () => call(safe(fd.accountUpdate), { headers, payload: { ...own, ...ratio } }),
          (more) => call(safe(fdUser.accountUpdate), { headers, payload: { ...own, ...more } })
        )
      })
    case "Rlp": {
      const own = { rlp: request.rlp, ...maybe("from", request.from), submit }
      return pick(
        () => call(safe(basic.rlp), { headers, payload: own }),
        () => call(safe(fd.rlp), { headers, payload: { ...own, ...ratio } }),
        (more) => call(safe(fdUser.rlp), { headers, payload: { ...own, ...more } })
      )
    }
  }
}

/** The call of a plan; none if nothing on the wire stands for it. */
export const call = (client: ServiceClient.ServiceClient, contents: Contents): Option.Option<Call> =>
  contents.way === "field" ? byField(client, contents) : byPath(client, contents)
