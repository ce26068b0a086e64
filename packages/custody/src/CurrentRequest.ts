/**
 * The request that a fiber works for.
 */
import * as Context from "effect/Context"

/**
 * The caller and the `Idempotency-Key` of the request that a fiber works for. Default: undefined, no key.
 *
 * @category references
 */
export class CurrentRequest extends Context.Reference<CurrentRequest>()("@effect-klaytn/custody/CurrentRequest", {
  defaultValue: (): string | undefined => undefined
}) {}
