import * as FiberRef from "effect/FiberRef"
import { globalValue } from "effect/GlobalValue"

/** The lock that an effect runs under, see `SqlLocks`. */
export interface HeldLock {
  readonly name: string
  readonly holder: string
}

/** The innermost lock of a fiber; undefined where one process alone has the wallet. */
export const heldLock: FiberRef.FiberRef<HeldLock | undefined> = globalValue(
  "@effect-klaytn/custody/heldLock",
  () => FiberRef.unsafeMake<HeldLock | undefined>(undefined)
)
