/**
 * Many look-ups of single tokens at once.
 *
 * **Details**
 *
 * The calls run in parallel up to a bound (16 unless given), the results come in the order of the input. The same token
 * asked for several times is looked up once and delivered as often as it was asked for. Each result is an `Either`: a
 * look-up that fails takes no other down, and the streams themselves never fail. Each call has its own deadline and
 * retries, and a rate limit of the configuration bounds all of them together.
 *
 * **Gotchas**
 *
 * All answers are held until the stream ends. For most of a collection `getNftsByContractAddress.items` is the better way:
 * it has 1000 tokens in a call and holds a page.
 *
 * **Example** (the owners of some tokens, and which ones are unknown)
 *
 * ```ts
 * import * as Lookup from "@effect-klaytn/tokens/Lookup"
 * import * as Either from "effect/Either"
 * import * as Stream from "effect/Stream"
 *
 * export const owners = (contract: string) =>
 *   Lookup.getNftsById({ contract, tokenIds: [1n, 2n, 3n] }).pipe(
 *     Stream.map(({ result, tokenId }) =>
 *       Either.match(result, {
 *         onLeft: (error) => `${tokenId}: ${error._tag}`,
 *         onRight: (nft) => `${tokenId}: ${nft.owner}`
 *       })
 *     )
 *   )
 * ```
 *
 * @since 0.1.0
 */
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as internal from "./internal/lookup.js"
import type { MtToken } from "./MtToken.js"
import type { Nft } from "./Nft.js"
import { TokenData } from "./TokenData.js"
import type { OfContract, OfOwner, OfToken } from "./TokenInput.js"

/**
 * How look-ups run.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends OfContract {
  /** Calls at a time; 16 unless given. */
  readonly concurrency?: number | undefined
}

/**
 * What {@link getNftsById} takes.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftsByIdInput extends Options {
  /** The tokens, in any order and also repeatedly. */
  readonly tokenIds: Iterable<bigint>
}

/**
 * What became of the look-up of one NFT.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftResult extends OfToken {
  readonly result: Either.Either<Nft, ReadError>
}

/**
 * Looks up many NFTs of one contract by ID.
 *
 * @since 0.1.0
 * @category constructors
 */
export const getNftsById = (input: NftsByIdInput): Stream.Stream<NftResult, never, TokenData> =>
  Stream.unwrap(Effect.map(TokenData, (tokens) =>
    internal.many(input.tokenIds, {
      key: String,
      get: (tokenId) => tokens.getNftById({ contract: input.contract, tokenId }),
      concurrency: input.concurrency
    }).pipe(Stream.map(([tokenId, result]) => ({ tokenId, result })))))

/**
 * What {@link getMtTokensByOwnerAndId} takes.
 *
 * @since 0.1.0
 * @category models
 */
export interface MtTokensByOwnerAndIdInput extends Options {
  /** The owners and tokens, in any order and also repeatedly. */
  readonly tokens: Iterable<OfOwner & OfToken>
}

/**
 * What became of the look-up of one owner's part of a multi token. `owner` is as it was given.
 *
 * @since 0.1.0
 * @category models
 */
export interface MtTokenResult extends OfOwner, OfToken {
  readonly result: Either.Either<MtToken, ReadError>
}

/**
 * Looks up many owners' parts of the multi tokens of one contract.
 *
 * @since 0.1.0
 * @category constructors
 */
export const getMtTokensByOwnerAndId = (
  input: MtTokensByOwnerAndIdInput
): Stream.Stream<MtTokenResult, never, TokenData> =>
  Stream.unwrap(Effect.map(TokenData, (tokens) =>
    internal.many(input.tokens, {
      key: ({ owner, tokenId }) => `${owner.toLowerCase()} ${tokenId}`,
      get: ({ owner, tokenId }) =>
        tokens.getMtTokensByContractAddressAndOwnerAddressAndTokenId({ contract: input.contract, owner, tokenId }),
      concurrency: input.concurrency
    }).pipe(Stream.map(([{ owner, tokenId }, result]) => ({ owner, tokenId, result })))))
