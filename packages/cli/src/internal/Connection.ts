/** What the commands reach the service with: the environment, or a sandbox of their own. */
import type * as Chain from "@effect-klaytn/core/Chain"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import type * as Endpoints from "@effect-klaytn/core/Endpoints"
import type * as ConfigError from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Failure } from "./Failure.js"
import * as sandbox from "./sandbox.js"
import type { Shared } from "./shared.js"

/** The environment, with what the options replace. */
export const provider =
  ({ chain }: Pick<Shared, "chain">) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Option.match(chain, {
      onNone: () => self,
      onSome: (id) =>
        Effect.configProviderWith((environment) =>
          Effect.withConfigProvider(
            self,
            ConfigProvider.orElse(ConfigProvider.fromMap(new Map([["KLAYTN_CHAIN_ID", id]])), () => environment)
          )
        )
    })

const sandboxConfig = (
  chain: Chain.Chain,
  behaviour: ClientConfig.Behaviour
): Effect.Effect<ClientConfig.Settings, Failure, Scope.Scope> =>
  Effect.flatMap(sandbox.start(chain), ({ accessKeyId, secretAccessKey, url }) =>
    ClientConfig.make({
      ...behaviour,
      chain,
      credentials: Effect.suspend(() => Credentials.fromPair({ accessKeyId, secretAccessKey })),
      endpoints: { history: url, tokens: url, wallet: url, node: url, resource: url }
    }).pipe(Effect.mapError(({ message }) => new Failure({ message, kind: "Sandbox", exit: "refused" }))))

/** The configuration of the clients. Without a sandbox, the address of `service` has to be set. */
export const config = (
  shared: Shared,
  service: Endpoints.Service,
  behaviour: ClientConfig.Behaviour = {}
): Layer.Layer<ClientConfig.ClientConfig, Failure | ConfigError.ConfigError> => {
  if (shared.sandbox) {
    const chain = Option.match(shared.chain, { onNone: () => 1001, onSome: Number }) === 8217 ? 8217 : 1001
    return Layer.scoped(ClientConfig.ClientConfig, sandboxConfig(chain, behaviour))
  }
  return Layer.unwrapEffect(
    Effect.map(
      provider(shared)(Layer.build(ClientConfig.layerConfig({ ...behaviour, service })).pipe(Effect.scoped)),
      Layer.succeedContext
    )
  )
}
