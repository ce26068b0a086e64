/** Input that is wrong for a reason that no schema states. */
import { InvalidInput } from "@effect-klaytn/core/ServiceError"

export const refuse = (operation: string, path: string, problem: string): InvalidInput =>
  new InvalidInput({ operation, retrySafe: true, attempts: [], path: [path], problem })
