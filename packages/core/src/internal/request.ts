/** From an operation and its typed request to the parts that go over the wire, or the reason why it can't go. */
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Any, Described } from "../Operation.js"
import { InvalidInput } from "../ServiceError.js"
import * as parseIssue from "./parseIssue.js"

export interface WireRequest {
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const invalid = (
  operation: Pick<Described, "name">,
  path: ReadonlyArray<string | number>,
  problem: string
): InvalidInput => new InvalidInput({ operation: operation.name, retrySafe: true, attempts: [], path, problem })

/** A refusal of parameters that can't be written as JSON. */
export const notJson = (operation: string): InvalidInput =>
  invalid(
    { name: operation },
    ["params"],
    "they can't be written as JSON; write a bigint as a quantity, such as \"0x1c2\""
  )

/** A refusal of a value that a schema did not take, before any I/O. */
export const invalidInput = (
  operation: Pick<Described, "name">,
  prefix: ReadonlyArray<string | number>,
  error: ParseResult.ParseError
): InvalidInput => {
  const { path, problem } = parseIssue.problem(error)
  return invalid(operation, [...prefix, ...path], problem)
}

const encode = (
  operation: Described,
  schema: Schema.Schema<unknown, unknown> | undefined,
  value: unknown
): Either.Either<unknown, InvalidInput> =>
  schema === undefined
    ? Either.right(undefined)
    : Either.mapLeft(Schema.encodeUnknownEither(schema)(value), (error) => invalidInput(operation, [], error))

type Parameters = ReadonlyArray<readonly [string, string]>

const texts = (record: unknown): Parameters =>
  Predicate.isRecord(record)
    ? Object.entries(record).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)] as const])
    : []

/** Why a text can't stand in a URL: an empty or dotted segment would make it another path. */
const problemInPath = (value: string): string | undefined =>
  value === "" || value === "." || value === ".."
    ? "a part of the path can't be empty or dots only"
    : problemInQuery(value)

const problemInQuery = (value: string): string | undefined =>
  /\p{Cs}/u.test(value) ? "half a character (a lone surrogate) can't be sent" : undefined

const problemInHeader = (value: string): string | undefined =>
  /^[\t\x20-\x7e]*$/.test(value) ? undefined : "a header value can hold printable ASCII only"

/** The first of some values that can't be sent. */
const check = (
  operation: Described,
  parameters: Parameters,
  problemIn: (value: string) => string | undefined
): Either.Either<void, InvalidInput> => {
  for (const [name, value] of parameters) {
    const problem = problemIn(value)
    if (problem !== undefined) return Either.left(invalid(operation, [name], problem))
  }
  return Either.void
}

const compile = (path: string, parameters: Parameters): string => {
  const values = new Map(parameters)
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""))
}

const query = (parameters: Parameters): string =>
  parameters.length === 0
    ? ""
    : `?${parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")}`

/** A request that was put together outside of a contract. */
export const raw = (operation: Described, request: WireRequest): Either.Either<WireRequest, InvalidInput> =>
  Either.map(check(operation, Object.entries(request.headers), problemInHeader), () => request)

export const make = (
  operation: Any,
  request: unknown
): Either.Either<WireRequest, InvalidInput> =>
  Either.gen(function*() {
    const parts = Predicate.isRecord(request) ? request : {}
    const part = (name: string) => encode(operation, operation.request[name], parts[name])
    const path = texts(yield* part("path"))
    const urlParams = texts(yield* part("urlParams"))
    const headers = texts(yield* part("headers"))
    const payload = yield* part("payload")
    yield* check(operation, path, problemInPath)
    yield* check(operation, urlParams, problemInQuery)
    yield* check(operation, headers, problemInHeader)
    return {
      pathAndQuery: compile(operation.path, path) + query(urlParams),
      headers: Object.fromEntries(headers),
      body: payload === undefined ? undefined : JSON.stringify(payload)
    }
  })
