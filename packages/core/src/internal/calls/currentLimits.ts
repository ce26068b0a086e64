/** The retry policy and the deadline that a caller has set around a call. */
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Deadline from "../../Deadline.js"
import * as RetryPolicy from "../../RetryPolicy.js"
import type { InvalidInput } from "../../ServiceError.js"

/** The first problem of them, as the error of an operation. */
export const problem = (operation: string, context: Context.Context<never>): Option.Option<InvalidInput> => {
  const policy = Option.map(
    Context.get(context, RetryPolicy.CurrentRetryPolicy),
    (policy) => RetryPolicy.check(operation, policy)
  )
  const deadline = Option.map(
    Context.get(context, Deadline.CurrentDeadline),
    (deadline) => Deadline.check(operation, deadline)
  )
  return Option.firstSomeOf([Option.flatMap(policy, Either.getLeft), Option.flatMap(deadline, Either.getLeft)])
}
