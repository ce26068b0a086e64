import type { Result } from "../Result.js"
import { fail, succeed } from "../Result.js"
import type { Reason } from "../TransactionError.js"
import { TransactionError } from "../TransactionError.js"

/**
 * Runs what reads a caller's value. Readers refuse what they know to be wrong, with its place; a value that throws when it
 * is looked at is refused here. What was thrown is not told: it may repeat the value.
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

/** As `total` for what answers yes or no: a value that can't be read does not hold. */
export const holds = (judge: () => boolean): boolean => {
  try {
    return judge()
  } catch {
    return false
  }
}

/**
 * Collects the first fault of one reading or writing, so that the steps in between can be plain expressions: each
 * step answers a stand-in after a fault, and `result` decides at the end.
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
