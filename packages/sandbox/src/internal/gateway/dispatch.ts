import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** The two things on one address. */
interface Apps {
  readonly service: HttpApp.Default
  readonly control: HttpApp.Default
}

/** Sends a request to the control interface or to the service, by its path. */
export const route = ({ control, service }: Apps): HttpApp.Default =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => /^\/_sandbox(?:[/?]|$)/.test(url) ? control : service
  )

/** An app that is built when it is first asked, for the time of the scope. */
export const buildLater = (
  build: Effect.Effect<HttpApp.Default, never, Scope.Scope>
): Effect.Effect<HttpApp.Default, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Scope.Scope
    // One client that gives up must not take the app from the next.
    const app = yield* Effect.cached(Effect.uninterruptible(Scope.extend(build, scope)))
    return Effect.flatten(app)
  })
