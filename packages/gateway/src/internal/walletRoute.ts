/** The wallet's part of what a gateway answers. */
import type { WalletGuard } from "@effect-klaytn/custody/WalletGuard"
import * as WalletRoutes from "@effect-klaytn/custody/WalletRoutes"
import { Bodies, largestBody, withText } from "@effect-klaytn/service/Bodies"
import { find } from "@effect-klaytn/service/Route"
import { type Callers, isAuthorised } from "@effect-klaytn/service/ServiceAccess"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

/** Why no transaction is passed on to the node: bytes of anybody may be of a wallet that is frozen. */
export const whyClosed = ({ frozen }: Pick<WalletGuard, "frozen">): Effect.Effect<string | undefined> =>
  Effect.match(frozen, {
    onFailure: () => "it is not known whether the wallet is frozen: its database does not answer",
    onSuccess: (why) => why && "the wallet of this gateway is frozen: no transaction is given to the node"
  })

/** The name of the wallet's operation that a request is for, if there is one. */
export const nameOf = (method: string, url: string): string | undefined =>
  find(WalletRoutes.operations, method, url)?.name

/** Reads the bodies of requests with access, within the limits of all requests together. */
export const bounded = (callers: Callers, app: HttpApp.Default): HttpApp.Default => {
  const bodies = new Bodies()
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    isAuthorised(callers, request)
      ? bodies.with(request, largestBody, (body) =>
        Either.match(body, {
          onLeft: ({ message }) => Effect.succeed(HttpServerResponse.text(`${message}\n`, { status: 413 })),
          onRight: (text) => Effect.provideService(app, HttpServerRequest.HttpServerRequest, withText(request, text))
        }))
      : app)
}
