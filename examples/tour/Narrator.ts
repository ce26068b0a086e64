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

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/** Breaks a text between words, and begins each further line with `indent`. */
const wrap = (text: string, columns: number, indent: string): string =>
  text.split("\n").map((line) =>
    line.split(/(?<=\S) /).reduce(
      ({ column, shown }, word, index) => {
        const fits = index === 0 || column + 1 + word.length <= columns
        const separator = index === 0 ? "" : fits ? " " : `\n${indent}`
        return {
          shown: shown + separator + word,
          column: (fits ? column + separator.length : indent.length) + word.length
        }
      },
      { column: 0, shown: "" }
    ).shown
  ).join("\n")

export const layer = (output: Output) =>
  Layer.sync(Narrator, () => {
    const [clear, bold, green, plain] = output.isTTY === true
      ? ["\r\x1b[K", "\x1b[1m", "\x1b[32m", "\x1b[0m"]
      : ["", "", "", ""]
    const columns = output.isTTY === true ? output.columns ?? 80 : Infinity
    const line = (text: string, mark = "") =>
      Effect.sync(() =>
        output.write(
          `${clear}  ${mark}${wrap(text, columns - (mark === "" ? 2 : 5), mark === "" ? "    " : "     ")}\n`
        )
      )
    let held = 0
    return {
      title: (text) => Effect.sync(() => output.write(`${clear}\n${bold}${text}${plain}\n`)),
      say: (text) => line(text),
      progress: (text) => output.isTTY === true ? Effect.sync(() => output.write(`${clear}  ${text}`)) : Effect.void,
      expect: (what, found, wanted) => {
        if (!isDeepStrictEqual(found, wanted)) {
          return Effect.fail(new Unexpected({ message: `${what}: found ${show(found)}, expected ${show(wanted)}` }))
        }
        held++
        return line(what, `${green}ok${plain} `)
      },
      held: Effect.sync(() => held)
    }
  })
