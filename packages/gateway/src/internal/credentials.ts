/** Credentials of callers, of which only a hash is kept. */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { toText } from "@effect-klaytn/indexer/Cursors"
import { type Callers, pairOf } from "@effect-klaytn/service/ServiceAccess"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { GatewayError } from "../GatewayError.js"
import * as refusals from "./startRefusals.js"

const isName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80))

const hashOf = (pair: Uint8Array): Buffer => createHash("sha256").update(pair).digest()

/** Random letters and digits of a base, each combination as likely as any other up to the last bit. */
const random = (bytes: number, base: 36 | 62, length: number): string =>
  toText(BigInt(`0x${randomBytes(bytes).toString("hex")}`), base, length)

export const taken = (name: string): GatewayError =>
  refusals.caller(`there is a caller ${name} already: revoke it first`)

export const unknown = (name: string): GatewayError => refusals.caller(`there is no caller ${quoted(name)}`)

/** The byte between an ID and its secret. */
const colon = ":".charCodeAt(0)

const idIn = (pair: Uint8Array): string => Buffer.from(pair.subarray(0, pair.indexOf(colon))).toString()

/** The access key ID of an `Authorization` header. */
export const idOf = (header: string | undefined): string => {
  const pair = pairOf(header)
  return pair === undefined ? "" : idIn(pair)
}

/** A new credential. */
interface Credential {
  readonly name: string
  readonly accessKeyId: string
  /** Unix seconds. */
  readonly createdAt: number
  readonly secretAccessKey: Redacted.Redacted<string>
}

/** A new credential, and the hash to keep. */
export const create = (
  name: string
): Effect.Effect<
  { readonly caller: Credential; readonly hash: string },
  GatewayError
> =>
  Effect.gen(function*() {
    if (/^(?:0x)?[0-9a-f]{64,}$/i.test(name)) {
      return yield* refusals.caller(
        "64 or more hexadecimal digits may be a key, and can't name a caller: a name is kept and shown"
      )
    }
    if (!isName(name)) {
      return yield* refusals.caller(
        `${quoted(name)} can't name a caller: use 1 to 64 letters, digits, dots, hyphens and underscores`
      )
    }
    const createdAt = yield* UnixTime.now
    const accessKeyId = `KASK${random(12, 36, 16)}`
    const secret = random(32, 62, 43)
    const hash = hashOf(Buffer.from(`${accessKeyId}:${secret}`)).toString("base64")
    return { caller: { name, accessKeyId, createdAt, secretAccessKey: Redacted.make(secret) }, hash }
  })

/** Checks an `Authorization` header by the hash that is kept for an ID. */
export const verdict = (
  header: string | undefined,
  hashOfId: (accessKeyId: string) => string | undefined
): ReturnType<Callers["check"]> => {
  const pair = pairOf(header)
  if (pair === undefined) return "malformed"
  const known = hashOfId(idIn(pair))
  return known !== undefined && timingSafeEqual(Buffer.from(known, "base64"), hashOf(pair)) ? "ok" : "wrong"
}
