/** A command of `klaytn`: its page of help, its options and arguments, and what it does. */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type * as Types from "effect/Types"
import type { ExitCode } from "../terminal/exitCode.js"
import * as Failure from "../terminal/Failure.js"
import type { Screen } from "../terminal/Screen.js"
import { arrange, checkChoice, didYouMean } from "./arguments.js"
import * as Word from "./Word.js"

/** What a command may use. */
export type Services = Screen | HttpClient.HttpClient | FileSystem.FileSystem | Path.Path

/** The help of a command, besides its options. */
export interface Page {
  readonly name: string
  /** Half a line, for the list of all commands. */
  readonly summary: string
  /** Paragraphs. */
  readonly description: ReadonlyArray<string>
  /** What commands do, by the commands. */
  readonly examples: Readonly<Record<string, string>>
  /** Whether the command continues when nobody reads its output any more: it is in the middle of payments. */
  readonly finishesUnread?: boolean
  /** Whether the command runs until it is stopped, also when nobody reads its output. To be stopped is no failure. */
  readonly isServer?: boolean
}

type Config = Readonly<Record<string, Word.Word<unknown>>>

/** The values of options and arguments, by their names. */
export type Input<C extends Config> = Types.Simplify<
  { readonly [Name in keyof C]: C[Name] extends Word.Word<infer A> ? A : never }
>

export interface Subcommand {
  readonly page: Page
  /** Named by the last word of their page's name. */
  readonly subcommands: ReadonlyArray<Subcommand>
  /** Its options, and its arguments in the order of the command line. */
  readonly words: ReadonlyArray<Word.Word<unknown>>
  /** Parses the words behind the command's name, and returns the effect that carries them out. */
  readonly read: (
    words: ReadonlyArray<string>
  ) => Effect.Effect<Effect.Effect<ExitCode, unknown, Services>, Failure.Failure>
}

export const lastWord = (name: string): string => name.slice(name.lastIndexOf(" ") + 1)

/** Makes a command. `run` loads what carries it out. A run that returns nothing ends with `ok`. */
export const make = <const C extends Config>(
  page: Page,
  config: C,
  run: (input: Input<C>) => Promise<Effect.Effect<ExitCode | void, unknown, Services>>,
  subcommands: ReadonlyArray<Subcommand> = []
): Subcommand => {
  const words = Object.values(config)
  const options = words.filter(Word.isOption)
  const args = words.filter((word) => !Word.isOption(word))
  const help = `klaytn ${page.name} --help shows how it is used`
  return {
    page,
    subcommands,
    words,
    read: Effect.fnUntraced(function*(line) {
      const given = yield* arrange(page.name, line, options)
      const missing = args[given.args.length]
      if (missing?.isRequired === true) return yield* Failure.usage(`${missing.name} is missing`, help)
      yield* Effect.forEach(args, (word, at) => checkChoice(word, given.args[at]))
      const of = (word: Word.Word<unknown>): ReadonlyArray<string> => {
        const at = args.indexOf(word)
        return at < 0
          ? given.options.get(word.name) ?? []
          : given.args.slice(at, word.isRepeated ? undefined : at + 1)
      }
      const values: unknown = yield* Effect.all(Record.map(config, (word) => word.read(of(word)))).pipe(
        Effect.catchAll((problem) => Failure.usage(problem, help))
      )
      const extra = args.some(({ isRepeated }) => isRepeated) ? undefined : given.args[args.length]
      if (extra !== undefined) {
        const below = didYouMean(extra, subcommands.map((one) => lastWord(one.page.name)))
        return yield* Failure.usage(`one argument too many: ${extra}`, ...below, help)
      }
      // Each word was read under its own name.
      return Effect.promise(() => run(values as Input<C>)).pipe(Effect.flatten, Effect.map((exit) => exit ?? "ok"))
    })
  }
}

/** The command with this name among others, or below one of them. */
export const find = (all: ReadonlyArray<Subcommand>, name: string | undefined): Subcommand | undefined =>
  all.find((one) => lastWord(one.page.name) === name)
