/** Classifies an answer of the service, or the failure to get one. */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type * as Credentials from "../../Credentials.js"
import type { Cursor } from "../../Cursor.js"
import * as Decoder from "../../Decoder.js"
import type { Redact } from "../../Sanitize.js"
import * as ServiceCode from "../../ServiceCode.js"
import * as ServiceError from "../../ServiceError.js"
import type { Facts } from "../errors/errorText.js"
import { mismatch } from "../errors/parseIssue.js"
import * as pages from "../paging/page.js"
import { clean } from "../values/cleanText.js"

/** What is known about the effect of a failed attempt: nothing was sent, the service refused it, or it is not known. */
export type Certainty = "not-sent" | "refused" | "uncertain"

/** The fields that every error has. */
export interface CommonFields {
  readonly operation: string
  readonly retrySafe: boolean
  readonly attempts: ReadonlyArray<ServiceError.Attempt>
}

/** A failed attempt, before the outcome of the call is known. A tracer sees it as the error of the attempt's span. */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  /** As shown in `Attempt.reason`. */
  readonly message: string
  /** The label for telemetry, from a bounded set, if that is not the message. */
  readonly label?: string
  readonly certainty: Certainty
  readonly facts?: Facts
  readonly retryAfterMillis?: number
  /** Whether a policy may repeat it; for `by-status` the policy decides. */
  readonly repeatable: "by-status" | "always" | "never"
  readonly toError: (common: CommonFields) => ServiceError.ServiceError
}> {}

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly retryAfter: string | undefined
  readonly location: string | undefined
  readonly text: string
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
  /** The credential that it was requested with. */
  readonly credentials: Credentials.Credentials
}

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const codeOf = (value: unknown): number | undefined => {
  const isDigits = typeof value === "string" && /^(0x[0-9a-f]+|\d+)$/i.test(value)
  const code = isDigits || typeof value === "number" ? Number(value) : Number.NaN
  return Number.isSafeInteger(code) ? code : undefined
}

/** What to do about a refusal that says little by itself. */
const hintOf = (status: number, message: string, isJson: boolean): string | undefined => {
  if (status === 403 && !isJson) return "a firewall or a proxy answered; the credential was not judged"
  return status >= 400 ? ServiceError.quotaHint(status === 402 ? "quota" : message) : undefined
}

/** The message of a refusal: the service's, or that of a node behind a proxy, which is one of JSON-RPC. */
const messageIn = (body: Readonly<Record<string, unknown>>): unknown => {
  const { error, message } = body
  if (message !== undefined) return message
  return Predicate.isRecord(error) ? error["message"] : error
}

const factsOf = (answer: Answer): Facts & { readonly status: number; readonly isJson: boolean } => {
  const { status, credentials: { redact } } = answer
  const parsed = parseJson(answer.text)
  const body = Option.getOrUndefined(Option.filter(parsed, Predicate.isRecord)) ?? {}
  const code = codeOf(body["code"])
  const message = messageIn(body)
  const requestId = body["requestId"]
  const isJson = Option.isSome(parsed)
  const hint = hintOf(status, typeof message === "string" ? message : isJson ? "" : answer.text.slice(0, 500), isJson)
  return {
    status,
    isJson,
    ...(code === undefined ? {} : { code }),
    ...(typeof message === "string" ? { serviceMessage: clean(redact)(message) } : {}),
    ...(typeof requestId === "string" ? { requestId: clean(redact)(requestId) } : {}),
    ...(hint === undefined ? {} : { hint })
  }
}

/** Parses Retry-After to milliseconds: seconds, or a date relative to `now`. */
const retryAfterMillis = (text: string, now: number): number | undefined => {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER)
  // Every form of an HTTP date starts with the weekday; without this check the parser accepts nearly anything as a
  // date.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/**
 * The host of a location, if it is an ordinary one and the location contains no secret. Secrets are looked for first,
 * because URL parsing changes the letter case.
 */
