/** A base address as OpenTelemetry names it: the host's name, and the port apart. */
import type { Endpoint } from "../Endpoints.js"
import * as Telemetry from "../Telemetry.js"

interface Server {
  readonly [Telemetry.attributes.address]: string
  readonly [Telemetry.attributes.port]: number
}

const usual = (protocol: string): number => protocol === "http:" ? 80 : 443

const known = new Map<Endpoint, Server>()

/** The attributes of a span. */
export const attributes = (endpoint: Endpoint): Server => {
  const found = known.get(endpoint)
  if (found !== undefined) return found
  const { hostname, port, protocol } = new URL(endpoint)
  const server = {
    // Written with brackets for the sake of the colons in a numeric address.
    [Telemetry.attributes.address]: hostname.replace(/^\[|\]$/g, ""),
    [Telemetry.attributes.port]: port === "" ? usual(protocol) : Number(port)
  }
  known.set(endpoint, server)
  return server
}

/** The same as labels of a metric. */
export const labels = (endpoint: Endpoint): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes(endpoint)).map(([name, value]) => [name, String(value)]))
