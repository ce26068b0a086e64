import type { BadRequest, InternalError, NotFound } from "@effect-klaytn/core/ErrorBody"
import { RequestChain } from "@effect-klaytn/core/OperationApi"
import { pageSize } from "@effect-klaytn/service/Route"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Position } from "../../Cursors.js"
import type { DataChain, DataParts } from "../../DataChain.js"
import type { StoreFailure } from "../../IndexError.js"
import type { ContractRecord } from "../../TokenRecord.js"
import { coverage } from "./coverage.js"

/** The query of a page. */
interface Paging {
  readonly size?: number | undefined
  readonly cursor?: string | undefined
}

/** The last record of the page before, from a cursor. */
interface Last {
  /** The transfer that changed it last. */
  readonly updatedBy: number
  /** Its place among the records of one transfer: a token's ID, or an address. */
  readonly tokenId: bigint
  readonly address: Hex
  /** Its contract, where records of several contracts may be level. */
  readonly contract: Hex
}

/** Where a record stands in its list: see {@link Last}. */
interface Place {
  readonly updatedBy?: number
  readonly item?: bigint | Hex | undefined
  readonly contract?: Hex
}

/** A list that is served page by page. */
interface Listing<A, Item> {
  /** The search that its cursors belong to: the operation and its filters. */
  readonly identity: ReadonlyArray<unknown>
  readonly paging: Paging
  /** The records after a position, in order, `limit` at most. */
  readonly read: (after: Last | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, StoreFailure>
  readonly place: (record: A) => Place
  readonly write: (record: A) => Item
}

const toPosition = ({ contract, item = 0n, updatedBy = 0 }: Place): Position => ({
  before: updatedBy,
  pendingTrigger: `0x${BigInt(item).toString(16).padStart(64, "0")}`,
  contract
})

const toLast = ({ before, contract = "0x", pendingTrigger = "0x0" }: Position): Last => {
  const tokenId = BigInt(pendingTrigger)
  return { updatedBy: before, tokenId, address: `0x${tokenId.toString(16).padStart(40, "0")}`, contract }
}

/** A decoded address or hash as the chain's type. */
export const hexOf = (text: string): Hex => `0x${text.slice(2)}`

/** A JSON response. */
export const body = HttpServerResponse.unsafeJson

/** The reads of the handlers of one chain, with the service's errors: of the store, contracts, cursors and pages. */
export const make = (parts: DataParts, chain: DataChain) => {
  const { coin, cursors, refusals } = parts
  const stored = <A>(read: Effect.Effect<A, StoreFailure>): Effect.Effect<A, InternalError> =>
    Effect.catchAll(
      read,
      (failure) =>
        Effect.zipRight(
          DatabaseLog.failure(failure.message, failure),
          // No operation declares that a database is not there now: the app answers this.
          failure.mayPass === true ? Effect.die(failure) : Effect.fail(refusals.databaseFailed())
        )
    )

  const found = <A>(
    read: Effect.Effect<Option.Option<A>, StoreFailure>,
    missing: () => NotFound
  ): Effect.Effect<A, NotFound | InternalError> =>
    Effect.flatMap(stored(read), Option.match({ onNone: () => Effect.fail(missing()), onSome: Effect.succeed }))

  const covered = coverage(chain, refusals, stored)

  /** A labelled contract of a kind; any other is not found. The index must have all of its history. */
  const contractOf = (
    kind: ContractRecord["kind"],
    address: string,
    missing: () => NotFound = () => refusals.token(kind)
  ): Effect.Effect<ContractRecord, BadRequest | NotFound | InternalError> => {
    const isListed = (one: ContractRecord): boolean => one.kind === kind && one.label.deletedAt === undefined
    return Effect.zipRight(
      covered.contractFromCreation(hexOf(address)),
      found(Effect.map(chain.contract(hexOf(address)), Option.filter(isListed)), missing)
    )
  }

  const positionOf = (search: string, cursor: string | undefined): Effect.Effect<Position | undefined, BadRequest> => {
    if (cursor === undefined || cursor === "") return Effect.succeed(undefined)
    const position = cursors.open(search, cursor)
    return position === undefined ? Effect.fail(refusals.query()) : Effect.succeed(position)
  }

  const list = <A, Item>({ identity, paging, place, read, write }: Listing<A, Item>) =>
    Effect.gen(function*() {
      const search = JSON.stringify([chain.chainId, ...identity])
      const after = yield* positionOf(search, paging.cursor)
      const size = pageSize(paging.size)
      const records = yield* stored(read(after && toLast(after), size + 1))
      const page = records.slice(0, size)
      const last = page.at(-1)
      const hasMore = last !== undefined && records.length > size
      return { items: page.map(write), cursor: hasMore ? cursors.seal(search, toPosition(place(last))) : "" }
    })

  const page = <A, Item>(listing: Listing<A, Item>) => Effect.map(list(listing), body)

  return { chain, coin, contractOf, covered, cursors, found, list, page, positionOf, refusals, stored }
}

export type Reads = ReturnType<typeof make>

/** Runs a handler with the reads of the chain that its request names. */
export const onChain =
  (parts: DataParts) => <R, A, E>(handler: (reads: Reads, request: R) => Effect.Effect<A, E>) => (request: R) =>
    Effect.flatMap(RequestChain, (chainId) => handler(make(parts, parts.chain(chainId)), request))