const hostOf = (location: string | undefined, redact: Redact): string | undefined => {
  if (location === undefined || !/^[\x21-\x7e]+$/.test(location) || redact(location) !== location) return undefined
  const host = URL.canParse(location) ? new URL(location).host : ""
  return /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/.test(host) ? host : undefined
}

/** The media type of an answer, safe to show; empty if there is none. */
const mediaType = (contentType: string, redact: Redact): string => {
  const [type = ""] = contentType.split(";")
  if (type === "" || type === "application/json") return type
  return /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(type) && redact(type) === type ? type : "an odd content type"
}

const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

const redirect = ({ credentials, location, status }: Answer): AttemptFailed =>
  new AttemptFailed({
    message: `HTTP ${status}`,
    label: "redirect",
    // The redirect may come from something other than the service, or after the change was made.
    certainty: "uncertain",
    facts: { status },
    repeatable: "never",
    toError: (common) => {
      const host = hostOf(location, credentials.redact)
      return new ServiceError.RedirectRefused({ ...common, status, ...(host ? { location: host } : {}) })
    }
  })

/** Which credential a refusal is about. That of a node of one's own is a header, or a part of the address, or there is none. */
const credentialOf = ({ credentials: { authorization, fingerprint, path } }: Answer, code: number | undefined) => {
  if (path === undefined) return { fingerprint }
  const its = "KLAYTN_OWN_NODE_AUTHORIZATION, or `authorization` of the node"
  if (code === ServiceCode.gateway.invalidAuthorization || code === ServiceCode.gateway.invalidCredential) {
    return { problem: `this is a gateway or the hosted service, and no node: it wants its own credential, in ${its}` }
  }
  return Redacted.value(authorization) === ""
    ? {
      problem: `the node wants a credential, and no Authorization header was sent; set ${its}, or look at the address`
    }
    : { fingerprint, problem: `the node did not accept the credential (${fingerprint}); check ${its}, and the address` }
}

const refusal = (answer: Answer): AttemptFailed => {
  const { isJson, ...facts } = factsOf(answer)
  const Refusal = ServiceError.refusal({ ...facts, isJson })
  const wait = retryAfterMillis(answer.retryAfter ?? "", answer.at)
  const retry = wait === undefined ? {} : { retryAfterMillis: wait }
  const credential = credentialOf(answer, facts.code)
  return new AttemptFailed({
    message: `HTTP ${answer.status}`,
    certainty: Refusal !== ServiceError.Unavailable && ServiceCode.isOwn(facts.code) ? "refused" : "uncertain",
    facts,
    ...retry,
    repeatable: "by-status",
    // Each class takes what it has of these.
    toError: (common) => new Refusal({ ...common, ...facts, ...retry, ...credential, origin: "service" })
  })
}

/** A field name may come from the body, so it is cleaned too. */
const malformed = (status: number, mismatch: ServiceError.Mismatch, redact: Redact): AttemptFailed =>
  new AttemptFailed({
    message: "malformed",
    certainty: "uncertain",
    facts: { status },
    repeatable: "never",
    toError: (common) =>
      new ServiceError.MalformedResponse({
        ...common,
        status,
        path: mismatch.path.map((part) => typeof part === "string" ? clean(redact)(part) : part),
        expected: clean(redact)(mismatch.expected),
        actual: clean(redact)(mismatch.actual),
        ...cursorOf(mismatch, redact)
      })
  })

/** A cursor is only useful unchanged: one that cleaning would alter is dropped. */
const cursorOf = ({ nextCursor }: ServiceError.Mismatch, redact: Redact): { readonly nextCursor?: Cursor } =>
  nextCursor === undefined || clean(redact)(nextCursor) !== nextCursor ? {} : { nextCursor }

