/**
 * Which index answered: gateways of one index say its ID in the header `x-index-id` of their answers, whatever their address is.
 *
 * **Details**
 *
 * An ID has two parts: the first block that the index has, which no other chain has, and the index itself. Every answer that says
 * one is told to the {@link Observer} of the fiber that makes the call; the default one ignores it. The hosted service says none.
 *
 * **Example**
 *
 * ```ts
 * import * as IndexId from "@effect-klaytn/core/IndexId"
 * import * as Effect from "effect/Effect"
 *
 * export const withIndex = <A, E, R>(call: Effect.Effect<A, E, R>) =>
 *   Effect.suspend(() => {
 *     let index: IndexId.IndexId | undefined
 *     const observe = (id: IndexId.IndexId): void => {
 *       index = id
 *     }
 *     return Effect.map(Effect.provideService(call, IndexId.Observer, observe), (result) => ({ result, index }))
 *   })
 * ```
 */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * The header in which a gateway says the ID of its index.
 *
 * @category constants
 */
export const header = "x-index-id"

/**
 * The ID of an index: 32 hexadecimal digits of the hash of its first block, and 32 of the index itself.
 *
 * @category schemas
 */
export const IndexId = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{32}-[0-9a-f]{32}$/),
  Schema.brand("@effect-klaytn/core/IndexId")
)

/**
 * The ID of an index.
 *
 * @category models
 */
export type IndexId = typeof IndexId.Type

/**
 * Is told of the index of every answer that says one. Ignores it by default.
 *
 * @category services
 */
export class Observer extends Context.Reference<Observer>()("@effect-klaytn/core/IndexId/Observer", {
  defaultValue: (): (id: IndexId) => void => () => undefined
}) {}

const decode = Schema.decodeUnknownOption(IndexId)

/**
 * Reads the headers of an answer. `undefined` if they say no index.
 *
 * @category constructors
 */
export const read = (headers: Readonly<Record<string, string | undefined>>): IndexId | undefined => {
  const said = headers[header]
  return said === undefined ? undefined : Option.getOrUndefined(decode(said))
}

/**
 * Whether two indexes begin with the same block, so that they are of one chain.
 *
 * @category guards
 */
export const isSameChain = (one: IndexId, other: IndexId): boolean => one.slice(0, 32) === other.slice(0, 32)
