/**
 * An operation of the service as data: its name, method and path, the schemas of its request and answer, and whether it
 * may be repeated.
 *
 * **Details**
 *
 * A contract is a module of operations. The client encodes and decodes with it; servers and OpenAPI documents derive an
 * `HttpApi` of `@effect/platform` from it (see `OperationApi`), so a program that only makes calls does not bundle a
 * server.
 *
 * **Example** (a contract of one operation, and a call)
 *
 * ```ts
 * import * as Address from "@effect-klaytn/core/Address"
 * import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
 * import * as Operation from "@effect-klaytn/core/Operation"
 * import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const { get } = Operation.of("history")
 *
 * const getActivity = get("getActivity", "/v2/activity/:address", {
 *   path: { address: Address.FromWire },
 *   success: Schema.Struct({ count: Schema.Int }),
 *   errors: [ErrorBody.NotFound]
 * })
 *
 * export const activity = (address: Address.Address) =>
 *   Effect.gen(function*() {
 *     const client = yield* ServiceClient.make("history")
 *     return yield* client.call(getActivity, { path: { address } })
 *   })
 * ```
 */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Simplify } from "effect/Types"
import type { Service } from "./Endpoints.js"
import type * as ErrorBody from "./ErrorBody.js"
import type { Fields } from "./Input.js"

export type { Fields } from "./Input.js"

/**
 * Whether a call may be repeated.
 *
 * - `safe`: it changes nothing; repeat freely.
 * - `keyed`: it carries a key (a nonce) that lets the service do it at most once; repeat with the same key.
 * - `once`: repeating it would do it again; repeat only if it is proven that nothing was sent.
 *
 * @category models
 */
export type Safety = "safe" | "keyed" | "once"

/**
 * The facts about a call that the pipeline and the telemetry use.
 *
 * @category models
 */
export interface Descriptor {
  /** Service and operation, as in `history.getTransfers`. */
  readonly name: string
  readonly method: HttpMethod
  /** The route template, as in `/v2/transfer/account/{address}`: a label of bounded cardinality. */
  readonly route: string
  readonly safety: Safety
}

const TypeId: unique symbol = Symbol.for("@effect-klaytn/core/Operation")

type Schemas<Request> = { readonly [Part in keyof Request]: Schema.Schema<Request[Part], unknown> }

type Classes<Error> = ReadonlyArray<ErrorBody.Class & { new(...args: never): Error }>

/**
 * An operation. `Request` has the parts that its request uses, of `path`, `urlParams`, `headers` and `payload`.
 *
 * @category models
 */
export interface Operation<
  out Id extends string,
  out Method extends HttpMethod,
  in out Request,
  in out Success,
  out Error = unknown
> extends Descriptor {
  readonly [TypeId]: typeof TypeId
  readonly service: Service
  /** The name without the service, as in `getTransfers`. */
  readonly id: Id
  readonly method: Method
  /** The path with colon parameters, as in `/v2/transfer/account/:address`. */
  readonly path: `/${string}`
  readonly request: Schemas<Request>
  readonly success: Schema.Schema<Success, unknown>
  /** The error bodies that the service is known to answer. */
  readonly errors: Classes<Error>
}

/**
 * Any operation.
 *
 * @category models
 */
// Request and success are invariant: only `any` matches all of them.
// oxlint-disable-next-line typescript/no-explicit-any
export type Any = Operation<string, HttpMethod, any, any, any>

/**
 * The request type of an operation.
 *
 * @category types
 */
export type Request<O> = O extends Operation<infer _Id, infer _Method, infer R, infer _Success, infer _Error> ? R
  : never

/**
 * The success type of an operation.
 *
 * @category types
 */
export type Success<O> = O extends Operation<infer _Id, infer _Method, infer _Request, infer A, infer _Error> ? A
  : never

/**
 * The error bodies that an operation declares.
 *
 * @category types
 */
export type Error<O> = O extends Operation<infer _Id, infer _Method, infer _Request, infer _Success, infer E> ? E
  : never

/**
 * The declaration of an operation: its schemas and its safety.
 *
 * @category models
 */
