import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as Krn from "@effect-klaytn/core/Krn"
import * as RateLimit from "@effect-klaytn/core/RateLimit"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as Client from "../support/client.js"

const pool = "krn:1001:wallet:abc:account-pool:default"
const authorization = "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="

const complete = {
  KLAYTN_CHAIN_ID: "1001",
  KLAYTN_ACCESS_KEY_ID: "KASK0EXAMPLE",
  KLAYTN_SECRET_ACCESS_KEY: "not-a-secret",
  KLAYTN_HISTORY_URL: "https://history.example/",
  KLAYTN_TOKENS_URL: "https://gateway.example/tokens",
  KLAYTN_WALLET_URL: "http://localhost:8080",
  KLAYTN_NODE_URL: "https://node.example",
  KLAYTN_RESOURCE_URL: "https://resource.example",
  KLAYTN_FEE_PAYER_STYLE: "document",
  KLAYTN_POOL: pool
}

type Variable = keyof typeof complete | "KLAYTN_AUTHORIZATION"

const load = (variables: { readonly [name in Variable]?: string }, options?: ClientConfig.EnvironmentOptions) =>
  ClientConfig.ClientConfig.pipe(
    Effect.provide(ClientConfig.layerConfig(options)),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))
  )

const without = (...names: ReadonlyArray<Variable>) =>
  Object.fromEntries(Object.entries(complete).filter(([name]) => !names.some((one) => one === name)))

describe("the defaults", () => {
  it("are these", () => {
    const { attemptTimeout, deadline, dialect, maxResponseBytes, rateLimit, retry } = ClientConfig.defaults
    assert.deepStrictEqual(
      {
        dialect,
        attempts: retry.attempts,
        baseDelay: Duration.toMillis(retry.baseDelay),
        maxDelay: Duration.toMillis(retry.maxDelay),
        maxRetryAfter: Duration.toMillis(retry.maxRetryAfter),
        statuses: [...retry.statuses],
        attemptTimeout: Duration.toMillis(attemptTimeout),
        maxResponseBytes,
        deadline: Duration.toMillis(deadline)
      },
      {
        dialect: { coin: "coin", gas: "gasLimit", feePayer: "feePayer" },
        attempts: 4,
        baseDelay: 200,
        maxDelay: 5000,
        maxRetryAfter: 60_000,
        statuses: [408, 425, 429, 500, 502, 503, 504],
        attemptTimeout: 10_000,
        deadline: 30_000,
        maxResponseBytes: 64 * 1024 * 1024
      }
    )
    assert.strictEqual(rateLimit, RateLimit.unlimited)
  })

  it.effect("fill what is not given, in code and from the environment", () =>
    Effect.gen(function*() {
      const settings = [yield* ClientConfig.make(Client.options), yield* load(complete)]
      for (
        const { attemptTimeout, deadline, feePayerStyle, dialect, maxResponseBytes, rateLimit, retry } of settings
      ) {
        assert.deepStrictEqual(
          { attemptTimeout, deadline, feePayerStyle, dialect, maxResponseBytes, rateLimit, retry },
          ClientConfig.defaults
        )
      }
      assert.deepStrictEqual(settings[0]?.pool, Option.none())
    }))

  it.effect("give way to what is given, in code and from the environment", () =>
    Effect.gen(function*() {
      const rateLimit = yield* RateLimit.make({ limit: 1, interval: "1 second" })
      const given = { retry: RetryPolicy.none, attemptTimeout: "1 second", deadline: "2 seconds", rateLimit } as const
      const settings = [yield* ClientConfig.make({ ...Client.options, ...given }), yield* load(complete, given)]
      for (const one of settings) {
        assert.strictEqual(one.retry, RetryPolicy.none)
        assert.strictEqual(Duration.toMillis(one.attemptTimeout), 1000)
        assert.strictEqual(Duration.toMillis(one.deadline), 2000)
        assert.strictEqual(one.rateLimit, rateLimit)
      }
    }))
})

