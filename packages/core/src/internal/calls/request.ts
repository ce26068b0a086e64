/** Turns an operation and its typed request into the parts of an HTTP request, or refuses it. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Input from "../../Input.js"
import type { Any, Descriptor } from "../../Operation.js"
import { InvalidInput } from "../../ServiceError.js"

export interface WireRequest {
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The error of parameters, or of a payload, that can't be written as JSON. */
export const notJson = (operation: string, part = "params"): InvalidInput =>
  InvalidInput.at(
    operation,
    [part],
    "they can't be written as JSON; write a bigint as a quantity, such as \"0x1c2\""
  )

const encode = (
  operation: Descriptor,
  schema: Schema.Schema<unknown, unknown> | undefined,
  value: unknown
): Either.Either<unknown, InvalidInput> =>
  schema === undefined
    ? Either.right(undefined)
    : Either.mapLeft(Schema.encodeUnknownEither(schema)(value), (error) => Input.refuse(operation.name, error))

type Parameters = ReadonlyArray<readonly [string, string]>

const texts = (record: unknown): Parameters =>
  Predicate.isRecord(record)
    ? Object.entries(record).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)] as const])
    : []

/** Why a text can't be a path segment: an empty or dotted one would change the path. */
const problemInPath = (value: string): string | undefined =>
  value === "" || value === "." || value === ".."
    ? "a part of the path can't be empty or dots only"
    : problemInQuery(value)

const problemInQuery = (value: string): string | undefined =>
  /\p{Cs}/u.test(value) ? "a lone surrogate can't be sent" : undefined

const problemInHeader = (value: string): string | undefined =>
  /^[\t\x20-\x7e]*$/.test(value) ? undefined : "a header value can hold printable ASCII only"

/** The error of the first parameter that can't be sent, if any. */
const check = (
  operation: Descriptor,
  parameters: Parameters,
  problemIn: (value: string) => string | undefined
): InvalidInput | undefined => {
  for (const [name, value] of parameters) {
    const problem = problemIn(value)
    if (problem !== undefined) return InvalidInput.at(operation.name, [name], problem)
  }
  return undefined
}

const compile = (path: string, parameters: Parameters): string => {
  const values = new Map(parameters)
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""))
}

const query = (parameters: Parameters): string =>
  parameters.length === 0
    ? ""
    : `?${parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")}`

/** Checks a request that does not come from a contract. */
export const raw = (operation: Descriptor, request: WireRequest): Either.Either<WireRequest, InvalidInput> =>
  Either.fromNullable(check(operation, Object.entries(request.headers), problemInHeader), () => request).pipe(
    Either.flip
  )

/** Makes the request of an operation. Every call comes through here, so it has no generator. */
export const make = (
  operation: Any,
  request: unknown
): Either.Either<WireRequest, InvalidInput> => {
  const parts = Predicate.isRecord(request) ? request : {}
  const encoded: { [name: string]: unknown } = {}
  for (const name of ["path", "urlParams", "headers", "payload"]) {
    const part = encode(operation, operation.request[name], parts[name])
    if (Either.isLeft(part)) return Either.left(part.left)
    encoded[name] = part.right
  }
  const { payload } = encoded
  const inPath = texts(encoded["path"])
  const inQuery = texts(encoded["urlParams"])
  const inHeaders = texts(encoded["headers"])
  const problem = check(operation, inPath, problemInPath) ?? check(operation, inQuery, problemInQuery) ??
    check(operation, inHeaders, problemInHeader)
  if (problem !== undefined) return Either.left(problem)
  const body = write(payload)
  if (Option.isNone(body)) return Either.left(notJson(operation.name, "payload"))
  return Either.right({
    pathAndQuery: compile(operation.path, inPath) + query(inQuery),
    headers: Object.fromEntries(inHeaders),
    body: body.value
  })
}

/** A payload as JSON; none if JSON can't express it. No payload is no body. */
const write = Option.liftThrowable((payload: unknown): string | undefined => JSON.stringify(payload))
