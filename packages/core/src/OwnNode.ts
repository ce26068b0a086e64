/**
 * A node of your own, or of any provider, instead of the service's: any address, with or without a credential.
 *
 * **Details**
 *
 * Requests go to the address as it is, without `/v1/klaytn`. The address may contain a key in its path or query, and a
 * user name and password, which are sent as HTTP Basic. All of these are secrets: a configuration shows only the host,
 * and errors are redacted. The chain is not checked by a call; compare `eth_chainId` if the address may be wrong.
 *
 * **Example** (a node client for a provider with a key in its path)
 *
 * ```ts
 * import * as OwnNode from "@effect-klaytn/core/OwnNode"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 * import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
 * import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
 * import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
 *
 * export const height = Effect.gen(function*() {
 *   const node = yield* ServiceClient.make("node")
 *   return yield* JsonRpc.call(node, { method: "klay_blockNumber", params: [], result: BigIntFromQuantity })
 * }).pipe(
 *   Effect.provide(OwnNode.layer({ chain: 8217, url: Redacted.make("https://node.example/v1/my-key") })),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 */
import * as Brand from "effect/Brand"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Chain from "./Chain.js"
import * as ClientConfig from "./ClientConfig.js"
import type * as Endpoints from "./Endpoints.js"
import * as authorization from "./internal/config/authorization.js"
import * as environment from "./internal/config/environment.js"
import * as httpAddress from "./internal/config/httpAddress.js"
import { InvalidInput } from "./ServiceError.js"

/**
 * Options of {@link make} and {@link layer}.
 *
 * @category models
 */
export interface Options extends ClientConfig.Behaviour {
  /** The chain of the node: 8217 (mainnet) or 1001 (testnet). */
  readonly chain: Chain.Chain
  /**
   * The address of the node's JSON-RPC. With an `authorization` or a password in the address it must be `https`, except
   * on the loopback hosts.
   */
  readonly url: string | Redacted.Redacted<string>
  /** The value of the `Authorization` header, such as `Bearer ...` or `Basic ...`. Default: no such header. */
  readonly authorization?: Redacted.Redacted<string> | undefined
}

const trusted = Brand.nominal<Endpoints.Endpoint>()

const refused = (field: string, problem: string) => InvalidInput.at("configuration", [field], problem)

const decoded = Option.liftThrowable(decodeURIComponent)

const parse = (address: Options["url"]): URL | string => {
  const text: unknown = Redacted.isRedacted(address) ? Redacted.value(address) : address
  if (typeof text !== "string") return "it is neither a string nor a Redacted string"
  return Option.isNone(decoded(text)) ? "it contains a % that begins no character in UTF-8" : httpAddress.parse(text)
}

/** The `Authorization` header of an address with a user name or a password. */
const basicOf = ({ password, username }: URL): string =>
  username === "" && password === ""
    ? ""
    : `Basic ${authorization.tokenOf(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`

const headerOf = (given: Redacted.Redacted<string> | undefined, url: URL): Effect.Effect<string, InvalidInput> => {
  const inUrl = basicOf(url)
  const refuse = (problem: string) => refused("authorization", problem)
  if (given === undefined) return Effect.succeed(inUrl)
  // Untyped programs may pass a plain string.
  if (!Redacted.isRedacted(given)) return refuse("it is not a Redacted string; pass Redacted.make(authorization)")
  if (inUrl !== "") return refuse("the address has a user name or a password too: give one of the two")
  const header = Redacted.value(given)
  return /^[\x21-\x7e]+ +[\x21-\x7e]+$/.test(header)
    ? Effect.succeed(header)
    : refuse("it is not a scheme, a space and a credential, such as `Bearer ...`")
}

/**
 * Checks the options and makes a configuration whose calls go to the node. Fails as `InvalidInput` and never shows the
 * address.
 *
 * @category constructors
 */
export const make = (
  { authorization: given, chain, url: address, ...behaviour }: Options
): Effect.Effect<ClientConfig.Settings, Endpoints.EndpointError | InvalidInput> =>
  Effect.gen(function*() {
    const url = parse(address)
    if (typeof url === "string") return yield* refused("url", url)
    const header = yield* headerOf(given, url)
    if (header !== "" && url.protocol !== "https:" && !httpAddress.isLoopback(url.hostname)) {
      return yield* refused("url", "an address with a credential has to be https, except on this machine")
    }
    const credentials = new authorization.CredentialsValue(authorization.ofNode(url.pathname + url.search, header))
    const settings = yield* ClientConfig.make({
      ...behaviour,
      chain,
      credentials: Effect.succeed(credentials),
      endpoints: {}
    })
    return { ...settings, endpoints: { node: trusted(url.origin) } }
  })

/**
 * The configuration of a node of your own.
 *
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<ClientConfig.ClientConfig, Endpoints.EndpointError | InvalidInput> =>
  Layer.effect(ClientConfig.ClientConfig, make(options))

const variables = { url: "KLAYTN_OWN_NODE_URL", authorization: "KLAYTN_OWN_NODE_AUTHORIZATION" }

/**
 * The configuration of a node of your own from the environment: `KLAYTN_CHAIN_ID` (8217 or 1001), `KLAYTN_OWN_NODE_URL`,
 * and `KLAYTN_OWN_NODE_AUTHORIZATION`, which may be missing. Fails with a `ConfigError` that names the variable, or the
 * option of `behaviour`, and never its value.
 *
 * @category layers
 */
export const layerConfig = (
  behaviour: ClientConfig.Behaviour = {}
): Layer.Layer<ClientConfig.ClientConfig, ConfigError.ConfigError> =>
  Layer.effect(
    ClientConfig.ClientConfig,
    Effect.gen(function*() {
      const { authorization, ...read } = yield* Config.all({
        chain: environment.chain,
        url: Config.redacted(variables.url),
        authorization: Config.option(Config.redacted(variables.authorization))
      })
      return yield* Effect.mapError(
        make({ ...behaviour, ...read, authorization: Option.getOrUndefined(authorization) }),
        (error) => {
          const [field = ""] = error._tag === "InvalidInput" ? error.path : []
          const name = field === "url" || field === "authorization" ? variables[field] : String(field)
          return ConfigError.InvalidData([name], error.message)
        }
      )
    })
  )
