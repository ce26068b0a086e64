import type { LogRecord } from "@effect-klaytn/indexer/TransactionRecord"
import { fromBytes, type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Abi from "ox/Abi"
import * as AbiError from "ox/AbiError"
import * as AbiEvent from "ox/AbiEvent"
import * as AbiFunction from "ox/AbiFunction"
import * as AbiParameters from "ox/AbiParameters"
import { artifacts } from "../contracts/artifacts.generated.js"
import type { Links } from "./ExplorerReads.js"
import { count, quiet, quoted, wideUpTo } from "./format.js"
import { type Child, type Html, html } from "./Html.js"
import { table } from "./layout.js"

/** A decoded call, event or error. */
export interface Decoded {
  readonly name: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly type: string; readonly value: unknown }>
}

const indexedOf = (event: AbiEvent.AbiEvent): number => event.inputs.filter(({ indexed }) => indexed === true).length

/** An event by its topic and the number of its indexed values, in which the standards differ. */
const eventKey = (topic: string | undefined, indexed: number): string => `${topic} ${indexed}`

const read = (...names: ReadonlyArray<keyof typeof artifacts>) => {
  const functions = new Map<string, AbiFunction.AbiFunction>()
  const events = new Map<string, AbiEvent.AbiEvent>()
  const errors = new Map<string, AbiError.AbiError>()
  for (const name of names) {
    const items: Abi.Abi = Abi.from(JSON.parse(artifacts[name].abi))
    for (const item of items) {
      if (item.type === "function") functions.set(AbiFunction.getSelector(item), item)
      if (item.type === "event") events.set(eventKey(AbiEvent.getSelector(item), indexedOf(item)), item)
      if (item.type === "error") errors.set(AbiError.getSelector(item), item)
    }
  }
  return { functions, events, errors }
}

const byKind = {
  ft: read("KIP7PresetMinterPauser", "OpenKIP7"),
  nft: read("KIP17PresetMinterPauserAutoId", "OpenKIP17"),
  mt: read("KIP37PresetMinterPauser", "OpenKIP37")
}

/** What is decoded, and the types of its values. */
interface Form {
  readonly name: string
  readonly inputs: ReadonlyArray<AbiParameters.Parameter>
}

/** The values are by place in a list, by name in a record. */
const named = ({ inputs, name: formName }: Form, values: unknown): Decoded => ({
  name: formName,
  arguments: inputs.map(({ name = "", type }, index) => ({
    name,
    type,
    value: Array.isArray(values) ? values[index] : Predicate.isRecord(values) ? values[name] : undefined
  }))
})

/** The library throws for data that does not have the form of its selector: such data is shown as it is. */
const attempt = <A>(decode: () => A): A | undefined => Option.getOrUndefined(Option.liftThrowable(decode)())

/** The values behind a selector. */
const decodeData = (form: Form | undefined, data: Hex): Decoded | undefined =>
  form &&
  attempt(() => named(form, form.inputs.length === 0 ? [] : AbiParameters.decode(form.inputs, `0x${data.slice(10)}`)))

/** The call of a token contract of a kind, if the standards or the published presets declare its function. */
export const decodeCall = (kind: keyof typeof byKind, data: Hex): Decoded | undefined =>
  decodeData(byKind[kind].functions.get(data.slice(0, 10)), data)

const kinds = [byKind.ft, byKind.nft, byKind.mt]

/** The event of a log, by its topic; any contract may have written it. */
export const decodeLog = ({ data, topics: [topic, ...indexed] }: Pick<LogRecord, "data" | "topics">) => {
  for (const { events } of kinds) {
    const known = events.get(eventKey(topic, indexed.length))
    if (known === undefined || topic === undefined) continue
    const decoded = attempt(() => named(known, AbiEvent.decode(known, { data, topics: [topic, ...indexed] })))
    if (decoded !== undefined) return decoded
  }
  return undefined
}

/** An error of the published contracts that a call reverted with. */
export const decodeError = (data: Hex): Decoded | undefined =>
  decodeData(kinds.map(({ errors }) => errors.get(data.slice(0, 10))).find(Predicate.isNotUndefined), data)

const isHex = (value: unknown): value is Hex => typeof value === "string" && value.startsWith("0x")

/** The most values of a list that are shown. */
const maxItems = 50

const longestHex = 1_000

/** A value of an ABI type. */
const show = (links: Links, type: string, value: unknown, method: string): Child => {
  if (Array.isArray(value)) {
    const inner = type.replace(/\[\d*\]$/, "")
    const shown = value.slice(0, maxItems).map((item) => html`<li>${show(links, inner, item, method)}</li>`)
    const rest = value.length - maxItems
    return [html`<ol class="values" start="0">${shown}</ol>`, rest > 0 && quiet(`and ${count(rest)} more`)]
  }
  if (type === "address" && isHex(value)) return links.fullAccount(lowerCase(value))
  if (typeof value === "bigint" || typeof value === "number") return html`<span class="amount">${count(value)}</span>`
  if (typeof value === "boolean") return String(value)
  if (value instanceof Uint8Array) return show(links, type, fromBytes(value), method)
  if (isHex(value) && type !== "string") return wideUpTo(longestHex, value, method)
  return typeof value === "string" ? quoted(value) : quiet("?")
}

/** The arguments of a call, an event or an error; `method` of the node answers those that are too long for a page. */
export const argumentTable = (links: Links, decoded: Decoded, method: string): Html =>
  table(`Arguments of ${decoded.name}`, decoded.arguments.map((argument, index) => ({ ...argument, index })), {
    key: ({ index }) => index,
    columns: [
      ["Name", ({ index, name }) => name === "" ? quiet(index) : name],
      ["Type", ({ type }) => html`<code>${type}</code>`],
      ["Value", ({ type, value }) => show(links, type, value, method)]
    ],
    empty: "It takes no arguments."
  })

/** The form of a call or event: `transfer(address to, uint256 amount)`. */
export const signatureOf = ({ arguments: all, name: called }: Decoded): Html => {
  const parameters = all.map(({ name, type }, index) => [index > 0 && ", ", quiet(type), name !== "" && ` ${name}`])
  return html`<code><b>${called}</b>(${parameters})</code>`
}

/** Addresses that are among the arguments. */
export const addressesIn = (decoded: Decoded | undefined): ReadonlyArray<Hex> =>
  (decoded?.arguments ?? []).flatMap(({ type, value }) => type === "address" && isHex(value) ? [lowerCase(value)] : [])
