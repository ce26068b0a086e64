/** A command of `klaytn`: its page of help, its options and arguments, and what it does. */
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"
import * as Options from "@effect/cli/Options"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Types from "effect/Types"
import type { ExitCode } from "../terminal/exitCode.js"
import * as Failure from "../terminal/Failure.js"
import type { Screen } from "../terminal/Screen.js"
import { arrange, checkChoice, didYouMean } from "./arguments.js"

/** What a command may use. */
export type Services = Screen | HttpClient.HttpClient | FileSystem.FileSystem | Path.Path

/** The help of a command, besides its options. */
export interface Page {
  readonly name: string
  /** Half a line, for the list of all commands. */
  readonly summary: string
  /** Paragraphs. */
  readonly description: ReadonlyArray<string>
  readonly examples: ReadonlyArray<readonly [command: string, meaning: string]>
  /** Whether the command continues when nobody reads its output any more: it is in the middle of payments. */
  readonly finishesUnread?: boolean
  /** Whether the command runs until it is stopped, also when nobody reads its output. To be stopped is no failure. */
  readonly isServer?: boolean
}

/** A line of the help: an option, an argument, a command. */
export interface Entry {
  readonly term: string
  readonly meaning: string
}

/** The values of options and arguments, by their names. */
export type Input<O extends Command.Command.Config> = Types.Simplify<Command.Command.ParseConfig<O>>

export interface Subcommand {
  readonly page: Page
  /** Named by the last word of their page's name. */
  readonly subcommands: ReadonlyArray<Subcommand>
  readonly usage: string
  readonly args: ReadonlyArray<Entry>
  readonly options: ReadonlyArray<Entry>
  /** For completions. */
  readonly descriptor: CommandDescriptor.Command<unknown>
  /** Parses the words behind the command's name, and returns the effect that carries them out. */
  readonly read: (
    words: ReadonlyArray<string>
  ) => Effect.Effect<Effect.Effect<ExitCode, unknown, Services>, Failure.Failure>
}

const spanText = (span: Span.Span): string => {
  if (span._tag === "Sequence") return spanText(span.left) + spanText(span.right)
  return typeof span.value === "string" ? span.value : spanText(span.value)
}

/** The parts of a document in their order. */
const partsOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.HelpDoc> =>
  doc._tag === "Sequence" ? [...partsOf(doc.left), ...partsOf(doc.right)] : [doc]

const paragraphs = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> =>
  partsOf(doc).flatMap((part) => part._tag === "Paragraph" ? [spanText(part.value)] : [])

/** The first entry of a document. The parser writes what an entry takes before its description. */
const entryOf = (doc: HelpDoc.HelpDoc) => {
  const [[term, about] = [undefined, HelpDoc.empty] as const] = partsOf(doc).flatMap((part) =>
    part._tag === "DescriptionList" ? part.definitions : []
  )
  const [takes = "", meaning = ""] = paragraphs(about)
  return {
    term: term === undefined ? "" : spanText(term).replaceAll(" | ", "|"),
    meaning,
    choices: /^One of the following: (.*)$/.exec(takes)?.[1]?.split(", ")
  }
}

const optionOf = (option: Options.Options<unknown>) => {
  const entry = entryOf(Options.getHelp(option))
  return {
    ...entry,
    name: Option.getOrElse(Options.getIdentifier(option), () => ""),
    takesValue: !Options.isBool(option),
    isRepeated: entry.term.endsWith("...")
  }
}

const argumentOf = (argument: Args.Args<unknown>) => {
  const entry = entryOf(Args.getHelp(argument))
  const name = entry.term.replace(/[<>]/g, "")
  const isOptional = Args.getMinSize(argument) === 0
  return { ...entry, name, isOptional, term: isOptional ? `[${name}]` : name }
}

const parserServices = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)

const parserConfig = CliConfig.make({ showBuiltIns: false, isCaseSensitive: true, autoCorrectLimit: 0 })

// The codes that set colours and weights begin with the escape character.
// oxlint-disable-next-line no-control-regex
const colorCodes = /\x1b\[[0-9;]*m/g

const sentence = (doc: HelpDoc.HelpDoc): string =>
  HelpDoc.toAnsiText(doc).replace(colorCodes, "").trim().replace(/\s+/g, " ")
    .replace(/^Expected to find option: '(.*)'$/, "$1 is not given")

const lastWord = (name: string): string => name.slice(name.lastIndexOf(" ") + 1)

/** Makes a command. Its arguments are in the order of the command line. A run that returns nothing ends with `ok`. */
export const make = <const C extends Readonly<Record<string, Options.Options<unknown> | Args.Args<unknown>>>>(
  page: Page,
  config: C,
  run: (input: Input<C>) => Effect.Effect<ExitCode | void, unknown, Services>,
  subcommands: ReadonlyArray<Subcommand> = []
): Subcommand => {
  const options = Object.values(config).filter(Options.isOptions).map(optionOf)
  const args = Object.values(config).filter(Args.isArgs).map(argumentOf)
  const forms = new Map(options.map((option) => [option.name, option]))
  const { descriptor } = Command.make(lastWord(page.name), config)
  const help = `klaytn ${page.name} --help shows how it is used`
  return {
    page,
    subcommands,
    usage: ["klaytn", page.name, ...args.map(({ term }) => term), "[options]"].join(" "),
    args,
    options,
    descriptor: withSubcommands(descriptor, subcommands),
    read: (words) =>
      Effect.gen(function*() {
        const given = yield* arrange(page.name, words, forms)
        const missing = args[given.args.length]
        if (missing?.isOptional === false) return yield* Failure.usage(`${missing.name} is missing`, help)
        yield* Effect.forEach(args, ({ choices, name }, i) => checkChoice(name, choices, given.args[i]))
        const line = [lastWord(page.name), ...given.options, "--", ...given.args]
        const directive = yield* CommandDescriptor.parse(descriptor, line, parserConfig).pipe(
          Effect.mapError(({ error }) => Failure.usage(sentence(error), help)),
          Effect.provide(parserServices)
        )
        if (directive._tag === "BuiltIn") {
          return yield* Failure.usage("this option follows klaytn itself, without a command", help)
        }
        const [extra] = directive.leftover
        if (extra !== undefined) {
          const below = didYouMean(extra, subcommands.map((one) => lastWord(one.page.name)))
          return yield* Failure.usage(`one argument too many: ${extra}`, ...below, help)
        }
        return Effect.map(run(directive.value), (exit) => exit ?? "ok")
      })
  }
}

const named = ({ descriptor, page }: Subcommand) => [lastWord(page.name), descriptor] as const

/** The tree of commands that completions are made of. */
export const withSubcommands = (
  parent: CommandDescriptor.Command<unknown>,
  [first, ...others]: ReadonlyArray<Subcommand>
): CommandDescriptor.Command<unknown> =>
  first === undefined ? parent : CommandDescriptor.withSubcommands(parent, [named(first), ...others.map(named)])

/** The command with this name among others, or below one of them. */
export const find = (all: ReadonlyArray<Subcommand>, name: string | undefined): Subcommand | undefined =>
  all.find((one) => lastWord(one.page.name) === name)
