/**
 * A contract whose tokens move while it is read. Its lists are newest first and its cursors count positions, the worst that
 * the service may do: a token that moves shifts others across a page border.
 */
import type { Address } from "@effect-klaytn/core/Address"
import * as Testing from "@effect-klaytn/core/Testing"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as OwnerChanges from "../../src/OwnerChanges.js"
import { hash, token, zero } from "./records.js"
import * as Service from "./service.js"

/** At this second, this token goes to this owner; `undefined` burns it. */
export interface Move {
  readonly at: number
  readonly tokenId: bigint
  readonly to: number | undefined
}

const account = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

interface Held {
  readonly tokenId: bigint
  readonly owner: string
  readonly updatedAt: number
}

/** An NFT contract: `size` tokens minted long ago, the moves to come, and seconds that each answer takes. */
export const nfts = (options: {
  readonly size: number
  readonly moves: ReadonlyArray<Move>
  readonly seconds?: number
}) => {
  const minted = Array.from({ length: options.size }, (_, i): Held => ({
    tokenId: BigInt(i),
    owner: account(1 + i % 5),
    updatedAt: 1
  }))

  /** The owners at a second, newest first. */
  const at = (second: number): ReadonlyArray<Held> => {
    const held = new Map(minted.map((one) => [one.tokenId, one]))
    for (const { at, to, tokenId } of [...options.moves].sort((a, b) => a.at - b.at)) {
      if (at > second) continue
      held.delete(tokenId)
      if (to !== undefined) held.set(tokenId, { tokenId, owner: account(to), updatedAt: at })
    }
    return [...held.values()].sort((a, b) => b.updatedAt - a.updatedAt || Number(a.tokenId - b.tokenId))
  }

  const answer: Testing.Step = (sent) =>
    Effect.flatMap(Clock.currentTimeMillis, (millis) => {
      const query = new URL(sent.url).searchParams
      const from = Number(query.get("cursor") ?? "0")
      const size = Number(query.get("size") ?? "100")
      const all = at(Math.floor(millis / 1000))
      const items = all.slice(from, from + size).map(({ owner, tokenId, updatedAt }) => ({
        tokenId: `0x${tokenId.toString(16)}`,
        owner,
        previousOwner: zero,
        tokenUri: "",
        transactionHash: hash,
        createdAt: 1,
        updatedAt
      }))
      return Service.page(items, from + size < all.length ? String(from + size) : "")(sent)
    })
  const wire = Testing.wire(Testing.after(`${options.seconds ?? 1} seconds`, answer))

  /** The transfer history of a preset with the contract, and the searches that were made. */
  const searched: Array<OwnerChanges.TransferSearch> = []
  const history = (search: OwnerChanges.TransferSearch): Stream.Stream<OwnerChanges.TokenTransfer> =>
    Stream.unwrap(Effect.map(Clock.currentTimeMillis, (millis) => {
      searched.push(search)
      const now = Math.floor(millis / 1000)
      return Stream.fromIterable(
        options.moves.filter((move) => move.at >= search.range.from && move.at <= now).map((move) =>
          nftTransfer(move.tokenId, move.at)
        )
      )
    }))

  return { wire, at, history, searched }
}

const address = (text: string) => text as Address
const time = (second: number) => second as UnixTime

export const nftTransfer = (
  tokenId: bigint,
  second: number | undefined,
  contract = token
): OwnerChanges.TokenTransfer => ({
  _tag: "NftTransfer",
  tokenId,
  contract: { address: address(contract) },
  transaction: { timestamp: second === undefined ? undefined : time(second) }
})

export const mtTransfer = (ids: ReadonlyArray<bigint>, second: number): OwnerChanges.TokenTransfer => ({
  _tag: "MtTransfer",
  ids,
  contract: { address: address(token) },
  transaction: { timestamp: time(second) }
})

/** A record of an unknown kind. */
export const unknownTransfer = (record: { readonly [field: string]: unknown }): OwnerChanges.TokenTransfer => ({
  _tag: "UnknownTransfer",
  record
})
