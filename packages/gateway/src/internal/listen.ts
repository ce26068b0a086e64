/** The HTTP server of a gateway. */
import { isLoopback, numeric, whyNotListening } from "@effect-klaytn/service/LocalRequest"
import { maxHeaderBytes } from "@effect-klaytn/service/Route"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { createServer, type Server, type ServerOptions } from "node:http"
import { isIP } from "node:net"
import type { GatewayError } from "../GatewayError.js"
import type { GatewayMetrics } from "./GatewayMetrics.js"
import * as refusals from "./startRefusals.js"

/** How long a request may take to arrive, in milliseconds; then its connection ends with 408. */
const arrival = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 1000 } as const

/**
 * How long an idle connection stays open, in milliseconds: longer than proxies keep theirs (nginx and ALB 60 s, Go and Traefik 90 s), or a
 * proxy would send a request on a connection that ends at that moment.
 */
const keepAliveTimeout = 95_000

/** The most connections from one address. A proxy in front of the gateway is one. */
export const maxConnections = 500

/** Ends new connections from an address that has too many. */
const boundConnections = (server: Server, metrics: Pick<GatewayMetrics, "connected">): void => {
  const open = new Map<string, number>()
  let all = 0
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? ""
    const count = open.get(address) ?? 0
    if (count >= maxConnections) return void socket.destroy()
    open.set(address, count + 1)
    metrics.connected(++all)
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1
      metrics.connected(--all)
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
  })
}

/** Where to listen. */
export interface Place {
  readonly host: string
  readonly port: number
}

/** The address to listen on; without credentials, only one that is reached from this machine alone. */
export const hostOf = (host: string, isOpen: boolean): Effect.Effect<string, GatewayError> => {
  if (isLoopback(host)) return Effect.succeed(numeric(host))
  const shown = JSON.stringify(host.slice(0, 80))
  if (isIP(host) === 0) {
    return refusals.host(`${shown} is no IP address: use 127.0.0.1, ::1, localhost, or an address of this machine`)
  }
  return isOpen
    ? refusals.host(
      `a gateway that asks for no credential listens on this machine only, not on ${shown}: use 127.0.0.1, or create ` +
        "callers and ask for their credentials"
    )
    : Effect.succeed(host)
}

/** Counts requests under way, and waits for their end. */
const drainOf = (server: Server) => {
  let open = 0
  server.on("request", (_, response) => {
    open++
    response.once("close", () => void open--)
  })
  return Effect.suspend(() => {
    server.closeIdleConnections()
    return Effect.repeat(Effect.sync(() => open), {
      until: (left) => left === 0,
      schedule: Schedule.spaced("50 millis")
    })
  })
}

/** A server that listens. */
export interface Listening {
  readonly url: string
  /** Ends when no request is under way. */
  readonly drained: Effect.Effect<unknown>
}

/** Serves an app for the time of a scope. Open connections are cut when the scope closes. */
export const listen = (
  app: HttpApp.Default,
  place: Place,
  metrics: Pick<GatewayMetrics, "connected">,
  times: Pick<ServerOptions, "requestTimeout" | "headersTimeout" | "connectionsCheckingInterval"> = arrival
): Effect.Effect<Listening, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const server = createServer({ keepAliveTimeout, maxHeaderSize: maxHeaderBytes, ...times })
    boundConnections(server, metrics)
    const drained = drainOf(server)
    const http = yield* NodeHttpServer.make(() => server, place).pipe(
      Effect.mapError(({ cause }) =>
        refusals.listen(`cannot listen on port ${place.port} of ${place.host}: ${whyNotListening(cause)}`)
      )
    )
    // Runs before the server waits for its connections to end.
    yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
    yield* Effect.withTracerEnabled(http.serve(app), false)
    // Programs of this machine reach every address at its own. In a URL, brackets stand around an IPv6 address.
    const url = HttpServer.formatAddress(http.address)
      .replace("//0.0.0.0:", "//127.0.0.1:")
      .replace(/\/\/(.*:.*):/, "//[$1]:")
    return { url, drained }
  })
