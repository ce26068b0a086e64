/**
 * The subcommand that prints the OpenAPI document of what the sandbox serves.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandFailure } from "./CommandFailure.js"

/** Loaded on demand. */
const document = Effect.promise(() => import("../internal/openapi/document.js"))

/**
 * `openapi`: the document of all services, or of one.
 *
 * @category commands
 */
export const printOpenApi = Command.make(
  "openapi",
  {
    service: Options.choice("service", ["history", "tokens", "wallet", "node"]).pipe(
      Options.withDescription("Only the operations of this service."),
      Options.optional
    ),
    out: Options.file("out").pipe(
      Options.withDescription("Writes the document to this file instead of standard output."),
      Options.optional
    )
  },
  ({ out, service }) =>
    Effect.flatMap(document, ({ print }) => {
      const text = print({ service: Option.getOrUndefined(service) })
      return Option.match(out, {
        onNone: () => Console.log(text.trimEnd()),
        onSome: (file) =>
          Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(file, text)).pipe(
            Effect.mapError(() => new CommandFailure({ message: `--out: cannot write ${file}`, exitCode: 2 }))
          )
      })
    })
).pipe(Command.withDescription("Prints the OpenAPI 3.1 document of the service."))