describe("the configuration in code", () => {
  it.effect("fails with the base address that is refused", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        ClientConfig.make({ ...Client.options, endpoints: { wallet: "http://user:pass@gateway.example" } })
      )
      assert.instanceOf(error, Endpoints.EndpointError)
      assert.include(error.message, "wallet")
      assert.notInclude(error.message, "pass@")
    }))

  it.effect("takes one of the two styles of fee payers, and no other", () =>
    Effect.gen(function*() {
      const settings = yield* ClientConfig.make({ ...Client.options, feePayerStyle: "paths" })
      assert.strictEqual(settings.feePayerStyle, "paths")
      const options: ClientConfig.Options = Object.assign({ ...Client.options }, { feePayerStyle: "field" })
      const error = yield* ClientConfig.make(options).pipe(
        Effect.catchTag("EndpointError", Effect.die),
        Client.failsAs("InvalidInput")
      )
      assert.deepStrictEqual(error.path, ["feePayerStyle"])
      assert.include(error.problem, "document or paths")
    }))

  it.effect("takes a pool of its own chain only", () =>
    Effect.gen(function*() {
      const krn = Either.getOrThrow(Krn.make(pool))
      assert.deepStrictEqual((yield* ClientConfig.make({ ...Client.options, pool: krn })).pool, Option.some(krn))
      const error = yield* ClientConfig.make({ ...Client.options, chain: 8217, pool: krn }).pipe(
        Effect.catchTag("EndpointError", Effect.die),
        Client.failsAs("InvalidInput")
      )
      assert.deepStrictEqual(error.path, ["pool"])
    }))
})

describe("an option of the configuration", () => {
  const wrong: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
    [{ retries: 5 }, ["retries"]],
    [{ attemptTimeOut: "1 second" }, ["attemptTimeOut"]],
    [{ endpoints: { histroy: "http://127.0.0.1:8080" } }, ["endpoints", "histroy"]],
    [{ deadline: "soon" }, ["deadline"]],
    [{ attemptTimeout: {} }, ["attemptTimeout"]],
    [{ maxResponseBytes: 0 }, ["maxResponseBytes"]],
    [{ maxResponseBytes: Number.NaN }, ["maxResponseBytes"]],
    [{ retry: 5 }, ["retry"]],
    [{ retry: { attempts: 3 } }, ["retry"]],
    [{ rateLimit: "none" }, ["rateLimit"]],
    [{ rateLimit: { limit: 5, interval: "1 second" } }, ["rateLimit"]],
    [{ endpoints: { history: new URL("https://gateway.example") } }, ["endpoints", "history"]],
    [{ pool: "krn:1001:wallet:abc:account-pool:default" }, ["pool"]],
    [{ dialect: { coin: "klaytn", gas: "gas", feePayer: "feePayer" } }, ["dialect", "coin"]],
    [{ chain: "1001" }, ["chain"]],
    [{ credentials: "Basic AAAA" }, ["credentials"]]
  ]
  for (const [option, path] of wrong) {
    it.effect(`that does not exist or has an impossible value is refused: ${JSON.stringify(option)}`, () =>
      Effect.gen(function*() {
        const error = yield* ClientConfig.make({ ...Client.options, ...option }).pipe(
          Effect.catchTag("EndpointError", Effect.die),
          Client.failsAs("InvalidInput")
        )
        assert.deepStrictEqual([error.operation, error.path], ["configuration", path])
        assert.notInclude(error.message, "AAAA")
      }))
  }

  it.effect("that is given beside the environment is checked too", () =>
    Effect.gen(function*() {
      // As a program without types could give it.
      const error = yield* Effect.flip(load(complete, { deadline: "soon" } as {}))
      assert.include(String(error), "deadline")
    }))
})

