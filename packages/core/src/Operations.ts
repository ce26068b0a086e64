/**
 * Builds clients from operations: it validates each input, makes the request, and gives lists their streams.
 *
 * **Details**
 *
 * Each operation takes the fields of its input and the {@link Places} where they go in the request. Input is validated
 * before anything is sent; bad input fails as `InvalidInput`, with the operation's name and the path to the value. A field
 * that goes nowhere does not compile, nor does a parameter of the contract that nothing becomes. A list also has streams
 * of its pages, items and checkpoints (see `Paged`); its checkpoints are bound to the operation.
 *
 * **Example** (a client of two operations)
 *
 * ```ts
 * import * as Address from "@effect-klaytn/core/Address"
 * import * as Operation from "@effect-klaytn/core/Operation"
 * import * as Operations from "@effect-klaytn/core/Operations"
 * import * as Paged from "@effect-klaytn/core/Paged"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const { get } = Operation.of("tokens")
 *
 * const getName = get("getName", "/v2/name/:address", {
 *   path: { address: Address.FromWire },
 *   success: Schema.Struct({ name: Schema.String })
 * })
 *
 * const getNames = get("getNames", "/v2/name", {
 *   urlParams: { "name-prefix": Schema.optional(Schema.String), ...Paged.query },
 *   success: Paged.schema(Schema.String)
 * })
 *
 * export const make = Effect.gen(function*() {
 *   const { list, one } = yield* Operations.make("tokens")
 *   return {
 *     getName: one(getName, { address: Address.FromInput }, {}),
 *     getNames: list(getNames, { prefix: Schema.optional(Schema.String), ...Paged.fields }, { prefix: "name-prefix" })
 *   }
 * })
 * ```
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ClientConfig } from "./ClientConfig.js"
import type { Service } from "./Endpoints.js"
import * as Input from "./Input.js"
import type * as Operation from "./Operation.js"
import * as Paged from "./Paged.js"
import * as ServiceClient from "./ServiceClient.js"
import type { InvalidInput } from "./ServiceError.js"

type Part<Request, Name> = Name extends keyof Request ? Request[Name] : unknown

/**
 * The parameters of an operation by name: those of its path, its query, its headers and its JSON body.
 *
 * @category types
 */
export type Parameters<O, Request = Operation.Request<O>> =
  & Part<Request, "path">
  & Part<Request, "urlParams">
  & Part<Request, "headers">
  & Part<Request, "payload">

/** The name of each parameter that can hold an `A`. */
type NameOf<P, A> = { readonly [Name in keyof P]-?: [A] extends [P[Name]] ? Name : never }[keyof P]

/** The fields that are named as the parameter that they become. */
type SameName<P, Input> = {
  readonly [Name in keyof Input]-?: Name extends NameOf<P, Input[Name]> ? Name : never
}[keyof Input]

type Given<A> = Exclude<A, undefined>

/** What one field becomes. */
type Place<P, Input, Name extends keyof Input> =
  | NameOf<P, Given<Input[Name]>>
  | ((value: Given<Input[Name]>, input: Input) => Partial<P>)
  | { readonly with: Exclude<keyof Input, Name> }

/**
 * Where the fields of an input go in a request: to the parameter that is named, to those that a function returns, or
 * `with` another field, whose function gets the whole input. A field that has the name and the type of a parameter needs
 * no entry; any other that has none does not compile.
 *
 * @category types
 */
export type Places<O, F extends Operation.Fields, P = Parameters<O>, Input = Schema.Struct.Type<F>> =
  & { readonly [Name in Exclude<keyof Input, SameName<P, Input>>]-?: Place<P, Input, Name> }
  & { readonly [Name in SameName<P, Input>]?: Place<P, Input, Name> }

/** The parameters that a place makes. It distributes: a function that is not read yet may make all of them. */
type Made<P> = P extends (...args: never) => infer Parameters ? keyof Parameters : P

/** The parameters that nothing makes: `Named` are those that have a field of the same name and type. */
type Unsent<P, Named, M> = Exclude<keyof P, Made<M[keyof M]> | Exclude<Named, keyof M>>

/**
 * Compares the entries of `M` with the input and the contract. Neither an entry without a field compiles, nor one for a
 * parameter that the contract does not have, nor a parameter of the contract that nothing becomes. `Own` are the
 * parameters that the client adds.
 *
 * @category types
 */
export type Complete<O, F extends Operation.Fields, M, Own = never, P = Parameters<O>> =
  & { readonly [Name in Exclude<keyof M, keyof F>]: "the input has no such field" }
  & { readonly [Name in Exclude<Extract<Made<M[keyof M]>, string>, keyof P>]: "the contract has no such parameter" }
  & {
    readonly [Name in Exclude<Unsent<P, SameName<P, Schema.Struct.Type<F>>, M>, Own>]:
      "no field of the input becomes this parameter"
  }

/**
 * What a client adds to an operation: nothing by default.
 *
 * @category models
 */
