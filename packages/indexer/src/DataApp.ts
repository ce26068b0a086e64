/**
 * History and token data over HTTP.
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as HistoryApi from "@effect-klaytn/history/HistoryApi"
import * as ContractApp from "@effect-klaytn/service/ContractApp"
import { type Operation, operationsOf } from "@effect-klaytn/service/Route"
import { accessLayer, type Callers } from "@effect-klaytn/service/ServiceAccess"
import { answer, isRefusal, notNow } from "@effect-klaytn/service/ServiceRefusals"
import * as TokenDirectoryApi from "@effect-klaytn/tokens/TokenDirectoryApi"
import * as TokensApi from "@effect-klaytn/tokens/TokensApi"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import { RouteNotFound } from "@effect/platform/HttpServerError"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { DataParts } from "./DataChain.js"
import * as DataService from "./DataService.js"
import { StoreFailure } from "./IndexError.js"
import * as database from "./internal/postgres/Database.js"

/**
 * The operations that the app serves.
 *
 * @category constants
 */
export const operations: ReadonlyArray<Operation> = operationsOf("data", [HistoryApi, TokensApi, TokenDirectoryApi])

/**
 * The parts of the app.
 *
 * @category models
 */
export interface Parts extends DataParts {
  readonly callers: Callers
}

/**
 * How long the reads of a request wait for a database that does not answer.
 *
 * @category constants
 */
export const patience: Duration.Duration = database.patience

/**
 * The app of history and token data for requests to one of {@link operations}. Every answer has the service's form, and so
 * has every error. A database that is not there, such as a Postgres that restarts, is waited for, 8 seconds at most, and less
 * if the deadline around the app is earlier; then the answer is 503 with `Retry-After`.
 *
 * @category constructors
 */
export const make = (parts: Parts): Effect.Effect<HttpApp.Default, never, Scope.Scope> => {
  const { callers, refusals } = parts
  const routes = Layer.provide(DataService.layer(parts), accessLayer(callers, refusals))
  const app = ContractApp.make(routes, (cause, { url }) => {
    const failure = Cause.squash(cause)
    // The contract's encoder can't tell these classes apart, and would give all the status of the first.
    if (isRefusal(failure)) return Effect.succeed(answer(failure))
    if (failure instanceof StoreFailure && failure.mayPass === true) {
      return Effect.succeed(notNow(refusals.unavailable()))
    }
    // A path like an operation's, with a parameter that can't be decoded as text.
    if (failure instanceof RouteNotFound) return Effect.succeed(answer(refusals.route()))
    if (failure instanceof HttpApiDecodeError) {
      return Effect.succeed(answer(refusals.parameter(failure, new URL(url, "http://service"))))
    }
    const refusal = refusals.fault()
    return Effect.logError("the service could not answer a request", cause).pipe(
      Effect.annotateLogs("requestId", refusal.requestId),
      Effect.as(answer(refusal))
    )
  })
  return Effect.map(app, Deadline.withDeadline(patience))
}
