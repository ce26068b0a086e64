/** Packages that are installed beside the command, or not: nothing of them is in it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.js"
import { fromCause } from "./failureOf.js"
import { installs } from "./install.js"

const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND" &&
  error.message.includes(`'${name}'`)

/** Loads a module of a package. `what` needs it, such as `sandbox`. */
export const load = <A>(
  what: "sandbox" | "gateway",
  importModule: () => Promise<A>
): Effect.Effect<A, Failure.Failure> => {
  const name = `@effect-klaytn/${what}`
  return Effect.tryPromise({
    try: importModule,
    catch: (error) =>
      isMissing(error, name)
        ? new Failure.Failure({
          message: `a ${what} needs the package ${name} beside this command: ${installs("cli", what)}`,
          kind: "PackageMissing",
          exit: "usage"
        })
        : fromCause(Cause.fail(error))
  })
}
