/** The service on an `HttpServer`, configured by the environment. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as Otlp from "@effect/opentelemetry/Otlp"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Handlers from "./Handlers.js"
import * as Settings from "./Settings.js"

/** The payouts, with the limits of the settings. This process works on them. */
const PayoutsLive = Layer.unwrapEffect(Effect.map(Settings.Settings, ({ approveAbove, max, maxDay }) =>
  Payouts.layer({
    policy: { maxPerTransaction: max, window: { max: maxDay, duration: "24 hours" } },
    approveAbove
  }))).pipe(
    Layer.provideMerge(Engine.layerRunner()),
    // KLAYTN_DATABASE_URL: file:payments.db, or postgres://... for more than one process.
    Layer.provide(Database.layerConfig()),
    Layer.provide(ClientConfig.layerConfig({ service: "wallet" })),
    Layer.provide(FetchHttpClient.layer)
  )

/**
 * Spans, metrics and logs over OTLP, if there is a collector to send them to. Effect's own exporter needs nothing but an
 * HTTP client; use `NodeSdk` of the same package where the OpenTelemetry SDK is there anyway.
 */
const Telemetry = Layer.unwrapEffect(
  Effect.map(Config.option(Config.string("OTEL_EXPORTER_OTLP_ENDPOINT")), (endpoint) =>
    Option.match(endpoint, {
      onNone: () => Layer.empty,
      onSome: (baseUrl) => Otlp.layerJson({ baseUrl, resource: { serviceName: "payments" } })
    }))
).pipe(Layer.provide(FetchHttpClient.layer))

/**
 * Everything but the server. It closes from the top: no new requests, the answers that are under way, then the payouts,
 * which leave what they have not finished to the next process, then the database and the last spans.
 */
export const layer = HttpApiBuilder.serve(HttpMiddleware.logger).pipe(
  HttpServer.withLogAddress,
  Layer.provide(HttpApiBuilder.middlewareOpenApi()),
  Layer.provide(Handlers.layer),
  Layer.provide(PayoutsLive),
  Layer.provide(Settings.layer),
  Layer.provide(Telemetry)
)
