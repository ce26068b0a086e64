import type { Address } from "@effect-klaytn/core/Address"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { Change, OwnerChanges, Query, TokenTransfer, TransferSearch } from "../OwnerChanges.js"
import type { MtToken, Nft } from "../Token.js"
import type { TokenData } from "../TokenData.js"
import * as ownerTable from "./ownerTable.js"

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

export const fromTransfers = <E, R>(
  read: (search: TransferSearch) => Stream.Stream<TokenTransfer, E, R>
): OwnerChanges<E, R> =>
({ contract, kind, since }) =>
  read({ kinds: [kind], range: { _tag: "TimeRange", from: since } }).pipe(
    Stream.mapConcat((transfer) => changesOf(transfer, contract))
  )

const records = (query: Query): Stream.Stream<Nft | MtToken, StreamError, TokenData> =>
  query.kind === "nft" ? ownerTable.ofNft(query) : ownerTable.ofMt(query)

export const fromUpdateTimes = (query: Query): Stream.Stream<Change, StreamError, TokenData> =>
  records(query).pipe(
    Stream.filter((record) => record.updatedAt >= query.since),
    // A record shows only its last move: one after the window may hide one inside it.
    Stream.map(({ tokenId }) => ({ tokenId, timestamp: undefined }))
  )
