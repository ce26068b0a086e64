/** A base address as OpenTelemetry attributes: host name and port separately. */
import type { Endpoint } from "../Endpoints.js"
import * as Telemetry from "../Telemetry.js"

interface Server {
  readonly [Telemetry.attributes.address]: string
  readonly [Telemetry.attributes.port]: number
}

const usual = (protocol: string): number => protocol === "http:" ? 80 : 443

const known = new Map<Endpoint, Server>()

/** The server attributes of a span. */
export const attributes = (endpoint: Endpoint): Server => {
  const found = known.get(endpoint)
  if (found !== undefined) return found
  const { hostname, port, protocol } = new URL(endpoint)
  const server = {
    // An IPv6 address has brackets in a URL and none in the attribute.
    [Telemetry.attributes.address]: hostname.replace(/^\[|\]$/g, ""),
    [Telemetry.attributes.port]: port === "" ? usual(protocol) : Number(port)
  }
  known.set(endpoint, server)
  return server
}

/** The same attributes as metric labels. */
export const labels = (endpoint: Endpoint): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes(endpoint)).map(([name, value]) => [name, String(value)]))
