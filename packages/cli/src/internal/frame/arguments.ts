/**
 * Puts the words behind a command's name into the order that the parser takes: options first, then arguments. People write
 * them in any order.
 */
import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.js"
import * as Screen from "../terminal/Screen.js"

/** How many letters may differ: two that changed places count as two. */
const tolerance = ({ length }: string): number => length < 4 ? 1 : Math.max(2, Math.floor(length / 4))

/** A hint that lists the known names that `word` is most likely a misspelling of, if there are any. */
export const didYouMean = (word: string, known: Iterable<string>): ReadonlyArray<string> => {
  const near = [...new Set(known)].map((name) => ({
    name,
    distance: AutoCorrect.levensteinDistance(word.toLowerCase(), name.toLowerCase(), CliConfig.defaultConfig)
  })).filter(({ distance, name }) => distance <= tolerance(name))
  const least = Math.min(...near.map(({ distance }) => distance))
  const names = near.filter(({ distance }) => distance === least).slice(0, 3).map(({ name }) => name)
  return names.length === 0 ? [] : [`did you mean ${Screen.listed(names, "or")}?`]
}

/** What an option takes. */
export interface Form {
  readonly takesValue: boolean
  readonly isRepeated: boolean
  /** The values to choose from, if not any is taken. */
  readonly choices: ReadonlyArray<string> | undefined
}

/** Refuses a value that is none of the choices of an option or an argument. */
export const checkChoice = (
  name: string,
  choices: Form["choices"],
  value: string | undefined
): Effect.Effect<void, Failure.Failure> =>
  choices === undefined || value === undefined || choices.includes(value)
    ? Effect.void
    : Failure.usage(
      `${name} is ${Screen.listed(choices, "or")}, not ${value}`,
      ...didYouMean(value, choices)
    )

/**
 * Splits the words of a command into options with their values, and arguments. Behind `--` everything is an argument. `forms`
 * has the forms of the options by their names, such as `--chain`.
 */
export const arrange = Effect.fnUntraced(
  function*(command: string, words: ReadonlyArray<string>, forms: ReadonlyMap<string, Form>) {
    const help = `klaytn ${command} --help lists the options`
    const end = words.includes("--") ? words.indexOf("--") : words.length
    const rest = words.slice(0, end)
    const options: Array<string> = []
    const args: Array<string> = []
    const seen = new Set<string>()
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      if (!/^--?[a-z]/i.test(word)) {
        args.push(word)
        continue
      }
      // What follows `=` may be a secret, and is not shown.
      const [name = "", inline] = word.split(/=(.*)/s)
      const form = forms.get(name)
      if (form === undefined) {
        return yield* Failure.usage(`there is no option ${name}`, ...didYouMean(name, forms.keys()), help)
      }
      if (seen.has(name) && !form.isRepeated) return yield* Failure.usage(`${name} is given twice`)
      seen.add(name)
      options.push(name)
      if (!form.takesValue) {
        if (inline !== undefined) return yield* Failure.usage(`${name} takes no value`, help)
        continue
      }
      // The name of an option is no value, unless it stands behind `=`.
      const value = inline ?? (forms.has(rest[0] ?? "") ? "" : rest.shift() ?? "")
      if (value === "") return yield* Failure.usage(`${name} needs a value`, help)
      yield* checkChoice(name, form.choices, value)
      options.push(value)
    }
    return { options, args: [...args, ...words.slice(end + 1)] }
  }
)