export interface Declaration {
  /** The parameters in the path. */
  readonly path?: Fields | undefined
  /** The query. */
  readonly urlParams?: Fields | undefined
  readonly headers?: Fields | undefined
  /** The JSON body. */
  readonly payload?: Schema.Schema.AnyNoContext | undefined
  readonly success: Schema.Schema.AnyNoContext
  /** The error bodies that the service is known to answer, in addition to those of the group. */
  readonly errors?: ReadonlyArray<ErrorBody.Class> | undefined
  /** Whether it may be repeated: a GET is always `safe`, the others are `once` by default. */
  readonly safety?: Safety | undefined
}

type Parts<D> = Simplify<
  & { readonly [Part in keyof D & ("path" | "urlParams" | "headers")]: Schema.Struct.Type<Extract<D[Part], Fields>> }
  & { readonly [Part in keyof D & "payload"]: Schema.Schema.Type<D[Part]> }
>

type Declared<Errors> = Errors extends ReadonlyArray<{ new(...args: never): infer Error }> ? Error : never

/**
 * Makes the functions that declare a group of operations of one service, one per HTTP method. `common` lists the error
 * bodies of every operation in the group.
 *
 * @category constructors
 */
export const of = <const Common extends ReadonlyArray<ErrorBody.Class> | undefined = undefined>(
  service: Service,
  common?: Common
) => {
  const declare =
    <const Method extends HttpMethod>(method: Method) =>
    <const Id extends string, const D extends Declaration>(
      id: Id,
      path: `/${string}`,
      declaration: D
    ): Operation<
      Id,
      Method,
      Parts<D>,
      Schema.Schema.Type<D["success"]>,
      Declared<Common> | Declared<D["errors"]>
    > => {
      const errors: ReadonlyArray<ErrorBody.Class> = [...(common ?? []), ...(declaration.errors ?? [])]
      const { payload, safety = "once", success } = declaration
      const struct = (fields: Fields | undefined) => fields === undefined ? undefined : Schema.Struct(fields)
      const parts = {
        path: struct(declaration.path),
        urlParams: struct(declaration.urlParams),
        headers: struct(declaration.headers),
        payload
      }
      return {
        [TypeId]: TypeId,
        service,
        id,
        name: `${service}.${id}`,
        method,
        path,
        route: path.replace(/:(\w+)/g, "{$1}"),
        safety: method === "GET" ? "safe" : safety,
        // `Parts` is derived from the same declaration.
        request: Object.fromEntries(Object.entries(parts).filter(([, schema]) => schema !== undefined)) as Schemas<
          Parts<D>
        >,
        success,
        // As declared, by the group and by the operation.
        errors: errors as Classes<Declared<Common> | Declared<D["errors"]>>
      }
    }
  return { get: declare("GET"), post: declare("POST"), put: declare("PUT"), del: declare("DELETE") }
}

/**
 * Returns the operation with another safety: a send that carries a nonce is `keyed`.
 *
 * @category combinators
 */
export const withSafety = <O extends Any>(operation: O, safety: Safety): O => ({ ...operation, safety })

/**
 * Checks whether a value is an operation.
 *
 * @category guards
 */
export const isOperation = (value: unknown): value is Any => Predicate.hasProperty(value, TypeId)

/** The operations in a module, or in an object inside it; `Any` if the module's type is not known. */
type Members<M> = [keyof M] extends [never] ? Any : Member<M[keyof M]>

type Member<M> = M extends Any ? M : M extends { readonly [name: string]: infer V } ? Extract<V, Any> : never

/**
 * All operations of a contract, sorted by name: those that its module exports, directly or in an object.
 *
 * @category constructors
 */
export const all = <M extends object>(contract: M): ReadonlyArray<Members<M>> => {
  const isMember = (value: unknown): value is Members<M> => isOperation(value)
  const found = Object.values(contract).flatMap((value: unknown) =>
    isMember(value) ? [value] : Predicate.isRecord(value) ? Object.values(value).filter(isMember) : []
  )
  return found.toSorted((one, other) => one.id < other.id ? -1 : 1)
}
