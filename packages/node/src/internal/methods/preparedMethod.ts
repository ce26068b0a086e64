/** What is the same for all calls of a method, and the two ways through it: parameters to JSON, and JSON to a result. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Input from "@effect-klaytn/core/Input"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput, ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Either from "effect/Either"
import * as Method from "../../Method.js"
import type { Param } from "../../Param.js"
import type { CallDescriptor } from "../errors/failure.js"
import * as failure from "../errors/failure.js"

export interface PreparedMethod<A> {
  readonly call: CallDescriptor
  readonly decode: Decoder.Decoder<A>
}

export const make = <A>(
  method: Omit<Method.Method<never, A, Safety>, "params">,
  namespace: "klay" | "kaia"
): PreparedMethod<A> => {
  const name = Method.wireName(method, namespace)
  return {
    call: { operation: `node.${name}`, method: name, safety: method.safety },
    decode: Decoder.make(method.result)
  }
}

/** Encodes the parameters; optional ones that are left out are not sent. */
export const encodeParams = (
  operation: string,
  params: ReadonlyArray<Param>
): Either.Either<ReadonlyArray<unknown>, InvalidInput> => {
  const wire: Array<unknown> = []
  for (const param of params) {
    if (param.optional && param.value === undefined) continue
    if (param.form.isReady(param.value)) {
      wire.push(param.value)
      continue
    }
    const value = param.form.encode(param.value)
    if (Either.isLeft(value)) return Either.left(Input.refuse(operation, value.left, [param.name]))
    wire.push(value.right)
  }
  return Either.right(wire)
}

/** The result of a call from its JSON. */
export const decodeResult = <A>(
  call: CallDescriptor,
  decode: Decoder.Decoder<A>,
  result: unknown
): Either.Either<A, ServiceError> => {
  const value = decode(result)
  if (Either.isRight(value)) return Either.right(value.right)
  const mismatch = ServiceClient.mismatch(value.left)
  return Either.left(failure.fromMismatch(call, { ...mismatch, path: ["result", ...mismatch.path] }))
}
