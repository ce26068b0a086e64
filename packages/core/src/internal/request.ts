/** From an endpoint and its typed request to the parts that go over the wire, or the reason why it can't go. */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Operation } from "../Operation.js"
import { InvalidInput } from "../ServiceError.js"
import * as parseIssue from "./parseIssue.js"

export interface WireRequest {
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

type AnyEndpoint = Pick<
  HttpApiEndpoint.HttpApiEndpoint.AnyWithProps,
  "path" | "pathSchema" | "urlParamsSchema" | "headersSchema" | "payloadSchema"
>

const invalid = (
  operation: Pick<Operation, "name">,
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
  operation: Pick<Operation, "name">,
  prefix: ReadonlyArray<string | number>,
  error: ParseResult.ParseError
): InvalidInput => {
  const { path, problem } = parseIssue.problem(error)
  return invalid(operation, [...prefix, ...path], problem)
}

const encode = (
  operation: Operation,
  schema: Option.Option<Schema.Schema.Any>,
  value: unknown
): Either.Either<unknown, InvalidInput> =>
  Option.match(schema, {
    onNone: () => Either.right(undefined),
    onSome: (some) =>
      Either.mapLeft(
        // An endpoint's schemas need no services: `ServiceClient.call` takes only endpoints whose R is never.
        Schema.encodeUnknownEither(some as Schema.Schema<unknown, unknown>)(value),
        (error) => invalidInput(operation, [], error)
      )
  })

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
  operation: Operation,
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
export const raw = (operation: Operation, request: WireRequest): Either.Either<WireRequest, InvalidInput> =>
  Either.map(check(operation, Object.entries(request.headers), problemInHeader), () => request)

export const make = (
  operation: Operation,
  endpoint: AnyEndpoint,
  request: unknown
): Either.Either<WireRequest, InvalidInput> =>
  Either.gen(function*() {
    const parts = Predicate.isRecord(request) ? request : {}
    const part = (name: string, schema: Option.Option<Schema.Schema.Any>) => encode(operation, schema, parts[name])
    const path = texts(yield* part("path", endpoint.pathSchema))
    const urlParams = texts(yield* part("urlParams", endpoint.urlParamsSchema))
    const headers = texts(yield* part("headers", endpoint.headersSchema))
    const payload = yield* part("payload", endpoint.payloadSchema)
    yield* check(operation, path, problemInPath)
    yield* check(operation, urlParams, problemInQuery)
    yield* check(operation, headers, problemInHeader)
    return {
      pathAndQuery: compile(endpoint.path, path) + query(urlParams),
      headers: Object.fromEntries(headers),
      body: payload === undefined ? undefined : JSON.stringify(payload)
    }
  })
