/** The ID of an index, which is the same at every gateway of it. */
import * as IndexId from "@effect-klaytn/core/IndexId"
import type { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import type { IndexReader } from "@effect-klaytn/indexer/IndexReader"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createHmac } from "node:crypto"

/** The ID of an index; none before it has its first block. The key that seals its cursors is its secret, and not shown. */
export const of = (
  { block, scope }: Pick<IndexReader, "block" | "scope">,
  cursorKey: Uint8Array
): Effect.Effect<Option.Option<string>, StoreFailure> => {
  const own = createHmac("sha256", cursorKey).update("effect-klaytn index").digest("hex").slice(0, 32)
  let found: string | undefined
  return Effect.suspend(() =>
    found !== undefined
      ? Effect.succeed(Option.some(found))
      : Effect.map(block(scope.firstBlock), Option.map(({ hash }) => found = `${hash.slice(2, 34)}-${own}`))
  )
}

/** Says the ID of the index in each answer. A database that does not answer is reported by the answer itself. */
export const said = (app: HttpApp.Default, id: Effect.Effect<Option.Option<string>, StoreFailure>): HttpApp.Default =>
  Effect.flatMap(app, (response) =>
    Effect.map(
      Effect.orElseSucceed(id, Option.none<string>),
      Option.match({
        onNone: () => response,
        onSome: (text) => HttpServerResponse.setHeader(response, IndexId.header, text)
      })
    ))
