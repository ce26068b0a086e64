/** Where the command writes: results on standard output, everything else on standard error. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"

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
export const whileRead = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Screen,
    ({ closed }) => Effect.raceFirst(effect, Effect.as(Deferred.await(closed), "unread" as const))
  )

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export type Style = keyof typeof codes

/** Text in a colour or weight, on an output that has them. */
export const styled = (output: Output, style: Style, text: string): string =>
  output.hasColors && text !== "" ? `\x1b[${codes[style]}m${text}\x1b[0m` : text

const clearLine = "\r\x1b[K"

/** See {@link statusLine}. */
export type StatusLine = ReturnType<typeof statusLine>

/** A line at the bottom of a terminal that is redrawn. On anything else it writes nothing. */
export const statusLine = (output: Output) => {
  let drawn = ""
  const draw = (line: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!output.isTerminal || line === drawn) return Effect.void
      drawn = line
      return output.write(`${clearLine}${line}`)
    })
  const clear = draw("")
  const above = (to: Output, text: string): Effect.Effect<void> => Effect.zipRight(clear, to.write(text))
  const logger = Logger.map(Logger.stringLogger, (text) => Effect.runSync(above(output, `${text}\n`)))
  return {
    draw,
    /** Writes text above the line, to either output. */
    above,
    /** Runs an effect with its log lines above the line, and clears the line at the end. */
    during: <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.ensuring(
        output.isTerminal ? Effect.locally(self, FiberRef.currentLoggers, HashSet.make(logger)) : self,
        clear
      )
  }
}

/** Draws while an effect runs: on a terminal at once, elsewhere every 10 seconds. */
export const whileDrawing =
  ({ isTerminal }: Output, status: StatusLine, draw: Effect.Effect<void>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const ticks = Effect.forever(Effect.zipRight(Effect.sleep(isTerminal ? "100 millis" : "10 seconds"), draw))
    return status.during(Effect.raceFirst(self, ticks))
  }

/** Foreign text on one line: a character that could move the cursor or hide text is written as its code. */
export const clean = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
  )

/** Lines as text. */
export const lines = (all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join("")

/** Words as they are listed in a sentence, such as `a, b or c`. */
export const listed = (words: ReadonlyArray<string>, last: "and" | "or"): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`

/** Rows as columns, each as wide as its widest cell. All rows have the same number of cells. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? []
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd())
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
  return [...lines, line]
}

/** A lead, and a text behind it that is wrapped at a number of columns and continues below its beginning. */
export const hanging = (lead: string, text: string, columns: number): ReadonlyArray<string> =>
  wrap(text, columns - lead.length).map((line, i) => `${i === 0 ? lead : " ".repeat(lead.length)}${line}`)

/** How wide lines of prose are: only a terminal gets wrapped lines, and only one that is not too narrow for them. */
export const proseWidth = ({ columns, isTerminal }: Output): number => isTerminal && columns >= 40 ? columns : Infinity

/** Rows of a name and a text. */
export const sheet = (
  output: Output,
  rows: ReadonlyArray<readonly [name: string, text: string]>
): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.flatMap(([name, text]) => hanging(`${name.padEnd(width)}  `, text, proseWidth(output)))
}

/** Prose on an output. Lines after the first are indented. */
export const prose = (output: Output, text: string): ReadonlyArray<string> => {
  const margin = /^ */.exec(text)?.[0] ?? ""
  return wrap(text.slice(margin.length), proseWidth(output) - margin.length - 2)
    .map((line, i) => `${margin}${i === 0 ? "" : "  "}${line}`)
}

/** Lines of prose on an output. */
export const paragraphs = (output: Output, all: ReadonlyArray<string>): string =>
  lines(all.flatMap((text) => prose(output, text)))
