/**
 * How JSON-RPC calls are batched into HTTP requests.
 *
 * **Details**
 *
 * Calls made within the window, from any fiber, are sent in one request. Each has its own result, failure, deadline and
 * interruption. Calls that differ in safety or retry policy never share a request, so calls that may be repeated never
 * delay calls that may not, and vice versa. Equal reads in one request are sent once.
 *
 * Whether the hosted gateway accepts batches is not documented. If yours does not, switch batching off.
 *
 * **Example** (wait 10 ms for other calls, at most 20 calls in a request)
 *
 * ```ts
 * import * as Batching from "@effect-klaytn/node/Batching"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 *
 * export const Node = KlaytnNode.layer({ batching: Batching.make({ window: "10 millis", maxCount: 20 }) })
 * ```
 */
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/**
 * The settings, or `off`: every call is a request of its own. A client checks its settings, see {@link check}.
 *
 * @category models
 */
export type Batching = "off" | {
  /** How long the first call waits for others. */
  readonly window: Duration.DurationInput
  /** The most calls in one request. */
  readonly maxCount: number
  /** The most bytes in one request; a single call that is larger goes out alone. */
  readonly maxBytes: number
  /** The most calls in one request of a list, see `Service.runEach` of `KlaytnNode`. */
  readonly maxListCount: number
}

/**
 * Makes batching settings. Defaults: a `window` of 0, which gathers the calls that are ready at the same moment and
 * delays nothing; 100 calls; and 524,288 bytes, the limit of a node (a gateway may have another). A request of a list
 * has `maxCount` calls if that is given, and otherwise 1,000. An option outside its range is refused by the client that
 * gets the settings, see {@link check}.
 *
 * @category constructors
 */
export const make = (options?: {
  readonly window?: Duration.DurationInput | undefined
  readonly maxCount?: number | undefined
  readonly maxBytes?: number | undefined
  readonly maxListCount?: number | undefined
}): Batching => ({
  window: options?.window ?? 0,
  maxCount: options?.maxCount ?? 100,
  maxBytes: options?.maxBytes ?? 524_288,
  maxListCount: options?.maxListCount ?? options?.maxCount ?? 1000
})

const Settings = Schema.Struct({
  window: Input.duration("expected a finite duration such as \"10 millis\"", Duration.isFinite),
  maxCount: Input.Count,
  maxBytes: Input.Count,
  maxListCount: Input.Count
})

const readSettings = Input.decodeEither("node", Settings)

/**
 * Checks settings: the window is a finite duration, the others are whole numbers of at least 1. Anything else is an
 * `InvalidInput` whose path begins with `batching`, which the constructors of a client fail with.
 *
 * @category guards
 */
export const check = (batching: Batching): Either.Either<Batching, InvalidInput> =>
  batching === "off" ? Either.right(batching) : Either.mapLeft(
    readSettings(batching),
    ({ operation, path, problem }) => InvalidInput.at(operation, ["batching", ...path], problem)
  )

/**
 * Every call is a request of its own.
 *
 * @category constructors
 */
export const off: Batching = "off"
