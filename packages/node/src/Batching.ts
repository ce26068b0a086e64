/**
 * How calls share exchanges.
 *
 * **Details**
 *
 * Calls that any fibers make within the window go out in one request, each with its own answer, failure, deadline and
 * interruption. Calls of different safety or retry policy never share one, so what may be repeated is never held up by
 * what may not, and the other way round. Equal reads in one request are sent once.
 *
 * Whether the hosted gateway accepts batches is not documented. If yours does not, switch it off.
 *
 * **Example** (wait 10 ms for others, at most 20 calls together)
 *
 * ```ts
 * import * as Batching from "@effect-klaytn/node/Batching"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 *
 * export const Node = KlaytnNode.layer({ batching: Batching.make({ window: "10 millis", maxCount: 20 }) })
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * The settings, or `off`: every call is a request of its own.
 *
 * @since 0.1.0
 * @category models
 */
export type Batching = "off" | {
  /** How long a first call waits for others. */
  readonly window: Duration.Duration
  /** How many calls a request holds at most. */
  readonly maxCount: number
  /** How many bytes a request holds at most; one call that is larger goes out alone. */
  readonly maxBytes: number
}

/**
 * Settings that differ from the defaults in what is given: a `window` of 0, which gathers the calls that are ready at
 * the same moment and delays nothing; 100 calls; 524,288 bytes, the limit of a node (a gateway may have another).
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options?: {
  readonly window?: Duration.DurationInput | undefined
  readonly maxCount?: number | undefined
  readonly maxBytes?: number | undefined
}): Batching => ({
  window: Duration.decode(options?.window ?? 0),
  maxCount: Math.max(1, Math.floor(options?.maxCount ?? 100) || 1),
  maxBytes: Math.max(1, Math.floor(options?.maxBytes ?? 524_288) || 1)
})

/**
 * Every call is a request of its own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const off: Batching = "off"
