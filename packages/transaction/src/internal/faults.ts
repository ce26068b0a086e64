import type { Result } from "../Result.js"
import { fail, succeed } from "../Result.js"
import type { Reason } from "../TransactionError.js"
import { TransactionError } from "../TransactionError.js"

/**
 * Runs a reader of a caller's value. Readers refuse bad values with their path; a value that throws on access is
 * refused here. The thrown error is not included, since it may repeat the value.
 */
export const total = <A>(read: () => Result<A>): Result<A> => {
  try {
    return read()
  } catch {
    return fail(
      new TransactionError("WrongShape", "", "can not be read: a part of it is not of the kind its type says")
    )
  }
}

/** Like `total`, for predicates: false for a value that can't be read. */
export const holds = (judge: () => boolean): boolean => {
  try {
    return judge()
  } catch {
    return false
  }
}

/**
 * Collects the first fault while reading or writing, so that the steps can be plain expressions: after a fault each
 * step returns a stand-in, and `result` decides at the end.
 */
export class Faults {
  first: TransactionError | undefined = undefined

  add(reason: Reason, path: string, message: string): undefined {
    if (this.first === undefined) {
      this.first = new TransactionError(reason, path, message)
    }
  }

  addAt(path: string, error: TransactionError): void {
    if (this.first === undefined) {
      this.first = new TransactionError(error.reason, path, error.message)
    }
  }

  result<A>(value: A): Result<A> {
    return this.first === undefined ? succeed(value) : fail(this.first)
  }
}
