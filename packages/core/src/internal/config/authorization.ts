import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"
import { NodeInspectSymbol } from "effect/Inspectable"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { base64, bytesOf, keccak } from "../values/encoding.js"
import { redactor, type Secrets } from "./redactor.js"

/** @internal */
export const TypeId = "~@effect-klaytn/core/Credentials"

/** @internal */
export const isCredentials = (value: unknown): value is CredentialsValue => hasProperty(value, TypeId)

// A shorter text may be an ordinary word of a message; the IDs of the service and the keys of nodes are longer.
const shortestHidden = 8

// Also without the whitespace around it, which a service may remove before it repeats the text.
const trimmed = (text: string): ReadonlyArray<string> => [text, text.trim()]

/** The Base64 of a text, as in the header of basic authentication. @internal */
export const tokenOf = (text: string): string => base64(bytesOf(text))

/** The text of a token; empty if it is not Base64. @internal */
export const textOf = (token: string): string =>
  Either.getOrElse(
    Either.try(() => new TextDecoder().decode(Uint8Array.from(atob(token), (char) => char.charCodeAt(0)))),
    () => ""
  )

/** The credential of a request, before it is wrapped. */
interface Parts {
  /** The value of the `Authorization` header; empty for none. */
  readonly header: string
  /** The path and query of every request, where they replace those of the operation. */
  readonly path: string | undefined
  readonly secrets: Secrets
}

/** @internal */
export const ofPair = (accessKeyId: string, secretAccessKey: string): Parts => {
  const pair = `${accessKeyId}:${secretAccessKey}`
  const token = tokenOf(pair)
  const header = `Basic ${token}`
  const id = trimmed(accessKeyId).filter((text) => text.length >= shortestHidden)
  const coded = [token, ...trimmed(pair), ...trimmed(secretAccessKey), ...id]
  return { header, path: undefined, secrets: { words: [header, ...coded], coded } }
}

/** A part of an address as it stands and as a server reads it: percent-decoded, and in a query with `+` as a blank. */
const formsOf = (part: string): ReadonlyArray<string> => {
  const decoded = (text: string) => Either.getOrElse(Either.try(() => decodeURIComponent(text)), () => text)
  return [part, decoded(part), decoded(part.replaceAll("+", " "))]
}

/** The parts of a path and query that may be a key. Each is split off before it is decoded: a key may have encoded separators. */
const keysIn = (path: string): ReadonlyArray<string> => {
  const border = path.indexOf("?")
  const [place, query] = border < 0 ? [path, ""] : [path.slice(0, border), path.slice(border + 1)]
  const pairs = query.split("&")
  // A value may have separators that are not encoded, and so may a path.
  const values = pairs.map((pair) => pair.slice(pair.indexOf("=") + 1))
  return [place.replace(/^\/|\/$/g, ""), ...place.split("/"), ...pairs, ...values, ...query.split(/[/?&=]/)].flatMap(
    formsOf
  )
}

/** Every part of a node's path and query may be its key; a header of basic authentication has a password. @internal */
export const ofNode = (path: string, header: string): Parts => {
  const [, token] = /^\S+ +(.+)$/.exec(header) ?? []
  const decoded = keysIn(path)
  const pair = token !== undefined && /^basic /i.test(header) ? textOf(token) : ""
  const [, user = "", password = ""] = /^([^:]*):(.*)$/s.exec(pair) ?? []
  // A user name may have colons in an address.
  const name = pair.slice(0, Math.max(0, pair.lastIndexOf(":")))
  const coded = [...decoded, ...(token === undefined ? [] : [token]), pair, user, name]
    .filter((text, at, all) => text.length >= shortestHidden && all.indexOf(text) === at)
  if (password !== "") coded.push(password)
  return { header, path, secrets: { words: header === "" ? coded : [header, ...coded], coded } }
}

/**
 * Every secret is held by a `Redacted` or in a closure, so that any way of printing the value, hidden properties
 * included, can only show the fingerprint.
 *
 * @internal
 */
export class CredentialsValue implements Equal.Equal {
  readonly [TypeId] = TypeId
  readonly authorization: Redacted.Redacted<string>
  readonly path: Redacted.Redacted<string> | undefined
  readonly redact: (text: string) => string

  constructor({ header, path, secrets }: Parts) {
    this.authorization = Redacted.make(header)
    this.path = path === undefined ? undefined : Redacted.make(path)
    // A credential is made for each attempt, and most attempts have no text to redact.
    let made: ((text: string) => string) | undefined
    this.redact = (text) => (made ??= redactor(secrets, "<redacted>"))(text)
  }

  get fingerprint(): string {
    const path = this.path === undefined ? "" : `\n${Redacted.value(this.path)}`
    return keccak(`effect-klaytn credentials 1\n${Redacted.value(this.authorization)}${path}`).slice(0, 12)
  }

  [Equal.symbol](that: unknown): boolean {
    return isCredentials(that) && Equal.equals(this.authorization, that.authorization) &&
      Equal.equals(this.path, that.path)
  }

  [Hash.symbol](): number {
    return Hash.string(this.fingerprint)
  }

  toJSON() {
    return { _id: "Credentials", fingerprint: this.fingerprint }
  }

  toString() {
    return `Credentials(${this.fingerprint})`
  }

  [NodeInspectSymbol]() {
    return this.toString()
  }
}
