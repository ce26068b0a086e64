/**
 * Why the command ends badly, as one sentence for people.
 */
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Option from "effect/Option"
import { SandboxError } from "../SandboxError.js"

/**
 * The sentence to print and the exit code: 2 for wrong arguments, 1 for anything else.
 *
 * @category errors
 */
export class CommandFailure extends Data.TaggedError("CommandFailure")<{
  readonly message: string
  readonly exitCode: 1 | 2
}> {}

const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== ""
    ? error.message
    : typeof error === "object" && error !== null && "_tag" in error
    ? String(error._tag)
    : String(error)

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? text

/**
 * Any other failure as a sentence: its message and that of what caused it, where to read on, never a stack trace.
 *
 * @category constructors
 */
export const fromCause = (cause: Cause.Cause<unknown>): CommandFailure => {
  const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
  if (error instanceof CommandFailure) return error
  const own = firstLine(messageOf(error))
  const inner = error instanceof Error && error.cause !== undefined ? firstLine(messageOf(error.cause)) : ""
  const more = error instanceof SandboxError ? ` (${ServiceError.explain(error)})` : ""
  return new CommandFailure({ message: `${own.includes(inner) ? own : `${own}: ${inner}`}${more}`, exitCode: 1 })
}
