import type { CredentialsError } from "@effect-klaytn/core/Credentials"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Operation from "@effect-klaytn/core/Operation"
import type * as Paged from "@effect-klaytn/core/Paged"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import { pipe } from "effect/Function"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { describe, expect, test } from "tstyche"

declare const read: Effect.Effect<string, ServiceError.ReadError>
declare const change: Effect.Effect<string, ServiceError.ServiceError>
declare const client: ServiceClient.ServiceClient

const get = Operation.of("history").get("get", "/thing/:id", {
  path: { id: Schema.NumberFromString },
  success: Schema.Struct({ value: Schema.BigInt })
})
const post = Operation.of("history").post("post", "/thing", {
  payload: Schema.Struct({ value: Schema.BigInt }),
  success: Schema.Struct({ value: Schema.BigInt })
})
const put = Operation.of("history").put("put", "/thing", {
  success: Schema.String
})
const bare = Operation.of("history").get("bare", "/thing", {
  success: Schema.String
})

describe("the family", () => {
  test("of a read has no unknown outcome", () => {
    expect<ServiceError.OutcomeUnknown>().type.not.toBeAssignableTo<ServiceError.ReadError>()
    expect<ServiceError.ServiceError>().type.toBe<ServiceError.ReadError | ServiceError.OutcomeUnknown>()
    expect<ServiceError.ReadError["_tag"]>().type.toBe<
      | "InvalidInput"
      | "Unauthorized"
      | "Rejected"
      | "NotFound"
      | "RateLimited"
      | "Unavailable"
      | "TransportFailed"
      | "TimedOut"
      | "MalformedResponse"
      | "RedirectRefused"
    >()
    expect<ServiceError.StreamError>().type.toBe<ServiceError.ReadError | ServiceError.PagingStalled>()
    expect<ServiceError.AnyError>().type.toBe<ServiceError.StreamError | ServiceError.OutcomeUnknown>()
    expect<ServiceError.PagingStalled>().type.not.toBeAssignableTo<ServiceError.ServiceError>()
  })

  test("has these members that may carry a code", () => {
    expect<ServiceError.Answered["_tag"]>().type.toBe<
      | "Unauthorized"
      | "Rejected"
      | "NotFound"
      | "RateLimited"
      | "Unavailable"
      | "MalformedResponse"
      | "OutcomeUnknown"
    >()
  })

  test("is divided by its categories", () => {
    expect<ServiceError.Category>().type.toBe<
      "caller" | "credential" | "refused" | "throttled" | "service" | "network" | "contract" | "uncertain"
    >()
    expect<ServiceError.OfCategory<"network">>().type.toBe<ServiceError.TransportFailed | ServiceError.TimedOut>()
    expect<ServiceError.OfCategory<"refused">>().type.toBe<ServiceError.Rejected | ServiceError.NotFound>()
  })
})

describe("a call", () => {
  test("of a GET never ends unknown", () => {
    expect<ServiceClient.CallError<"GET">>().type.toBe<ServiceError.ReadError>()
    expect(client.call(get, { path: { id: 1 } })).type.toBe<
      Effect.Effect<{ readonly value: bigint }, ServiceError.ReadError>
    >()
  })

  test("of any other method may", () => {
    expect<ServiceClient.CallError<"POST">>().type.toBe<ServiceError.ServiceError>()
    expect(client.call(post, { payload: { value: 1n } })).type.toBe<
      Effect.Effect<{ readonly value: bigint }, ServiceError.ServiceError>
    >()
    expect(client.call(put, {})).type.toBe<Effect.Effect<string, ServiceError.ServiceError>>()
  })

  test("takes the decoded request of its endpoint and nothing else", () => {
    expect(client.call(bare, {})).type.toBe<Effect.Effect<string, ServiceError.ReadError>>()
    // @ts-expect-error Type 'string' is not assignable to type 'number'
    void client.call(get, { path: { id: "1" } })
    // @ts-expect-error Property 'path' is missing
    void client.call(get, {})
    // @ts-expect-error Type 'string' is not assignable to type 'bigint'
    void client.call(post, { payload: { value: "1" } })
  })
})

