/** Where the command writes: results on standard output, everything else on standard error. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ExitCode } from "./exitCode.js"

/** One of the two outputs. */
export interface Output {
  /** Writes text as it is. */
  readonly write: (text: string) => Effect.Effect<void>
  /** Waits until the system has taken all that was written. False if the output was closed before. */
  readonly flushed: Effect.Effect<boolean>
  readonly isTerminal: boolean
  readonly columns: number
  /** Whether colours are wanted: on a terminal, unless `NO_COLOR` is set. */
  readonly hasColors: boolean
}

export class Screen extends Context.Tag("@effect-klaytn/cli/Screen")<Screen, {
  readonly out: Output
  readonly error: Output
  /** Done as soon as standard output can't be written any more, such as when `klaytn call | head` has read enough. */
  readonly closed: Deferred.Deferred<void>
  /** Done by the first signal. */
  readonly stopped: Deferred.Deferred<void>
}>() {}

/** Runs an effect until standard output is closed. */
export const whileRead = <E, R>(
  effect: Effect.Effect<ExitCode, E, R>
): Effect.Effect<ExitCode, E, R | Screen> =>
  Effect.flatMap(
    Screen,
    ({ closed }) => Effect.raceFirst(effect, Effect.as(Deferred.await(closed), "unread" as const))
  )

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export type Style = keyof typeof codes

/** Text in a colour or weight, on an output that has them. */
export const styled = (output: Output, style: Style, text: string): string =>
  output.hasColors && text !== "" ? `\x1b[${codes[style]}m${text}\x1b[0m` : text

/** See {@link statusLine}. */
export type StatusLine = ReturnType<typeof statusLine>

const clearLine = "\r\x1b[K"

/** A line at the bottom of a terminal that is redrawn. On anything else it writes nothing. */
export const statusLine = (output: Output) => {
  let drawn = ""
  const write = (line: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!output.isTerminal || line === drawn) return Effect.void
      drawn = line
      return output.write(`${clearLine}${line}`)
    })
  const clear = write("")
  return {
    draw: write,
    clear,
    /** Writes text above the line, to either output. */
    above: (to: Output, text: string): Effect.Effect<void> => Effect.zipRight(clear, to.write(text))
  }
}

/** Draws while an effect runs: on a terminal at once, elsewhere every 10 seconds. Clears the line at the end. */
export const whileDrawing =
  ({ isTerminal }: Output, status: StatusLine, draw: Effect.Effect<void>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const ticks = Effect.forever(Effect.zipRight(Effect.sleep(isTerminal ? "100 millis" : "10 seconds"), draw))
    return Effect.ensuring(Effect.raceFirst(self, ticks), status.clear)
  }

/** Foreign text on one line: a character that could move the cursor or hide text is written as its code. */
export const clean = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
  )

/** Lines as text. */
export const lines = (all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join("")

/** Rows as columns: each column but the last as wide as its widest cell. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths: Array<number> = []
  for (const row of rows) {
    row.forEach((cell, i) => {
      if (i < row.length - 1) widths[i] = Math.max(widths[i] ?? 0, cell.length)
    })
  }
  return rows.map((row) => row.map((cell, i) => i < row.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell).join("  "))
}

/** Wraps text at a number of columns. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length + 1 > columns) {
      lines.push(line)
      line = ""
    }
    line = line === "" ? word : `${line} ${word}`
  }
  return line === "" ? lines : [...lines, line]
}

/**
 * A lead and a text behind it. On a terminal of 40 columns and more the text is wrapped between words, below where it begins, or
 * further to the left if a word would not fit there.
 */
export const hanging = ({ columns, isTerminal }: Output, lead: string, text: string): ReadonlyArray<string> => {
  if (!isTerminal || columns < 40) return [lead + text]
  const longest = Math.max(...text.split(" ").map((word) => word.length))
  const indent = Math.max(0, Math.min(lead.length, columns - longest))
  const [beginning = ""] = wrap(text, columns - lead.length)
  const first = beginning.length > columns - lead.length ? "" : beginning
  const others = wrap(text.slice(first.length).trimStart(), columns - indent)
  return [(lead + first).trimEnd(), ...others.map((line) => " ".repeat(indent) + line)]
}

/** Rows of a name and a text. */
export const sheet = (
  output: Output,
  rows: ReadonlyArray<readonly [name: string, text: string]>
): ReadonlyArray<string> => {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.flatMap(([name, text]) => hanging(output, `${name.padEnd(width)}  `, text))
}

/** Prose on an output: a terminal of 40 columns and more gets whole words, with what goes on below the first line indented. */
export const prose = ({ columns, isTerminal }: Output, text: string): ReadonlyArray<string> => {
  if (!isTerminal || columns < 40) return [text]
  const margin = /^ */.exec(text)?.[0] ?? ""
  const [first = "", ...others] = wrap(text.slice(margin.length), columns - margin.length - 2)
  return [`${margin}${first}`, ...others.map((line) => `${margin}  ${line}`)]
}

/** Lines of prose on an output. */
export const paragraphs = (output: Output, all: ReadonlyArray<string>): string =>
  lines(all.flatMap((text) => prose(output, text)))
