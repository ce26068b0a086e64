import { maxBytes } from "@effect-klaytn/service/Route"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Chain } from "../../Chain.js"
import type { RequestFault } from "../http/Faults.js"
import { refuseUpgrade } from "../http/upgrades.js"
import { NodeSettings, type Settings } from "../NodeSettings.js"
import { type FindMethod, nodeMethod, respond } from "./envelope.js"
import { parseFirst } from "./Json.js"
import { Subscriptions } from "./subscriptions.js"

/** How many connections there may be, and how many bytes one may leave unread before it is cut. */
export const socketLimits = { connections: 100, unread: 16 * 1024 * 1024 }

/** Messages of a connection that wait for their turn; while there are more, nothing is read from it. */
const mostWaiting = 16

/** A node's time limit for one message. */
const longest = "30 seconds"

/** Status codes of the protocol for a connection that is ended by the server. */
const codes = { tooSlow: 1008, broken: 1011 }

/** Sends a text, unless the client has gone or does not read. */
const send = (socket: WebSocket, text: string): void => {
  if (text === "" || socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > socketLimits.unread) socket.terminate()
  else socket.send(text)
}

/** The messages of a connection, in order. Reading pauses while many wait. */
const inbox = (socket: WebSocket): Effect.Effect<Effect.Effect<string>> =>
  Effect.map(Queue.unbounded<string>(), (queue) => {
    socket.on("message", (data) => {
      queue.unsafeOffer(data.toString())
      if (queueSize(queue) >= mostWaiting) socket.pause()
    })
    return Effect.tap(Queue.take(queue), () =>
      Effect.sync(() => {
        if (queueSize(queue) < mostWaiting) socket.resume()
      }))
  })

const queueSize = (queue: Queue.Queue<string>): number => Option.getOrElse(queue.unsafeSize(), () => 0)

/** Sends each block of the chain to a connection. */
const follow = (socket: WebSocket, chain: Chain, subscriptions: Subscriptions) =>
  Effect.gen(function*() {
    const heights = yield* chain.newBlocks
    let next = (yield* chain.head).number + 1
    return yield* Effect.forever(Effect.gen(function*() {
      const height = yield* Queue.take(heights)
      // After a revert the chain goes on from a lower block.
      for (let number = Math.min(next, height); number <= height; number++) {
        for (const block of Option.toArray(yield* chain.block(number))) {
          for (const text of yield* subscriptions.notifications(chain, block)) send(socket, text)
        }
      }
      next = height + 1
    }))
  })

/** Sends each transaction that the pool accepts to a connection. */
const followPool = (socket: WebSocket, chain: Chain, subscriptions: Subscriptions) =>
  Effect.flatMap(chain.newTransactions, (accepted) =>
    Effect.forever(Effect.map(Queue.take(accepted), (hash) => {
      for (const text of subscriptions.accepted(hash)) send(socket, text)
    })))

/** Answers by a fault, if there is one. Cut, a connection is not closed: the client hears nothing. */
const withFault = (
  socket: WebSocket,
  answered: Effect.Effect<string>,
  fault: RequestFault | undefined
): Effect.Effect<string> => {
  if (fault === undefined) return answered
  const { action } = fault
  switch (action.kind) {
    case "answer":
      return Effect.succeed(action.body ?? "")
    case "delay":
      return Effect.zipRight(Effect.sleep(action.milliseconds), answered)
    case "drop":
      return (action.when === "before" ? Effect.void : answered).pipe(
        Effect.zipRight(Effect.sleep(action.milliseconds ?? 0)),
        Effect.map(() => {
          socket.terminate()
          return ""
        })
      )
  }
}

/** Answers the messages of a connection, one after the other. */
const answer = (
  socket: WebSocket,
  { chain, fault }: Target,
  find: FindMethod,
  subscriptions: Subscriptions
) =>
  Effect.flatMap(inbox(socket), (next) =>
    Effect.forever(Effect.flatMap(next, (message) =>
      // A node ends a connection at what is no JSON, without an answer.
      parseFirst(message) === undefined ? Effect.sync(() => socket.terminate()) : Effect.map(
        withFault(
          socket,
          Effect.timeoutTo(respond(chain, message, find), {
            duration: longest,
            onSuccess: (text): string => text,
            onTimeout: (): string => {
              socket.close(codes.broken, "timeout")
              return ""
            }
          }),
          fault?.(message)
        ),
        (text) => {
          send(socket, text)
          subscriptions.activate()
        }
      ))))

const closed = (socket: WebSocket): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (socket.readyState === socket.CLOSED) resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
  })

/** Serves a connection until one side ends it. */
const serve = (socket: WebSocket, target: Target): Effect.Effect<void> => {
  const { chain, find: served = nodeMethod } = target
  const subscriptions = new Subscriptions()
  const find: FindMethod = (name) => subscriptions.find(name) ?? served(name)
  const work = Effect.all([
    follow(socket, chain, subscriptions),
    followPool(socket, chain, subscriptions),
    answer(socket, target, find, subscriptions)
  ], { concurrency: "unbounded", discard: true })
  return Effect.scoped(work).pipe(
    Effect.catchAllCause((cause) =>
      Effect.zipRight(
        Effect.logError("a WebSocket connection broke", cause),
        Effect.sync(() => socket.close(codes.broken))
      )
    ),
    Effect.raceFirst(closed(socket)),
    Effect.ensuring(Effect.sync(() => socket.terminate()))
  )
}

/** Accepts requests for connections, whose origin the caller has checked, and serves each. */
type Connect = (request: IncomingMessage, socket: Duplex, head: Buffer) => Effect.Effect<void>

/** What a connection reaches: a chain, and its methods, which are those of a node unless others are given. */
export interface Target {
  readonly chain: Chain
  readonly find?: FindMethod
  /** The fault that a message meets, if any. */
  readonly fault?: (message: string) => RequestFault | undefined
}

/** Makes a server of connections, which ends with the scope. */
export const make = (
  options: {
    /** What the URL of a request reaches; undefined if there is nothing. */
    readonly target: (url: string) => Target | undefined
    readonly settings: Settings
  }
): Effect.Effect<Connect, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new WebSocketServer({ noServer: true, maxPayload: maxBytes, perMessageDeflate: false })),
      (server) => Effect.sync(() => server.clients.forEach((client) => client.terminate()))
    ),
    (server) => (request, socket, head) =>
      Effect.suspend(() => {
        const target = options.target(request.url ?? "")
        if (target === undefined) {
          return Effect.sync(() => refuseUpgrade(socket, 404, "there is no chain at this path"))
        }
        if (server.clients.size >= socketLimits.connections) {
          return Effect.sync(() =>
            refuseUpgrade(
              socket,
              503,
              `there are ${socketLimits.connections} connections already, the most that may be`
            )
          )
        }
        return Effect.flatMap(
          upgrade(server, request, socket, head),
          (connection) => Effect.provideService(serve(connection, target), NodeSettings, options.settings)
        )
      })
  )

const upgrade = (
  server: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer
): Effect.Effect<WebSocket> =>
  Effect.async((resume) => {
    // What the protocol does not allow is answered by the library, which then closes the socket.
    socket.once("close", () => resume(Effect.interrupt))
    server.handleUpgrade(request, socket, head, (connection) => {
      // Without a listener an error of the connection would end the process.
      connection.on("error", () => {})
      resume(Effect.succeed(connection))
    })
  })
