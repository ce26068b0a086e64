/** The pages that `--help` shows. */
import { exitCodes } from "../terminal/exitCode.js"
import * as Screen from "../terminal/Screen.js"
import type { Subcommand } from "./Subcommand.js"
import { variables } from "./variables.js"
import * as Word from "./Word.js"

/** How wide text may be. */
export const width = (output: Screen.Output): number => Math.max(40, Math.min(output.columns, 110))

/** A term and its meaning: an option, an argument, a command. */
type Definition = readonly [term: string, meaning: string]

/** Terms and meanings in two columns, the second one wrapped. A long term has a line of its own. */
export const definitions = (output: Screen.Output, all: ReadonlyArray<Definition>): ReadonlyArray<string> => {
  const left = Math.max(0, ...all.map(([term]) => term.length).filter((length) => length <= 26))
  return all.flatMap(([term, meaning]) =>
    term.length > left
      ? [`  ${term}`, ...Screen.hanging(" ".repeat(left + 4), meaning, width(output))]
      : Screen.hanging(`  ${term.padEnd(left)}  `, meaning, width(output))
  )
}

const section = (output: Screen.Output, title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [Screen.styled(output, "bold", title), ...lines, ""]

const entries = (output: Screen.Output, title: string, all: ReadonlyArray<Definition>): ReadonlyArray<string> =>
  section(output, title, definitions(output, all))

/** A command, on more lines where it is too long: each ends with the backslash that lets a shell go on. */
const commandLines = (command: string, columns: number): ReadonlyArray<string> => {
  const lines = Screen.wrap(command, columns - 8)
  return lines.map((line, i) => `  ${i === 0 ? "$ " : "    "}${line}${i < lines.length - 1 ? " \\" : ""}`)
}

const examples = (output: Screen.Output, all: ReadonlyArray<Definition>): ReadonlyArray<string> =>
  section(
    output,
    "EXAMPLES",
    all.flatMap(([command, meaning]) => [
      ...Screen.wrap(meaning, width(output) - 4).map((line) => `  ${Screen.styled(output, "dim", `# ${line}`)}`),
      ...commandLines(command, width(output))
    ])
  )

const definitionOf = (word: Word.Word<unknown>): Definition => [Word.termOf(word), word.meaning]

/** The actions that the meaning of a word names in front of what it says of them, such as `For list and report: ...`. */
const actionsIn = (meaning: string, actions: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(meaning.matchAll(/(?:^|[.;] )(?:For )?([a-z-]+(?:(?:, | and )[a-z-]+)*)[:.]/g), ([, names = ""]) => names)
    .flatMap((names) => names.split(/, | and /))
    .filter((name) => actions.includes(name))

/** What is said of one action: what names it, or no action at all, without the list of all actions. */
const aboutAction = (description: ReadonlyArray<string>, actions: ReadonlyArray<string>, name: string) => {
  const named = (text: string, before: string): ReadonlyArray<string> =>
    actions.filter((action) => new RegExp(`${before}${action}(?![-\\w])`).test(text))
  return description
    .map((paragraph) => paragraph.replace(/ ?ACTION is [^.]*\./, "").trim())
    .filter((text) => {
      // The subjects of its sentences, if they are actions.
      const subjects = named(text, "(?:^|[.;] (?:[a-z-]+ and )?)")
      const about = subjects.length > 0 ? subjects : named(text, "(?<![-\\w])")
      return text !== "" && (about.length === 0 || about.includes(name))
    })
}

/** What the meaning of a word says of one action, without its name in front. */
const meaningOf = (meaning: string, actions: ReadonlyArray<string>, name: string): string =>
  meaning.split(/ (?=For [a-z])/).flatMap((part) => {
    const named = actionsIn(part, actions)
    if (named.length === 0) return [part]
    return named.includes(name)
      ? [part.replace(/^For [^:]*: (.)/, (_, first: string) => first.toUpperCase())]
      : []
  }).join(" ")

/** The command with one of its actions: the words that go with the action, and its examples. */
const ofAction = ({ page, words, ...command }: Subcommand, action: Word.Word<unknown>, name: string): Subcommand => {
  const all = action.choices ?? []
  const fits = ({ actions, meaning }: Word.Word<unknown>): boolean => {
    const named = actions ?? actionsIn(meaning, all)
    return named.length === 0 || named.includes(name)
  }
  const own = Object.entries(page.examples).filter(([line]) => ` ${line} `.includes(` ${page.name} ${name} `))
  return {
    ...command,
    page: {
      ...page,
      name: `${page.name} ${name}`,
      description: aboutAction(page.description, all, name),
      examples: Object.fromEntries(own)
    },
    words: words.filter((word) => word !== action && fits(word)).map((word) => ({
      ...word,
      meaning: meaningOf(word.meaning, all, name),
      isRequired: word.isRequired || word.neededBy.includes(name)
    }))
  }
}

/** The argument that is the action of a command. */
export const actionOf = ({ words }: Subcommand): Word.Word<unknown> | undefined =>
  words.find(({ name }) => name === "ACTION")

/** The page of one command, or of the action among the words behind its name. */
export const ofCommand = (output: Screen.Output, command: Subcommand, given: ReadonlyArray<string> = []): string => {
  const action = actionOf(command)
  const chosen = given.find((word) => action?.choices?.includes(word))
  return pageOf(output, action === undefined || chosen === undefined ? command : ofAction(command, action, chosen))
}

const pageOf = (output: Screen.Output, { page, subcommands, words }: Subcommand): string => {
  const args = words.filter((word) => !Word.isOption(word)).map(definitionOf)
  const usage = ["klaytn", page.name, ...args.map(([term]) => term), "[options]"].join(" ")
  return [
    ...page.description.flatMap((paragraph) => [...Screen.wrap(paragraph, width(output)), ""]),
    ...section(output, "USAGE", [`  ${usage}`]),
    ...entries(output, "COMMANDS", subcommands.map(({ page }) => [`klaytn ${page.name}`, page.summary])),
    ...entries(output, "ARGUMENTS", args),
    ...entries(output, "OPTIONS", words.filter(Word.isOption).map(definitionOf)),
    ...examples(output, Object.entries(page.examples))
  ].join("\n").trimEnd()
}

/** The page of `klaytn` itself. */
export const ofAll = (output: Screen.Output, commands: ReadonlyArray<Subcommand>): string =>
  [
    "Calls, exports and diagnoses a hosted Klaytn (Kaia) service.",
    "",
    ...section(output, "USAGE", ["  klaytn COMMAND [arguments] [options]"]),
    ...entries(output, "COMMANDS", commands.map(({ page }) => [page.name, page.summary])),
    ...entries(output, "OPTIONS", [
      ["--help, -h", "This page, or behind a command its own page, with examples."],
      ["--version", "The version."],
      ["--completions SHELL", "Completions for bash, zsh or fish: eval \"$(klaytn --completions bash)\""]
    ]),
    ...examples(output, commands.flatMap(({ page }) => Object.entries(page.examples).slice(0, 1))),
    ...entries(output, "ENVIRONMENT", Object.entries(variables)),
    ...entries(output, "EXIT CODES", Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]))
  ].join("\n").trimEnd()
