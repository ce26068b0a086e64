/** A real server on loopback, for behaviour that only a socket shows. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Loopback {
  readonly url: string
  readonly requests: Array<{ readonly method: string; readonly path: string; readonly body: string }>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return body
}

/** Serves with a handler that receives each request once its body was read. */
export const serve = (
  handler: (request: IncomingMessage, response: ServerResponse) => void
): Effect.Effect<Loopback, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly loopback: Loopback; readonly close: () => void }>((resume) => {
        const requests: Loopback["requests"] = []
        const server = createServer((request, response) => {
          void bodyOf(request).then((body) => {
            requests.push({ method: request.method ?? "", path: request.url ?? "", body })
            handler(request, response)
          }, () => response.destroy())
        })
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(Effect.succeed({ loopback: { url: `http://127.0.0.1:${port}`, requests }, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ loopback }) => loopback
  )

/** An address on loopback where nothing listens any more. */
export const nobody: Effect.Effect<string> = Effect.scoped(Effect.map(serve(() => {}), ({ url }) => url))