/** The failure of an answer that was too large to be read to its end. */
export const tooLarge = (status: number, limit: number): AttemptFailed =>
  malformed(status, { path: [], expected: `an answer of at most ${limit} bytes`, actual: "a longer one" }, (_) => _)

/** Reads the body of an answer with a success status, or says where the body is malformed; `contentType` has no parameters. */
export type BodyReader<A> = (
  text: string,
  contentType: string,
  redact: Redact,
  earlier: ServiceError.EarlierAttempts
) => Either.Either<A, ServiceError.Mismatch>

/** What is wrong with a body; for a malformed page, also the cursor that continues after it. */
const mismatchIn = (body: unknown) => (error: ParseResult.ParseError): ServiceError.Mismatch => {
  const found = mismatch(error)
  return found.path[0] === "items" ? { ...found, nextCursor: pages.nextCursor(body) } : found
}

/** Reads a JSON body with a schema. `unreadable` says what to do with unreadable records of a page. */
export const json = <A>(success: Schema.Schema<A, unknown>, unreadable: "fail" | "keep"): BodyReader<A> => {
  const decode = Decoder.make(success)
  const again = unreadable === "keep" ? pages.keepUnreadable(success, decode) : undefined
  return (text, contentType, redact) => {
    const body = parseJson(text)
    if (Option.isNone(body)) return Either.left({ path: [], expected: "JSON", actual: sizeOf(text, contentType) })
    const read = decode(body.value)
    const result = Either.isRight(read) || again === undefined ? read : again(body.value, redact)
    return Either.mapLeft(result, mismatchIn(body.value))
  }
}

const sizeOf = (text: string, contentType: string): string =>
  `${text.length} characters of ${contentType || "no content type"}`

/** Decodes the body of an answer with a success status; any other is a failed attempt. */
export const decode = <A>(
  answer: Answer,
  read: BodyReader<A>,
  earlier: ServiceError.EarlierAttempts
): Either.Either<A, AttemptFailed> => {
  const { contentType, credentials: { redact }, status, text } = answer
  if (isRedirect(status)) return Either.left(redirect(answer))
  if (status >= 400) return Either.left(refusal(answer))
  const type = mediaType(contentType, redact)
  const result: Either.Either<A, ServiceError.Mismatch> = status < 200
    ? Either.left({ path: [], expected: "an answer with a final status", actual: sizeOf(text, type) })
    : read(text, type, redact, earlier)
  return Either.mapLeft(result, (mismatch) => malformed(status, mismatch, redact))
}

const member = (value: unknown, name: string): unknown => Predicate.hasProperty(value, name) ? value[name] : undefined

const chain = (cause: unknown): ReadonlyArray<unknown> => {
  const links: Array<unknown> = []
  for (let link = cause; links.length < 5; link = member(link, "cause")) links.push(link)
  return links
}

/** The network errors that prove that nothing was sent. */
const notSent = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/** Whether the connection was never made. */
const isConnectError = (link: unknown): boolean => {
  const errors = member(link, "errors")
  return member(link, "syscall") === "connect" ||
    (Array.isArray(errors) && errors.length > 0 && errors.every((inner) => member(inner, "syscall") === "connect"))
}

/**
 * Classifies a network failure by its cause: its code, and whether it proves that nothing was sent. Once an answer has
 * begun, nothing does.
 */
export const network = (cause: unknown, redact: Redact, hasBegun: boolean): AttemptFailed => {
  const links = chain(cause)
  const codes = links.map((link) => member(link, "code"))
    .filter((code): code is string =>
      typeof code === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) && redact(code) === code
    )
  const reason = codes[0] ?? "network failure"
  const sent = hasBegun || !(links.some(isConnectError) || codes.some((code) => notSent.has(code)))
  return new AttemptFailed({
    message: reason,
    label: "network",
    certainty: sent ? "uncertain" : "not-sent",
    repeatable: "always",
    toError: (common) => new ServiceError.TransportFailed({ ...common, reason, sent })
  })
}
