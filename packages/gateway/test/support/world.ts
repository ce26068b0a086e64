/** A sandbox as the node, a proxy in front of it that a test can break, and gateways. */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Gateway from "../../src/Gateway.js"

export const chain = 1001

/** A sandbox whose blocks are a second apart, all of them not long ago. */
export const sandbox = Effect.suspend(() =>
  Sandbox.make({ seed: "gateway", clock: { start: Math.floor(Date.now() / 1000) - 10_000, step: 1 } })
)

/** The path of a file in a folder of its own. */
export const file = (name: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-test-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    ),
    (path) => join(path, name)
  )

/** What reached the proxy. */
export interface Seen {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A proxy in front of a node. */
export interface Proxy {
  readonly url: string
  /** The address behind it. */
  readonly target: string
  readonly seen: Array<Seen>
  /** Answers in the node's place; undefined passes the request on. */
  answer: ((seen: Seen, response: ServerResponse) => void) | undefined
  /** Asks the node, and passes its answer on or loses it. */
  readonly passOn: (body: string, response: ServerResponse, isLost?: () => boolean) => void
}

/** Starts a proxy in front of an address, which a test can make answer for it. */
export const proxyOf = (target: string) =>
  Effect.acquireRelease(
    Effect.async<Proxy & { readonly close: () => void }>((resume) => {
      const server = createServer((asked, response) => {
        const chunks: Array<Buffer> = []
        asked.on("data", (chunk: Buffer) => chunks.push(chunk))
        asked.on("end", () => {
          const seen = { headers: asked.headers, body: Buffer.concat(chunks).toString() }
          proxy.seen.push(seen)
          if (proxy.answer !== undefined) return proxy.answer(seen, response)
          proxy.passOn(seen.body, response)
        })
      })
      const proxy: Proxy & { readonly close: () => void } = {
        url: "",
        target,
        seen: [],
        answer: undefined,
        passOn: (body, response, isLost = () => false) =>
          void fetch(target, { method: "POST", body, headers: { "content-type": "application/json" } })
            .then(async (answer) => {
              const text = await answer.text()
              if (isLost()) return void response.destroy()
              response.writeHead(answer.status, { "content-type": "application/json" }).end(text)
            })
            .catch(() => response.destroy()),
        close: () => {
          server.closeAllConnections()
          server.close()
        }
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = address === null || typeof address === "string" ? 0 : address.port
        resume(Effect.succeed(Object.assign(proxy, { url: `http://127.0.0.1:${port}` })))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

export const start = (options: Gateway.Options) => Effect.provide(Gateway.make(options), FetchHttpClient.layer)

/** Starts a gateway that asks for no credential, and is ready when it has every block. */
export const open = (url: string, options: Partial<Gateway.Options> = {}) =>
  start({ node: { url }, database: ":memory:", access: "anyone", maxLag: 0, ...options })

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** A request as it stands. */
export const send = (url: string, init: RequestInit = {}): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text(), headers: response.headers }
  })

/** A request with a body of JSON to the node behind a gateway. */
export const rpc = (
  { url }: Pick<Gateway.Service, "url">,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Answer> =>
  send(`${url}/v1/klaytn`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

export const call = (method: string, ...params: ReadonlyArray<unknown>) => ({ jsonrpc: "2.0", id: 1, method, params })

/** Waits until something holds, for half a minute at most. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | "never", R> =>
  holds.pipe(
    Effect.filterOrFail((is) => is, () => "never" as const),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 1500 }),
    Effect.asVoid
  )

/** Waits until a gateway is ready. */
export const ready = ({ url }: Pick<Gateway.Service, "url">) =>
  until(Effect.map(send(`${url}/ready`), ({ status }) => status === 200))

/** Waits until a gateway has a block. */
export const reached = ({ status }: Pick<Gateway.Service, "status">, height: number) =>
  until(Effect.map(status, ({ index }) => index.head?.number === height))

/** The status of a GET with headers that `fetch` does not send. */
export const statusOf = (url: string, headers: Readonly<Record<string, string>>): Effect.Effect<number | undefined> =>
  Effect.async((resume) => {
    request(url, { headers }, (answer) => {
      answer.resume()
      answer.once("end", () => resume(Effect.succeed(answer.statusCode)))
    }).end()
  })
