/**
 * The service's other read operations: labelled contracts, past owners, holders, and what an account holds.
 *
 * **Not in the API document**: these operations were seen in public clients of the service. The operations of
 * `TokenData` are in the API document. Use this module only if your service supports it.
 *
 * **Example** (everything an account holds, as text)
 *
 * ```ts
 * import * as TokenDirectory from "@effect-klaytn/tokens/TokenDirectory"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const holdings = (account: string) =>
 *   Effect.gen(function*() {
 *     const directory = yield* TokenDirectory.TokenDirectory
 *     return yield* directory.getTokensByOwnerAddress.items({ owner: account }).pipe(
 *       Stream.filter((token) => token._tag !== "UnknownTokenSummary"),
 *       Stream.map((token) => `${token.balance} of ${token.contractAddress}`),
 *       Stream.runCollect
 *     )
 *   })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import * as Operations from "@effect-klaytn/core/Operations"
import type * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ContractDetail from "./ContractDetail.js"
import type { ContractSummary } from "./ContractSummary.js"
import type { OwnershipChange, TokenHolder } from "./Ownership.js"
import { TokenKind } from "./Token.js"
import * as Api from "./TokenDirectoryApi.js"
import { type OfContract, ofContract, ofOwner, ofToken, paging } from "./TokenInput.js"
import type { TokenSummary } from "./TokenSummary.js"

/**
 * Input of the operations on one contract.
 *
 * @category models
 */
export interface ContractInput extends OfContract {}

const labelled = {
  /** The progress of the labelling; all if absent. */
  status: Schema.optional(
    Input.oneOf(ContractDetail.Status, "a status is one of completed, processing, failed and cancelled")
  ),
  ...paging
}

/**
 * Filters and paging of the lists of labelled contracts. Fields that are left out are not sent.
 *
 * @category models
 */
export interface Labelled extends Input.Of<typeof labelled> {}

const contracts = <A extends string>(standard: Schema.Schema<A>, names: string) => ({
  /** The contract's standard; all if absent. */
  standard: Schema.optional(Input.oneOf(standard, `a standard is one of ${names}`)),
  ...labelled
})

const ftContracts = contracts(ContractDetail.FtStandard, "KIP-7 and ERC-20")

/**
 * Input of `getFtContracts`.
 *
 * @category models
 */
export interface FtContractsInput extends Input.Of<typeof ftContracts> {}

const nftContracts = contracts(ContractDetail.NftStandard, "KIP-17 and ERC-721")

/**
 * Input of `getNftContracts`.
 *
 * @category models
 */
export interface NftContractsInput extends Input.Of<typeof nftContracts> {}

const mtContracts = contracts(ContractDetail.MtStandard, "KIP-37 and ERC-1155")

/**
 * Input of `getMtContracts`.
 *
 * @category models
 */
export interface MtContractsInput extends Input.Of<typeof mtContracts> {}

const nftOwnershipChanges = { ...ofContract, ...ofToken, ...paging }

/**
 * Input of `getNftOwnershipChanges`.
 *
 * @category models
 */
export interface NftOwnershipChangesInput extends Input.Of<typeof nftOwnershipChanges> {}

const contractsByOwnerAddress = {
  /** Kinds of tokens; all if absent, at least one if given. */
  kinds: Schema.optional(
    Input.atLeastOne(
      Input.oneOf(TokenKind, "a kind is one of ft, nft and mt"),
      "give at least one kind, or leave kinds out to search all of them"
    )
  ),
  ...ofOwner,
  ...paging
}

/**
 * Input of `getContractsByOwnerAddress`.
 *
 * @category models
 */
export interface ContractsByOwnerAddressInput extends Input.Of<typeof contractsByOwnerAddress> {}

const tokensByOwnerAddress = {
  /** Only tokens of these contracts, at least one if given. The service limits their number; the limit is not known. */
  contracts: Schema.optional(
    Input.atLeastOne(Address.FromInput, "give at least one contract, or leave contracts out to search all of them")
  ),
  ...contractsByOwnerAddress
}

/**
 * Input of `getTokensByOwnerAddress`.
 *
 * @category models
 */
export interface TokensByOwnerAddressInput extends Input.Of<typeof tokensByOwnerAddress> {}