describe("the configuration from the environment", () => {
  it.effect("reads how the service reads the fee payer; the document's way is the default", () =>
    Effect.gen(function*() {
      const of = (variables: Parameters<typeof load>[0]) =>
        Effect.map(load(variables), ({ feePayerStyle }) => feePayerStyle)
      assert.strictEqual(yield* of({ ...complete, KLAYTN_FEE_PAYER_STYLE: " paths " }), "paths")
      assert.strictEqual(yield* of(without("KLAYTN_FEE_PAYER_STYLE")), "document")
      const wrong = yield* Effect.flip(load({ ...complete, KLAYTN_FEE_PAYER_STYLE: "field" }))
      assert.include(String(wrong), "KLAYTN_FEE_PAYER_STYLE")
      assert.notInclude(String(wrong), "\"field\"")
    }))

  it.effect("reads every variable", () =>
    Effect.gen(function*() {
      const settings = yield* load(complete)
      assert.strictEqual(settings.chain, 1001)
      assert.deepStrictEqual({ ...settings.endpoints }, {
        history: "https://history.example",
        tokens: "https://gateway.example/tokens",
        wallet: "http://localhost:8080",
        node: "https://node.example",
        resource: "https://resource.example"
      })
      assert.deepStrictEqual(settings.pool, Option.some(Either.getOrThrow(Krn.make(pool))))
      const credentials = yield* settings.credentials
      assert.strictEqual(Redacted.value(Credentials.authorization(credentials)), authorization)
    }))

  it.effect("needs a chain and a credential and nothing else", () =>
    Effect.gen(function*() {
      const settings = yield* load({ KLAYTN_CHAIN_ID: " 8217 ", KLAYTN_AUTHORIZATION: authorization })
      assert.strictEqual(settings.chain, 8217)
      assert.deepStrictEqual(settings.endpoints, {})
      assert.deepStrictEqual(settings.pool, Option.none())
      const credentials = yield* settings.credentials
      assert.strictEqual(Redacted.value(Credentials.authorization(credentials)), authorization)
    }))

  for (const name of ["KLAYTN_CHAIN_ID", "KLAYTN_ACCESS_KEY_ID", "KLAYTN_SECRET_ACCESS_KEY"] as const) {
    it.effect(`names ${name} when it is missing`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(load(without(name)))
        assert.strictEqual(error._op, "MissingData")
        assert.include(String(error), name)
        for (const other of Object.keys(complete)) if (other !== name) assert.notInclude(String(error), other)
      }))
  }

  it.effect("names everything missing at once, each with its purpose, the service's address included", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Effect.provide(ClientConfig.ClientConfig, ClientConfig.layerConfig({ service: "history" })).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
        )
      )
      assert.strictEqual(
        String(error),
        "(Missing data at KLAYTN_CHAIN_ID: \"the chain of every call, 8217 (mainnet) or 1001 (testnet)\") and " +
          "(Missing data at KLAYTN_ACCESS_KEY_ID: \"the ID of the credential\") and " +
          "(Missing data at KLAYTN_SECRET_ACCESS_KEY: \"the secret of the credential\") and " +
          "(Missing data at KLAYTN_HISTORY_URL: \"the base address of history\")"
      )
    }))

  it.effect("names what is missing and what is wrong together", () =>
    Effect.gen(function*() {
      const error = String(yield* Effect.flip(load({ KLAYTN_CHAIN_ID: "1", KLAYTN_POOL: "pool" })))
      for (const name of ["KLAYTN_CHAIN_ID", "KLAYTN_ACCESS_KEY_ID", "KLAYTN_SECRET_ACCESS_KEY", "KLAYTN_POOL"]) {
        assert.include(error, name)
      }
    }))

  it.effect("takes a provider of credentials in place of those of the environment, and asks it each time", () =>
    Effect.gen(function*() {
      let asked = 0
      const credentials = Effect.suspend(() => {
        asked++
        return Credentials.fromAuthorization(Redacted.make(authorization))
      })
      const settings = yield* load({ KLAYTN_CHAIN_ID: "1001" }, { credentials })
      yield* settings.credentials
      yield* settings.credentials
      assert.strictEqual(asked, 2)
    }))

  const content = "hunter2\u0007"
  const bad: ReadonlyArray<readonly [Variable, { readonly [name in Variable]?: string }]> = [
    ["KLAYTN_CHAIN_ID", { ...complete, KLAYTN_CHAIN_ID: content }],
    ["KLAYTN_CHAIN_ID", { ...complete, KLAYTN_CHAIN_ID: "1" }],
    ["KLAYTN_CHAIN_ID", { ...complete, KLAYTN_CHAIN_ID: "" }],
    ["KLAYTN_ACCESS_KEY_ID", { ...complete, KLAYTN_ACCESS_KEY_ID: content }],
    ["KLAYTN_ACCESS_KEY_ID", { ...complete, KLAYTN_ACCESS_KEY_ID: "hunter2:x" }],
    ["KLAYTN_ACCESS_KEY_ID", { ...complete, KLAYTN_ACCESS_KEY_ID: "" }],
    ["KLAYTN_SECRET_ACCESS_KEY", { ...complete, KLAYTN_SECRET_ACCESS_KEY: "hunter2\r\n" }],
    ["KLAYTN_SECRET_ACCESS_KEY", { ...complete, KLAYTN_SECRET_ACCESS_KEY: "" }],
    ["KLAYTN_AUTHORIZATION", { KLAYTN_CHAIN_ID: "1001", KLAYTN_AUTHORIZATION: `Bearer ${content}` }],
    ["KLAYTN_AUTHORIZATION", { KLAYTN_CHAIN_ID: "1001", KLAYTN_AUTHORIZATION: "Basic aHVudGVyMg==" }],
    ["KLAYTN_AUTHORIZATION", { KLAYTN_CHAIN_ID: "1001", KLAYTN_AUTHORIZATION: "" }],
    ["KLAYTN_AUTHORIZATION", { ...complete, KLAYTN_AUTHORIZATION: authorization }],
    [
      "KLAYTN_AUTHORIZATION",
      { ...without("KLAYTN_ACCESS_KEY_ID"), KLAYTN_AUTHORIZATION: "Basic aHVudGVyMjpodW50ZXIy" }
    ],
    ["KLAYTN_HISTORY_URL", { ...complete, KLAYTN_HISTORY_URL: "http://hunter2.example" }],
    ["KLAYTN_TOKENS_URL", { ...complete, KLAYTN_TOKENS_URL: "https://me:hunter2@gateway.example" }],
    ["KLAYTN_WALLET_URL", { ...complete, KLAYTN_WALLET_URL: "https://gateway.example/?key=hunter2" }],
    ["KLAYTN_NODE_URL", { ...complete, KLAYTN_NODE_URL: "" }],
    ["KLAYTN_RESOURCE_URL", { ...complete, KLAYTN_RESOURCE_URL: "hunter2" }],
    ["KLAYTN_POOL", { ...complete, KLAYTN_POOL: "krn:hunter2" }],
    ["KLAYTN_POOL", { ...complete, KLAYTN_CHAIN_ID: "8217" }]
  ]
  for (const [name, variables] of bad) {
    it.effect(`names ${name} and shows no content of ${JSON.stringify(variables[name])}`, () =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(load(variables))
        assert.isTrue(Exit.isFailure(exit))
        if (Exit.isSuccess(exit)) return
        const error = yield* Effect.flip(load(variables))
        assert.strictEqual(error._op, "InvalidData")
        if (error._op === "InvalidData") assert.deepStrictEqual(error.path, [name])
        const shown = [
          String(error),
          String(exit.cause),
          Cause.pretty(exit.cause, { renderErrorCause: true }),
          JSON.stringify(exit),
          inspect(exit, { depth: null, showHidden: true }),
          inspect(Cause.squash(exit.cause), { depth: null, showHidden: true })
        ].join("\n")
        assert.include(shown, name)
        for (const secret of ["hunter2", "aHVudGVyMg", "not-a-secret", "KASK0EXAMPLE", "S0FTSzBF"]) {
          assert.notInclude(shown, secret)
        }
      }))
  }
})

describe("a chain that does not exist", () => {
  it.effect("is refused when the configuration is made, before anything is sent", () =>
    Effect.gen(function*() {
      for (const chain of [1, "8217", undefined, null, 8217n]) {
        const options: unknown = { ...Client.options, chain }
        const error = yield* ClientConfig.make(options as ClientConfig.Options).pipe(Effect.flip)
        assert.isTrue(error._tag === "InvalidInput")
        if (error._tag === "InvalidInput") assert.deepStrictEqual(error.path, ["chain"])
      }
    }))
})
