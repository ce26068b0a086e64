/** From an endpoint and its typed request to the parts that go over the wire, or the reason why it can't go. */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Operation } from "../Operation.js"
import { InvalidInput } from "../ServiceError.js"

export interface WireRequest {
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

type AnyEndpoint = Pick<
  HttpApiEndpoint.HttpApiEndpoint.AnyWithProps,
  "path" | "pathSchema" | "urlParamsSchema" | "headersSchema" | "payloadSchema"
>

const invalid = (operation: Operation, path: ReadonlyArray<string | number>, problem: string): InvalidInput =>
  new InvalidInput({ operation: operation.name, retrySafe: true, attempts: [], path, problem })

/** A refusal of a value that a schema did not take, before any I/O. */
export const invalidInput = (
  operation: Operation,
  prefix: ReadonlyArray<string | number>,
  error: ParseResult.ParseError
): InvalidInput => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const path = (first?.path ?? []).map((part) => typeof part === "symbol" ? part.toString() : part)
  return invalid(operation, [...prefix, ...path], first?.message ?? "not of the documented form")
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

const texts = (record: unknown): ReadonlyArray<readonly [string, string]> =>
  Predicate.isRecord(record)
    ? Object.entries(record).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)] as const])
    : []

const compile = (path: string, parameters: ReadonlyArray<readonly [string, string]>): string => {
  const values = new Map(parameters)
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""))
}

const query = (parameters: ReadonlyArray<readonly [string, string]>): string =>
  parameters.length === 0
    ? ""
    : `?${parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")}`

const headerValue = /^[\t\x20-\x7e]*$/

export const make = (
  operation: Operation,
  endpoint: AnyEndpoint,
  request: unknown
): Either.Either<WireRequest, InvalidInput> =>
  Either.gen(function*() {
    const parts = Predicate.isRecord(request) ? request : {}
    const path = yield* encode(operation, endpoint.pathSchema, parts["path"])
    const urlParams = yield* encode(operation, endpoint.urlParamsSchema, parts["urlParams"])
    const headers = yield* encode(operation, endpoint.headersSchema, parts["headers"])
    const payload = yield* encode(operation, endpoint.payloadSchema, parts["payload"])
    for (const [name, value] of texts(headers)) {
      if (!headerValue.test(value)) {
        return yield* Either.left(invalid(operation, [name], "a header value can't hold control characters"))
      }
    }
    return {
      pathAndQuery: compile(endpoint.path, texts(path)) + query(texts(urlParams)),
      headers: Object.fromEntries(texts(headers)),
      body: payload === undefined ? undefined : JSON.stringify(payload)
    }
  })
