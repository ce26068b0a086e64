import { type Bodies, deepestBody, isDeeper, largestBody, withText } from "@effect-klaytn/service/Bodies"
import * as ContractApp from "@effect-klaytn/service/ContractApp"
import * as Headers from "@effect/platform/Headers"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import { RequestError, RouteNotFound } from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Service } from "../../Control.js"
import { ControlApi } from "../../ControlApi.js"
import { ChainStuck, ControlFault, InvalidControl, NotFound, ServiceDown } from "../../ControlError.js"
import { formatIssues } from "../formatIssues.js"

const chainLayer = (control: Service) =>
  HttpApiBuilder.group(ControlApi, "chain", (handlers) =>
    handlers
      .handle("state", ({ path }) => control.chain(path.chainId).state)
      .handle("accounts", ({ path }) => control.chain(path.chainId).accounts)
      .handle("createAccount", ({ path, payload }) => control.chain(path.chainId).createAccount(payload))
      .handle("fund", ({ path, payload }) => control.chain(path.chainId).fund(payload))
      .handle("transfer", ({ path, payload }) => control.chain(path.chainId).transfer(payload))
      .handle("deploy", ({ path, payload }) => control.chain(path.chainId).deploy(payload))
      .handle("mint", ({ path, payload }) => control.chain(path.chainId).mint(path.contract, payload))
      .handle("transferToken", ({ path, payload }) => control.chain(path.chainId).transferToken(path.contract, payload))
      .handle("mine", ({ path, urlParams }) => control.chain(path.chainId).mine(urlParams))
      .handle("advanceTime", ({ path, payload }) => control.chain(path.chainId).advanceTime(payload))
      .handle("snapshot", ({ path }) => Effect.map(control.chain(path.chainId).snapshot, (snapshot) => ({ snapshot })))
      .handle("revert", ({ path }) => control.chain(path.chainId).revert(path.id))
      .handle("reset", ({ path }) => control.chain(path.chainId).reset)
      .handle("emptyPool", ({ path }) => control.chain(path.chainId).emptyPool)
      .handle("setNextBaseFee", ({ path, payload }) => control.chain(path.chainId).setNextBaseFee(payload))
      .handle("reorg", ({ path, payload }) => control.chain(path.chainId).reorg(payload))
      .handle("dropped", ({ path }) => control.chain(path.chainId).dropped)
      .handle("presets", ({ path }) => control.chain(path.chainId).presets)
      .handle("createPreset", ({ path, payload }) => control.chain(path.chainId).createPreset(payload))
      .handle("labels", ({ path }) => control.chain(path.chainId).labels)
      .handle("setLabel", ({ path, payload }) => control.chain(path.chainId).setLabel(path.contract, payload))
      .handle("deleteLabel", ({ path }) => control.chain(path.chainId).deleteLabel(path.contract))
      .handle("deletePreset", ({ path }) => control.chain(path.chainId).deletePreset(path.id))
      .handle("pools", ({ path }) => control.chain(path.chainId).pools)
      .handle("createPool", ({ path, payload }) => control.chain(path.chainId).createPool(payload))
      .handle("globalFeePayer", ({ path }) => control.chain(path.chainId).globalFeePayer))

const sandboxLayer = (control: Service, unanswered: Effect.Effect<ReadonlyArray<string>>) =>
  HttpApiBuilder.group(ControlApi, "sandbox", (handlers) =>
    handlers
      .handle("health", () =>
        Effect.gen(function*() {
          const chains = yield* Effect.all([control.chain(8217).state, control.chain(1001).state])
          const down = yield* unanswered
          if (down.length > 0) {
            return yield* new ServiceDown({ message: down.join("; "), status: "down", chains })
          }
          const stuck = chains.flatMap(({ chainId, stuck }) =>
            stuck === undefined ? [] : `chain ${chainId} can't build blocks: ${stuck.message}`
          )
          return stuck.length === 0
            ? { status: "ok" as const, chains }
            : yield* new ChainStuck({ message: stuck.join("; "), status: "stuck", chains })
        }))
      .handle("deviations", () => control.deviations)
      .handle(
        "credentials",
        () => Effect.map(control.credentials, (ids) => ids.map((accessKeyId) => ({ accessKeyId })))
      )
      .handle("createCredential", () => control.createCredential)
      .handle("deleteCredential", ({ path }) => control.deleteCredential(path.accessKeyId))
      .handle("requests", ({ urlParams }) => control.requests(urlParams))
      .handle("clearRequests", () => control.clearRequests)
      .handle("faults", () => control.faults)
      .handle("addFault", ({ payload }) => control.addFault(payload))
      .handle("deleteFault", ({ path }) => control.deleteFault(path.id))
      .handle("clearFaults", () => control.clearFaults))

const answer = ({ _tag, message }: InvalidControl | NotFound | ControlFault, status: number) =>
  Effect.succeed(HttpServerResponse.unsafeJson({ _tag, message }, { status }))

const invalid = (message: string, status = 400) => answer(new InvalidControl({ message }), status)

const explain = (
  cause: Cause.Cause<unknown>,
  { method, url }: HttpServerRequest.HttpServerRequest
): Effect.Effect<HttpServerResponse.HttpServerResponse | undefined> => {
  const failure = Cause.squash(cause)
  if (failure instanceof HttpApiDecodeError) return invalid(formatIssues(failure.issues))
  if (failure instanceof RequestError) return invalid("the body cannot be read as JSON")
  if (failure instanceof RouteNotFound) {
    return answer(new NotFound({ message: `the control interface has no ${method} ${url.split("?", 1)[0]}` }), 404)
  }
  return Effect.succeed(undefined)
}

/** The control interface over HTTP. `unanswered` returns the problems of the services that don't work. */
export const make = (
  control: Service,
  bodies: Bodies,
  unanswered: Effect.Effect<ReadonlyArray<string>>
): Effect.Effect<HttpApp.Default, never, Scope.Scope> => {
  const routes = HttpApiBuilder.api(ControlApi).pipe(
    Layer.provide(chainLayer(control)),
    Layer.provide(sandboxLayer(control, unanswered))
  )
  /** A body is JSON, also if `curl -d` sends another content type. */
  const asJson = (request: HttpServerRequest.HttpServerRequest) =>
    request.modify({ headers: Headers.set(request.headers, "content-type", "application/json") })
  return Effect.map(
    ContractApp.make(routes, explain),
    (app) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        bodies.with(request, largestBody, (body) => {
          if (Either.isLeft(body)) return invalid(body.left.message, 413)
          if (isDeeper(body.right, deepestBody)) {
            return invalid(`the body is nested more than ${deepestBody} levels deep`)
          }
          return Effect.provideService(app, HttpServerRequest.HttpServerRequest, withText(asJson(request), body.right))
        })).pipe(
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : Effect.zipRight(
                Effect.logError("the control interface could not answer a request", cause),
                answer(new ControlFault({ message: "the sandbox failed; its log says more" }), 500)
              )
          )
        )
  )
}
