/** What the commands reach the service with: the environment, or a sandbox of their own. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import type * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Shared } from "../frame/shared.js"
import { Failure } from "../terminal/Failure.js"
import * as sandbox from "./sandbox.js"

/** The environment, with what the options replace. */
export const provider =
  ({ chain }: Pick<Shared, "chain">) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    chain === undefined ? self : Effect.configProviderWith((environment) =>
      Effect.withConfigProvider(
        self,
        ConfigProvider.orElse(ConfigProvider.fromMap(new Map([["KLAYTN_CHAIN_ID", chain]])), () => environment)
      )
    )

/** The configuration of the clients. Without a sandbox, the address of `service` has to be set. */
export const open = Effect.fnUntraced(
  function*(shared: Shared, service: Endpoints.Service, behaviour: ClientConfig.Behaviour = {}) {
    if (!shared.sandbox) {
      const config = yield* ClientConfig.ClientConfig.pipe(
        Effect.provide(ClientConfig.layerConfig({ ...behaviour, service })),
        provider(shared)
      )
      return { config, sandbox: undefined }
    }
    const chain = shared.chain === "8217" ? 8217 : 1001
    const started = yield* sandbox.start(chain)
    const { accessKeyId, feePayerStyle, secretAccessKey, url } = started
    const config = yield* ClientConfig.make({
      ...behaviour,
      chain,
      credentials: Effect.suspend(() => Credentials.fromPair({ accessKeyId, secretAccessKey })),
      endpoints: { history: url, tokens: url, wallet: url, node: url, resource: url },
      feePayerStyle
    }).pipe(Effect.mapError(({ message }) => new Failure({ message, kind: "Sandbox", exit: "refused" })))
    return { config, sandbox: started }
  }
)

/** A configuration, and the sandbox that was started for it, if one was. */
export type Connection = Effect.Effect.Success<ReturnType<typeof open>>

/** The same as a layer. */
export const config = (...args: Parameters<typeof open>) =>
  Layer.scoped(ClientConfig.ClientConfig, Effect.map(open(...args), ({ config }) => config))
