import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Operation from "@effect-klaytn/core/Operation"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import { identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import * as Client from "../support/client.js"
import * as Thing from "../support/thing.js"

interface Pair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const spellingsOf = (text: string): ReadonlyArray<string> => [
  text,
  JSON.stringify(text).slice(1, -1),
  inspect(text).slice(1, -1),
  encodeURIComponent(text),
  Encoding.encodeBase64(text)
]

/** Every way that the credential could show itself. */
const traces = ({ accessKeyId, secretAccessKey }: Pair): ReadonlyArray<string> => [
  ...spellingsOf(accessKeyId),
  ...spellingsOf(secretAccessKey),
  ...spellingsOf(Encoding.encodeBase64(`${accessKeyId}:${secretAccessKey}`))
]

/** Every way to show a value. */
const shown = (value: unknown): string =>
  [
    inspect(value, { depth: null, showHidden: true }),
    inspect(value, { depth: null, showHidden: true, getters: true, compact: false }),
    JSON.stringify(value) ?? "",
    String(value)
  ].join("\n")

const header = (text: string): string => text.replace(/[^\x21-\x7e]/g, "")

/** Answers that send the credential back wherever an answer can hold something. */
const hostile = (pair: Pair): ReadonlyArray<Testing.Step> => {
  const { accessKeyId, secretAccessKey } = pair
  const token = Encoding.encodeBase64(`${accessKeyId}:${secretAccessKey}`)
  const all = `Basic ${token} ${token} ${accessKeyId}:${secretAccessKey} ${secretAccessKey}|${accessKeyId} ` +
    `${encodeURIComponent(secretAccessKey)} ${encodeURIComponent(token)} ${JSON.stringify(secretAccessKey)} ` +
    JSON.stringify(JSON.stringify(secretAccessKey))
  const body = { code: 1010009, message: all, requestId: `req ${all}`, [all]: all, cursor: all }
  const headers = {
    "retry-after": header(secretAccessKey),
    location: `https://${header(accessKeyId)}.example/${header(all)}`,
    "content-type": `${header(secretAccessKey)}/${header(token)}`,
    "x-request-id": header(all)
  }
  return [
    ...[400, 401, 404, 429, 500, 503].map((status) => Testing.json(status, body, headers)),
    ...[400, 503, 200].map((status) => Testing.text(status, `<html>${all}</html>`, headers)),
    Testing.json(200, body, headers),
    Testing.json(200, { name: { [all]: all }, count: all }),
    Testing.json(200, { name: all, count: all }),
    Testing.json(200, all),
    Testing.json(200, { more: { [all]: all } }),
    Testing.text(302, all, headers),
    Testing.text(307, all, { ...headers, location: `https://${header(secretAccessKey)}/` }),
    Testing.broken(Object.assign(new Error(all), { code: all, syscall: all, cause: { code: all, message: all } })),
    Testing.broken(all),
    Testing.cutOff(200),
    Testing.silence
  ]
}

const Maps = Operation.of("history").get("getMaps", "/maps", {
  success: Schema.Struct({
    more: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Int })),
    name: Schema.Unknown
  })
})

