/** A client on a recorded wire, and assertions about failing calls. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import type * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Thing from "./thing.js"

const accessKeyId = "KASK0EXAMPLE"
const secretAccessKey = "not-a-secret"

export const credentials = Either.getOrThrow(
  Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) })
)

export const options: ClientConfig.Options = {
  chain: 1001,
  credentials: Effect.succeed(credentials),
  endpoints: { history: "http://127.0.0.1:8080/prefix" }
}

/** A client of the history service on a wire. */
export const make = (wire: Testing.Wire, more: Partial<ClientConfig.Options> = {}) =>
  ServiceClient.make("history").pipe(
    Effect.provide(ClientConfig.layer({ ...options, ...more })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )

/** Reads the thing. */
export const read = (wire: Testing.Wire, more?: Partial<ClientConfig.Options>) =>
  Effect.flatMap(make(wire, more), (client) => client.call(Thing.getThing, Thing.theThing))

/** Puts the thing. */
export const put = (wire: Testing.Wire, safety: Safety, more?: Partial<ClientConfig.Options>) =>
  Effect.flatMap(make(wire, more), (client) => client.call(Thing.putThing(safety), Thing.aValue))

/** Advances the test clock and returns the result of the effect, which must be there by then. */
export const within = (duration: Duration.DurationInput) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust(duration)
    const done = yield* Fiber.poll(fiber)
    assert.strictEqual(done._tag, "Some", "the effect ended in time")
    return yield* Fiber.join(fiber)
  })

/** All waits before retries at their upper bound. */
export const longestWaits = Effect.withRandom(Random.fixed([1]))

/** The failure of an effect, which must have this tag. */
export const failsAs =
  <const Tag extends ServiceError.AnyError["_tag"]>(tag: Tag) =>
  <A, E extends { readonly _tag: string }, R>(
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<Extract<E, { readonly _tag: Tag }>, never, R> =>
    Effect.map(Effect.flip(Effect.asVoid(effect)) as Effect.Effect<E, never, R>, (error) => {
      assert.strictEqual(error._tag, tag)
      return error as Extract<E, { readonly _tag: Tag }>
    })
