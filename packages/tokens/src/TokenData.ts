/**
 * The token data of the service, as Effects and Streams: the seven operations of its API document, under their names
 * there.
 *
 * **Example** (who owns how many tokens of a collection)
 *
 * ```ts
 * import type * as Address from "@effect-klaytn/core/Address"
 * import * as TokenData from "@effect-klaytn/tokens/TokenData"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const holdings = (collection: string) =>
 *   Effect.gen(function*() {
 *     const tokens = yield* TokenData.TokenData
 *     return yield* tokens.getNftsByContractAddress.items({ contract: collection, size: 1000 }).pipe(
 *       Stream.runFold(new Map<Address.Address, number>(), (held, nft) => held.set(nft.owner, (held.get(nft.owner) ?? 0) + 1))
 *     )
 *   })
 * ```
 */
import type * as Input from "@effect-klaytn/core/Input"
import * as Operations from "@effect-klaytn/core/Operations"
import type * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Mt, MtToken, Nft } from "./Token.js"
import { ofContract, ofOwner, ofToken, paging } from "./TokenInput.js"
import * as Api from "./TokensApi.js"

const nftById = { ...ofContract, ...ofToken }

/**
 * Input of `getNftById`.
 *
 * @category models
 */
export interface NftByIdInput extends Input.Of<typeof nftById> {}

const tokensOfContract = { ...ofContract, ...paging }

/**
 * Input of `getNftsByContractAddress`.
 *
 * @category models
 */
export interface NftsByContractAddressInput extends Input.Of<typeof tokensOfContract> {}

const tokensOfOwner = { ...ofContract, ...ofOwner, ...paging }

/**
 * Input of `getNftsByOwnerAddress`.
 *
 * @category models
 */
export interface NftsByOwnerAddressInput extends Input.Of<typeof tokensOfOwner> {}

/**
 * Input of `getMtsByContractAddress`.
 *
 * @category models
 */
export interface MtsByContractAddressInput extends Input.Of<typeof tokensOfContract> {}

const ownersOfToken = { ...ofContract, ...ofToken, ...paging }

/**
 * Input of `getMtTokensByContractAddressAndTokenId`.
 *
 * @category models
 */
export interface MtTokensByContractAddressAndTokenIdInput extends Input.Of<typeof ownersOfToken> {}

/**
 * Input of `getMtTokensByContractAddressAndOwnerAddress`.
 *
 * @category models
 */
export interface MtTokensByContractAddressAndOwnerAddressInput extends Input.Of<typeof tokensOfOwner> {}

const tokenOfOwner = { ...ofContract, ...ofOwner, ...ofToken }

/**
 * Input of `getMtTokensByContractAddressAndOwnerAddressAndTokenId`.
 *
 * @category models
 */
export interface MtTokensByContractAddressAndOwnerAddressAndTokenIdInput extends Input.Of<typeof tokenOfOwner> {}

/**
 * The total balance in a page of one owner's multi tokens in one contract.
 *
 * @category models
 */
export interface TotalBalance {
  /** Units of all of the owner's tokens in the contract, not only of those on this page. */
  readonly totalBalance: bigint
}

/**
 * The operations of token data.
 *
 * **Details**
 *
 * Input is checked before anything is sent and fails as `InvalidInput`. A contract or a token that the service does not
 * know fails as `NotFound` (code 1040400); a contract it knows but has not labelled counts as unknown (inferred). A
 * known contract without matching tokens is not an error: the list is empty. Other refusals are `Rejected` (codes
 * 1040010 and 1040020).
 *
 * Lists are newest first where their records have times (inferred from examples), except `getMtsByContractAddress`. A
 * record that changes while a list is read may appear twice or be missing; see `OwnerSnapshot` for a list with a
 * verdict.
 *
 * @category models
 */
export interface Service {
  /** One NFT of one contract. */
  readonly getNftById: (input: NftByIdInput) => Effect.Effect<Nft, ReadError>
  /** All NFTs of one contract. */
  readonly getNftsByContractAddress: Paged.List<NftsByContractAddressInput, Nft, ReadError>
  /** The NFTs of one owner in one contract. */
  readonly getNftsByOwnerAddress: Paged.List<NftsByOwnerAddressInput, Nft, ReadError>
  /** All tokens issued by one multi-token contract, ordered by the hexadecimal text of their IDs. */
  readonly getMtsByContractAddress: Paged.List<MtsByContractAddressInput, Mt, ReadError>
  /** All owners of one multi token. The list is empty if nobody owns the token (inferred). */
  readonly getMtTokensByContractAddressAndTokenId: Paged.List<
    MtTokensByContractAddressAndTokenIdInput,
    MtToken,
    ReadError
  >
  /** One owner's tokens in one multi-token contract; each page also has the owner's total balance. */
  readonly getMtTokensByContractAddressAndOwnerAddress: Paged.List<
    MtTokensByContractAddressAndOwnerAddressInput,
    MtToken,
    ReadError,
    TotalBalance
  >
  /** One owner's holding of one multi token. */
  readonly getMtTokensByContractAddressAndOwnerAddressAndTokenId: (
    input: MtTokensByContractAddressAndOwnerAddressAndTokenIdInput
  ) => Effect.Effect<MtToken, ReadError>
}

/**
 * Token data as a service.
 *
 * @category services
 */
export class TokenData extends Context.Tag("@effect-klaytn/tokens/TokenData")<TokenData, Service>() {}

/**
 * Makes a client. Fails as `InvalidInput` if the configuration has no base address for `tokens`.
 *
 * **Example** (two networks in one program: a client is a value)
 *
 * ```ts
 * import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
 * import type * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as TokenData from "@effect-klaytn/tokens/TokenData"
 * import * as Effect from "effect/Effect"
 *
 * declare const credentials: Credentials.Provider
 *
 * export const program = Effect.gen(function*() {
 *   const mainnet = yield* TokenData.make().pipe(
 *     ClientConfig.provide({ chain: 8217, credentials, endpoints: { tokens: "https://mainnet.example" } })
 *   )
 *   const testnet = yield* TokenData.make().pipe(
 *     ClientConfig.provide({ chain: 1001, credentials, endpoints: { tokens: "https://testnet.example" } })
 *   )
 *   return { mainnet, testnet }
 * })
 * ```
 *
 * @category constructors
 */
export const make = (): ServiceClient.Make<Service> =>
  Effect.map(Operations.make("tokens"), ({ list, one }) => ({
    getNftById: one(Api.getNftById, nftById, {}),
    getNftsByContractAddress: list(Api.getNftsByContractAddress, tokensOfContract, {}),
    getNftsByOwnerAddress: list(Api.getNftsByOwnerAddress, tokensOfOwner, {}),
    getMtsByContractAddress: list(Api.getMtsByContractAddress, tokensOfContract, {}),
    getMtTokensByContractAddressAndTokenId: list(Api.getMtTokensByContractAddressAndTokenId, ownersOfToken, {}),
    getMtTokensByContractAddressAndOwnerAddress: list(
      Api.getMtTokensByContractAddressAndOwnerAddress,
      tokensOfOwner,
      {}
    ),
    getMtTokensByContractAddressAndOwnerAddressAndTokenId: one(
      Api.getMtTokensByContractAddressAndOwnerAddressAndTokenId,
      tokenOfOwner,
      {}
    )
  }))

/**
 * Makes a client as a layer. Each call returns a layer with a separate client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(TokenData, make)

/**
 * Makes a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call returns a layer with a separate client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(TokenData, "tokens", make)
