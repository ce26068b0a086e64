/**
 * Sources that report which tokens moved while a snapshot of owners was taken.
 *
 * **Details**
 *
 * The service has no operation for "what changed in this contract since": its transfer history is searched by preset,
 * by account or by transaction, never by contract alone. A snapshot therefore takes the source of changes as a
 * parameter:
 *
 * - {@link fromTransfers}: the transfer history, searched by a preset that contains the contract. The most complete
 *   source. The caller provides the search, so that this package does not depend on the history package.
 * - {@link fromUpdateTimes}: a second reading of the table, for tokens that were updated in the window. Needs neither
 *   presets nor history.
 * - A function of your own, over a node or an indexer: any `Stream` will do.
 *
 * `getNftOwnershipChanges` of `TokenDirectory` covers one token at a time, so it can't be the source for a whole
 * contract. Use it to look into a token that a verdict names.
 *
 * **Gotchas**
 *
 * No source shows tokens that a contract moves without the standard's events, or transfers that the service has not
 * indexed by the time of the search; the table does not show those either. The docs of each source list what else it
 * can't show.
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as ownerTable from "./internal/ownerTable.js"
import type { MtToken, Nft } from "./Token.js"
import type { TokenData } from "./TokenData.js"

/**
 * What a snapshot asks a source for.
 *
 * @category models
 */
export interface Query {
  readonly kind: "nft" | "mt"
  readonly contract: Address
  /** The first second of the window, which is open: up to now. */
  readonly since: UnixTime
}

/**
 * A token that moved. Without a `tokenId`, some token may have moved, but it is not known which.
 *
 * @category models
 */
export interface Change {
  readonly tokenId: bigint | undefined
  /** When it moved; a change without a time counts as inside the window. */
  readonly timestamp: UnixTime | undefined
}

/**
 * A source of changes. It may name a token several times, and may also name tokens that moved outside the window.
 *
 * @category models
 */
export type OwnerChanges<E = never, R = never> = (query: Query) => Stream.Stream<Change, E, R>

/**
 * The search of the transfer history that answers a {@link Query}. It can be passed to `getTransfers.items` of
 * `@effect-klaytn/history` as is.
 *
 * @category models
 */
export interface TransferSearch {
  readonly kinds: readonly ["nft" | "mt"]
  /** An open range: up to now. */
  readonly range: { readonly _tag: "TimeRange"; readonly from: UnixTime }
}

/**
 * The fields of a transfer that a source needs; the records of `@effect-klaytn/history` have them.
 *
 * @category models
 */
export type TokenTransfer =
  | (TokenTransferFields & { readonly _tag: "NftTransfer"; readonly tokenId: bigint })
  | (TokenTransferFields & { readonly _tag: "MtTransfer"; readonly ids: ReadonlyArray<bigint> })
  | { readonly _tag: "CoinTransfer" }
  | { readonly _tag: "FtTransfer" }
  | { readonly _tag: "UnknownTransfer"; readonly record: { readonly [field: string]: unknown } }

/**
 * The fields that a source needs of any transfer of an NFT or of multi tokens.
 *
 * @category models
 */
export interface TokenTransferFields {
  readonly contract: { readonly address: Address }
  readonly transaction: { readonly timestamp?: UnixTime | undefined }
}

const addressOf = (record: { readonly [field: string]: unknown }): string | undefined => {
  const contract = record["contract"]
  const address = Predicate.isRecord(contract) ? contract["address"] : undefined
  return Predicate.isString(address) ? address.toLowerCase() : undefined
}

const changesOf = (transfer: TokenTransfer, contract: Address): ReadonlyArray<Change> => {
  switch (transfer._tag) {
    case "CoinTransfer":
    case "FtTransfer":
      return []
    case "UnknownTransfer":
      return (addressOf(transfer.record) ?? contract) === contract ? [{ tokenId: undefined, timestamp: undefined }] : []
    default: {
      const { timestamp } = transfer.transaction
      const ids = transfer._tag === "NftTransfer" ? [transfer.tokenId] : transfer.ids
      return transfer.contract.address === contract ? ids.map((tokenId) => ({ tokenId, timestamp })) : []
    }
  }
}

const records = (query: Query): Stream.Stream<Nft | MtToken, StreamError, TokenData> =>
  query.kind === "nft" ? ownerTable.ofNft(query) : ownerTable.ofMt(query)

/**
 * Makes a source from the transfer history: the contract's transfers within the window.
 *
 * **Details**
 *
 * Mints and burns are transfers too. A transfer of a kind that this SDK does not know counts as a change of an unnamed
 * token if it belongs to the contract, or does not show its contract.
 *
 * **Gotchas**
 *
 * The preset must contain the contract. No operation lists a preset: with one that lacks the contract there are no
 * changes, and every snapshot looks unchanged. A search by account (`getTransfersByEoa.items` with the contract) sees
 * only the transfers of that account.
 *
 * **Example** (with a preset that contains the collection)
 *
 * ```ts
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const changes = OwnerChanges.fromTransfers((search) =>
 *   Stream.unwrap(
 *     Effect.map(TransferHistory.TransferHistory, (history) => history.getTransfers.items({ presets: [65], ...search }))
 *   )
 * )
 * ```
 *
 * @category constructors
 */
export const fromTransfers = <E, R>(
  read: (search: TransferSearch) => Stream.Stream<TokenTransfer, E, R>
): OwnerChanges<E, R> =>
({ contract, kind, since }) =>
  read({ kinds: [kind], range: { _tag: "TimeRange", from: since } }).pipe(
    Stream.mapConcat((transfer) => changesOf(transfer, contract))
  )

/**
 * Finds changes by reading the table a second time: the tokens whose `updatedAt` is not before the window. A record
 * shows only its last move, so a move after the window counts too: it may hide one inside it.
 *
 * **Gotchas**
 *
 * It can't see a burn if the service removes burnt tokens from the list (not known), nor that an owner gave away their
 * last unit of a multi token, though it sees the receiver. It costs as many calls as the reading itself, and a token
 * that moves during this second reading also makes the verdict `Changed`. The reading may miss some of these tokens, but
 * never all of them, as long as the list is newest first.
 *
 * @category constructors
 */
export const fromUpdateTimes: OwnerChanges<StreamError, TokenData> = (query) =>
  records(query).pipe(
    Stream.filter((record) => record.updatedAt >= query.since),
    Stream.map(({ tokenId }) => ({ tokenId, timestamp: undefined }))
  )
