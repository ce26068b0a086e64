/**
 * Which requests to a server on loopback come from programs of this machine. A server that asks for no credential refuses
 * the others: a web page can send requests to loopback, and a foreign host name can resolve to it.
 */

/**
 * The headers of a request, by names in lower case.
 *
 * @category models
 */
export interface RequestHeaders {
  readonly headers: { readonly [name: string]: string | undefined }
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/**
 * Whether an address to listen on is reached from this machine alone: `localhost`, 127.0.0.0/8 or `::1`.
 *
 * @category guards
 */
export const isLoopback = (address: string): boolean => loopback.test(address)

/**
 * The same address as a number: a name could resolve to another machine.
 *
 * @category conversions
 */
export const numeric = (address: string): string => address.toLowerCase() === "localhost" ? "127.0.0.1" : address

/**
 * Why a server can't listen, from Node's error.
 *
 * @category conversions
 */
export const whyNotListening = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown cause"
  return "code" in cause && cause.code === "EADDRINUSE"
    ? "something else listens there already; 0 takes a free port"
    : cause.message
}

/** Whether a page has an address of this machine. */
const isOwnOrigin = (origin: string): boolean =>
  /^https?:\/\//i.test(origin) && ownHost.test(origin.replace(/^https?:\/\//i, ""))

/**
 * Why a request with a foreign `Host` is refused: its page would count as of the same origin. Undefined for a host of this
 * machine. `server` names the server in the message: `the sandbox`.
 *
 * @category guards
 */
export const whyForeignHost = (server: string, { headers }: RequestHeaders): string | undefined =>
  ownHost.test(headers["host"] ?? "")
    ? undefined
    : `${server} answers on this machine's own addresses only: 127.0.0.1, [::1] or localhost`

/**
 * Why a request is refused that a browser marks as made for a page of another site, with or without an `Origin`, such as an image
 * or a link; undefined for any other. Programs that are no browsers send no such mark.
 *
 * @category guards
 */
export const whyForeignSite = (server: string, { headers }: RequestHeaders): string | undefined =>
  headers["sec-fetch-site"] === "cross-site"
    ? `${server} does not answer web pages of other sites: the request has Sec-Fetch-Site: cross-site`
    : undefined

/**
 * Why the request of a web page of another site is refused; undefined for any other. Pages of this machine may reach the
 * server, for example through the proxy of a development server.
 *
 * @category guards
 */
export const whyForeignPage = (server: string, { headers }: RequestHeaders): string | undefined => {
  const origin = headers["origin"]
  return origin === undefined || isOwnOrigin(origin)
    ? undefined
    : `${server} does not answer web pages of other sites: the request has a foreign Origin`
}