describe("an operation", () => {
  test("has the failures of its group and its own, or none", () => {
    const group = Operation.of("history", [ErrorBody.BadRequest])
    const plain = group.get("plain", "/thing", { success: Schema.String })
    const more = group.get("more", "/thing", { success: Schema.String, errors: [ErrorBody.NotFound] })
    expect<Operation.Error<typeof bare>>().type.toBe<never>()
    expect<Operation.Error<typeof plain>>().type.toBe<ErrorBody.BadRequest>()
    expect<Operation.Error<typeof more>>().type.toBe<ErrorBody.BadRequest | ErrorBody.NotFound>()
  })
})

describe("recovering", () => {
  test("by tag from every failure of a read leaves none", () => {
    const nothing = () => Effect.succeed(0)
    const handlers = {
      InvalidInput: nothing,
      Unauthorized: nothing,
      Rejected: nothing,
      NotFound: nothing,
      RateLimited: nothing,
      Unavailable: nothing,
      TransportFailed: nothing,
      TimedOut: nothing,
      MalformedResponse: nothing,
      RedirectRefused: nothing
    }
    expect(Effect.catchTags(read, handlers)).type.toBe<Effect.Effect<string | number>>()
    expect(Effect.catchTags(change, handlers)).type.toBe<Effect.Effect<string | number, ServiceError.OutcomeUnknown>>()
    expect(Effect.catchTags(change, { ...handlers, OutcomeUnknown: nothing })).type.toBe<
      Effect.Effect<string | number>
    >()
  })

  test("by code keeps the failures, in a pipe and as a function", () => {
    const recover = (error: ServiceError.Answered) => Effect.succeed(error.code)
    type Recovered = Effect.Effect<string | number | undefined, ServiceError.ReadError>
    expect(pipe(read, ServiceError.catchCode(1040010, recover))).type.toBe<Recovered>()
    expect(ServiceError.catchCode(read, 1040010, recover)).type.toBe<Recovered>()
  })

  test("by category takes its members away, and leaves those of others", () => {
    type Mixed = ServiceError.ReadError | CredentialsError
    const mixed: Effect.Effect<string, Mixed> = read
    type Recovered = Effect.Effect<
      string | number,
      Exclude<Mixed, ServiceError.TransportFailed | ServiceError.TimedOut>
    >
    expect(pipe(mixed, ServiceError.catchCategory("network", (error) => Effect.succeed(error.attempts.length))))
      .type.toBe<Recovered>()
    expect(ServiceError.catchCategory(mixed, "network", (error) => Effect.succeed(error.attempts.length)))
      .type.toBe<Recovered>()
    expect(ServiceError.catchCategory(read, "uncertain", () => Effect.succeed(0))).type.toBe<
      Effect.Effect<string | number, ServiceError.ReadError>
    >()
  })
})

declare const things: Paged.List<{ readonly size?: number }, string, ServiceError.NotFound>

describe("a paged operation", () => {
  test("adds a stalled list to the failures of the streams and to nothing else", () => {
    type Failure = ServiceError.NotFound | ServiceError.PagingStalled | ServiceError.InvalidInput
    expect(things({})).type.toBe<
      Effect.Effect<Paged.Page<string>, ServiceError.NotFound | ServiceError.InvalidInput>
    >()
    expect(things.pages({})).type.toBe<Stream.Stream<Paged.Page<string>, Failure>>()
    expect(things.items({})).type.toBe<Stream.Stream<string, Failure>>()
    expect(things.checkpoints({})).type.toBe<
      Stream.Stream<Paged.CheckpointedPage<string>, Failure>
    >()
    expect(things.checkpoints({}, { unreadable: "keep" })).type.toBe<
      Stream.Stream<Paged.CheckpointedPage<string | Paged.Unreadable>, Failure>
    >()
  })
})
