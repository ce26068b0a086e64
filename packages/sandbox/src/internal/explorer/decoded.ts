import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Predicate from "effect/Predicate"
import * as Abi from "ox/Abi"
import * as AbiError from "ox/AbiError"
import * as AbiEvent from "ox/AbiEvent"
import * as AbiFunction from "ox/AbiFunction"
import type * as AbiParameters from "ox/AbiParameters"
import type { LogRecord } from "../../TransactionRecord.js"
import { artifacts } from "../contracts/artifacts.generated.js"
import type { Links } from "./ExplorerReads.js"
import { count, printable } from "./format.js"
import { type Child, type Html, html } from "./Html.js"
import { table } from "./layout.js"

/** A decoded call, event or error. */
export interface Decoded {
  readonly name: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly type: string; readonly value: unknown }>
}

type Kind = "ft" | "nft" | "mt"

const standards: Readonly<Record<Kind, ReadonlyArray<keyof typeof artifacts>>> = {
  ft: ["KIP7PresetMinterPauser", "OpenKIP7"],
  nft: ["KIP17PresetMinterPauserAutoId", "OpenKIP17"],
  mt: ["KIP37PresetMinterPauser", "OpenKIP37"]
}

interface Known {
  readonly functions: ReadonlyMap<string, AbiFunction.AbiFunction>
  readonly events: ReadonlyMap<string, AbiEvent.AbiEvent>
  readonly errors: ReadonlyMap<string, AbiError.AbiError>
}

const indexedOf = (event: AbiEvent.AbiEvent): number => event.inputs.filter(({ indexed }) => indexed === true).length

/** An event by its topic and the number of its indexed values, in which the standards differ. */
const eventKey = (topic: string | undefined, indexed: number): string => `${topic} ${indexed}`

const read = (names: ReadonlyArray<keyof typeof artifacts>): Known => {
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

const byKind: Readonly<Record<Kind, Known>> = {
  ft: read(standards.ft),
  nft: read(standards.nft),
  mt: read(standards.mt)
}

const named = (name: string, inputs: ReadonlyArray<AbiParameters.Parameter>, values: unknown): Decoded => {
  // By place in a tuple, by name in a record.
  const valueOf = (input: AbiParameters.Parameter, index: number): unknown =>
    Array.isArray(values)
      ? values[index]
      : typeof values === "object" && values !== null
      ? new Map(Object.entries(values)).get(input.name ?? "")
      : values
  return {
    name,
    arguments: inputs.map((input, index) => ({
      name: input.name ?? "",
      type: input.type,
      value: valueOf(input, index)
    }))
  }
}

/** What the library throws for data of another form means that it is not what it looks like. */
const attempt = <A>(decode: () => A): A | undefined => {
  try {
    return decode()
  } catch {
    return undefined
  }
}

/** The call of a token contract of a kind, if its data is one that the standards or the published presets know. */
export const decodeCall = (kind: Kind, data: Hex): Decoded | undefined => {
  const known = byKind[kind].functions.get(data.slice(0, 10))
  if (known === undefined) return undefined
  return attempt(() =>
    named(known.name, known.inputs, known.inputs.length === 0 ? [] : AbiFunction.decodeData(known, data))
  )
}

const kinds = ["ft", "nft", "mt"] as const

/** The event of a log, whatever contract wrote it: its topic says what it is. */
export const decodeLog = ({ data, topics: [topic, ...indexed] }: Pick<LogRecord, "data" | "topics">) => {
  for (const kind of kinds) {
    const known = byKind[kind].events.get(eventKey(topic, indexed.length))
    if (known === undefined || topic === undefined) continue
    const values = () => AbiEvent.decode(known, { data, topics: [topic, ...indexed] })
    const decoded = attempt(() => named(known.name, known.inputs, values()))
    if (decoded !== undefined) return decoded
  }
  return undefined
}

/** An error of the published contracts that a call reverted with. */
export const decodeError = (data: Hex): Decoded | undefined => {
  const known = kinds.map((kind) => byKind[kind].errors.get(data.slice(0, 10))).find(Predicate.isNotUndefined)
  return known &&
    attempt(() =>
      named(known.name, known.inputs, known.inputs.length === 0 ? [] : AbiError.decode(known, data, { as: "Array" }))
    )
}

const isHex = (value: unknown): value is Hex => typeof value === "string" && value.startsWith("0x")

/** The most values of a list that are shown. */
const maxItems = 50

const longestHex = 1_000

/** A value of an ABI type. */
const show = (links: Links, type: string, value: unknown): Child => {
  if (Array.isArray(value)) {
    const inner = type.replace(/\[\d*\]$/, "")
    const rest = value.length - maxItems
    return html`<ol class="values" start="0">${
      value.slice(0, maxItems).map((item) => html`<li>${show(links, inner, item)}</li>`)
    }</ol>${rest > 0 && html`<span class="quiet">and ${count(rest)} more</span>`}`
  }
  if (type === "address" && isHex(value)) {
    const lower: Hex = `0x${value.slice(2).toLowerCase()}`
    return links.fullAccount(lower)
  }
  if (typeof value === "bigint" || typeof value === "number") return html`<span class="amount">${count(value)}</span>`
  if (typeof value === "boolean") return String(value)
  if (value instanceof Uint8Array) return show(links, type, fromBytes(value))
  if (isHex(value) && type !== "string") {
    return html`<code class="wide">${value.slice(0, longestHex)}${value.length > longestHex && "…"}</code>`
  }
  return typeof value === "string" ? html`<q><bdi>${printable(value)}</bdi></q>` : html`<span class="quiet">?</span>`
}

/** The arguments of a call, an event or an error. */
export const argumentTable = (links: Links, decoded: Decoded): Html =>
  table(`Arguments of ${decoded.name}`, decoded.arguments.map((argument, index) => ({ ...argument, index })), {
    key: ({ index }) => index,
    columns: [
      ["Name", ({ index, name }) => name === "" ? html`<span class="quiet">${index}</span>` : name],
      ["Type", ({ type }) => html`<code>${type}</code>`],
      ["Value", ({ type, value }) => show(links, type, value)]
    ],
    empty: "It takes no arguments."
  })

/** The form of a call or event: `transfer(address to, uint256 amount)`. */
export const signatureOf = ({ arguments: all, name }: Decoded): Html =>
  html`<code><b>${name}</b>(${
    all.map((argument, index) =>
      html`${index > 0 && ", "}<span class="quiet">${argument.type}</span>${
        argument.name !== "" && ` ${argument.name}`
      }`
    )
  })</code>`

/** Addresses that are among the arguments. */
export const addressesIn = (decoded: Decoded | undefined): ReadonlyArray<Hex> =>
  (decoded?.arguments ?? []).flatMap(({ type, value }): ReadonlyArray<Hex> =>
    type === "address" && isHex(value) ? [`0x${value.slice(2).toLowerCase()}`] : []
  )
