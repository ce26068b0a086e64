/** Prints the entries of errors. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import manifest from "../../../package.json" with { type: "json" }
import { definitions, width } from "../frame/help.js"
import { didYouMean } from "../frame/Subcommand.js"
import { entries, type Entry } from "../terminal/errors.generated.js"
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
