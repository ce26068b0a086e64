/**
 * The configuration that all clients of the service share.
 *
 * **Details**
 *
 * The chain, the credential and the base addresses of the services in use are required. Everything else has a default:
 *
 * | Setting | Default | Origin |
 * | --- | --- | --- |
 * | `dialect` | `WireDialect.document` | the service's API document |
 * | `feePayerStyle` | `document` | the service's API document |
 * | `pool` | none: the service takes the customer's default pool | the API document; that it is optional was seen |
 * | `retry.attempts` | 4 | this SDK |
 * | `retry.baseDelay`, `retry.maxDelay` | 200 ms doubling to 5 s, full jitter | this SDK |
 * | `retry.maxRetryAfter` | 60 s | this SDK |
 * | `retry.statuses` | 408, 425, 429, 500, 502, 503, 504 | this SDK |
 * | `attemptTimeout` | 10 s | this SDK |
 * | `deadline` | 30 s | this SDK |
 * | `maxResponseBytes` | 64 MiB | this SDK |
 * | `rateLimit` | none | the service documents no limits |
 *
 * **Example** (configuration in code)
 *
 * ```ts
 * import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
 * import * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 *
 * export const Config = ClientConfig.layer({
 *   chain: 1001,
 *   credentials: Effect.suspend(() =>
 *     Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make("not-a-secret") })
 *   ),
 *   endpoints: { history: "http://127.0.0.1:8080" }
 * })
 * ```
 */
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Chain } from "./Chain.js"
import type * as Credentials from "./Credentials.js"
import * as Endpoints from "./Endpoints.js"
import { FeePayerStyle } from "./FeePayerStyle.js"
import * as Input from "./Input.js"
import * as environment from "./internal/config/environment.js"
import type { Krn } from "./Krn.js"
import * as RateLimit from "./RateLimit.js"
import * as RetryPolicy from "./RetryPolicy.js"
import { InvalidInput } from "./ServiceError.js"
import * as WireDialect from "./WireDialect.js"

/**
 * Settings that have a default; see the table at the top of this module.
 *
 * @category models
 */
export interface Behaviour {
  /** Which spelling to send where the API document and the service's public clients differ. */
  readonly dialect?: WireDialect.WireDialect | undefined
  /** When and how failed attempts are repeated. */
  readonly retry?: RetryPolicy.RetryPolicy | undefined
  /** Time limit of one attempt, from reading the credential to the decoded answer. */
  readonly attemptTimeout?: Duration.DurationInput | undefined
  /** Time limit of one call, including all its attempts and waits. */
  readonly deadline?: Duration.DurationInput | undefined
  /**
   * Maximum size of a response body in bytes, after decompression. A longer one is not read to its end: the call fails
   * as `MalformedResponse`, or as `OutcomeUnknown` if it changes something. A page of 1000 records has less than one
   * MiB.
   */
  readonly maxResponseBytes?: number | undefined
  /** Rate limit of the attempts. */
  readonly rateLimit?: RateLimit.RateLimit | undefined
}

/**
 * Options that a program sets in addition to the environment. `credentials` replaces the credential of the environment,
 * for example with a provider that reads it again for every attempt, for rotation.
 *
 * @category models
 */
export interface EnvironmentOptions extends Behaviour {
  readonly credentials?: Credentials.Provider | undefined
}

/**
 * The options of {@link make} and {@link layer}.
 *
 * @category models
 */
export interface Options extends Behaviour {
  /** The chain of every call: 8217 (mainnet) or 1001 (testnet). */
  readonly chain: Chain
  /** Read again inside every attempt, so that rotation works. */
  readonly credentials: Credentials.Provider
  /** Base addresses of the services in use. */
  readonly endpoints: { readonly [service in Endpoints.Service]?: string | undefined }
  /** How the service reads the fee payer of a value transfer. Defaults to `document`. */
  readonly feePayerStyle?: FeePayerStyle | undefined
  /** The account pool of wallet calls; it must be on the chain `chain`. */
  readonly pool?: Krn | undefined
}

/**
 * The complete configuration, with defaults filled in.
 *
 * @category models
 */
export interface Settings {
  readonly chain: Chain
  readonly credentials: Credentials.Provider
  readonly endpoints: Endpoints.Endpoints
  readonly feePayerStyle: FeePayerStyle
  readonly dialect: WireDialect.WireDialect
  readonly pool: Option.Option<Krn>
  readonly retry: RetryPolicy.RetryPolicy
  readonly attemptTimeout: Duration.Duration
  readonly deadline: Duration.Duration
  readonly maxResponseBytes: number
  readonly rateLimit: RateLimit.RateLimit
}

/**
 * The configuration as a service.
 *
 * @category services
 */
export class ClientConfig extends Context.Tag("@effect-klaytn/core/ClientConfig")<ClientConfig, Settings>() {}

/**
 * The defaults of {@link Behaviour}, and of `feePayerStyle`.
 *
 * @category constants
 */
export const defaults: Omit<Settings, "chain" | "credentials" | "endpoints" | "pool"> = {
  feePayerStyle: environment.defaultStyle,
  dialect: WireDialect.document,
  retry: RetryPolicy.defaultPolicy,
  attemptTimeout: Duration.seconds(10),
  deadline: Duration.seconds(30),
  maxResponseBytes: 64 * 1024 * 1024,
  rateLimit: RateLimit.unlimited
}

const Time = Input.duration("expected a duration such as \"10 seconds\"")

