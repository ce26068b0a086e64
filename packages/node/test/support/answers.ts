/** Answers to calls that ask for numbers, from a good node or a bad one. */
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Service } from "../../src/KlaytnNode.js"
import type { RpcError } from "../../src/RpcError.js"
import * as Node from "./node.js"

export type Result = Either.Either<unknown, RpcError | ServiceError.ServiceError>

/** Asks for the numbers 0 to `count - 1`; each call is answered with its own number by a good node. */
export const numbers = (node: Service, count: number): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.forEach(
    Array.from({ length: count }, (_, i) => i),
    (i) => Effect.either(node.call("klay_echo", [i], Schema.Unknown, { safety: "safe" })),
    { concurrency: "unbounded" }
  )

/** One item of an answer. */
export const item = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result })

/** One item that is an error. */
export const failed = (id: unknown, code: number, message = "no") => ({ jsonrpc: "2.0", id, error: { code, message } })

/** An answer with this as its JSON body. */
export const text = (value: unknown) => Node.body(JSON.stringify(value))
