/**
 * Reads the settings from the environment. Everything missing or wrong is reported at once, each by the name of its
 * variable and its purpose. Values are never shown, since a secret may be in the wrong variable.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Chain from "../../Chain.js"
import * as Credentials from "../../Credentials.js"
import * as Endpoints from "../../Endpoints.js"
import { FeePayerStyle } from "../../FeePayerStyle.js"
import * as Krn from "../../Krn.js"

/** Reads a variable with `parse`. */
const variable = <A, E>(
  name: string,
  parse: (text: string) => Either.Either<A, E>,
  problem: (error: E) => string
): Config.Config<A> =>
  Config.mapOrFail(
    Config.string(name),
    (text) => Either.mapLeft(parse(text), (error) => ConfigError.InvalidData([], problem(error)))
  )

/** Reads a text without the whitespace around it. */
const trimmed = <A, I>(schema: Schema.Schema<A, I>) => (text: string) => Schema.decodeUnknownEither(schema)(text.trim())

const required = <A>(name: string, meaning: string, config: Config.Config<A>): Config.Config<A> =>
  Config.mapOrFail(Config.option(config), Either.fromOption(() => ConfigError.MissingData([name], meaning)))

export const chain = required(
  "KLAYTN_CHAIN_ID",
  "the chain of every call, 8217 (mainnet) or 1001 (testnet)",
  variable("KLAYTN_CHAIN_ID", trimmed(Chain.FromString), () => "has to be 8217 (mainnet) or 1001 (testnet)")
)

export const styleProblem = "has to be document or paths: how the service reads the fee payer of a value transfer"

export const defaultStyle: FeePayerStyle = "document"

const feePayerStyle = Config.withDefault(
  variable("KLAYTN_FEE_PAYER_STYLE", trimmed(FeePayerStyle), () => styleProblem),
  defaultStyle
)

const pool = Config.option(variable(
  "KLAYTN_POOL",
  Krn.make,
  () => "has to be a resource name: krn:{chain}:{service}:{account}:{type}:{id}"
))

/** Chain and pool together, since the pool has to be on the chain. */
const chainAndPool = Config.mapOrFail(
  Config.all({ chain, pool }),
  (read) =>
    Option.exists(read.pool, ({ chain }) => chain !== read.chain)
      ? Either.left(ConfigError.InvalidData(["KLAYTN_POOL"], "belongs to another chain than KLAYTN_CHAIN_ID"))
      : Either.right(read)
)

/** The base addresses that are set. The address of the service `needed` is required. */
const endpointsFor = (needed: Endpoints.Service | undefined): Config.Config<Endpoints.Endpoints> => {
  const address = (service: Endpoints.Service): Config.Config<Option.Option<Endpoints.Endpoint>> => {
    const name = Endpoints.variable(service)
    const read = variable(name, (text) => Endpoints.endpoint(text.trim()), ({ problem }) => problem)
    return service === needed
      ? Config.map(required(name, `the base address of ${service}`, read), Option.some)
      : Config.option(read)
  }
  return Config.map(
    Config.all(Record.fromIterableWith(Endpoints.services, (service) => [service, address(service)])),
    Record.getSomes
  )
}

/** Reads the credential in one of its two forms. */
const credential = Config.mapOrFail(
  Config.all([
    Config.option(Config.string("KLAYTN_AUTHORIZATION")),
    Config.option(Config.string("KLAYTN_ACCESS_KEY_ID")),
    Config.option(Config.string("KLAYTN_SECRET_ACCESS_KEY"))
  ]),
  ([ready, id, secret]): Either.Either<Credentials.Credentials, ConfigError.ConfigError> => {
    if (Option.isSome(ready)) {
      const refused = (problem: string) => ConfigError.InvalidData(["KLAYTN_AUTHORIZATION"], problem)
      return Option.isSome(id) || Option.isSome(secret)
        ? Either.left(refused(
          "is set together with KLAYTN_ACCESS_KEY_ID or KLAYTN_SECRET_ACCESS_KEY: give the credential in one form only"
        ))
        : Either.mapLeft(Credentials.fromAuthorization(Redacted.make(ready.value)), ({ message }) => refused(message))
    }
    const noId = ConfigError.MissingData(["KLAYTN_ACCESS_KEY_ID"], "the ID of the credential")
    const noSecret = ConfigError.MissingData(["KLAYTN_SECRET_ACCESS_KEY"], "the secret of the credential")
    if (Option.isNone(id)) return Either.left(Option.isNone(secret) ? ConfigError.And(noId, noSecret) : noId)
    if (Option.isNone(secret)) return Either.left(noSecret)
    return Either.mapLeft(
      Credentials.fromPair({ accessKeyId: id.value, secretAccessKey: Redacted.make(secret.value) }),
      ({ message }) =>
        ConfigError.InvalidData(
          [message.includes("secret") ? "KLAYTN_SECRET_ACCESS_KEY" : "KLAYTN_ACCESS_KEY_ID"],
          message
        )
    )
  }
)

/**
 * Reads chain, credential, base addresses, fee payer style and pool. The base address of `service` is required;
 * `credentials` replaces the credential of the environment.
 */
export const settings = ({ credentials, service }: {
  readonly service?: Endpoints.Service | undefined
  readonly credentials?: Credentials.Provider | undefined
}) =>
  Config.map(
    Config.all({
      chainAndPool,
      credentials: credentials === undefined
        ? Config.map(credential, (found): Credentials.Provider => Effect.succeed(found))
        : Config.succeed(credentials),
      endpoints: endpointsFor(service),
      feePayerStyle
    }),
    ({ chainAndPool, ...others }) => ({ ...chainAndPool, ...others })
  )
