/**
 * What every fallible function of this package returns: the value, or a `TransactionError`. Nothing throws.
 *
 * @since 0.1.0
 */
import type { TransactionError } from "./TransactionError.js"

/**
 * A value, or the reason why there is none. Check `ok` and TypeScript narrows the rest.
 *
 * **Example** (decode, then look)
 *
 * ```ts
 * import * as Transaction from "@effect-klaytn/transaction/Transaction"
 *
 * const decoded = Transaction.decode("0xc0")
 * console.log(decoded.ok ? decoded.value.type : decoded.error.reason)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Result<A> = Success<A> | Failure

/**
 * The good half of a `Result`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Success<A> {
  readonly ok: true
  readonly value: A
}

/**
 * The other half of a `Result`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failure {
  readonly ok: false
  readonly error: TransactionError
}

/**
 * Wraps a value.
 *
 * @since 0.1.0
 * @category constructors
 */
export const succeed = <A>(value: A): Success<A> => ({ ok: true, value })

/**
 * Wraps an error.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fail = (error: TransactionError): Failure => ({ ok: false, error })

/**
 * Changes the value, leaves an error as it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const map = <A, B>(self: Result<A>, f: (value: A) => B): Result<B> => self.ok ? succeed(f(self.value)) : self

/**
 * Goes on with the value, stops at an error.
 *
 * **Example** (build, sign, encode)
 *
 * ```ts
 * import * as Result from "@effect-klaytn/transaction/Result"
 * import * as Transaction from "@effect-klaytn/transaction/Transaction"
 *
 * export const raw = (unsigned: Transaction.Transaction, privateKey: `0x${string}`) =>
 *   Result.flatMap(Transaction.signAsSender(unsigned, { chainId: 1001, privateKey }), (signed) => Transaction.encode(signed))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const flatMap = <A, B>(self: Result<A>, f: (value: A) => Result<B>): Result<B> => self.ok ? f(self.value) : self
