import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain, ReadFailure } from "../../Chain.js"
import { NodeSettings } from "../NodeSettings.js"
import type { ParamDecoder } from "./ParamDecoder.js"

/** A failure of a method: the node's error, or a failed read of the database. */
export type Failure = RpcFailure | ReadFailure

/** Runs a method. The result is JSON. */
export type Run = Effect.Effect<unknown, Failure>

/** A method: it decodes its parameters, and then runs on a chain. */
export type Method = (chain: Chain, params: ReadonlyArray<unknown>) => Run

const decodeParams = (
  decoders: ReadonlyArray<ParamDecoder<unknown>>,
  params: ReadonlyArray<unknown>
): Either.Either<ReadonlyArray<unknown>, RpcFailure> => {
  const args: Array<unknown> = []
  for (const [index, { decode, optional }] of decoders.entries()) {
    if (index >= params.length) {
      if (!optional) return Either.left(invalidParams(`missing value for required argument ${index}`))
      args.push(undefined)
      continue
    }
    const decoded = decode(params[index])
    if (Either.isLeft(decoded)) {
      return Either.left(invalidParams(`invalid argument ${index}: ${decoded.left.text()}`))
    }
    args.push(decoded.right)
  }
  // A method without parameters ignores them.
  return decoders.length > 0 && params.length > decoders.length
    ? Either.left(invalidParams(`too many arguments, want at most ${decoders.length}`))
    : Either.right(args)
}

/** Makes a method from the decoders of its parameters and a function. */
export const method = <const Args extends ReadonlyArray<unknown>>(
  decoders: { readonly [K in keyof Args]: ParamDecoder<Args[K]> },
  run: (chain: Chain, ...args: Args) => Run
): Method => {
  const decoded = (taken: ReadonlyArray<ParamDecoder<unknown>>): Method => (chain, params) =>
    Either.match(decodeParams(taken, params), {
      onLeft: (failure): Run => failure,
      // A cast: each value came from the decoder of its place.
      onRight: (args) => run(chain, ...args as unknown as Args)
    })
  const whole = decoded(decoders)
  const ofNodes = decoders.filter(({ isMore }) => isMore !== true)
  if (ofNodes.length === decoders.length) return whole
  const plain = decoded(ofNodes)
  return (chain, params) => Effect.flatMap(NodeSettings, ({ hasMore }) => (hasMore ? whole : plain)(chain, params))
}

/** A result with something to say about it, which the answer has beside the result. */
export class Hinted {
  constructor(readonly value: unknown, readonly hint: string) {}
}

/** A result that is JSON already, for numbers that a JavaScript number would change. */
export class Raw {
  constructor(readonly json: string) {}
}

/** Methods by the part of their name after the namespace. */
export type Methods = { readonly [name: string]: Method }

/** The same methods under each of some namespaces. */
export const inNamespaces = (namespaces: ReadonlyArray<string>, methods: Methods): Methods =>
  Object.fromEntries(
    namespaces.flatMap((namespace) =>
      Object.entries(methods).map(([name, found]) => [`${namespace}_${name}`, found] as const)
    )
  )

/** What a node answers in place of a result. */
export class RpcFailure extends Data.TaggedError("RpcFailure")<{
  readonly code: number
  readonly message: string
  readonly data?: string
}> {}

/** The failure of a method itself; all of them have the same code. */
export const failure = (message: string): RpcFailure => new RpcFailure({ code: ServiceCode.jsonRpc.failed, message })

export const parseError = new RpcFailure({ code: ServiceCode.jsonRpc.parseError, message: "parse error" })

export const invalidRequest = new RpcFailure({ code: ServiceCode.jsonRpc.invalidRequest, message: "invalid request" })

export const emptyBatch = new RpcFailure({ code: ServiceCode.jsonRpc.invalidRequest, message: "empty batch" })

export const internalError = new RpcFailure({ code: ServiceCode.jsonRpc.internalError, message: "internal error" })

export const methodNotFound = (method: string): RpcFailure =>
  new RpcFailure({
    code: ServiceCode.jsonRpc.methodNotFound,
    message: `the method ${method} does not exist/is not available`
  })

/** Subscriptions need a lasting connection. */
export const noNotifications = failure("notifications not supported")

export const invalidParams = (message: string): RpcFailure =>
  new RpcFailure({ code: ServiceCode.jsonRpc.invalidParams, message })

/** The value of a result; its error becomes a failure. */
export const fromResult = <A>(result: Result<A>, fail = failure): Effect.Effect<A, RpcFailure> =>
  result.ok ? Effect.succeed(result.value) : fail(result.error.message)

/** The answer to the rest of a batch whose answers have reached the size limit. */
export const responseTooLarge = new RpcFailure({ code: ServiceCode.jsonRpc.refused, message: "response too large" })

/** A contract reverted, with these bytes as the reason. */
export const revertFailure = (data: string, reason: string | undefined): RpcFailure =>
  new RpcFailure({
    code: 3,
    message: reason === undefined ? "execution reverted" : `execution reverted: ${reason}`,
    data
  })

/** The answer to a caller that has too many filters or subscriptions. */
export const limitExceeded = (what: string): RpcFailure =>
  new RpcFailure({ code: ServiceCode.jsonRpc.limitExceeded, message: `limit exceeded: ${what}` })
