/**
 * Builds clients from operations: it validates each input, makes the request, and gives lists their streams.
 *
 * **Details**
 *
 * Each operation takes the fields of its input and a function that turns the decoded input into a call. Input is
 * validated before anything is sent; bad input fails as `InvalidInput`, with the operation's name and the path to the
 * value. A list also has streams of its pages, items and checkpoints (see `Paged`); its checkpoints are bound to the
 * operation.
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
 * const getNames = get("getNames", "/v2/name", { urlParams: Paged.query, success: Paged.schema(Schema.String) })
 *
 * export const make = Effect.gen(function*() {
 *   const { list, one } = yield* Operations.make("tokens")
 *   return {
 *     getName: one(getName, { address: Address.FromInput }, (path, call) => call({ path })),
 *     getNames: list(getNames, Paged.fields, (urlParams, call) => call({ urlParams }))
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

/** The parameters in a request that its operation does not have: giving one does not compile. */
type Unknown<Given, Request> = {
  readonly [Part in keyof Given]: {
    readonly [Name in Exclude<keyof Given[Part], Part extends keyof Request ? keyof Request[Part] : never>]: never
  }
}

/**
 * The function that makes the call of an operation. A parameter that the operation does not have does not compile.
 *
 * @category models
 */
export type MakeCall<O extends Operation.Any> = <Given extends Operation.Request<O>>(
  request: Given & Unknown<Given, Operation.Request<O>>
) => Effect.Effect<Operation.Success<O>, ServiceClient.CallError<O["method"]>>

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
  /** Makes an operation. `run` gets the decoded input and the function that makes the call. */
  readonly one: <O extends Operation.Any, F extends Operation.Fields, A, E>(
    operation: O,
    fields: F,
    run: (input: Schema.Struct.Type<F>, call: MakeCall<O>) => Effect.Effect<A, E>
  ) => (input: Schema.Struct.Encoded<F>) => Effect.Effect<A, E | InvalidInput>
  /**
   * Makes a list. `run` gets the decoded input, including the cursor of the page, and the function that makes the call.
   * An empty cursor counts as none. `fix` gives an open range an end for the pages of a stream.
   */
  readonly list: <O extends Operation.Any, F extends ListFields, Page extends Paged.Page<unknown>, E>(
    operation: O,
    fields: F,
    run: (input: ListParams<F>, call: MakeCall<O>) => Effect.Effect<Page, E>,
    fix?: Paged.Fix<ListParams<F>>
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

/**
 * Makes a client of one service. Fails as `InvalidInput` if the configuration has no base address for it.
 *
 * @category constructors
 */
export const make = (
  service: Service
): Effect.Effect<Operations, InvalidInput, ClientConfig | HttpClient.HttpClient> =>
  Effect.map(ServiceClient.make(service), (client) => {
    const callOf = <O extends Operation.Any>(operation: O): MakeCall<O> => (request) => client.call(operation, request)
    return {
      ...client,
      one: (operation, fields, run) => {
        const decode = decoder(operation, fields)
        const call = callOf(operation)
        return (input) => Effect.flatMap(decode(input), (params) => run(params, call))
      },
      list: (operation, fields, run, fix) => {
        const decode = decoder<typeof fields, Parameters<typeof run>[0]>(operation, fields)
        const call = callOf(operation)
        return Paged.make({
          origin: client.origin(operation),
          read: (input: Schema.Struct.Encoded<typeof fields>) => Effect.map(decode(input), withoutEmptyCursor),
          page: (params) => run(params, call),
          fix
        })
      }
    }
  })
