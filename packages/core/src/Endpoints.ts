/**
 * The base addresses of the services.
 *
 * They have no default, so a credential that can move assets is only sent to a host that the program configured. {@link
 * knownHosts} has the public ones, for a program to choose explicitly.
 */
import * as Brand from "effect/Brand"
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as httpAddress from "./internal/config/httpAddress.js"

/**
 * A checked base address that a credential may be sent to, without a trailing slash. A path is kept as a prefix:
 * `https://gateway.example/klaytn`.
 *
 * @category models
 */
export type Endpoint = string & Brand.Brand<"@effect-klaytn/core/Endpoint">

/**
 * A service that has a base address. `resource` is the list of a customer's pools; the API document does not describe
 * it.
 *
 * @category models
 */
export type Service = "history" | "tokens" | "wallet" | "node" | "resource"

/**
 * The base address of each service that the program uses.
 *
 * @category models
 */
export type Endpoints = { readonly [service in Service]?: Endpoint }

/**
 * A base address was refused. `message` names the service and the problem; it never contains the address, which may
 * contain a password.
 *
 * @category errors
 */
export class EndpointError extends Data.TaggedError("EndpointError")<{
  readonly service: Service | undefined
  readonly problem: string
}> {
  override get message(): string {
    const owner = this.service === undefined ? "" : ` of the service "${this.service}"`
    return `the base address${owner} is refused: ${this.problem}`
  }
}

/** Parses a base address, or says what is wrong with it. */
const parse = (text: string): URL | string => {
  const url = httpAddress.parse(text)
  if (typeof url === "string") return url
  if (url.username !== "" || url.password !== "") return "it contains a user name or a password"
  if (text.includes("?")) return "it contains a query"
  return url.protocol === "https:" || httpAddress.isLoopback(url.hostname)
    ? url
    : "it is not https; only localhost, 127.0.0.0/8 and [::1] may use http"
}

/**
 * Parses one base address.
 *
 * **Details**
 *
 * It must be `https`, except on the loopback hosts `localhost`, `127.0.0.0/8` and `[::1]`. It may not have a user name,
 * a password, a query or a fragment. Trailing slashes are dropped.
 *
 * @example
 * ```ts
 * import * as Endpoints from "@effect-klaytn/core/Endpoints"
 *
 * console.log(Endpoints.endpoint("https://gateway.example/klaytn/")) // right("https://gateway.example/klaytn")
 * console.log(Endpoints.endpoint("http://gateway.example")) // left: it is not https
 * ```
 *
 * @category constructors
 */
export const endpoint = (text: string): Either.Either<Endpoint, EndpointError> => read(text, undefined)

const read = (text: string, service: Service | undefined): Either.Either<Endpoint, EndpointError> => {
  const found = parse(text)
  return typeof found === "string"
    ? Either.left(new EndpointError({ service, problem: found }))
    : Either.right(trusted(found.origin + found.pathname.replace(/\/+$/, "")))
}

const trusted = Brand.nominal<Endpoint>()

/**
 * Parses the base addresses of the services that the program uses, and fails with the first bad one. A service that is
 * left out can't be called.
 *
 * @example
 * ```ts
 * import * as Endpoints from "@effect-klaytn/core/Endpoints"
 *
 * const endpoints = Endpoints.make({
 *   history: Endpoints.knownHosts.history,
 *   wallet: "http://127.0.0.1:8080/wallet"
 * })
 * ```
 *
 * @category constructors
 */
export const make = (
  addresses: { readonly [service in Service]?: string | undefined }
): Either.Either<Endpoints, EndpointError> =>
  Either.map(
    Either.all(services.flatMap((service) => {
      const text = addresses[service]
      return text === undefined ? [] : [Either.map(read(text, service), (found) => [service, found] as const)]
    })),
    Object.fromEntries<Endpoint>
  )

/**
 * All services.
 *
 * @category constants
 */
export const services: ReadonlyArray<Service> = ["history", "tokens", "wallet", "node", "resource"]

/**
 * The environment variable that holds the base address of a service, such as `KLAYTN_HISTORY_URL`.
 *
 * @category constants
 */
export const variable = (service: Service): string => `KLAYTN_${service.toUpperCase()}_URL`

/**
 * The public hosts of the services. Seen in public clients; the service's API document names none. Nothing uses them
 * unless you configure them.
 *
 * @category constants
 */
export const knownHosts: { readonly [service in Service]: Endpoint } = {
  history: trusted("https://th-api.klaytnapi.com"),
  tokens: trusted("https://th-api.klaytnapi.com"),
  wallet: trusted("https://wallet-api.klaytnapi.com"),
  node: trusted("https://node-api.klaytnapi.com"),
  resource: trusted("https://resource-api.klaytnapi.com")
}

/**
 * The address as a string without a trailing slash, so that a path with a leading slash can be appended.
 *
 * @category getters
 */
export const url = (endpoint: Endpoint): string => endpoint

/**
 * The host of an address, with its port unless it is the default one, and without its path. For logs and telemetry.
 *
 * @example
 * ```ts
 * import * as Endpoints from "@effect-klaytn/core/Endpoints"
 *
 * console.log(Endpoints.host(Endpoints.knownHosts.history)) // "th-api.klaytnapi.com"
 * ```
 *
 * @category getters
 */
export const host = (endpoint: Endpoint): string => new URL(endpoint).host
