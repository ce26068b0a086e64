/**
 * Text without colours, for outputs that are not a terminal.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

// The codes that set colours and weights begin with the escape character.
// oxlint-disable-next-line no-control-regex
const codes = /\x1b\[[0-9;]*m/g

const plain = (args: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  args.map((arg) => typeof arg === "string" ? arg.replace(codes, "").trimEnd() : arg)

/**
 * Removes the colours from what an effect prints, for outputs that are not a terminal.
 *
 * @category combinators
 */
export const unlessTerminal = (
  terminals: { readonly output: boolean; readonly error: boolean }
) =>
<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((usual) =>
    Effect.withConsole(self, {
      ...usual,
      log: (...args) => usual.log(...(terminals.output ? args : plain(args))),
      error: (...args) => usual.error(...(terminals.error ? args : plain(args)))
    })
  )
