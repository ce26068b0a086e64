/**
 * Allocates nonces for accounts that many fibers send from. Each nonce is handed out once, returned if it was not used,
 * and tracked until it is known to be taken.
 *
 * **Details**
 *
 * The chain executes the transactions of an account in the order of their nonces, without gaps. {@link withNonce}
 * reserves a nonce for a send and settles it by the send's outcome:
 *
 * | The send | The nonce |
 * |---|---|
 * | was sent, or waits for signatures | confirmed |
 * | was signed only | stays open: the signed transaction holds it |
 * | was not sent | released, and the next send gets it |
 * | was not sent because another transaction took the nonce | the account is read again from the chain |
 * | is not known, was interrupted or died | stays open and unresolved: {@link Service.report} shows it |
 *
 * {@link memory} keeps its records in this process, and asks a `TransactionLookup` for the next nonce of an account
 * when it is first used. If several processes send from one account, implement a source over a shared store.
 *
 * **Gotchas**
 *
 * The service reads nonce 0 as "choose one", so the first transaction of an account has no protection by its nonce.
 * While nonce 0 is open, nobody else gets a nonce of that account: others wait at most 30 seconds, and fail with
 * `NonceUnavailable` after that, or as soon as the outcome of nonce 0 becomes unknown.
 *
 * **Example** (many payments at once)
 *
 * ```ts
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 * import * as Effect from "effect/Effect"
 *
 * const from = "0x1111111111111111111111111111111111111111"
 *
 * export const payouts = (receivers: ReadonlyArray<string>) =>
 *   Effect.gen(function*() {
 *     const wallet = yield* Wallet.Wallet
 *     return yield* Effect.forEach(receivers, (to) =>
 *       NonceSource.withNonce(from, (nonce) =>
 *         wallet.sendValue({ from, to, value: 1n, payer: FeeDelegation.service, nonce })), { concurrency: 10 })
 *   })
 * ```
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as internal from "./internal/nonces.js"
import type { LookupFailed, NotSent, SendUnknown, Submission } from "./SendOutcome.js"
import { TransactionLookup } from "./TransactionLookup.js"
import * as WalletCode from "./WalletCode.js"

/**
 * No nonce became available in time because nonce 0 of the account is open, see the gotcha of this module. Nothing was
 * sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class NonceUnavailable extends Schema.TaggedError<NonceUnavailable>("@effect-klaytn/wallet/NonceUnavailable")(
  "NonceUnavailable",
  { address: Address.Address, problem: Schema.String }
) {
  override get message(): string {
    return `no nonce of ${this.address}: ${this.problem}`
  }
}

/**
 * The nonces of one account.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  /** The next nonce that has never been handed out. */
  readonly next: number
  /** Handed out and not settled. */
  readonly open: ReadonlyArray<number>
  /** Those of `open` whose send has an unknown outcome: find it out, then confirm or release them. */
  readonly unresolved: ReadonlyArray<number>
  /**
   * Unused nonces below a used one: every transaction above the lowest gap waits for it. The next sends fill the gaps;
   * if there are none, send something with this nonce, or cancel it.
   */
  readonly gaps: ReadonlyArray<number>
}

/**
 * A source of nonces. An implementation may keep its records anywhere; it must never hand out a nonce that is open or
 * confirmed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Reserves the lowest free nonce: a released one if there is one, or else the next. */
  readonly reserve: (address: Address.Address) => Effect.Effect<number, NonceUnavailable | LookupFailed>
  /** Marks a nonce as taken for good. */
  readonly confirm: (address: Address.Address, nonce: number) => Effect.Effect<void>
  /** Returns a nonce that certainly was not used. Releasing one that is not open changes nothing. */
  readonly release: (address: Address.Address, nonce: number) => Effect.Effect<void>
  /** Keeps a nonce open and marks it as unresolved: it is not known whether it was used. */
  readonly suspect: (address: Address.Address, nonce: number) => Effect.Effect<void>
  /** Reads the account's next nonce from the chain: every nonce below it is taken, whoever took it. */
  readonly resync: (address: Address.Address) => Effect.Effect<void, LookupFailed>
  /** Reports the nonces of an account. */
  readonly report: (address: Address.Address) => Effect.Effect<Report>
}

/**
 * The source as a service.
 *
 * @since 0.1.0
 * @category services
 */
export class NonceSource extends Context.Tag("@effect-klaytn/wallet/NonceSource")<NonceSource, Service>() {}

/**
 * Makes a source in memory. `nextNonce` returns the next nonce of an account; it is called once per account, and by
 * `resync`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memory = (
  nextNonce: (address: Address.Address) => Effect.Effect<number, LookupFailed>
): Effect.Effect<Service> => internal.make(nextNonce, (address, problem) => new NonceUnavailable({ address, problem }))

/**
 * Provides a source in memory as a layer. An account starts after everything that waits at the node.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (): Layer.Layer<NonceSource, never, TransactionLookup> =>
  Layer.effect(
    NonceSource,
    Effect.flatMap(TransactionLookup, (lookup) => memory((address) => lookup.nextNonce(address, "pending")))
  )

const read = Input.decode("NonceSource.withNonce", Address.FromInput)

/**
 * Sends with a nonce from the source, and settles the nonce by the send's outcome.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withNonce = <A extends Submission, R>(
  from: string,
  send: (nonce: number) => Effect.Effect<A, NotSent | SendUnknown, R>
): Effect.Effect<
  A,
  NotSent | SendUnknown | NonceUnavailable | LookupFailed | InvalidInput,
  NonceSource | R
> =>
  Effect.gen(function*() {
    const address = yield* read(from)
    const source = yield* NonceSource
    const settle = (nonce: number, exit: Exit.Exit<A, NotSent | SendUnknown>): Effect.Effect<void> => {
      if (Exit.isSuccess(exit)) {
        const { _tag, nonce: used } = exit.value
        if (_tag === "SignedOnly") return Effect.void
        return used === nonce
          ? source.confirm(address, nonce)
          // The service chose another nonce, as it may for 0: that one is taken, and this one is free.
          : source.confirm(address, used).pipe(
            Effect.zipRight(source.release(address, nonce)),
            Effect.zipRight(Effect.ignore(source.resync(address)))
          )
      }
      const failure = Cause.isInterrupted(exit.cause)
        ? undefined
        : Option.getOrUndefined(Cause.failureOption(exit.cause))
      if (failure?._tag !== "NotSent") return source.suspect(address, nonce)
      const { reason } = failure
      return reason._tag === "NonceTaken" || ("code" in reason && WalletCode.saysTaken(reason))
        ? Effect.zipRight(source.confirm(address, nonce), Effect.ignore(source.resync(address)))
        : source.release(address, nonce)
    }
    /**
     * Only the wait can be interrupted: a nonce that is reserved after that is always settled, whatever the source
     * does.
     */
    const reserved = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDaemon(source.reserve(address)), (fiber) =>
        Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
          Fiber.join(fiber).pipe(
            Effect.flatMap((nonce) =>
              source.release(address, nonce)
            ),
            Effect.ignore,
            Effect.forkDaemon
          )))
    )
    return yield* Effect.acquireUseRelease(Effect.interruptible(reserved), send, settle)
  })
