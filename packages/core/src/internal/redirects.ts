/** Keeps `fetch` from following redirects; the other clients of the platform don't follow them by default. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"

/**
 * The caller's own `fetch` options (a proxy, say) are kept. They may be in the context that the client was made in,
 * which is merged in around the request, so the option is set there, for the duration of the request.
 */
export const refused = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.mapRequestEffect(client, (request) =>
    Effect.as(
      FiberRef.update(FiberRef.currentContext, (context) =>
        Context.add(context, FetchHttpClient.RequestInit, {
          ...Option.getOrElse(Context.getOption(context, FetchHttpClient.RequestInit), () => ({})),
          redirect: "manual"
        })),
      request
    ))
