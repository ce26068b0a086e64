/**
 * Reads the settings from the environment. Everything missing or wrong is reported at once, each by the name of its
 * variable and its purpose. Values are never shown, since a secret may be in the wrong variable.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Chain from "../Chain.js"
import * as Credentials from "../Credentials.js"
import * as Endpoints from "../Endpoints.js"
import { FeePayerStyle } from "../FeePayerStyle.js"
import * as Krn from "../Krn.js"

/** The value of a variable, or what is wrong with it. */
type Variable<A> = Either.Either<A, ConfigError.ConfigError>

const refused = (name: string, problem: string): Variable<never> =>
  Either.left(ConfigError.InvalidData([name], problem))

const missing = (name: string, meaning: string): Variable<never> =>
  Either.left(ConfigError.MissingData([name], meaning))

/** All that is wrong with several variables, in one error. */
const allErrors = (reads: ReadonlyArray<Variable<unknown>>): Variable<void> => {
  const [first, ...others] = reads.flatMap((read) => Either.isLeft(read) ? [read.left] : [])
  return first === undefined ? Either.void : Either.left(others.reduce(ConfigError.And, first))
}

/** The value of a variable, if it is set. */
const content = (name: string): Effect.Effect<Variable<Option.Option<string>>> =>
  Effect.match(Config.string(name), {
    onFailure: (error) => ConfigError.isMissingDataOnly(error) ? Either.right(Option.none()) : Either.left(error),
    onSuccess: (text) => Either.right(Option.some(text))
  })

const optional = <A>(
  name: string,
  parse: (text: string) => Either.Either<A, string>
): Effect.Effect<Variable<Option.Option<A>>> =>
  Effect.map(content(name), (read) =>
    Either.flatMap(
      read,
      Option.match({
        onNone: (): Variable<Option.Option<A>> => Either.right(Option.none()),
        onSome: (text) =>
          Either.match(parse(text), {
            onLeft: (problem) => refused(name, problem),
            onRight: (value) => Either.right(Option.some(value))
          })
      })
    ))

const required = <A>(name: string, meaning: string, read: Variable<Option.Option<A>>): Variable<A> =>
  Either.flatMap(
    read,
    Option.match({
      onNone: () => missing(name, meaning),
      onSome: (value): Variable<A> => Either.right(value)
    })
  )

const chain = Effect.map(
  optional("KLAYTN_CHAIN_ID", (text) =>
    Either.mapLeft(
      Schema.decodeUnknownEither(Chain.FromString)(text.trim()),
      () => "has to be 8217 (mainnet) or 1001 (testnet)"
    )),
  (read) => required("KLAYTN_CHAIN_ID", "the chain of every call, 8217 (mainnet) or 1001 (testnet)", read)
)

export const styleProblem = "has to be document or paths: how the service reads the fee payer of a value transfer"

const feePayerStyle = optional(
  "KLAYTN_FEE_PAYER_STYLE",
  (text) => Either.mapLeft(Schema.decodeUnknownEither(FeePayerStyle)(text.trim()), () => styleProblem)
)

const pool = optional(
  "KLAYTN_POOL",
  (text) =>
    Either.mapLeft(Krn.make(text), () => "has to be a resource name: krn:{chain}:{service}:{account}:{type}:{id}")
)

const addressOf = (
  service: Endpoints.Service,
  isNeeded: boolean
): Effect.Effect<Variable<Option.Option<Endpoints.Endpoint>>> => {
  const name = Endpoints.variable(service)
  const read = optional(name, (text) => Either.mapLeft(Endpoints.endpoint(text.trim()), (error) => error.problem))
  return isNeeded
    ? Effect.map(read, (found) => Either.map(required(name, `the base address of ${service}`, found), Option.some))
    : read
}

const endpointsFor = (needed: Endpoints.Service | undefined): Effect.Effect<Variable<Endpoints.Endpoints>> =>
  Effect.map(
    Effect.forEach(
      Endpoints.services,
      (service) => Effect.map(addressOf(service, service === needed), (read) => [service, read] as const)
    ),
    (all) => {
      const endpoints: { [service in Endpoints.Service]?: Endpoints.Endpoint } = {}
      for (const [service, read] of all) {
        if (Either.isRight(read) && Option.isSome(read.right)) {
          endpoints[service] = read.right.value
        }
      }
      return Either.map(allErrors(all.map(([_, read]) => read)), () => endpoints)
    }
  )

const credential: Effect.Effect<Variable<Credentials.Credentials>> = Effect.gen(function*() {
  const parts = yield* Effect.all([
    content("KLAYTN_AUTHORIZATION"),
    content("KLAYTN_ACCESS_KEY_ID"),
    content("KLAYTN_SECRET_ACCESS_KEY")
  ])
  const read = Either.all(parts)
  if (Either.isLeft(read)) return Either.left(read.left)
  const [ready, accessKeyId, secretAccessKey] = read.right
  if (Option.isSome(ready)) {
    return Option.isSome(accessKeyId) || Option.isSome(secretAccessKey)
      ? refused(
        "KLAYTN_AUTHORIZATION",
        "is set together with KLAYTN_ACCESS_KEY_ID or KLAYTN_SECRET_ACCESS_KEY: give the credential in one form only"
      )
      : Either.match(Credentials.fromAuthorization(Redacted.make(ready.value)), {
        onLeft: (error) => refused("KLAYTN_AUTHORIZATION", error.message),
        onRight: (credentials): Variable<Credentials.Credentials> => Either.right(credentials)
      })
  }
  const id = required("KLAYTN_ACCESS_KEY_ID", "the ID of the credential", Either.right(accessKeyId))
  const secret = required("KLAYTN_SECRET_ACCESS_KEY", "the secret of the credential", Either.right(secretAccessKey))
  const both = allErrors([id, secret])
  if (Either.isLeft(both)) return Either.left(both.left)
  if (Either.isLeft(id)) return Either.left(id.left)
  if (Either.isLeft(secret)) return Either.left(secret.left)
  return Either.match(Credentials.fromPair({ accessKeyId: id.right, secretAccessKey: Redacted.make(secret.right) }), {
    onLeft: (error) =>
      refused(error.message.includes("secret") ? "KLAYTN_SECRET_ACCESS_KEY" : "KLAYTN_ACCESS_KEY_ID", error.message),
    onRight: (credentials): Variable<Credentials.Credentials> => Either.right(credentials)
  })
})

const samePoolChain = (chain: Variable<Chain.Chain>, pool: Variable<Option.Option<Krn.Krn>>): Variable<void> =>
  Either.isRight(chain) && Either.isRight(pool) && Option.isSome(pool.right) && pool.right.value.chain !== chain.right
    ? refused("KLAYTN_POOL", "belongs to another chain than KLAYTN_CHAIN_ID")
    : Either.void

/**
 * Reads chain, credential, base addresses, fee payer style and pool. The base address of `service` is required; `credentials` replaces
 * the credential of the environment.
 */
export const settings = (options: {
  readonly service?: Endpoints.Service | undefined
  readonly credentials?: Credentials.Provider | undefined
}) =>
  Effect.gen(function*() {
    const { credentials, service } = options
    const read = {
      chain: yield* chain,
      credentials: credentials === undefined
        ? Either.map(yield* credential, (found): Credentials.Provider => Effect.succeed(found))
        : Either.right(credentials),
      endpoints: yield* endpointsFor(service),
      feePayerStyle: yield* feePayerStyle,
      pool: yield* pool
    }
    yield* allErrors([...Object.values(read), samePoolChain(read.chain, read.pool)])
    return yield* Either.all(read)
  })
