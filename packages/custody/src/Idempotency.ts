/**
 * Requests with an `Idempotency-Key`: a repeated request gets the answer of the first one, and is not done again.
 *
 * **Details**
 *
 * A key belongs to one caller, by its name: a new credential of the caller has the same keys. It is stored as a hash, with a digest of
 * what the request asks for: method, path, pools, and the body. A transaction is told by what it does (type, sender, receiver, amount,
 * input, who pays), not by nonce, gas and price. The same key with other content is refused with 400 and the code `keyReused`.
 *
 * An answer of success is stored and given again: word for word, unless something else has become of the transaction than it says,
 * see `SendOutcome`. Any other answer is not stored: the request is done again, and finds what
 * the first one has done before anything is signed or counted, whatever it is: a transaction, one that waits for signatures, keys, an
 * account, a fee payer, a change. Requests with one key are answered one after the other.
 *
 * A key whose request has done something is kept for good. After a wallet was restored, a key that is not stored may be one that was
 * used after the backup: each is refused with `keyUnknown` until the owner accepts new keys.
 */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { withText } from "@effect-klaytn/service/Bodies"
import { answer, notNow as unavailable, type RequestIds } from "@effect-klaytn/service/ServiceRefusals"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type * as HttpApp from "@effect/platform/HttpApp"
import type * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { CurrentRequest, IsRepeated } from "./CurrentRequest.js"
import type { StoreFailure } from "./CustodyError.js"
import { answerNow } from "./internal/api/sendAnswer.js"
import { WalletRefusals } from "./internal/api/WalletRefusals.js"
import { KeyedMutex } from "./internal/KeyedMutex.js"
import { formerTextOf, textOf as textOfRequest } from "./internal/requestContent.js"
import type { SendOutcome } from "./SendOutcome.js"
import type { RequestStore } from "./SendStore.js"
import type { Locks } from "./SqlLocks.js"

/**
 * The header of a key.
 *
 * @category constants
 */
export const header = "idempotency-key"

const isKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key)

const digestOf = (text: string): Hex => fromBytes(createHash("sha256").update(text).digest())

/** The ID of the credential, never its secret. */
const credentialOf = (authorization: string | undefined): string =>
  Buffer.from((authorization ?? "").replace(/^basic +/i, ""), "base64").toString().split(":", 1)[0] ?? ""

const textOf = (body: HttpBody.HttpBody): string | undefined =>
  body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : undefined

const json = (text: string, status: number): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { status, contentType: "application/json" })

/** Answers that have a sealed secret are not stored: they are made again of what the request has made. */
const hasSecret = (body: string): boolean => body.includes("\"blob\":")

/**
 * The ID of a caller's request with a key, as it is stored and as `CurrentRequest` has it: `0x` and SHA-256 of both.
 *
 * @category conversions
 */
export const idOf = (caller: string, key: string): Hex => digestOf(JSON.stringify([caller, key]))

/** Takes a lock unless the time of the request is over before, which `late` answers: nothing has begun then. */
const inTime = (take: ReturnType<Locks["take"]>, late: HttpApp.Default) => <E, R>(app: HttpApp.Default<E, R>) =>
  Effect.gen(function*() {
    const left = yield* Deadline.left
    let hasBegun = false
    const begun = take(Effect.suspend(() => {
      hasBegun = true
      return app
    }))
    if (left === Infinity) return yield* begun
    const over = Effect.suspend(() =>
      hasBegun
        ? Effect.never
        : Effect.zipRight(
          Effect.logError("a request waited for another one with its key until its time was over"),
          late
        )
    )
    return yield* Effect.raceFirst(begun, Effect.delay(over, left))
  })

/**
 * An app whose requests may have a key. The key of a request that is not let in is not looked at: `app` refuses the request.
 * `callerOf` gives the name of the caller of a request that is let in; a key belongs to this name, whatever its credential.
 * `locks` answers requests with the same key one after the other. Default: those of this process. `outcomeOf` says what became of the
 * send of a request. Default: nothing is known.
 *
 * @category constructors
 */
export const make = (
  store: RequestStore,
  ids: RequestIds,
  app: HttpApp.Default,
  callerOf: (request: HttpServerRequest.HttpServerRequest) => string | undefined,
  locks: Locks = new KeyedMutex(),
  outcomeOf: (id: string) => Effect.Effect<SendOutcome | undefined, StoreFailure> = () => Effect.succeed(undefined)
): HttpApp.Default => {
  const refusals = new WalletRefusals(ids)
  const refuse = (code: "keyReused" | "keyUnknown", why: string) => Effect.sync(() => answer(refusals.of(code, why)))

  const internal = Effect.sync(() => answer(refusals.databaseFailed()))
  const notNow = (why?: string) => Effect.sync(() => unavailable(refusals.unavailable(why)))

  const answered = (
    id: string,
    former: string,
    request: HttpServerRequest.HttpServerRequest,
    text: string
  ): HttpApp.Default =>
    Effect.gen(function*() {
      const { headers, method, url } = request
      const received = { method, url, krn: headers["x-krn"] ?? "", text }
      const digest = digestOf(textOfRequest(received))
      const kept = yield* store.begin(id, digest, yield* UnixTime.now, former)
      if (typeof kept === "string") return yield* refuse("keyUnknown", kept)
      if (kept.digest !== digest && kept.digest !== digestOf(formerTextOf(received))) {
        return yield* refuse("keyReused", "it was used for another one: use a new key for new content")
      }
      if (kept.answer !== undefined) {
        const { body, status } = kept.answer
        const outcome = yield* outcomeOf(id)
        return json(outcome === undefined ? body : answerNow(body, outcome), status)
      }
      return yield* app.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, withText(request, text)),
        Effect.provideService(CurrentRequest, id),
        Effect.provideService(IsRepeated, kept.isRepeated),
        Effect.tap((response) => {
          const body = textOf(response.body)
          const { status } = response
          if (status >= 400 && status < 500) return store.free(id)
          return status < 300 && body !== undefined && !hasSecret(body)
            ? store.answer(id, { status, body })
            : Effect.void
        }),
        // A client that breaks off gets the answer when it asks again.
        Effect.uninterruptible
      )
    }).pipe(
      inTime(locks.take(`request ${id}`), notNow("another request with this key is under way: ask again")),
      Effect.catchTag(
        "StoreFailure",
        (failure) =>
          Effect.zipRight(
            DatabaseLog.failure(failure.message, failure),
            DatabaseFault.of(failure).kind === "Statement" ? internal : notNow()
          )
      )
    )

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const key = request.headers[header]
    const caller = key === undefined || request.method === "GET" ? undefined : callerOf(request)
    if (key === undefined || caller === undefined) return app
    if (!isKey(key)) return refuse("keyReused", "it has to have 1 to 255 printable characters, without blanks")
    const former = `${credentialOf(request.headers["authorization"])} ${key}`
    return Effect.matchEffect(request.text, {
      // A body that did not arrive is no content of the key: the key stays free for the whole request.
      onFailure: () => app,
      onSuccess: (text) => answered(idOf(caller, key), former, request, text)
    })
  })
}
