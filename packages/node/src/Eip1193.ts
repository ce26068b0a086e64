/**
 * An EIP-1193 provider on top of a node, so that `viem`, `ethers` and other libraries use the same credential,
 * batching, retries and telemetry.
 *
 * **Details**
 *
 * Results are returned as the node sent them, except that a JSON number above 2^53 becomes a `bigint` instead of being
 * rounded. `eth_` methods answer in Ethereum's shapes; `klay_` methods can be called too. There are no events, no
 * accounts and no signing: sign with a local account and send the raw transaction.
 *
 * **Gotchas**
 *
 * Retries and batching are done here, so switch off those of the library (`retryCount: 0` for the `custom` transport of
 * `viem`). `ethers` caches answers, nonces included, for a quarter of a second, which is long on a chain with one block
 * per second: make its `BrowserProvider` with `cacheTimeout: -1`.
 *
 * **Example** (a provider for `viem`'s `custom` transport or `ethers`' `BrowserProvider`)
 *
 * ```ts
 * import * as Eip1193 from "@effect-klaytn/node/Eip1193"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Effect from "effect/Effect"
 *
 * const Test = KlaytnNode.layerTest(() => Effect.succeed("0x3e9"))
 *
 * const provider = Effect.runSync(Effect.provide(Eip1193.make, Test))
 * provider.request({ method: "eth_chainId" }).then((chain) => console.log(chain)) // "0x3e9"
 * ```
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import { ErrorCode } from "@effect-klaytn/core/JsonRpc"
import * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type { NodeError } from "./internal/errors/failure.js"
import * as schemas from "./internal/records/schemas.js"
import { KlaytnNode } from "./KlaytnNode.js"

/**
 * An EIP-1193 provider without events.
 *
 * @category models
 */
export interface Provider {
  /**
   * Makes a call. Rejects with a `ProviderError`. Aborting `signal` releases the caller at once.
   */
  readonly request: (request: {
    readonly method: string
    readonly params?: ReadonlyArray<unknown> | object | undefined
  }, options?: { readonly signal?: AbortSignal | undefined }) => Promise<unknown>
}

/**
 * The rejection of a provider, in the form of EIP-1193: an error with a `code`.
 *
 * **Details**
 *
 * An error of the node keeps its `code`, `message` and `data`, as libraries expect. Failures on the way to the node
 * have a code of the standard: 4100 if the credential is not accepted, 4900 if the node could not be reached or did not
 * answer in time, -32602 if the input can't be sent, -32603 for the rest. `cause` is the typed failure.
 *
 * @category errors
 */
export class ProviderError extends Schema.TaggedError<ProviderError>("@effect-klaytn/node/ProviderError")(
  "ProviderError",
  {
    message: Schema.String,
    code: Schema.Number,
    data: Schema.optional(schemas.Data),
    cause: Schema.optional(Schema.Defect)
  }
) {
  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

const codeOf = (error: NodeError): number => {
  switch (error.category) {
    case "credential":
      return 4100
    case "network":
    case "service":
      return 4900
    case "caller":
      return error._tag === "InvalidInput" ? ErrorCode.InvalidParams : ErrorCode.InternalError
    case "throttled":
      return -32005
    default:
      return ErrorCode.InternalError
  }
}

const toProviderError = (error: NodeError): ProviderError =>
  "method" in error
    ? new ProviderError({ message: error.serviceMessage, code: error.code, data: error.data, cause: error })
    : new ProviderError({ message: error.message, code: codeOf(error), cause: error })

const settle = (exit: Exit.Exit<unknown, NodeError>): Promise<unknown> => {
  if (Exit.isSuccess(exit)) return Promise.resolve(exit.value)
  const failure = Cause.failureOption(exit.cause)
  return Promise.reject(
    Option.isSome(failure)
      ? toProviderError(failure.value)
      : new ProviderError({
        message: Cause.isInterruptedOnly(exit.cause) ? "the call was interrupted" : "the call failed unexpectedly",
        code: ErrorCode.InternalError,
        cause: Cause.squash(exit.cause)
      })
  )
}

/**
 * Makes a provider from the node in the context. It uses the logger, tracer and clock of the runtime that it is made
 * in. A deadline set there does not apply to its calls.
 *
 * @category constructors
 */
export const make: Effect.Effect<Provider, never, KlaytnNode> = Effect.gen(function*() {
  const node = yield* KlaytnNode
  // A deadline around the creation of the provider must not apply to its later calls.
  const runtime = Runtime.provideService(yield* Effect.runtime(), Deadline.CurrentDeadline, Option.none())
  const run = Runtime.runPromiseExit(runtime)
  const request: Provider["request"] = ({ method, params = [] }, options) => {
    if (!Array.isArray(params)) {
      const message = "a node accepts no named parameters: pass a list"
      return Promise.reject(new ProviderError({ message, code: ErrorCode.InvalidParams }))
    }
    // The fiber always succeeds: a failure goes to the caller, not to a fiber that is not observed.
    const call = Effect.exit(node.call(method, params, Schema.Unknown))
    return run(call, options?.signal === undefined ? {} : { signal: options.signal })
      .then((exit) => settle(Exit.flatten(exit)))
  }
  return { request }
})
