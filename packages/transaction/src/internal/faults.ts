import type { Result } from "../Result.js"
import { fail, succeed } from "../Result.js"
import type { Reason } from "../TransactionError.js"
import { TransactionError } from "../TransactionError.js"

/**
 * Runs code that reads a caller's value, and refuses a value that throws when it is read. The thrown error is left out,
 * since it may repeat the value.
 */
export const catchThrown = <A>(read: () => Result<A>): Result<A> => {
  try {
    return read()
  } catch {
    return fail(
      new TransactionError("WrongShape", "", "can't be read: a part of it does not have the type it should")
    )
  }
}

/** Like `catchThrown`, for predicates: false for a value that can't be read. */
export const holds = (predicate: () => boolean): boolean => {
  try {
    return predicate()
  } catch {
    return false
  }
}

/**
 * Keeps the first fault found while reading or writing, so that each step is a plain expression: after a fault it
 * returns a placeholder, and `result` refuses the whole.
 */
export class Faults {
  first: TransactionError | undefined = undefined

  add(reason: Reason, path: string, message: string): undefined {
    if (this.first === undefined) this.first = new TransactionError(reason, path, message)
  }

  addAt(path: string, error: TransactionError): void {
    this.add(error.reason, path, error.message)
  }

  result<A>(value: A): Result<A> {
    return this.first === undefined ? succeed(value) : fail(this.first)
  }
}
