/** A transport without HTTP: a function answers the calls. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as KlaytnNode from "../KlaytnNode.js"
import * as rpcError from "./rpcError.js"
import type { NodeError, Transport } from "./transport.js"

/** The value as it would come over the wire. */
const overWire = (operation: string, value: unknown): Effect.Effect<unknown, NodeError> =>
  Effect.map(JsonRpc.writeParams(operation, [value]), (text) => {
    const list = Either.getOrUndefined(JsonRpc.parse(text))
    return Array.isArray(list) ? list[0] : null
  })

const nothingSecret = (text: string): string => text
const read = JsonRpc.errorObject(nothingSecret)

const isParams = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

export const make = (handler: KlaytnNode.TestHandler): Transport => ({
  deadlineMillis: Number.POSITIVE_INFINITY,
  request: (call, given, reader) =>
    overWire(call.operation, given).pipe(
      Effect.flatMap((params) => handler(call.method, isParams(params) ? params : [])),
      Effect.mapError((error): NodeError =>
        "_tag" in error ? error : rpcError.classify(call, read(error), nothingSecret)
      ),
      Effect.flatMap((result) => overWire(call.operation, result)),
      Effect.matchEffect({ onFailure: (error) => reader.failed(error), onSuccess: (value) => reader.done(value) })
    ),
  notify: (method, params) =>
    Effect.ignore(
      Effect.flatMap(overWire(`node.${method}`, params), (sent) => handler(method, isParams(sent) ? sent : []))
    )
})
