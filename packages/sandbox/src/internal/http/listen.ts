import { isLoopback, numeric, whyNotListening } from "@effect-klaytn/service/LocalRequest"
import { maxHeaderBytes } from "@effect-klaytn/service/Route"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import { createServer } from "node:http"
import { isIP } from "node:net"
import { SandboxError } from "../../SandboxError.js"
import { serveUpgrades, type Upgrades } from "./upgrades.js"

/**
 * How long an idle connection stays open, in milliseconds. A program that hosts the sandbox is blocked while a contract
 * runs, maybe for seconds: with Node's default of five, the server would close a connection just as it is used again.
 */
const keepAliveTimeout = 60_000

/** The address to listen on; anything but this machine's own is refused unless the sandbox is to be exposed. */
export const hostOf = (host: string, isExposed: boolean): Effect.Effect<string, SandboxError> =>
  isLoopback(host) || isExposed && isIP(host) !== 0
    ? Effect.succeed(numeric(host))
    : Effect.fail(
      new SandboxError({
        reason: "NotLoopback",
        message:
          `the sandbox listens on this machine only, not on ${JSON.stringify(host)}: its control interface has ` +
          `no password and its keys are no secret; use 127.0.0.1, ::1 or localhost, or expose it to an IP address of ` +
          `this machine, such as 0.0.0.0, with a credential of your own (option expose, --expose)`
      })
    )

/** Serves an app for the time of a scope, and gives its URL. Open connections are cut when the scope closes. */
export const listen = (
  app: HttpApp.Default,
  options: { readonly host: string; readonly port: number },
  upgrades: ReadonlyArray<Upgrades> = []
): Effect.Effect<string, SandboxError, Scope.Scope> =>
  Effect.gen(function*() {
    const handler = yield* NodeHttpServer.makeHandler(app).pipe(
      // Its spans would mix with those of the program under test.
      Effect.withTracerEnabled(false)
    )
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createServer({ keepAliveTimeout, maxHeaderSize: maxHeaderBytes }, handler)
          // Without a listener, a connection that can't be accepted would end the process.
          .on("error", () => {})
      ),
      (server) =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    yield* serveUpgrades(server, upgrades)
    yield* Effect.tryPromise({
      try: () => once(server.listen(options), "listening"),
      catch: (cause) =>
        new SandboxError({
          reason: "Listen",
          message: `cannot listen on port ${options.port} of ${options.host}: ${whyNotListening(cause)}`
        })
    })
    const address = server.address()
    const port = address === null || typeof address === "string" ? options.port : address.port
    // Programs of this machine reach every address at its own.
    const reached = options.host === "0.0.0.0" ? "127.0.0.1" : options.host === "::" ? "::1" : options.host
    return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
  })
