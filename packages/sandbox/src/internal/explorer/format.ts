import * as Amount from "@effect-klaytn/core/Amount"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import { type Child, type Html, html } from "./Html.js"

/** Foreign text on one line, without characters that are invisible or turn the text around. */
export const printable: (text: string) => string = Sanitize.text((text) => text)

/** The same, cut to fit into a table. */
export const brief = (text: string, most = 40): string => {
  const clean = printable(text)
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/\p{Cs}$/u, "")}…`
}

const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ",")

/** A whole number with commas. */
export const count = (value: number | bigint): string => group(String(value))

/** A number of things. */
export const counted = (value: number | bigint, thing: string): string =>
  `${count(value)} ${thing}${value === 1 || value === 1n ? "" : "s"}`

/** A number of smallest units as a decimal, exactly, with commas. */
export const decimal = (value: bigint, decimals: number): string =>
  Amount.toDecimal(value, decimals).replace(/^\d+/, group)

/** An amount of a token, exactly. */
export const decimalAmount = (value: bigint, decimals = 0): Html =>
  html`<span class="amount">${decimal(value, decimals)}</span>`

/** The digits after the point that fit into a table. */
const fewDigits = 6

/** A decimal cut to a few digits, with dots in place of the others. */
export const shortDecimal = (value: bigint, decimals: number): string => {
  const exact = decimal(value, decimals)
  const [whole = "", rest = ""] = exact.split(".")
  return rest.length <= fewDigits ? exact : `${whole}.${rest.slice(0, fewDigits)}…`
}

/** Text of less weight. */
export const quiet = (text: Child): Html => html`<span class="quiet">${text}</span>`

/** Stands in place of a value that is not there. */
export const none = quiet("—")

/** The second line of a cell. */
export const under = (text: Child): Html => html`<small class="under">${text}</small>`

/** Hex that is shown in full. */
export const wide = (hex: Child): Html => html`<code class="wide">${hex}</code>`

/** Hex that is shortened, and shown in full by the pointer. */
export const shortCode = (hex: string): Html => html`<code title="${hex}">${shortHex(hex)}</code>`

/** Characters that can't be seen, or that turn the text around them; line breaks and tabs can be seen. */
const unseen = /[^\P{C}\n\t\p{Cs}]|\p{Cs}/gu

/** Foreign text as it is, with line breaks; a character that can't be seen is shown by its number. */
const visible = (text: string): string =>
  text.replace(unseen, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`)

/** A longer text opens in a box. */
const longestText = 500

/** A text that is cut: its size, its beginning, and all of it. */
const textBox = (text: string): Html => {
  const beginning = visible(text.slice(0, 80).replace(/\p{Cs}$/u, ""))
  return html`<details class="text"><summary>${
    count([...text].length)
  } characters: <bdi>${beginning}</bdi>…</summary><pre class="data" tabindex="0"><bdi>${
    visible(text)
  }</bdi></pre></details>`
}

/** Foreign text in quotes: whole, or its size and a box with all of it. */
export const quoted = (text: string): Html =>
  text.length > longestText ? textBox(text) : html`<q class="foreign"><bdi>${visible(text)}</bdi></q>`

/** The same without quotes. */
export const foreign = (text: string): Html =>
  text.length > longestText ? textBox(text) : html`<bdi class="uri foreign">${visible(text)}</bdi>`

const amount = (number: string, unit: string, title: string): Html =>
  html`<span class="amount" title="${title}">${number} <span class="unit">${unit}</span></span>`

/** Less is shown in peb. */
const minKlay = 10n ** 12n

/** An amount of coin for a table. */
export const klay = (peb: bigint): Html =>
  peb > 0n && peb < minKlay
    ? amount(count(peb), "peb", Amount.format(peb))
    : amount(shortDecimal(peb, Amount.units.KLAY), "KLAY", `${count(peb)} peb`)

/** An amount of coin in both units, exactly. */
export const klayAndPeb = (peb: bigint): Html =>
  html`${amount(decimal(peb, Amount.units.KLAY), "KLAY", "")} ${quiet(`${count(peb)} peb`)}`

/** The last millisecond that a date can have. */
const latest = 8.64e15

/** A time in UTC. The script of the pages adds its age. */
export const timeOfMillis = (millis: number): Html => {
  if (!(Math.abs(millis) <= latest)) return html`${millis}`
  const [date = "", clock = ""] = new Date(millis).toISOString().split("T")
  return html`<time datetime="${date}T${clock}">${date} ${clock.slice(0, 8)} UTC</time>`
}

/** The time of a block. */
export const time = (seconds: number): Html => timeOfMillis(seconds * 1000)

/** The beginning and the end of an address or a hash. */
export const shortHex = (hex: string): string => hex.length <= 14 ? hex : `${hex.slice(0, 8)}…${hex.slice(-6)}`

/** A word with a colour. */
export const pill = (tone: "good" | "bad" | "warn" | "plain", text: Child): Html =>
  html`<span class="pill ${tone}">${text}</span>`

/** Whether a transaction succeeded. */
export const outcome = (status: 0 | 1): Html => status === 1 ? pill("good", "Success") : pill("bad", "Failed")

/** The ID of a box that opens: its label without spaces and marks. */
export const idOf = (label: string): string => label.toLowerCase().replace(/\W+/g, "-")

const bytesOf = (hex: string): number => Math.max(0, (hex.length - 2) / 2)

/** That hex was cut, how much is shown, and the method of the node that answers all of it. */
export const rest = (hex: string, shown: string, method: string): Child =>
  shown.length < hex.length &&
  quiet(`… ${count(bytesOf(shown))} of ${count(bytesOf(hex))} bytes; the node's ${method} has all of it`)

/** Hex that is shown in full up to a length; `method` of the node answers all of it. */
export const wideUpTo = (most: number, hex: string, method: string): Html => {
  const shown = hex.slice(0, most)
  return html`${wide(shown)}${rest(hex, shown, method)}`
}

/** Long data: its size, and its beginning in a box that opens; `method` of the node answers all of it. */
export const dataBox = (label: string, hex: string, method: string): Html => {
  const shown = hex.slice(0, longestData)
  return html`<details id="data-${idOf(label)}"><summary>${label}: ${
    count(bytesOf(hex))
  } bytes</summary><pre class="data" tabindex="0">${shown}${rest(hex, shown, method)}</pre></details>`
}

const longestData = 8_000
