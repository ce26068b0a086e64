/**
 * A JSON-RPC method as a value: its name, parameters, result and whether it may be repeated. The typed functions of
 * `KlaytnNode`, the table of methods and the tests are derived from these values. The docs of each method link its page
 * in the [reference of the chain](https://docs.kaia.io/references/json-rpc/references/), if it has one there.
 *
 * **Example** (a method that this SDK does not have)
 *
 * ```ts
 * import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Method from "@effect-klaytn/node/Method"
 * import * as Param from "@effect-klaytn/node/Param"
 * import * as Effect from "effect/Effect"
 *
 * const getWeight = Method.make({
 *   namespace: "klay",
 *   name: "getWeight",
 *   safety: "safe",
 *   params: (account: string) => [Param.address("account", account)],
 *   result: BigIntFromQuantity
 * })
 *
 * export const weight = (account: string) =>
 *   Effect.flatMap(KlaytnNode.KlaytnNode, (node) => node.run(getWeight, account))
 * ```
 */
import type { Safety } from "@effect-klaytn/core/Operation"
import type { ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Param } from "./Param.js"
import type { RpcError } from "./RpcError.js"

/**
 * The namespace of a method. Nodes since v2.0 offer the methods of `klay` as `kaia` too, with the same answers; which
 * of the two names is sent is a setting of the client.
 *
 * @category models
 */
export type Namespace = "klay" | "eth" | "net" | "web3" | "rpc"

/**
 * The failures of a method: an error of the node, or a failure on the way to it. A method that changes nothing never
 * fails with `OutcomeUnknown`.
 *
 * @category models
 */
export type CallError<S extends Safety> = RpcError | (S extends "safe" ? ReadError : ServiceError)

/**
 * A method.
 *
 * @category models
 */
export interface Method<Args extends ReadonlyArray<unknown>, A, S extends Safety> {
  readonly namespace: Namespace
  /** Without its namespace. */
  readonly name: string
  /**
   * Whether it may be repeated: reads and pure computations are `safe`; a raw transaction is `keyed` by its hash and
   * nonce; a method that creates or drains something that a single node holds is `once`.
   */
  readonly safety: S
  readonly params: (...args: Args) => ReadonlyArray<Param>
  readonly result: Schema.Schema<A, unknown>
}

/**
 * Any method.
 *
 * @category models
 */
export interface Any extends Omit<Method<never, unknown, Safety>, "result"> {
  readonly result: Schema.Schema.All
}

/**
 * Makes a method. `result` decodes the JSON of the answer.
 *
 * @category constructors
 */
export const make = <Args extends ReadonlyArray<unknown>, A, I, const S extends Safety>(
  options: Omit<Method<Args, A, S>, "result"> & { readonly result: Schema.Schema<A, I> }
): Method<Args, A, S> => ({
  ...options,
  // Decoding starts from unknown JSON, so the schema's encoded type does not matter here.
  result: options.result as unknown as Schema.Schema<A, unknown>
})

/**
 * Makes the methods of a namespace that may be repeated in the same way, each from its name, its parameters and what
 * decodes the JSON of its result.
 *
 * **Example** (two methods that this SDK does not have)
 *
 * ```ts
 * import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
 * import * as Method from "@effect-klaytn/node/Method"
 * import * as Param from "@effect-klaytn/node/Param"
 *
 * const read = Method.makeIn("klay", "safe")
 *
 * const ofAccount = (account: string) => [Param.address("account", account)]
 *
 * export const getWeight = read("getWeight", ofAccount, BigIntFromQuantity)
 * export const getTotalWeight = read("getTotalWeight", () => [], BigIntFromQuantity)
 * ```
 *
 * @category constructors
 */
export const makeIn =
  <const S extends Safety>(namespace: Namespace, safety: S) =>
  <Args extends ReadonlyArray<unknown>, A, I>(
    name: string,
    params: (...args: Args) => ReadonlyArray<Param>,
    result: Schema.Schema<A, I>
  ): Method<Args, A, S> => make({ namespace, safety, name, params, result })

/**
 * A method with its arguments: one call of a list.
 *
 * @category models
 */
export interface Call<A, S extends Safety> {
  readonly method: Omit<Method<never, A, S>, "params">
  readonly args: ReadonlyArray<unknown>
  /** Makes the parameters anew each time. */
  readonly params: () => ReadonlyArray<Param>
}

/**
 * Any call that changes nothing.
 *
 * @category models
 */
export interface AnyRead {
  readonly method: Omit<Any, "params" | "safety"> & { readonly safety: "safe" }
  readonly args: ReadonlyArray<unknown>
  readonly params: () => ReadonlyArray<Param>
}

/**
 * The result of a call.
 *
 * @category models
 */
export type Success<C> = C extends Call<infer A, Safety> ? A : never

/**
 * Makes a call: a method with its arguments, for `Service.runAll` of `KlaytnNode`.
 *
 * **Example** (the balance and the nonce of an account)
 *
 * ```ts
 * import { accountMethods } from "@effect-klaytn/node/AccountMethods"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Method from "@effect-klaytn/node/Method"
 * import * as Effect from "effect/Effect"
 *
 * export const overview = (account: string) =>
 *   Effect.gen(function*() {
 *     const node = yield* KlaytnNode.KlaytnNode
 *     const [balance, nonce] = yield* node.runAll([
 *       Method.call(accountMethods.getBalance, account),
 *       Method.call(accountMethods.getTransactionCount, account, "pending")
 *     ])
 *     return { balance: yield* balance, nonce: yield* nonce }
 *   })
 * ```
 *
 * @category constructors
 */
export const call = <Args extends ReadonlyArray<unknown>, A, S extends Safety>(
  method: Method<Args, A, S>,
  ...args: Args
): Call<A, S> => ({ method, args, params: () => method.params(...args) })

/**
 * The same method, with the same parameters and result, in another namespace.
 *
 * @category combinators
 */
export const inNamespace =
  (namespace: Namespace) =>
  <Args extends ReadonlyArray<unknown>, A, S extends Safety>(method: Method<Args, A, S>): Method<Args, A, S> => ({
    ...method,
    namespace
  })

/**
 * One function for each method of a group, with the method's parameters.
 *
 * @category models
 */
export type Functions<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Method<infer Args, infer A, infer S>
    ? (...args: Args) => Effect.Effect<A, CallError<S>>
    : never
}

/**
 * The method's wire name. The second argument is the name under which the methods of `klay` are sent.
 *
 * @example
 * ```ts
 * import { accountMethods } from "@effect-klaytn/node/AccountMethods"
 * import * as Method from "@effect-klaytn/node/Method"
 *
 * console.log(Method.wireName(accountMethods.getBalance, "kaia")) // "kaia_getBalance"
 * ```
 *
 * @category getters
 */
export const wireName = (
  method: { readonly namespace: Namespace; readonly name: string },
  klay: "klay" | "kaia" = "klay"
): string => `${method.namespace === "klay" ? klay : method.namespace}_${method.name}`
