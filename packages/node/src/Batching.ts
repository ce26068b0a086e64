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
import * as Duration from "effect/Duration"

/**
 * The settings, or `off`: every call is a request of its own.
 *
 * @category models
 */
export type Batching = "off" | {
  /** How long the first call waits for others. */
  readonly window: Duration.Duration
  /** The most calls in one request. */
  readonly maxCount: number
  /** The most bytes in one request; a single call that is larger goes out alone. */
  readonly maxBytes: number
  /** The most calls in one request of a list, see `Service.runEach` of `KlaytnNode`. */
  readonly maxListCount: number
}

const count = (value: number): number => Math.max(1, Math.floor(value) || 1)

/**
 * Makes batching settings. Defaults: a `window` of 0, which gathers the calls that are ready at the same moment and
 * delays nothing; 100 calls; and 524,288 bytes, the limit of a node (a gateway may have another). A request of a list
 * has `maxCount` calls if that is given, and otherwise 1,000.
 *
 * @category constructors
 */
export const make = (options?: {
  readonly window?: Duration.DurationInput | undefined
  readonly maxCount?: number | undefined
  readonly maxBytes?: number | undefined
  readonly maxListCount?: number | undefined
}): Batching => ({
  window: Duration.decode(options?.window ?? 0),
  maxCount: count(options?.maxCount ?? 100),
  maxBytes: count(options?.maxBytes ?? 524_288),
  maxListCount: count(options?.maxListCount ?? options?.maxCount ?? 1000)
})

/**
 * Every call is a request of its own.
 *
 * @category constructors
 */
export const off: Batching = "off"
