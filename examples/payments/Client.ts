/** A typed client of the service, made of the same description as the server. */
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { PaymentsApi } from "./Api.js"

/** The client of whoever has this token, at this address. */
export const make = (baseUrl: string, token: string) =>
  HttpApiClient.make(PaymentsApi, {
    baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
  })
