/**
 * Requests with an `Idempotency-Key`: a repeated request gets the answer of the first one, and is not done again.
 *
 * **Details**
 *
 * A key is stored with a digest of method, path, pools and body: the same key with other content is refused with 400 and the code
 * `keyReused`. An answer of success is stored and given again, word for word. Any other answer is not: the request is done
 * again, and goes on with the transaction that the first one has signed, until a block shows that it can't run. Requests with one
 * key are answered one after the other. A key belongs to one caller.
 */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { answer, type RequestIds } from "@effect-klaytn/service/ServiceRefusals"
import { fromBytes } from "@effect-klaytn/transaction/Hex"
import type * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { CurrentRequest } from "./CurrentRequest.js"
import { WalletRefusals } from "./internal/api/WalletRefusals.js"
import { KeyedMutex } from "./internal/KeyedMutex.js"
import type { RequestStore } from "./SendStore.js"
import type { Locks } from "./SqlLocks.js"

/**
 * The header of a key.
 *
 * @category constants
 */
export const header = "idempotency-key"

const isKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key)

/** The header's caller: the ID of the credential, never its secret. */
const callerOf = (authorization: string | undefined): string =>
  Buffer.from((authorization ?? "").replace(/^basic +/i, ""), "base64").toString().split(":", 1)[0] ?? ""

const textOf = (body: HttpBody.HttpBody): string | undefined =>
  body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : undefined

const json = (text: string, status: number): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { status, contentType: "application/json" })

/**
 * An app whose requests may have a key. The key of a request that is not let in is not looked at: `app` refuses the request.
 * `locks` answers requests with the same key one after the other. Default: those of this process.
 *
 * @category constructors
 */
export const make = (
  store: RequestStore,
  ids: RequestIds,
  app: HttpApp.Default,
  isLetIn: (request: HttpServerRequest.HttpServerRequest) => boolean,
  locks: Locks = new KeyedMutex()
): HttpApp.Default => {
  const refusals = new WalletRefusals(ids)
  const refuse = (why: string) => Effect.sync(() => answer(refusals.of("keyReused", why)))

  const answered = (id: string, request: HttpServerRequest.HttpServerRequest, text: string): HttpApp.Default =>
    Effect.gen(function*() {
      const { headers, method, url } = request
      const content = JSON.stringify([method, url, headers["x-krn"] ?? "", text])
      const digest = fromBytes(createHash("sha256").update(content).digest())
      const now = yield* UnixTime.now
      const kept = yield* store.begin(id, digest, now)
      if (kept.digest !== digest) {
        return yield* refuse("it was used for another one: use a new key for new content")
      }
      if (kept.answer !== undefined) return json(kept.answer.body, kept.answer.status)
      const response = yield* Effect.provideService(app, CurrentRequest, id)
      const body = textOf(response.body)
      if (response.status < 300 && body !== undefined) {
        yield* store.answer(id, { status: response.status, body })
      }
      return response
    }).pipe(
      locks.take(`request ${id}`),
      Effect.catchTag(
        "StoreFailure",
        ({ message }) => Effect.zipRight(Effect.logError(message), Effect.sync(() => answer(refusals.internal())))
      )
    )

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const key = request.headers[header]
    if (key === undefined || request.method === "GET" || !isLetIn(request)) return app
    if (!isKey(key)) return refuse("it has to have 1 to 255 printable characters, without blanks")
    const id = `${callerOf(request.headers["authorization"])} ${key}`
    return Effect.matchEffect(request.text, {
      // A body that did not arrive is no content of the key: the key stays free for the whole request.
      onFailure: () => app,
      onSuccess: (text) => answered(id, request, text)
    })
  })
}
