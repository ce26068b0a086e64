/** The OpenAPI document at `/openapi.json`, and the page at `/api` that makes the calls that it describes. */
import * as Headers from "@effect/platform/Headers"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Pair } from "../http/CredentialStore.js"
import { pageFiles } from "../packageFiles.js"
import { print } from "./document.js"

/** Answers the paths of `isOpenApi`. The page gets the credential that the sandbox started with. */
export const make = ({ accessKeyId, secretAccessKey }: Pair): HttpApp.Default => {
  const files = pageFiles("api")
  /** A file of the page; `/api` is its HTML. */
  const file = (path: string): HttpServerResponse.HttpServerResponse => {
    const name = path === "/api" || path === "/api/" ? "api.html" : path.slice("/api/".length)
    const found = files.find((one) => one.name === name)
    return found === undefined
      ? HttpServerResponse.text("there is no such file\n", { status: 404 })
      : HttpServerResponse.text(found.text, { contentType: found.contentType })
  }
  return Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
    const path = url.split("?", 1)[0] ?? ""
    const answer = path === "/openapi.json"
      ? HttpServerResponse.text(print({ address: `http://${headers["host"]}` }), { contentType: "application/json" })
      : path === "/api/credential"
      ? HttpServerResponse.unsafeJson({ accessKeyId, secretAccessKey: Redacted.value(secretAccessKey) })
      : file(path)
    return HttpServerResponse.setHeaders(answer, Headers.fromInput({ "cache-control": "no-store" }))
  })
}
