/**
 * Puts the words behind `klaytn` into the order that the parser takes: the options of a command first, then its arguments.
 * People write them in any order.
 */
import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.js"

/** How many letters may differ: two that changed places count as two. */
const tolerance = ({ length }: string): number => length < 4 ? 1 : Math.max(2, Math.floor(length / 4))

/** The known names that `word` is most likely a misspelling of. */
const similar = (word: string, known: Iterable<string>): ReadonlyArray<string> => {
  const distance = (name: string): number =>
    AutoCorrect.levensteinDistance(word.toLowerCase(), name.toLowerCase(), CliConfig.defaultConfig)
  const near = [...new Set(known)]
    .map((name) => ({ name, away: distance(name) }))
    .filter(({ away, name }) => away <= tolerance(name))
  const least = Math.min(...near.map(({ away }) => away))
  return near.filter(({ away }) => away === least).slice(0, 3).map(({ name }) => name)
}

/** A hint that names them, if there are any. */
export const didYouMean = (word: string, known: Iterable<string>): ReadonlyArray<string> => {
  const names = similar(word, known)
  return names.length === 0 ? [] : [`did you mean ${names.join(" or ")}?`]
}

/**
 * Splits the words of a command into options with their values, and arguments. Behind `--` everything is an argument. `names` are
 * those of options, such as `--chain`.
 */
export const arrange = (
  command: string,
  words: ReadonlyArray<string>,
  names: ReadonlyMap<string, { readonly takesValue: boolean }>
) => {
  const options: Array<string> = []
  const args: Array<string> = []
  const seen = new Set<string>()
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ""
    if (word === "--") {
      args.push(...words.slice(i + 1))
      break
    }
    if (!/^--?[a-z]/i.test(word)) {
      args.push(word)
      continue
    }
    const [name = "", inline] = word.split(/=(.*)/s)
    const option = names.get(name)
    const help = `klaytn ${command} --help lists the options`
    if (option === undefined) {
      // What follows `=` may be a secret.
      return Failure.usage(`there is no option ${name}`, ...didYouMean(name, names.keys()), help)
    }
    if (seen.has(name)) return Failure.usage(`${name} is given twice`)
    seen.add(name)
    if (!option.takesValue) {
      if (inline !== undefined) return Failure.usage(`${name} takes no value`, help)
      options.push(name)
      continue
    }
    const value = inline ?? words[++i]
    if (value === undefined || value === "") return Failure.usage(`${name} needs a value`, help)
    options.push(name, value)
  }
  return Effect.succeed({ options, args })
}
