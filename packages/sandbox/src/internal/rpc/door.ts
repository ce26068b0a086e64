import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { isExchange } from "../gateway/exchange.js"

/** Sends what is for the node to it, and everything else on. */
export const withNode = (node: HttpApp.Default, others: HttpApp.Default): HttpApp.Default =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => isExchange(request) ? node : others)
