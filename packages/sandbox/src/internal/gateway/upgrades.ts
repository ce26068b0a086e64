import type { RequestHeaders } from "@effect-klaytn/indexer/LocalRequest"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Record from "effect/Record"
import * as Scope from "effect/Scope"
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"

/** Accepts WebSocket connections. */
export interface Upgrades {
  /** Whether a path, without its query, takes connections. */
  readonly owns: (path: string) => boolean
  /** Why a request is refused; undefined if it is not. */
  readonly whyNot: (request: RequestHeaders) => string | undefined
  /** Made with the first connection. The connection ends when its effect does. */
  readonly make: Effect.Effect<
    (request: IncomingMessage, socket: Duplex, head: Buffer) => Effect.Effect<void>,
    never,
    Scope.Scope
  >
}

const singleHeaders = (headers: IncomingMessage["headers"]): RequestHeaders["headers"] =>
  Record.map(headers, (value) => Array.isArray(value) ? value.join() : value)

/** The request line and headers of a request, without its upgrade. */
const withoutUpgrade = ({ httpVersion, method, rawHeaders, url }: IncomingMessage): string => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    const value = rawHeaders[index + 1] ?? ""
    const kept = name.toLowerCase() === "connection" ? value.replace(/(^|,)\s*upgrade\s*(?=,|$)/gi, "") : value
    if (name.toLowerCase() !== "upgrade" && kept !== "") lines.push(`${name}: ${kept.replace(/^\s*,\s*/, "")}`)
  }
  return `${lines.join("\r\n")}\r\n\r\n`
}

/** Ends a request for a connection with a plain refusal. */
export const refuseUpgrade = (socket: Duplex, status: string, message: string): void => {
  const body = `${message}\n`
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`
  )
}

/**
 * Passes on requests for WebSocket connections. A server that listens for upgrades also gets requests to upgrade to other
 * protocols: it serves these as ordinary requests, which HTTP allows.
 */
export const serveUpgrades = (server: Server, { make, owns, whyNot }: Upgrades) =>
  Effect.gen(function*() {
    const connect = yield* Effect.cached(Scope.extend(make, yield* Effect.scope))
    const run = yield* FiberSet.makeRuntime<never>()
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // Without a listener an error of the socket would end the process.
      socket.on("error", () => {})
      const path = request.url?.split("?", 1)[0] ?? ""
      if (!owns(path) || request.method !== "GET" || request.headers.upgrade?.toLowerCase() !== "websocket") {
        socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(request), "latin1"), head]))
        server.emit("connection", socket)
        return
      }
      const message = whyNot({ headers: singleHeaders(request.headers) })
      if (message === undefined) run(Effect.flatMap(connect, (accept) => accept(request, socket, head)))
      else refuseUpgrade(socket, "403 Forbidden", message)
    })
  })
