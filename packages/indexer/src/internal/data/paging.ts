import type { BadRequest, InternalError } from "@effect-klaytn/core/ErrorBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { pageSize, type Position } from "../../Cursors.js"
import type { DataChain } from "../../DataChain.js"
import type { DataParts } from "../../DataService.js"
import type { StoreFailure } from "../../IndexError.js"

/** The query of a page. */
export interface Paging {
  readonly size?: number | undefined
  readonly cursor?: string | undefined
}

/** A list that is served page by page. */
export interface Listing<A, Item> {
  readonly chain: Pick<DataChain, "chainId">
  /** What the cursors belong to: the operation and its filters. */
  readonly identity: ReadonlyArray<unknown>
  readonly paging: Paging
  /** The records after a position, in order, `limit` at most. */
  readonly read: (after: Position | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, StoreFailure>
  readonly place: (record: A) => Position
  readonly write: (record: A) => Item
}

/** What the handlers share: failures of the store as the service's errors, cursors, and pages. */
export const make = ({ cursors, refusals }: Pick<DataParts, "cursors" | "refusals">) => {
  const mapStoreFailure = <A>(read: Effect.Effect<A, StoreFailure>): Effect.Effect<A, InternalError> =>
    Effect.catchAll(
      read,
      (failure) => Effect.zipRight(Effect.logError(failure.message), Effect.fail(refusals.internal()))
    )

  const positionOf = (search: string, cursor: string | undefined): Effect.Effect<Position | undefined, BadRequest> => {
    if (cursor === undefined || cursor === "") return Effect.succeed(undefined)
    const position = cursors.open(search, cursor)
    return position === undefined ? Effect.fail(refusals.query()) : Effect.succeed(position)
  }

  const page = <A, Item>({ chain, identity, paging, place, read, write }: Listing<A, Item>) =>
    Effect.gen(function*() {
      const search = JSON.stringify([chain.chainId, ...identity])
      const after = yield* positionOf(search, paging.cursor)
      const size = pageSize(paging.size)
      const found = yield* mapStoreFailure(read(after, size + 1))
      const records = found.slice(0, size)
      const last = records.at(-1)
      const hasMore = last !== undefined && found.length > size
      return { items: records.map(write), cursor: hasMore ? cursors.seal(search, place(last)) : "" }
    })

  return { stored: mapStoreFailure, positionOf, page }
}

/** A JSON response. */
export const body = HttpServerResponse.unsafeJson

/** A number, address or hash as the second half of a position. */
export const toPendingTrigger = (value: bigint | string): `0x${string}` =>
  `0x${BigInt(value).toString(16).padStart(64, "0")}`

/** The number that {@link toPendingTrigger} holds; the cursor has nothing for zero. */
export const pendingTriggerNumber = (position: Position): bigint => BigInt(position.pendingTrigger ?? 0)

/** The address that {@link toPendingTrigger} holds. */
export const owedAddress = (position: Position): `0x${string}` =>
  `0x${pendingTriggerNumber(position).toString(16).padStart(40, "0")}`
