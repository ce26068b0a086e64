/**
 * The request that a fiber works for.
 */
import * as Context from "effect/Context"

/**
 * The keyed request that a fiber works for: `0x` and SHA-256 of the caller's name and the `Idempotency-Key`. Default: undefined, no
 * key.
 *
 * @category references
 */
export class CurrentRequest extends Context.Reference<CurrentRequest>()("@effect-klaytn/custody/CurrentRequest", {
  defaultValue: (): string | undefined => undefined
}) {}

/**
 * Whether {@link CurrentRequest} was made before, and may have had effects. Default: false.
 *
 * @category references
 */
export class IsRepeated extends Context.Reference<IsRepeated>()("@effect-klaytn/custody/IsRepeated", {
  defaultValue: (): boolean => false
}) {}