// With an end that no stack trace or name has: a text such as "toString" is in prints that hide it well.
const part = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme", minLength: 8, maxLength: 40 }),
  FastCheck.stringMatching(/^[A-Za-z0-9+/=]{8,40}$/),
  FastCheck.stringMatching(/^["'`\\%&+= <>${}a-z]{8,40}$/)
).filter((text) => text.trim().length >= 8 && new Set(text).size >= 5 && !/\p{Cc}|\p{Cs}/u.test(text))
  .map((text) => `${text}K7q`)

const pairs = FastCheck.record({ accessKeyId: part.filter((id) => !id.includes(":")), secretAccessKey: part })

describe("a credential", () => {
  it.effect.prop(
    "gets out by no failure, span or metric, whatever it is made of and whatever the service sends back",
    [pairs],
    ([pair]) =>
      Effect.gen(function*() {
        const credentials = Either.getOrThrow(
          Credentials.fromPair({
            accessKeyId: pair.accessKeyId,
            secretAccessKey: Redacted.make(pair.secretAccessKey)
          })
        )
        const options = {
          credentials: Effect.succeed(credentials),
          retry: RetryPolicy.make({ attempts: 2, baseDelay: 0 }),
          attemptTimeout: "1 second"
        } as const
        const tracer = Testing.tracer()
        const out: Array<string> = []
        for (const step of hostile(pair)) {
          const client = yield* Client.make(Testing.wire(step), options)
          const change = (safety: Operation.Safety) => client.call(Thing.putThing(safety), Thing.aValue)
          const calls: ReadonlyArray<Effect.Effect<unknown, ServiceError.ServiceError>> = [
            client.call(Thing.getThing, Thing.theThing),
            client.call(Maps, {}),
            change("once"),
            change("keyed")
          ]
          for (const call of calls) {
            const exit = yield* Effect.exit(call).pipe(
              tracer.use,
              step === Testing.silence ? Client.within("2 seconds") : identity
            )
            if (Exit.isSuccess(exit)) continue
            const error = yield* Effect.flip(Effect.flatten(Effect.succeed(exit)))
            out.push(
              shown(exit),
              shown(error),
              error.message,
              error.stack ?? "",
              ServiceError.format(error),
              Cause.pretty(exit.cause, { renderErrorCause: true }),
              JSON.stringify(Schema.encodeSync(ServiceError.ServiceError)(error))
            )
          }
          out.push(shown(client))
        }
        assert.isAbove(out.length, 300)
        for (const { attributes, events, exit, name } of tracer.spans) {
          out.push(shown({ attributes, events, name }))
          if (exit !== undefined && Exit.isFailure(exit)) {
            const told = Cause.prettyErrors(exit.cause).map((error) => `${error.name} ${error.message} ${error.stack}`)
            out.push(shown(exit), Cause.pretty(exit.cause), ...told)
          }
        }
        out.push(shown((yield* Metric.snapshot).map(({ metricKey }) => metricKey.tags)))
        const text = out.join("\n")
        assert.include(text, "<redacted>")
        for (const trace of traces(pair)) assert.isFalse(text.includes(trace), `${trace} got out`)
      }),
    { fastCheck: { numRuns: 4, endOnFailure: true } }
  )

  it.effect("is not shown as the code of a network failure, though it looks like one", () =>
    Effect.gen(function*() {
      const pair = { accessKeyId: "KASK0EXAMPLE", secretAccessKey: "ECONNODDBUTASECRET" }
      const credentials = Credentials.fromPair({ ...pair, secretAccessKey: Redacted.make(pair.secretAccessKey) })
      const client = yield* Client.make(Testing.wire(Testing.broken(Testing.networkError(pair.secretAccessKey))), {
        credentials: Effect.suspend(() => credentials),
        retry: RetryPolicy.none
      })
      const error = yield* client.call(Thing.getThing, Thing.theThing).pipe(Client.failsAs("TransportFailed"))
      assert.strictEqual(error.reason, "network failure")
    }))

  it("is not in the report of a crash", () => {
    const pair = { accessKeyId: "KASK0CRASHING", secretAccessKey: "s3cr3t+/=\"'%61-of-the-crash" }
    const run = spawnSync(
      process.execPath,
      ["--import", "tsx", fileURLToPath(new URL("../support/crash.ts", import.meta.url))],
      {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        encoding: "utf8",
        env: {
          PATH: process.env["PATH"],
          KLAYTN_CHAIN_ID: "1001",
          KLAYTN_ACCESS_KEY_ID: pair.accessKeyId,
          KLAYTN_SECRET_ACCESS_KEY: pair.secretAccessKey
        }
      }
    )
    assert.strictEqual(run.status, 1)
    assert.include(run.stderr, "no access for <redacted>")
    for (const trace of traces(pair)) assert.notInclude(run.stderr + run.stdout, trace)
  })
})
