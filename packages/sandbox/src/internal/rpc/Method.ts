import type * as Effect from "effect/Effect"
import type { ReadFailure } from "../../Chain.js"
import type { NodeChain } from "./NodeChain.js"
import { type Reader, Unreadable } from "./Reader.js"
import { invalidParams, type RpcFailure } from "./RpcFailure.js"

/** How a method ends, when not with a result: in the node's words, or because the database gave up. */
export type Failure = RpcFailure | ReadFailure

/** What a method does: its result is JSON. */
export type Run = Effect.Effect<unknown, Failure>

/** A method: it reads its parameters, and then runs on a chain. */
export type Method = (chain: NodeChain, params: ReadonlyArray<unknown>) => Run | RpcFailure

/** Makes a method of what its parameters are and of what it does with them. */
export const method = <const Args extends ReadonlyArray<unknown>>(
  readers: { readonly [K in keyof Args]: Reader<Args[K]> },
  run: (chain: NodeChain, ...args: Args) => Run | RpcFailure
): Method => {
  const wanted: ReadonlyArray<Reader<unknown>> = readers
  return (chain, params) => {
    const args: Array<unknown> = []
    for (const [index, { optional, read }] of wanted.entries()) {
      if (index >= params.length) {
        if (!optional) return invalidParams(`missing value for required argument ${index}`)
        args.push(undefined)
        continue
      }
      const value = read(params[index])
      if (value instanceof Unreadable) return invalidParams(`invalid argument ${index}: ${value.text()}`)
      args.push(value)
    }
    // A method that takes nothing reads nothing.
    if (wanted.length > 0 && params.length > wanted.length) {
      return invalidParams(`too many arguments, want at most ${wanted.length}`)
    }
    // Each value came from the reader of its place.
    return run(chain, ...args as unknown as Args)
  }
}

/** Methods of one room by the part of their name after the namespace. */
export type Methods = { readonly [name: string]: Method }
