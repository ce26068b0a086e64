/** What a gateway of one's own says of the credential: whose it is, and what it may do. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import type { GatewayCaller } from "@effect-klaytn/gateway/GatewayStatus"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The answer, also of a newer gateway. The package of the gateway need not be here. */
const Answer: Schema.Schema<
  Omit<GatewayCaller, "rights"> & { readonly rights: ReadonlyArray<string> },
  unknown
> = Schema.asSchema(Schema.compose(
  Schema.Unknown,
  Schema.Struct({
    name: Schema.NonEmptyString,
    rights: Schema.Array(Schema.String),
    pools: Schema.optional(Schema.Array(Schema.String)),
    limits: Schema.Struct({
      largestValue: Schema.optional(Schema.BigInt),
      dailySum: Schema.optional(Schema.BigInt),
      largestFee: Schema.optional(Schema.BigInt),
      receivers: Schema.optional(Schema.Array(Schema.TemplateLiteral("0x", Schema.String))),
      contractCalls: Schema.optional(Schema.Boolean),
      blindSigning: Schema.optional(Schema.Boolean)
    })
  }),
  { strict: false }
))

/** A caller as its gateway tells it. */
export type Caller = typeof Answer.Type

const isHosted = (endpoint: Endpoints.Endpoint): boolean => Object.values(Endpoints.knownHosts).includes(endpoint)

/** Whose the credential is at the gateway that has a service; none if something else has it, or if it does not answer. */
export const at = (
  service: Endpoints.Service
): Effect.Effect<Option.Option<Caller>, never, ClientConfig.ClientConfig | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const { credentials, endpoints } = yield* ClientConfig.ClientConfig
    const endpoint = endpoints[service]
    if (endpoint === undefined || isHosted(endpoint)) return Option.none()
    const authorization = Redacted.value(Credentials.authorization(yield* credentials))
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
    const request = HttpClientRequest.get(`${Endpoints.url(endpoint)}/caller`, { headers: { authorization } })
    return yield* client.execute(request).pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Answer)),
      Effect.timeout("10 seconds"),
      // The request has the credential in a header, which no trace has to have.
      Effect.withTracerEnabled(false),
      Effect.option
    )
  }).pipe(
    // The credential can't be read: its own line says so.
    Effect.orElseSucceed(() => Option.none())
  )