export interface Extras<O extends Operation.Any, Input, A, E, Own extends string> {
  /** Parameters that do not come from the input. */
  readonly added?: Effect.Effect<{ readonly [Name in Own]?: unknown }, InvalidInput> | undefined
  /** Makes the call, once for each input or page, and what the call returns. */
  readonly run?:
    | ((
      call: Effect.Effect<Operation.Success<O>, ServiceClient.CallError<O["method"]>>,
      input: Input
    ) => Effect.Effect<A, E>)
    | undefined
}

/**
 * What a client adds to a list: nothing by default.
 *
 * @category models
 */
export interface ListExtras<O extends Operation.Any, Input, A, E, Own extends string>
  extends Extras<O, Input, A, E, Own>
{
  /** Gives an open range an end for the pages of a stream. */
  readonly fix?: Paged.Fix<Input> | undefined
}

/** The fields of a list's input. */
type ListFields = Operation.Fields & typeof Paged.fields

/** The decoded input of a list. The fields of every list include a cursor, which a generic type does not show. */
type ListParams<F extends ListFields> = Schema.Struct.Type<F> & Pick<Schema.Struct.Type<typeof Paged.fields>, "cursor">

/**
 * A service client that can also build operations from their input fields.
 *
 * @category models
 */
export interface Operations extends ServiceClient.ServiceClient {
  /** Makes an operation. */
  readonly one: <
    O extends Operation.Any,
    F extends Operation.Fields,
    const M extends Places<O, F>,
    A = Operation.Success<O>,
    E = ServiceClient.CallError<O["method"]>,
    Own extends string = never
  >(
    operation: O,
    fields: F,
    places: M & Complete<O, F, M, Own>,
    extras?: Extras<O, Schema.Struct.Type<F>, A, E, Own>
  ) => (input: Schema.Struct.Encoded<F>) => Effect.Effect<A, E | InvalidInput>
  /** Makes a list. An empty cursor counts as none. */
  readonly list: <
    O extends Operation.Any,
    F extends ListFields,
    const M extends Places<O, F>,
    Page extends Paged.Page<unknown> = Operation.Success<O>,
    E = ServiceClient.CallError<O["method"]>,
    Own extends string = never
  >(
    operation: O,
    fields: F,
    places: M & Complete<O, F, M, Own>,
    extras?: ListExtras<O, ListParams<F>, Page, E, Own>
  ) => Paged.List<Schema.Struct.Encoded<F>, Page["items"][number], E | InvalidInput, Paged.Extra<Page>>
}

const withoutEmptyCursor = <Params extends { readonly cursor?: string | undefined }>(params: Params): Params =>
  params.cursor === "" ? { ...params, cursor: undefined } : params

/** Makes the decoder of an input with these fields. */
const decoder = <F extends Operation.Fields, Params extends Schema.Struct.Type<F>>(
  { name }: Operation.Descriptor,
  fields: F
) =>
  Input.decode(
    name,
    // A struct has the fields' types, and needs no services since they need none; generic types don't show it.
    Schema.Struct(fields) as Schema.Schema.Any as Schema.Schema<Params, Schema.Struct.Encoded<F>>
  )

/** The parameters that a decoded input becomes. A field that is left out becomes none. */
const place = (
  places: { readonly [name: string]: unknown },
  input: { readonly [name: string]: unknown }
): { readonly [name: string]: unknown } => {
  const made: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(input)) {
    const to = places[name] ?? name
    if (value === undefined) continue
    if (typeof to === "function") Object.assign(made, to(value, input))
    else if (typeof to === "string") made[to] = value
  }
  return made
}

/**
 * Makes a client of one service. Fails as `InvalidInput` if the configuration has no base address for it.
 *
 * @category constructors
 */
export const make = (
  service: Service
): Effect.Effect<Operations, InvalidInput, ClientConfig | HttpClient.HttpClient> =>
  Effect.map(ServiceClient.make(service), (client) => {
    const runner = <O extends Operation.Any, Input, A, E, Own extends string>(
      operation: O,
      places: object,
      { added = Effect.succeed({}), run }: Extras<O, Input, A, E, Own> = {}
    ) =>
    (input: Input): Effect.Effect<A, E | InvalidInput> =>
      Effect.flatMap(added, (own) => {
        // A decoded struct is an object, which a generic type does not show.
        const all = { ...place({ ...places }, input as { readonly [name: string]: unknown }), ...own }
        // Each part is encoded with its own fields; `Places` and `Complete` have compared them with the input.
        const request = { path: all, urlParams: all, headers: all, payload: all } as Operation.Request<O>
        const call = client.call(operation, request)
        // Without `run`, `A` and `E` are those of the call.
        return run === undefined ? call as Effect.Effect<A, E> : run(call, input)
      })
    return {
      ...client,
      one: (operation, fields, places: object, extras) => {
        const run = runner(operation, places, extras)
        const decode = decoder(operation, fields)
        return (input) => Effect.flatMap(decode(input), run)
      },
      list: (operation, fields, places: object, extras) => {
        const run = runner(operation, places, extras)
        const decode = decoder<typeof fields, Parameters<typeof run>[0]>(operation, fields)
        return Paged.make({
          origin: client.origin(operation),
          read: (input: Schema.Struct.Encoded<typeof fields>) => Effect.map(decode(input), withoutEmptyCursor),
          page: run,
          fix: extras?.fix
        })
      }
    }
  })
