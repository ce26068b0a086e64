/**
 * The return type of every fallible function of this package: a value or a `TransactionError`. Nothing throws.
 */
import type { TransactionError } from "./TransactionError.js"

/**
 * A value or an error. Check `ok`, and TypeScript narrows the rest.
 *
 * **Example** (decode and check)
 *
 * ```ts
 * import * as Transaction from "@effect-klaytn/transaction/Transaction"
 *
 * const decoded = Transaction.decode("0xc0")
 * console.log(decoded.ok ? decoded.value.type : decoded.error.reason)
 * ```
 *
 * @category models
 */
export type Result<A> = Success<A> | Failure

/**
 * A `Result` with a value.
 *
 * @category models
 */
export interface Success<A> {
  readonly ok: true
  readonly value: A
}

/**
 * A `Result` with an error.
 *
 * @category models
 */
export interface Failure {
  readonly ok: false
  readonly error: TransactionError
}

/**
 * Wraps a value.
 *
 * @category constructors
 */
export const succeed = <A>(value: A): Success<A> => ({ ok: true, value })

/**
 * Wraps an error.
 *
 * @category constructors
 */
export const fail = (error: TransactionError): Failure => ({ ok: false, error })

/**
 * Transforms the value; an error is returned unchanged.
 *
 * @category combinators
 */
export const map = <A, B>(self: Result<A>, f: (value: A) => B): Result<B> => self.ok ? succeed(f(self.value)) : self

/**
 * Continues with the value; an error is returned unchanged.
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
 * @category combinators
 */
export const flatMap = <A, B>(self: Result<A>, f: (value: A) => Result<B>): Result<B> => self.ok ? f(self.value) : self
