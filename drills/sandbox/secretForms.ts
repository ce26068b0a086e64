/** The forms that a secret can take in a text, and the search for them. */
import * as Encoding from "effect/Encoding"
import { inspect } from "node:util"

/** The secrets. */
export interface Secret {
  readonly name: string
  readonly text: string
}

const hex = (text: string): string => Encoding.encodeHex(text)

const html = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" })[one] ?? "&#39;")

const base64Forms = (text: string): ReadonlyArray<string> => {
  const padded = Encoding.encodeBase64(text)
  return [padded, padded.replace(/=+$/, ""), Encoding.encodeBase64Url(text)]
}

/** Every form in which a service, a proxy or a printer could write a secret. */
export const spellingsOf = (text: string): ReadonlyArray<string> => [
  ...new Set([
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(JSON.stringify(text)).slice(3, -3),
    inspect(text).slice(1, -1),
    encodeURIComponent(text),
    encodeURIComponent(encodeURIComponent(text)),
    html(text),
    ...base64Forms(text),
    hex(text),
    hex(text).toUpperCase()
  ])
]

/** The same with invisible characters in between. */
export const split = (text: string): string => [...text].join("\u200b")

/** Removes invisible characters and the backslashes that each layer of printing adds. */
const plain = (text: string): string => text.replace(/[\\\u200b-\u200f\u2060\ufeff\u00ad]/g, "")

/** Shorter forms may occur in any text. */
const shortest = 8

/** Finds secrets in texts, in every form. */
export class Finder {
  private readonly needles: ReadonlyArray<readonly [name: string, needle: string]>

  constructor(secrets: ReadonlyArray<Secret>) {
    this.needles = secrets.flatMap(({ name, text }) =>
      spellingsOf(text).map(plain).filter((form) => form.length >= shortest).map((form) => [name, form] as const)
    )
  }

  /** The names of the secrets in a text, each with the form that was found. */
  in(text: string): ReadonlyArray<readonly [name: string, needle: string]> {
    const visible = plain(text)
    return this.needles.filter(([, needle]) => visible.includes(needle))
  }
}