/** A value that only a constructor makes, recognised by one of its fields. */
const madeBy = <A extends object>(constructor: string, field: keyof A) =>
  Schema.declare((value: unknown): value is A => Predicate.hasProperty(value, field), {
    message: () => `expected what ${constructor} makes`
  })

const withDefault = <Name extends keyof typeof defaults, I>(
  name: Name,
  schema: Schema.Schema<(typeof defaults)[Name], I>
) => Schema.optionalWith(schema, { default: () => defaults[name] })

const behaviour = {
  dialect: withDefault("dialect", Schema.typeSchema(WireDialect.WireDialect)),
  retry: withDefault(
    "retry",
    madeBy<RetryPolicy.RetryPolicy>("RetryPolicy.make", "statuses").pipe(
      Schema.filter((policy) =>
        Either.match(RetryPolicy.check("configuration", policy), {
          onLeft: ({ path, problem }) => ({ path: path.slice(1), message: problem }),
          onRight: () => undefined
        })
      )
    )
  ),
  attemptTimeout: withDefault("attemptTimeout", Time),
  deadline: withDefault("deadline", Time),
  maxResponseBytes: withDefault("maxResponseBytes", Input.CountOrInfinity),
  rateLimit: withDefault("rateLimit", madeBy<RateLimit.RateLimit>("RateLimit.make", "reserve"))
}

const readBehaviour = Input.decode("configuration", Schema.Struct(behaviour))

const readOptions = Input.decode(
  "configuration",
  Schema.Struct({
    ...behaviour,
    chain: Input.oneOf(Chain, "a chain is 8217 (mainnet) or 1001 (testnet), as a number"),
    credentials: Schema.declare(Effect.isEffect).annotations({ message: () => "credentials is an effect" }),
    endpoints: Schema.Struct(
      Record.fromIterableWith(Endpoints.services, (service) => [service, Schema.optional(Schema.String)])
    ),
    pool: Schema.optional(madeBy<Krn>("Krn.make", "resourceType")),
    feePayerStyle: withDefault("feePayerStyle", Input.oneOf(FeePayerStyle, environment.styleProblem))
  })
)

/**
 * Checks options and fills in the defaults. Fails as `InvalidInput` for an option that does not exist or has a value that it
 * can't have, and if the pool belongs to another chain; as `EndpointError` for the first base address that is refused.
 *
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Settings, Endpoints.EndpointError | InvalidInput> =>
  Effect.gen(function*() {
    const { pool, ...settings } = yield* readOptions(options)
    const endpoints = yield* Endpoints.make(settings.endpoints)
    if (pool !== undefined && pool.chain !== settings.chain) {
      const problem = `it belongs to chain ${pool.chain}, and the calls would go to chain ${settings.chain}`
      return yield* InvalidInput.at("configuration", ["pool"], problem)
    }
    return { ...settings, endpoints, credentials: options.credentials, pool: Option.fromNullable(pool) }
  })

/**
 * Makes the configuration from code.
 *
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<ClientConfig, Endpoints.EndpointError | InvalidInput> => Layer.effect(ClientConfig, make(options))

/**
 * Provides an effect with a configuration of its own, for example to make a client: to use a second network in one
 * program, make a second client.
 *
 * **Example** (a client of the testnet)
 *
 * ```ts
 * import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
 * import type * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
 *
 * declare const credentials: Credentials.Provider
 *
 * export const testnet = ServiceClient.make("history").pipe(
 *   ClientConfig.provide({ chain: 1001, credentials, endpoints: { history: "http://127.0.0.1:8080" } })
 * )
 * ```
 *
 * @category combinators
 */
export const provide = (
  options: Options
): <A, E, R>(
  self: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Endpoints.EndpointError | InvalidInput, Exclude<R, ClientConfig>> =>
  Effect.provideServiceEffect(ClientConfig, make(options))

/**
 * Makes the configuration from the environment (or any other `ConfigProvider`).
 *
 * **Details**
 *
 * | Variable | Meaning |
 * | --- | --- |
 * | `KLAYTN_CHAIN_ID` | `8217` or `1001`; required |
 * | `KLAYTN_ACCESS_KEY_ID`, `KLAYTN_SECRET_ACCESS_KEY` | the credential, or |
 * | `KLAYTN_AUTHORIZATION` | the complete header value, `Basic ...`; one of the two forms is required, not both |
 * | `KLAYTN_HISTORY_URL`, `KLAYTN_TOKENS_URL`, `KLAYTN_WALLET_URL`, `KLAYTN_NODE_URL`, `KLAYTN_RESOURCE_URL` | base addresses; each is needed only by its own client |
 * | `KLAYTN_FEE_PAYER_STYLE` | how the service reads the fee payer of a value transfer: `document` (the default) or `paths`, see `FeePayerStyle` |
 * | `KLAYTN_POOL` | the account pool of wallet calls, a KRN |
 *
 * If anything is missing or wrong, it fails with one `ConfigError` that names every such variable and its purpose, and
 * never its value. The credential is read from the environment once, when the layer is built; pass `credentials` for
 * one that is read again inside every attempt.
 *
 * @category layers
 */
export const layerConfig = (
  options: EnvironmentOptions & { readonly service?: Endpoints.Service | undefined } = {}
): Layer.Layer<ClientConfig, ConfigError.ConfigError> =>
  Layer.effect(
    ClientConfig,
    Effect.gen(function*() {
      const found = yield* Effect.mapError(
        readBehaviour(Struct.pick(options, ...Struct.keys(behaviour))),
        ({ path, problem }) => ConfigError.InvalidData(path.map(String), problem)
      )
      const settings = yield* environment.settings(options)
      return { ...settings, ...found }
    })
  )
