/** A command of `klaytn`: its page of help, its options and arguments, how words become them, and what it does. */
import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type * as Types from "effect/Types"
import type { ExitCode } from "../terminal/exitCode.js"
import * as Failure from "../terminal/Failure.js"
import * as Screen from "../terminal/Screen.js"
import * as Word from "./Word.js"

/** What a command may use. */
export type Services = Screen.Screen | HttpClient.HttpClient | FileSystem.FileSystem | Path.Path

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

/** How many letters may differ. */
const tolerance = ({ length }: string): number => length < 4 ? 1 : Math.max(2, Math.floor(length / 4))

/** Whether two neighbouring letters changed places. */
const isSwapped = (word: string, name: string): boolean =>
  word.length === name.length &&
  Array.from(word, (_, at) => at).some((at) =>
    at > 0 && word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1) === name
  )

/** How many letters differ: two that changed places count as one. */
const distanceOf = (word: string, name: string): number =>
  word !== name && isSwapped(word, name) ? 1 : AutoCorrect.levensteinDistance(word, name, CliConfig.defaultConfig)

/** A hint that lists the known names that `word` is most likely a misspelling of, if there are any. */
export const didYouMean = (word: string, known: Iterable<string>): ReadonlyArray<string> => {
  const near = [...new Set(known)].map((name) => ({
    name,
    distance: distanceOf(word.toLowerCase(), name.toLowerCase())
  })).filter(({ distance, name }) => distance <= tolerance(name))
  const least = Math.min(...near.map(({ distance }) => distance))
  const names = near.filter(({ distance }) => distance === least).slice(0, 3).map(({ name }) => name)
  return names.length === 0 ? [] : [`did you mean ${Screen.listed(names, "or")}?`]
}

/** Refuses a value that is none of the choices of an option or an argument. */
const checkChoice = (
  { choices, name }: Word.Word<unknown>,
  value: string | undefined
): Effect.Effect<void, Failure.Failure> =>
  choices === undefined || value === undefined || choices.includes(value)
    ? Effect.void
    : Failure.usage(
      `${name} is ${Screen.listed(choices, "or")}, not ${value}`,
      ...didYouMean(value, choices)
    )

/**
 * Whether a word that is no option is an argument: one that does not begin as an option, or begins with one dash where an argument
 * `fits`. All options begin with two.
 */
const isArgument = (word: string, fits: boolean): boolean =>
  !/^--?[a-z]/i.test(word) || (fits && !word.startsWith("--"))

/**
 * The values of the options by their names, and the arguments, of which a command takes `most`. Behind `--` everything is an argument.
 */
const arrange = Effect.fnUntraced(
  function*(command: string, words: ReadonlyArray<string>, known: ReadonlyArray<Word.Word<unknown>>, most: number) {
    const help = `klaytn ${command} --help lists the options`
    const forms = new Map(known.map((one) => [one.name, one]))
    const end = words.includes("--") ? words.indexOf("--") : words.length
    const rest = words.slice(0, end)
    const options = new Map<string, ReadonlyArray<string>>()
    const args: Array<string> = []
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      // What follows `=` may be a secret, and is not shown.
      const [name = "", inline] = word.split(/=(.*)/s)
      const form = forms.get(name)
      if (form === undefined) {
        const meant = didYouMean(name, forms.keys())
        if (isArgument(word, args.length < most && meant.length === 0)) {
          args.push(word)
          continue
        }
        const behind = most > 0 ? ["a value that begins with a dash stands behind --, after all options"] : []
        return yield* Failure.usage(`there is no option ${name}`, ...meant, ...behind, help)
      }
      const before = options.get(name) ?? []
      if (before.length > 0 && !form.isRepeated) return yield* Failure.usage(`${name} is given twice`)
      if (form.takes === "") {
        if (inline !== undefined) return yield* Failure.usage(`${name} takes no value`, help)
        options.set(name, [""])
        continue
      }
      // The name of an option is no value, unless it stands behind `=`.
      const isName = inline === undefined && forms.has(rest[0] ?? "")
      const value = isName ? "" : inline ?? rest.shift() ?? ""
      if (value === "") {
        const behind = isName ? [`a value that is the name of an option stands behind =: ${name}=${rest[0]}`] : []
        return yield* Failure.usage(`${name} needs a value`, ...behind, help)
      }
      yield* checkChoice(form, value)
      options.set(name, [...before, value])
    }
    return { options, args: [...args, ...words.slice(end + 1)] }
  }
)

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
      const most = args.some(({ isRepeated }) => isRepeated) ? Infinity : args.length
      const given = yield* arrange(page.name, line, options, most)
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
