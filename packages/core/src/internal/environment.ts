/** The settings that come from the environment: each complaint names its variable and never shows its content. */
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
import * as Krn from "../Krn.js"

const refused = (name: string, problem: string) => ConfigError.InvalidData([name], problem)

const optional = <A>(
  name: string,
  read: (text: string) => Either.Either<A, string>
): Config.Config<Option.Option<A>> =>
  Config.redacted(name).pipe(
    Config.mapOrFail((text) => Either.mapLeft(read(Redacted.value(text)), (problem) => refused(name, problem))),
    Config.option
  )

const required = <A>(name: string, read: (text: string) => Either.Either<A, string>): Config.Config<A> =>
  Config.redacted(name).pipe(
    Config.mapOrFail((text) => Either.mapLeft(read(Redacted.value(text)), (problem) => refused(name, problem)))
  )

const chain = required("KLAYTN_CHAIN_ID", (text) =>
  Either.mapLeft(
    Schema.decodeUnknownEither(Chain.FromString)(text.trim()),
    () => "has to be 8217 (mainnet) or 1001 (testnet)"
  ))

const address = (name: string) =>
  optional(name, (text) => Either.mapLeft(Endpoints.endpoint(text.trim()), (error) => error.problem))

const endpoints = Config.all({
  history: address("KLAYTN_HISTORY_URL"),
  tokens: address("KLAYTN_TOKENS_URL"),
  wallet: address("KLAYTN_WALLET_URL"),
  node: address("KLAYTN_NODE_URL"),
  resource: address("KLAYTN_RESOURCE_URL")
}).pipe(
  Config.map((found): Endpoints.Endpoints => ({
    ...(Option.isSome(found.history) ? { history: found.history.value } : {}),
    ...(Option.isSome(found.tokens) ? { tokens: found.tokens.value } : {}),
    ...(Option.isSome(found.wallet) ? { wallet: found.wallet.value } : {}),
    ...(Option.isSome(found.node) ? { node: found.node.value } : {}),
    ...(Option.isSome(found.resource) ? { resource: found.resource.value } : {})
  }))
)

const pool = optional(
  "KLAYTN_POOL",
  (text) =>
    Either.mapLeft(Krn.make(text), () => "has to be a resource name: krn:{chain}:{service}:{account}:{type}:{id}")
)

const secret = (name: string) => Config.option(Config.redacted(name))

const credentials: Effect.Effect<Credentials.Credentials, ConfigError.ConfigError> = Effect.gen(function*() {
  const ready = yield* secret("KLAYTN_AUTHORIZATION")
  const accessKeyId = yield* secret("KLAYTN_ACCESS_KEY_ID")
  const secretAccessKey = yield* secret("KLAYTN_SECRET_ACCESS_KEY")
  if (Option.isSome(ready)) {
    if (Option.isSome(accessKeyId) || Option.isSome(secretAccessKey)) {
      return yield* Effect.fail(
        refused(
          "KLAYTN_AUTHORIZATION",
          "is set beside KLAYTN_ACCESS_KEY_ID or KLAYTN_SECRET_ACCESS_KEY: give the credential in one form only"
        )
      )
    }
    return yield* Either.mapLeft(
      Credentials.fromAuthorization(ready.value),
      (error) => refused("KLAYTN_AUTHORIZATION", error.message)
    )
  }
  return yield* Either.mapLeft(
    Credentials.fromPair({
      accessKeyId: Redacted.value(yield* Config.redacted("KLAYTN_ACCESS_KEY_ID")),
      secretAccessKey: yield* Config.redacted("KLAYTN_SECRET_ACCESS_KEY")
    }),
    (error) =>
      refused(error.message.includes("secret") ? "KLAYTN_SECRET_ACCESS_KEY" : "KLAYTN_ACCESS_KEY_ID", error.message)
  )
})

const samePoolChain = (
  chain: Chain.Chain,
  pool: Option.Option<Krn.Krn>
): Effect.Effect<void, ConfigError.ConfigError> =>
  Option.isSome(pool) && pool.value.chain !== chain
    ? Effect.fail(refused("KLAYTN_POOL", "belongs to another chain than KLAYTN_CHAIN_ID"))
    : Effect.void

/** Chain, credential, base addresses and pool. */
export const settings = Effect.gen(function*() {
  const chainId = yield* chain
  const found = yield* credentials
  const accountPool = yield* pool
  yield* samePoolChain(chainId, accountPool)
  return {
    chain: chainId,
    credentials: Effect.succeed(found),
    endpoints: yield* endpoints,
    pool: accountPool
  }
})
