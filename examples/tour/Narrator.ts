/**
 * Prints the tour and counts its expectations. On a terminal a line of progress stays below the text; elsewhere the
 * output is plain lines.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isDeepStrictEqual } from "node:util"

/** An expectation of the tour did not hold. */
export class Unexpected extends Data.TaggedError("Unexpected")<{ readonly message: string }> {}

export interface Voice {
  readonly title: (text: string) => Effect.Effect<void>
  readonly say: (text: string) => Effect.Effect<void>
  /** Shown on a terminal only, until the next line. */
  readonly progress: (text: string) => Effect.Effect<void>
  /** Compares what the SDK returned with what another way of reading found. */
  readonly expect: <A>(what: string, found: A, wanted: A) => Effect.Effect<void, Unexpected>
  readonly held: Effect.Effect<number>
}

export class Narrator extends Context.Tag("tour/Narrator")<Narrator, Voice>() {}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? `${part}n` : part) ?? "nothing"

export const layer = (output: { readonly isTTY?: boolean; readonly write: (text: string) => unknown }) =>
  Layer.sync(Narrator, () => {
    const [clear, bold, green, plain] = output.isTTY === true
      ? ["\r\x1b[K", "\x1b[1m", "\x1b[32m", "\x1b[0m"]
      : ["", "", "", ""]
    const line = (text: string) => Effect.sync(() => output.write(`${clear}${text}\n`))
    let held = 0
    return {
      title: (text) => line(`\n${bold}${text}${plain}`),
      say: (text) => line(`  ${text}`),
      progress: (text) => output.isTTY === true ? Effect.sync(() => output.write(`${clear}  ${text}`)) : Effect.void,
      expect: (what, found, wanted) => {
        if (!isDeepStrictEqual(found, wanted)) {
          return Effect.fail(new Unexpected({ message: `${what}: found ${show(found)}, expected ${show(wanted)}` }))
        }
        held++
        return line(`  ${green}ok${plain} ${what}`)
      },
      held: Effect.sync(() => held)
    }
  })