/**
 * The operations of the directory.
 *
 * **Details**
 *
 * Input is checked before anything is sent and fails as `InvalidInput`. A contract or a token that the service does not
 * know fails as `NotFound` (code 1040400); an account without tokens has an empty list. Other refusals are `Rejected`
 * (codes 1040010 and 1040020).
 *
 * @category models
 */
export interface Service {
  /** One contract of fungible tokens. */
  readonly getFtContractDetail: (input: ContractInput) => Effect.Effect<ContractDetail.FtContractDetail, ReadError>
  /** One NFT contract. */
  readonly getNftContractDetail: (input: ContractInput) => Effect.Effect<ContractDetail.NftContractDetail, ReadError>
  /** How many accounts own tokens of an NFT contract. */
  readonly getNftTokenHolder: (input: ContractInput) => Effect.Effect<TokenHolder, ReadError>
  /** One multi-token contract. */
  readonly getMtContractDetail: (input: ContractInput) => Effect.Effect<ContractDetail.MtContractDetail, ReadError>
  /** How many accounts own tokens of a multi-token contract. */
  readonly getMtTokenHolder: (input: ContractInput) => Effect.Effect<TokenHolder, ReadError>
  /** The labelled contracts of fungible tokens. */
  readonly getFtContracts: Paged.List<FtContractsInput, ContractDetail.FtContractDetail, ReadError>
  /** The labelled NFT contracts. */
  readonly getNftContracts: Paged.List<NftContractsInput, ContractDetail.NftContractDetail, ReadError>
  /** The labelled multi-token contracts. */
  readonly getMtContracts: Paged.List<MtContractsInput, ContractDetail.MtContractDetail, ReadError>
  /** The ownership changes of one NFT. */
  readonly getNftOwnershipChanges: Paged.List<NftOwnershipChangesInput, OwnershipChange, ReadError>
  /** The contracts whose tokens an account holds. */
  readonly getContractsByOwnerAddress: Paged.List<ContractsByOwnerAddressInput, ContractSummary, ReadError>
  /** The tokens that an account holds. */
  readonly getTokensByOwnerAddress: Paged.List<TokensByOwnerAddressInput, TokenSummary, ReadError>
}

/**
 * The token directory as a service.
 *
 * @category services
 */
export class TokenDirectory extends Context.Tag("@effect-klaytn/tokens/TokenDirectory")<TokenDirectory, Service>() {}

/**
 * Makes a client. Fails as `InvalidInput` if the configuration has no base address for `tokens`.
 *
 * **Example** (two networks in one program: a client is a value)
 *
 * ```ts
 * import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
 * import type * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as TokenDirectory from "@effect-klaytn/tokens/TokenDirectory"
 * import * as Effect from "effect/Effect"
 *
 * declare const credentials: Credentials.Provider
 *
 * export const program = Effect.gen(function*() {
 *   const mainnet = yield* TokenDirectory.make().pipe(
 *     ClientConfig.provide({ chain: 8217, credentials, endpoints: { tokens: "https://mainnet.example" } })
 *   )
 *   const testnet = yield* TokenDirectory.make().pipe(
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
    getFtContractDetail: one(Api.getFtContractDetail, ofContract, {}),
    getNftContractDetail: one(Api.getNftContractDetail, ofContract, {}),
    getNftTokenHolder: one(Api.getNftTokenHolder, ofContract, {}),
    getMtContractDetail: one(Api.getMtContractDetail, ofContract, {}),
    getMtTokenHolder: one(Api.getMtTokenHolder, ofContract, {}),
    getFtContracts: list(Api.getFtContracts, ftContracts, { standard: "type" }),
    getNftContracts: list(Api.getNftContracts, nftContracts, { standard: "type" }),
    getMtContracts: list(Api.getMtContracts, mtContracts, { standard: "type" }),
    getNftOwnershipChanges: list(Api.getNftOwnershipChanges, nftOwnershipChanges, {}),
    getContractsByOwnerAddress: list(Api.getContractsByOwnerAddress, contractsByOwnerAddress, { kinds: "kind" }),
    getTokensByOwnerAddress: list(Api.getTokensByOwnerAddress, tokensByOwnerAddress, {
      kinds: "kind",
      contracts: "ca-filters"
    })
  }))

/**
 * Makes a client as a layer. Each call returns a layer with a separate client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(TokenDirectory, make)

/**
 * Makes a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call returns a layer with a separate client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(TokenDirectory, "tokens", make)
