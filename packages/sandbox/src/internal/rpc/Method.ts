import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReadFailure } from "../../Chain.js"
import type { NodeChain } from "./NodeChain.js"
import type { ParamDecoder } from "./ParamDecoder.js"
import { invalidParams, type RpcFailure } from "./RpcFailure.js"

/** How a method fails: in the node's words, or because the database does. */
export type Failure = RpcFailure | ReadFailure

/** What a method does: its result is JSON. */
export type Run = Effect.Effect<unknown, Failure>

/** A method: it decodes its parameters, and then runs on a chain. */
export type Method = (chain: NodeChain, params: ReadonlyArray<unknown>) => Run

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
  // A method without parameters looks at none.
  return decoders.length > 0 && params.length > decoders.length
    ? Either.left(invalidParams(`too many arguments, want at most ${decoders.length}`))
    : Either.right(args)
}

/** Makes a method of the decoders of its parameters and of what it does with them. */
export const method = <const Args extends ReadonlyArray<unknown>>(
  decoders: { readonly [K in keyof Args]: ParamDecoder<Args[K]> },
  run: (chain: NodeChain, ...args: Args) => Run
): Method =>
(chain, params) =>
  Either.match(decodeParams(decoders, params), {
    onLeft: (failure): Run => failure,
    // Each value came from the decoder of its place.
    onRight: (args) => run(chain, ...args as unknown as Args)
  })

/** Methods by the part of their name after the namespace. */
export type Methods = { readonly [name: string]: Method }
