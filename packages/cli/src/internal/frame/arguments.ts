/** Splits the words behind a command's name into options and arguments, which people write in any order. */
import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.js"
import * as Screen from "../terminal/Screen.js"
import type { Word } from "./Word.js"

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

/** Refuses a value that is none of the choices of an option or an argument. */
export const checkChoice = (
  { choices, name }: Word<unknown>,
  value: string | undefined
): Effect.Effect<void, Failure.Failure> =>
  choices === undefined || value === undefined || choices.includes(value)
    ? Effect.void
    : Failure.usage(
      `${name} is ${Screen.listed(choices, "or")}, not ${value}`,
      ...didYouMean(value, choices)
    )

/** The values of the options by their names, and the arguments. Behind `--` everything is an argument. */
export const arrange = Effect.fnUntraced(
  function*(command: string, words: ReadonlyArray<string>, known: ReadonlyArray<Word<unknown>>) {
    const help = `klaytn ${command} --help lists the options`
    const forms = new Map(known.map((one) => [one.name, one]))
    const end = words.includes("--") ? words.indexOf("--") : words.length
    const rest = words.slice(0, end)
    const options = new Map<string, ReadonlyArray<string>>()
    const args: Array<string> = []
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
      const before = options.get(name) ?? []
      if (before.length > 0 && !form.isRepeated) return yield* Failure.usage(`${name} is given twice`)
      if (form.takes === "") {
        if (inline !== undefined) return yield* Failure.usage(`${name} takes no value`, help)
        options.set(name, [""])
        continue
      }
      // The name of an option is no value, unless it stands behind `=`.
      const value = inline ?? (forms.has(rest[0] ?? "") ? "" : rest.shift() ?? "")
      if (value === "") return yield* Failure.usage(`${name} needs a value`, help)
      yield* checkChoice(form, value)
      options.set(name, [...before, value])
    }
    return { options, args: [...args, ...words.slice(end + 1)] }
  }
)
