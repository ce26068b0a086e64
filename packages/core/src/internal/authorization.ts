import * as Equal from "effect/Equal"
import * as Hash from "effect/Hash"
import { NodeInspectSymbol } from "effect/Inspectable"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { keccak } from "./encoding.js"
import { redactor, type Secrets } from "./redactor.js"

/** @internal */
export const TypeId = "~@effect-klaytn/core/Credentials"

/** @internal */
export interface Pair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly token: string
}

/** @internal */
export const isCredentials = (value: unknown): value is CredentialsValue => hasProperty(value, TypeId)

// A shorter ID may be an ordinary word of a message; the IDs of the service are longer.
const shortestHiddenId = 8

// Also without surrounding whitespace: a service may trim it, and the text around may restore it.
const trimmed = (text: string): ReadonlyArray<string> => {
  const core = text.trim()
  return core === text || core === "" ? [text] : [text, core]
}

const secretsOf = (pair: Pair, header: string): Secrets => {
  const both = trimmed(`${pair.accessKeyId}:${pair.secretAccessKey}`)
  const secret = trimmed(pair.secretAccessKey)
  const id = trimmed(pair.accessKeyId).filter((text) => text.length >= shortestHiddenId)
  return { words: [header, pair.token, ...both, ...secret, ...id], coded: [pair.token, ...both, ...secret, ...id] }
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
  readonly redact: (text: string) => string

  constructor(pair: Pair) {
    const header = `Basic ${pair.token}`
    this.authorization = Redacted.make(header)
    // A credential is made for each attempt, and most attempts have no text to redact.
    let made: ((text: string) => string) | undefined
    this.redact = (text) => (made ??= redactor(secretsOf(pair, header), "<redacted>"))(text)
  }

  get fingerprint(): string {
    const header = Redacted.value(this.authorization)
    return keccak(`effect-klaytn credentials 1\n${header}`).slice(0, 12)
  }

  [Equal.symbol](that: unknown): boolean {
    return isCredentials(that) && Equal.equals(this.authorization, that.authorization)
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
