import type { RequestHeaders } from "@effect-klaytn/service/LocalRequest"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Record from "effect/Record"
import * as Scope from "effect/Scope"
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

/** Why a request for a connection is refused: a message, which comes with status 403, or a status and a body. */
export type UpgradeRefusal = string | { readonly status: number; readonly json: object }

/** Accepts WebSocket connections. */
export interface Upgrades {
  /** Whether a path, without its query, takes connections. */
  readonly owns: (path: string) => boolean
  /** Why a request is refused; undefined if it is not. */
  readonly whyNot: (request: RequestHeaders, url: string) => UpgradeRefusal | undefined
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

/** Ends a request for a connection with a refusal: text, or an object as JSON. */
export const refuseUpgrade = (socket: Duplex, status: number, refusal: string | object): void => {
  const [type, body] = typeof refusal === "string"
    ? ["text/plain", `${refusal}\n`]
    : ["application/json", JSON.stringify(refusal)]
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}

/**
 * The end of the newest response of a connection. A request to upgrade may come behind others that are not answered yet, and Node
 * forgets the order of their answers when it gives the connection away.
 */
const answeredOf = (server: Server) => {
  const open = new WeakMap<Duplex, ServerResponse>()
  server.on("request", ({ socket }, response) => {
    open.set(socket, response)
    response.once("close", () => {
      if (open.get(socket) === response) open.delete(socket)
    })
  })
  return (socket: Duplex) =>
    Effect.async<void>((resume) => {
      const response = open.get(socket)
      if (response === undefined) return resume(Effect.void)
      response.once("close", () => resume(Effect.void))
      // The server stops, and no longer knows this connection.
      return Effect.sync(() => socket.destroy())
    })
}

/**
 * Passes on requests for WebSocket connections. A server that listens for upgrades also gets requests to upgrade to other
 * protocols: it serves these as ordinary requests, which HTTP allows.
 */
export const serveUpgrades = (server: Server, owners: ReadonlyArray<Upgrades>) =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const accepting = yield* Effect.forEach(owners, (upgrades) =>
      Effect.map(Effect.cached(Scope.extend(upgrades.make, scope)), (connect) => ({ ...upgrades, connect })))
    const run = yield* FiberSet.makeRuntime<never>()
    const answered = answeredOf(server)
    const serve = (request: IncomingMessage, socket: Duplex, head: Buffer): Effect.Effect<void> => {
      const { headers, method, url = "" } = request
      const path = url.split("?", 1)[0] ?? ""
      const owner = accepting.find(({ owns }) =>
        owns(path)
      )
      if (owner === undefined || method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket") {
        return Effect.sync(() => {
          socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(request), "latin1"), head]))
          server.emit("connection", socket)
        })
      }
      const refusal = owner.whyNot({ headers: singleHeaders(headers) }, url)
      if (refusal === undefined) return Effect.flatMap(owner.connect, (accept) => accept(request, socket, head))
      return Effect.sync(() =>
        typeof refusal === "string"
          ? refuseUpgrade(socket, 403, refusal)
          : refuseUpgrade(socket, refusal.status, refusal.json)
      )
    }
    const ignored = (): void => {}
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // Without a listener an error of the socket would end the process. A connection may come here many times.
      socket.off("error", ignored).on("error", ignored)
      run(Effect.zipRight(answered(socket), Effect.suspend(() => serve(request, socket, head))))
    })
  })
