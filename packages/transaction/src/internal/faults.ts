import type { Result } from "../Result.js"
import { fail, succeed } from "../Result.js"
import type { Reason } from "../TransactionError.js"
import { TransactionError } from "../TransactionError.js"

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

  /** As `result` for steps that answer `undefined` after a fault. */
  resultOf<A>(value: A | undefined): Result<A> {
    if (value !== undefined && this.first === undefined) {
      return succeed(value)
    }
    return fail(this.first ?? new TransactionError("WrongShape", "", "is missing"))
  }
}
