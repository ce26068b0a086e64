/** The forms of a secret in bytes and texts, and the search for them in whatever a process leaves behind. */
import { inspect } from "node:util"

/** A secret: bytes such as a private key, or a text such as a credential. */
export interface Secret {
  readonly name: string
  readonly bytes: Buffer
  readonly isText: boolean
}

/** A secret text. */
export const textSecret = (name: string, text: string): Secret => ({ name, bytes: Buffer.from(text), isText: true })

/** A secret of random bytes. */
export const keySecret = (name: string, bytes: Uint8Array): Secret => ({
  name,
  bytes: Buffer.from(bytes),
  isText: false
})

/** Base64 of bytes that stand anywhere in a longer text: without the characters that depend on their neighbours. */
const base64Inside = (bytes: Buffer): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64").replace(/=+$/, "")
    const dependsAtEnd = (before + bytes.length) % 3 === 0 ? 0 : 1
    return text.slice(before === 0 ? 0 : before + 1, text.length - dependsAtEnd)
  })

const base64Forms = (bytes: Buffer): ReadonlyArray<string> =>
  base64Inside(bytes).flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")])

/** What is written for a text without letters in upper case, spaces and backslashes. */
const squeezed = (text: string): string => text.replace(/[\s\\\u200b-\u200f\u2060\ufeff\u00ad]/g, "")

/** The forms in which letter case says nothing. */
const anyCase = ({ bytes, isText }: Secret): ReadonlyArray<string> => {
  const hex = bytes.toString("hex")
  const half = hex.length / 2
  const pairs = hex.match(/../g) ?? []
  const list = [...bytes].join(",")
  return [
    hex,
    // A text that was cut off shows a part.
    ...(isText ? [] : [hex.slice(0, half), hex.slice(half)]),
    pairs.map((pair) => `%${pair}`).join(""),
    pairs.map((pair) => `x${pair}`).join(""),
    pairs.map((pair) => `0x${pair}`).join(","),
    list,
    [...bytes].map((byte, index) => `"${index}":${byte}`).join(","),
    BigInt(`0x${hex}`).toString()
  ].map((form) => form.toLowerCase())
}

/** The forms with upper and lower case. */
const oneCase = ({ bytes, isText }: Secret): ReadonlyArray<string> => {
  const text = bytes.toString(isText ? "utf8" : "hex")
  return [
    ...base64Forms(bytes),
    ...(isText
      ? [squeezed(text), encodeURIComponent(text)]
      : [...base64Forms(Buffer.from(text)), ...base64Forms(Buffer.from(text.toUpperCase()))])
  ]
}

/** Shorter forms may occur by chance. */
const shortest = 12

const longEnough = (forms: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(forms)].filter((form) => form.length >= shortest)

/** A find: which secret, in which form. */
export interface Find {
  readonly secret: string
  readonly form: string
}

/** A form as bytes, and where it comes from. */
interface Needle extends Find {
  readonly bytes: Buffer
}

/** Finds any of many needles in one pass. */
class Needles {
  /** By a hash of their first four bytes. */
  readonly #byHash = new Map<number, Array<Needle>>()
  readonly #hashes = new Uint8Array(2 ** 16)

  constructor(needles: ReadonlyArray<Needle>) {
    for (const needle of needles) {
      const hash = Math.imul(needle.bytes.readUInt32BE(0), 2_654_435_761) >>> 16
      this.#hashes[hash] = 1
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), needle])
    }
  }

  in(bytes: Buffer): ReadonlyArray<Find> {
    const hashes = this.#hashes
    const found: Array<Find> = []
    let last = 0
    for (let end = 0; end < bytes.length; end++) {
      last = last << 8 | (bytes[end] ?? 0)
      const hash = Math.imul(last, 2_654_435_761) >>> 16
      if (hashes[hash] !== 1) continue
      const at = end - 3
      for (const { bytes: needle, form, secret } of this.#byHash.get(hash) ?? []) {
        if (
          bytes.compare(needle, 0, needle.length, Math.max(at, 0), Math.min(at + needle.length, bytes.length)) === 0
        ) {
          found.push({ form, secret })
        }
      }
    }
    return found
  }
}

/** A secret with its forms. */
interface Forms {
  readonly name: string
  readonly any: ReadonlyArray<string>
  readonly one: ReadonlyArray<string>
}

/** Searches texts and raw bytes for secrets. */
export class Search {
  readonly #texts: ReadonlyArray<Forms>
  readonly #raw: Needles

  constructor(secrets: ReadonlyArray<Secret>) {
    this.#texts = secrets.map((secret) => ({
      name: secret.name,
      any: longEnough(anyCase(secret)),
      one: longEnough(oneCase(secret))
    }))
    this.#raw = new Needles(secrets.flatMap((secret) => {
      const hex = secret.bytes.toString("hex")
      const forms = [...(secret.isText ? [] : [hex, hex.toUpperCase()]), ...base64Forms(secret.bytes)]
      const texts = longEnough([...forms, [...secret.bytes].join(",")])
      return [
        { form: "bytes", bytes: secret.bytes },
        ...texts.map((text) => ({ form: "text", bytes: Buffer.from(text) })),
        ...[...texts, ...(secret.isText ? [secret.bytes.toString()] : [])].map((text) => ({
          form: "text, two bytes a letter",
          bytes: Buffer.from(text, "utf16le")
        }))
      ].map((needle) => ({ ...needle, secret: secret.name }))
    }))
  }

  /** The secrets in a text. */
  inText(text: string): ReadonlyArray<Find> {
    const one = squeezed(text)
    const any = one.toLowerCase()
    return this.#texts.flatMap(({ name, ...forms }) =>
      [...forms.one.filter((form) => one.includes(form)), ...forms.any.filter((form) => any.includes(form))]
        .map((form) => ({ secret: name, form }))
    )
  }

  /** The secrets in a file or in memory. */
  inBytes(bytes: Buffer): ReadonlyArray<Find> {
    return this.#raw.in(bytes)
  }
}

/** What printers make of a secret: each of these texts has to be found. */
const printed = ({ bytes, isText }: Secret): ReadonlyArray<string> => {
  const hex = bytes.toString("hex")
  const text = isText ? bytes.toString() : `0x${hex}`
  return [
    text,
    inspect({ text }),
    JSON.stringify(JSON.stringify({ text })),
    hex.toUpperCase(),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    Buffer.from(`authorization: ${text};`).toString("base64"),
    BigInt(`0x${hex}`).toString(),
    hex.replace(/../g, "%$&").toUpperCase(),
    encodeURIComponent(text),
    JSON.stringify(bytes),
    JSON.stringify(new Uint8Array(bytes)),
    ...(bytes.length > 50 ? [] : [inspect(bytes)]),
    inspect(new Uint8Array(bytes)),
    String(new Uint8Array(bytes)),
    hex.replace(/../g, "\\x$&")
  ]
}

/** How many printed secrets were planted, and how many of them the search found. */
export const canaries = (secrets: ReadonlyArray<Secret>): { readonly let: number; readonly found: number } => {
  const search = new Search(secrets)
  const planted = secrets.flatMap((secret) =>
    [
      ...printed(secret).map((text) => () => search.inText(`one${text}two`)),
      () => search.inBytes(Buffer.concat([Buffer.from("one"), secret.bytes, Buffer.from("two")]))
    ].map((look) => ({ look, secret }))
  )
  return {
    let: planted.length,
    found: planted.filter(({ look, secret }) => look().some((find) => find.secret === secret.name)).length
  }
}
