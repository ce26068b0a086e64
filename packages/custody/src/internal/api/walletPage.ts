import type { BadRequest } from "@effect-klaytn/core/ErrorBody"
import { pageSize } from "@effect-klaytn/service/Route"
import * as Effect from "effect/Effect"
import type { Failure, WalletRequest } from "./WalletRequest.js"

/** The query of a list of the wallet. */
export interface ListQuery {
  readonly size?: number | undefined
  readonly cursor?: string | undefined
  readonly "from-timestamp"?: number | undefined
  readonly "to-timestamp"?: number | undefined
}

/** What a cursor holds: a JSON object that names the last item of a page, in base64. */
export type CursorFields = Readonly<Record<string, string | number>>

/** A list that is served page by page. */
export interface Listing<A, Item> {
  readonly query: ListQuery
  /** The row that a cursor names. */
  readonly rowOf: (place: Readonly<Record<string, unknown>>) => Effect.Effect<number | undefined, Failure>
  /** The items before a row, newest first. */
  readonly read: (before: number | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, Failure>
  readonly place: (record: A) => CursorFields
  readonly write: (record: A) => Item
  /** The answer to an empty list. Default: `noData`. */
  readonly empty?: () => BadRequest
}

const seal = (place: CursorFields): string => Buffer.from(JSON.stringify(place)).toString("base64")

const open = (cursor: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64").toString("utf8"))
    return typeof place === "object" && place !== null ? { ...place } : undefined
  } catch {
    return undefined
  }
}

/** One page. An empty page is an error, as the service was seen to answer. */
export const servePage = <A, Item>(
  { refusals }: Pick<WalletRequest, "refusals">,
  { empty, place, query, read, rowOf, write }: Listing<A, Item>
): Effect.Effect<{ readonly items: ReadonlyArray<Item>; readonly cursor: string }, Failure> =>
  Effect.gen(function*() {
    const { cursor } = query
    const named = cursor === undefined ? undefined : open(cursor)
    const before = named === undefined ? undefined : yield* rowOf(named)
    if (cursor !== undefined && before === undefined) return yield* refusals.fail("outOfRange", "cursor")
    const size = pageSize(query.size)
    const found = yield* read(before, size + 1)
    const records = found.slice(0, size)
    const last = records.at(-1)
    if (last === undefined) return yield* Effect.fail(empty?.() ?? refusals.of("noData"))
    return { items: records.map(write), cursor: found.length > size ? seal(place(last)) : "" }
  })

/** The bounds of a list in time; 0 is none. */
export const boundsOf = (query: ListQuery) => ({
  from: query["from-timestamp"] || undefined,
  to: query["to-timestamp"] || undefined
})
