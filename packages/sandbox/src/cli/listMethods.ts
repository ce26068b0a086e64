/**
 * The subcommand that lists the methods of the node side.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

/** Loaded on demand: serving does not need it. */
const list = Effect.promise(() => import("./NodeMethods.js"))

/**
 * `methods`: which methods of a node are served, and how many.
 *
 * @category commands
 */
export const listMethods = Command.make(
  "methods",
  { json: Options.boolean("json").pipe(Options.withDescription("One line of JSON: count, served, notServed.")) },
  ({ json }) =>
    Effect.flatMap(list, ({ line, nodeMethods, page }) => Console.log(json ? line(nodeMethods) : page(nodeMethods)))
).pipe(Command.withDescription("Lists the methods of a node that are served, and those that are not."))
