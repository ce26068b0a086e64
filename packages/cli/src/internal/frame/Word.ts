/** The words behind a command: its options and arguments, how the help shows them, and the values that they become. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** An option or an argument whose value is an `A`. One that is left out is undefined. */
export interface Word<out A> {
  /** Such as `--chain`, or `ACCOUNT` for an argument. */
  readonly name: string
  /** What an option takes, such as `N`; empty if the option takes no value. */
  readonly takes: string
  readonly meaning: string
  /** The values to choose from, if not any is taken. */
  readonly choices: ReadonlyArray<string> | undefined
  readonly isRepeated: boolean
  readonly isRequired: boolean
  /** The actions of the command that it goes with, if not with all. */
  readonly actions: ReadonlyArray<string> | undefined
  /** The actions that can't do without it. */
  readonly neededBy: ReadonlyArray<string>
  /** Makes the value of what was given, or says what is wrong with it. */
  readonly read: (given: ReadonlyArray<string>) => Effect.Effect<A, string>
}

export const isOption = ({ name }: Word<unknown>): boolean => name.startsWith("--")

/** The word as the help shows it. */
export const termOf = (word: Word<unknown>): string => {
  const { isRepeated, isRequired, name, takes } = word
  const shown = `${name}${takes === "" || !isOption(word) ? "" : ` ${takes}`}${isRepeated ? "..." : ""}`
  return isOption(word) || isRequired ? shown : `[${shown}]`
}

/** A text: of an option and what it takes, such as `--out FILE`, or of an argument, such as `ACCOUNT`. */
export const text = (shown: string, meaning: string): Word<string | undefined> => {
  const [name = "", takes = ""] = shown.split(" ")
  return {
    name,
    takes,
    meaning,
    choices: undefined,
    isRepeated: false,
    isRequired: false,
    actions: undefined,
    neededBy: [],
    read: ([given]) => Effect.succeed(given)
  }
}

/** An option without a value. */
export const flag = (name: string, meaning: string): Word<boolean> => ({
  ...text(name, meaning),
  read: (given) => Effect.succeed(given.length > 0)
})

/** One of some values. */
export const choice = <const A extends string>(
  name: string,
  choices: ReadonlyArray<A>,
  meaning: string
): Word<A | undefined> => ({
  ...text(`${name} ${choices.join("|")}`, meaning),
  choices,
  read: ([given]) => Effect.succeed(choices.find((one) => one === given))
})

export const map = <A, B>(word: Word<A>, to: (value: A) => B): Word<B> => ({
  ...word,
  read: (given) => Effect.map(word.read(given), to)
})

/** Reads a text, or refuses it with `problem`. */
export const parsed = <A>(
  word: Word<string | undefined>,
  parse: (text: string) => Option.Option<A>,
  problem: string
): Word<A | undefined> => ({
  ...word,
  read: (given) =>
    Effect.flatMap(word.read(given), (text) =>
      text === undefined
        ? Effect.succeed(undefined)
        : Effect.mapError(parse(text), () => problem))
})

/** A value for a word that is left out. */
export const orElse = <A, const B>(word: Word<A | undefined>, fallback: B): Word<A | B> =>
  map(word, (value) => value === undefined ? fallback : value)

/** A word that must not be left out. */
export const required = <A>(word: Word<A | undefined>): Word<A> => ({
  ...word,
  isRequired: true,
  read: (given) => Effect.filterOrFail(word.read(given), Predicate.isNotUndefined, () => `${word.name} is not given`)
})

/** A word that goes with some actions only, of which a part needs it. */
export const goingWith = <W extends Word<unknown>>(
  actions: ReadonlyArray<string>,
  word: W,
  neededBy: ReadonlyArray<string> = []
): W => ({ ...word, actions, neededBy })

/** An option that may be given several times, or an argument that takes all that follow. */
export const repeated = (word: Word<string | undefined>): Word<ReadonlyArray<string>> => ({
  ...word,
  isRepeated: true,
  read: Effect.succeed
})

/** A whole number from `least` to `most`. */
export const whole = (shown: string, meaning: string, least = 1, most = Infinity): Word<number | undefined> => {
  const word = text(shown, meaning)
  return parsed(
    word,
    (given) =>
      /^\d{1,15}$/.test(given) && Number(given) >= least && Number(given) <= most
        ? Option.some(Number(given))
        : Option.none(),
    `${word.name} takes a whole number${most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`}`
  )
}

/** The argument that names what a command does. */
export const action = <const A extends string>(actions: ReadonlyArray<A>, meaning: string): Word<A> =>
  required(choice("ACTION", actions, meaning))
