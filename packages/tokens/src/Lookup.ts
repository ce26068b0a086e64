/**
 * Looks up many single tokens at once.
 *
 * **Details**
 *
 * The calls run in parallel up to a limit (16 by default), and the results come in input order. A token requested
 * several times is looked up once and delivered as often as it was requested. Each result is an `Either`: a failing
 * look-up does not affect the others. The streams themselves fail only for a `concurrency` that is not a whole number of
 * at least 1, as `InvalidInput`, before anything is sent. Each call has its own deadline and
 * retries, and the configured rate limit applies to all of them together.
 *
 * **Gotchas**
 *
 * All answers are kept in memory until the stream ends. For most of a collection, `getNftsByContractAddress.items` is
 * better: it fetches up to 1000 tokens per call and keeps one page.
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
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput, ReadError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { MtToken, Nft } from "./Token.js"
import { TokenData } from "./TokenData.js"
import type { OfContract, OfOwner, OfToken } from "./TokenInput.js"

const readOptions = (operation: string) =>
  Input.decode(operation, Schema.Struct({ concurrency: Schema.optional(Input.Count) }))

/** Makes one call per distinct key. */
const many = <Item, A, E>(items: Iterable<Item>, options: {
  readonly key: (item: Item) => string
  readonly get: (item: Item) => Effect.Effect<A, E>
  readonly operation: string
  readonly concurrency: number | undefined
}): Stream.Stream<readonly [Item, Either.Either<A, E>], InvalidInput> =>
  Stream.unwrap(Effect.gen(function*() {
    const { concurrency = 16 } = yield* readOptions(options.operation)({ concurrency: options.concurrency })
    const answers = new Map<string, Effect.Effect<Either.Either<A, E>>>()
    const requested: Array<readonly [Item, Effect.Effect<Either.Either<A, E>>]> = []
    for (const item of items) {
      const key = options.key(item)
      const answer = answers.get(key) ?? (yield* Effect.cached(Effect.either(options.get(item))))
      answers.set(key, answer)
      requested.push([item, answer])
    }
    return Stream.fromIterable(requested).pipe(
      Stream.rechunk(1),
      Stream.mapEffect(([item, answer]) => Effect.map(answer, (result) => [item, result] as const), {
        concurrency
      })
    )
  }))

/**
 * Options that all look-ups share.
 *
 * @category models
 */
export interface Options extends OfContract {
  /** Maximum number of concurrent calls, at least 1; 16 by default. Anything else fails as `InvalidInput`. */
  readonly concurrency?: number | undefined
}

/**
 * The input of {@link getNftsById}.
 *
 * @category models
 */
export interface NftsByIdInput extends Options {
  /** The tokens, in any order; duplicates are allowed. */
  readonly tokenIds: Iterable<bigint>
}

/**
 * The result of looking up one NFT.
 *
 * @category models
 */
export interface NftResult extends OfToken {
  readonly result: Either.Either<Nft, ReadError>
}

/**
 * Looks up many NFTs of one contract by ID.
 *
 * @category constructors
 */
export const getNftsById = (input: NftsByIdInput): Stream.Stream<NftResult, InvalidInput, TokenData> =>
  Stream.unwrap(Effect.map(TokenData, (tokens) =>
    many(input.tokenIds, {
      operation: "tokens.getNftsById",
      key: String,
      get: (tokenId) => tokens.getNftById({ contract: input.contract, tokenId }),
      concurrency: input.concurrency
    }).pipe(Stream.map(([tokenId, result]) => ({ tokenId, result })))))

/**
 * The input of {@link getMtTokensByOwnerAndId}.
 *
 * @category models
 */
export interface MtTokensByOwnerAndIdInput extends Options {
  /** The owners and tokens, in any order; duplicates are allowed. */
  readonly tokens: Iterable<OfOwner & OfToken>
}

/**
 * The result of looking up one owner's holding of a multi token. `owner` is as in the input.
 *
 * @category models
 */
export interface MtTokenResult extends OfOwner, OfToken {
  readonly result: Either.Either<MtToken, ReadError>
}

/**
 * Looks up many owners' holdings of the multi tokens of one contract.
 *
 * @category constructors
 */
export const getMtTokensByOwnerAndId = (
  input: MtTokensByOwnerAndIdInput
): Stream.Stream<MtTokenResult, InvalidInput, TokenData> =>
  Stream.unwrap(Effect.map(TokenData, (tokens) =>
    many(input.tokens, {
      operation: "tokens.getMtTokensByOwnerAndId",
      // An owner with a mistyped checksum is refused, and so not the same as in lower case.
      key: ({ owner, tokenId }) => `${Either.getOrElse(Address.make(owner), () => owner)} ${tokenId}`,
      get: ({ owner, tokenId }) =>
        tokens.getMtTokensByContractAddressAndOwnerAddressAndTokenId({ contract: input.contract, owner, tokenId }),
      concurrency: input.concurrency
    }).pipe(Stream.map(([{ owner, tokenId }, result]) => ({ owner, tokenId, result })))))
