/** Prints the entries of errors. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import manifest from "../../../package.json" with { type: "json" }
import { definitions, width } from "../frame/help.js"
import { didYouMean } from "../frame/Subcommand.js"
import { type Code, codes, entries, type Entry } from "../terminal/errors.generated.js"
import * as Failure from "../terminal/Failure.js"
import * as Screen from "../terminal/Screen.js"

interface Manifest {
  readonly name: string
  readonly repository?: { readonly url: string }
}

/** The address of the entry, once the manifest names a repository: an installed command has no other. */
export const placeOf = ({ repository }: Manifest, tag: string): ReadonlyArray<string> =>
  repository === undefined
    ? []
    : [`${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main/docs/errors.md#${tag.toLowerCase()}`]

/** The entry, then what holds for its whole section. */
const paragraphs = (text: ReadonlyArray<string>, lead: string): ReadonlyArray<string> =>
  lead === "" ? text : [...text, lead]

const jsonOf = ({ lead, section, tag, text }: Entry) => ({
  tag,
  section,
  text: paragraphs(text, lead),
  page: placeOf(manifest, tag)[0]
})

const pageOf = (output: Screen.Output, { lead, section, tag, text }: Entry): string =>
  [
    `${Screen.styled(output, "bold", tag)}  ${Screen.styled(output, "dim", section.toLowerCase())}`,
    ...[...paragraphs(text, lead), ...placeOf(manifest, tag)].flatMap((paragraph) => [
      "",
      ...Screen.wrap(paragraph, width(output))
    ])
  ].join("\n")

/** A code, and the entry of the error with which a call fails because of it. */
const codePage = (output: Screen.Output, { code, of, tag, text }: Code): string => {
  const error = entries.find((one) => one.tag === tag)
  const named = `${Screen.styled(output, "bold", String(code))}  ${Screen.styled(output, "dim", `a code of ${of}`)}`
  const meaning = Screen.wrap(error === undefined ? text : `${text} A read fails with ${error.tag}:`, width(output))
  return [named, "", ...meaning, ...(error === undefined ? [] : ["", pageOf(output, error)])].join("\n")
}

const explainCode = Effect.fnUntraced(function*(asked: string, json: boolean) {
  const { out } = yield* Screen.Screen
  const found = codes.find(({ code }) => String(code) === asked)
  if (found === undefined) {
    return yield* Failure.usage(
      `the code ${Screen.clean(asked)} is not known here`,
      "the message beside it says what is wrong; docs/errors.md lists the codes that are known"
    )
  }
  yield* out.write(Screen.lines([json ? JSON.stringify(found) : codePage(out, found)]))
})

const firstSentence = (text: string): string => /^.*?[.;](?=\s|$)/.exec(text)?.[0].replace(/;$/, ".") ?? text

const list = (output: Screen.Output): string =>
  Object.entries(Arr.groupBy(entries, ({ section }) => section)).flatMap(([section, all]) => [
    Screen.styled(output, "bold", section.toUpperCase()),
    ...definitions(output, all.map(({ tag, text }) => [tag, firstSentence(text[0] ?? "")])),
    ""
  ]).join("\n").trimEnd()

export const run = Effect.fnUntraced(
  function*({ json, tag: asked }: { readonly json: boolean; readonly tag: string | undefined }) {
    const { out } = yield* Screen.Screen
    if (asked !== undefined && /^-?\d+$/.test(asked)) return yield* explainCode(asked, json)
    const found = entries.filter((one) => asked === undefined || one.tag.toLowerCase() === asked.toLowerCase())
    const [first] = found
    if (asked !== undefined && first === undefined) {
      return yield* Failure.usage(
        `there is no error ${Screen.clean(asked)}`,
        ...didYouMean(asked, entries.map((one) => one.tag)),
        "klaytn explain lists all of them"
      )
    }
    const lines = json
      ? found.map((one) => JSON.stringify(jsonOf(one)))
      : [asked === undefined || first === undefined ? list(out) : pageOf(out, first)]
    yield* out.write(Screen.lines(lines))
  }
)
