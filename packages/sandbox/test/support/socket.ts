/** WebSocket connections to a sandbox. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { WebSocket } from "ws"
import * as Sandbox from "../../src/Sandbox.js"

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly subscription: string; readonly result: Record<string, unknown> }
}

/** A connection: what it has received, and a way to wait for more. */
export class Connection {
  readonly #received: Array<Message> = []
  #wake = () => {}

  constructor(readonly socket: WebSocket) {
    socket.on("message", (data) => {
      this.#received.push(JSON.parse(data.toString()))
      this.#wake()
    })
    socket.on("error", () => {})
  }

  /** The next message that passes. */
  next(test: (message: Message) => boolean): Effect.Effect<Message> {
    return Effect.async((resume) => {
      this.#wake = () => {
        const index = this.#received.findIndex(test)
        const [found] = index < 0 ? [] : this.#received.splice(index, 1)
        if (found === undefined) return
        this.#wake = () => {}
        resume(Effect.succeed(found))
      }
      this.#wake()
    })
  }

  call(id: number, method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<Message> {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
    return this.next((message) => message.id === id)
  }

  /** The next notification of a subscription, which was made in a namespace. */
  told(subscription: unknown, namespace = "eth"): Effect.Effect<Record<string, unknown>> {
    return Effect.map(
      this.next(({ params }) => params?.subscription === subscription),
      ({ method, params }) => {
        assert.strictEqual(method, `${namespace}_subscription`)
        return params?.result ?? assert.fail()
      }
    )
  }
}

/** Connects; the HTTP status instead if that is refused. A `user` is a part of the URL. */
export const connect = (
  path: string,
  headers: Record<string, string> = {},
  user?: string
): Effect.Effect<Connection | number, never, Sandbox.Sandbox | Scope.Scope> =>
  Effect.flatMap(Sandbox.Sandbox, ({ url }) =>
    Effect.acquireRelease(
      Effect.async<Connection | number>((resume) => {
        const socket = new WebSocket(url.replace("http://", `ws://${user === undefined ? "" : `${user}@`}`) + path, {
          headers
        })
        const connection = new Connection(socket)
        socket.on("open", () => resume(Effect.succeed(connection)))
        socket.on("unexpected-response", (_, response) => {
          response.resume()
          resume(Effect.succeed(response.statusCode ?? 0))
        })
      }),
      (opened) =>
        Effect.sync(() => {
          if (typeof opened !== "number") opened.socket.terminate()
        })
    ))

/** Connects, which succeeds. */
export const open = (path: string, headers: Record<string, string> = {}, user?: string) =>
  Effect.map(connect(path, headers, user), (opened) => typeof opened === "number" ? assert.fail(`${opened}`) : opened)
