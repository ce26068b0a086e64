/** A promise interface to the node. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type * as Eip1193 from "../Eip1193.js"
import { KlaytnNode } from "../KlaytnNode.js"
import { ProviderError } from "../ProviderError.js"
import type { NodeError } from "./transport.js"

const codeOf = (error: NodeError): number => {
  switch (error.category) {
    case "credential":
      return 4100
    case "network":
    case "service":
      return 4900
    case "caller":
      return error._tag === "InvalidInput" ? JsonRpc.ErrorCode.InvalidParams : JsonRpc.ErrorCode.InternalError
    case "throttled":
      return -32005
    default:
      return JsonRpc.ErrorCode.InternalError
  }
}

const rejection = (error: NodeError): ProviderError =>
  "method" in error
    ? new ProviderError({ message: error.serviceMessage, code: error.code, data: error.data, cause: error })
    : new ProviderError({ message: error.message, code: codeOf(error), cause: error })

const outcome = (exit: Exit.Exit<unknown, NodeError>): Promise<unknown> => {
  if (Exit.isSuccess(exit)) return Promise.resolve(exit.value)
  const failure = Cause.failureOption(exit.cause)
  return Promise.reject(
    Option.isSome(failure)
      ? rejection(failure.value)
      : new ProviderError({
        message: Cause.isInterruptedOnly(exit.cause) ? "the call was given up" : "the call failed unexpectedly",
        code: JsonRpc.ErrorCode.InternalError,
        cause: Cause.squash(exit.cause)
      })
  )
}

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const named = (): Promise<never> =>
  Promise.reject(
    new ProviderError({
      message: "parameters by name are not known to a node: give a list",
      code: JsonRpc.ErrorCode.InvalidParams
    })
  )

export const make: Effect.Effect<Eip1193.Provider, never, KlaytnNode> = Effect.gen(function*() {
  const node = yield* KlaytnNode
  // A deadline around the creation of the provider must not apply to its later calls.
  const runtime = Runtime.provideService(yield* Effect.runtime(), Deadline.CurrentDeadline, Option.none())
  const run = Runtime.runPromiseExit(runtime)
  const request: Eip1193.Provider["request"] = ({ method, params = [] }, options) => {
    if (!isList(params)) return named()
    // The fiber always succeeds: a failure goes to the caller, not to a fiber that nobody observes.
    const call = Effect.exit(node.call(method, params, Schema.Unknown))
    return run(call, options?.signal === undefined ? {} : { signal: options.signal })
      .then((exit) => outcome(Exit.flatten(exit)))
  }
  return { request }
})
