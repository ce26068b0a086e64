/**
 * The contract of the service's other read operations: labelled contracts, past owners, holders, and what an account
 * holds.
 *
 * **Not in the API document**: everything here was seen in public clients of the service, under the name noted for each
 * endpoint; the service may answer differently, or not at all.
 *
 * **Details**
 *
 * The seven operations of the API document are in `TokensApi`. Both contracts are served under the base address of
 * `tokens`, and the operations of both are named `tokens.*` in errors and telemetry.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Input from "@effect-klaytn/core/Input"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as Schema from "effect/Schema"
import * as ContractDetail from "./ContractDetail.js"
import { ContractSummary } from "./ContractSummary.js"
import { contract, owner, tokenId } from "./internal/pathFields.js"
import { OwnershipChange, TokenHolder } from "./Ownership.js"
import { TokenKind } from "./Token.js"
import { TokenSummary } from "./TokenSummary.js"

const { get } = Operation.of("tokens", [ErrorBody.BadRequest, ErrorBody.InternalError])

/**
 * A page of labelled contracts of fungible tokens.
 *
 * @category schemas
 */
export const PageableFtContractDetails = Paged.schema(ContractDetail.FtContractDetail).annotations({
  identifier: "PageableFtContractDetails"
})

/**
 * A page of labelled NFT contracts.
 *
 * @category schemas
 */
export const PageableNftContractDetails = Paged.schema(ContractDetail.NftContractDetail).annotations({
  identifier: "PageableNftContractDetails"
})

/**
 * A page of labelled multi-token contracts.
 *
 * @category schemas
 */
export const PageableMtContractDetails = Paged.schema(ContractDetail.MtContractDetail).annotations({
  identifier: "PageableMtContractDetails"
})

/**
 * A page of the ownership changes of an NFT.
 *
 * @category schemas
 */
export const PageableNftOwnershipChanges = Paged.schema(OwnershipChange).annotations({
  identifier: "PageableNftOwnershipChanges"
})

/**
 * A page of the contracts whose tokens an account holds.
 *
 * @category schemas
 */
export const PageableContractSummary = Paged.schema(ContractSummary).annotations({
  identifier: "PageableContractSummary"
})

/**
 * A page of the tokens that an account holds.
 *
 * @category schemas
 */
export const PageableTokenSummary = Paged.schema(TokenSummary).annotations({ identifier: "PageableTokenSummary" })

const labelled = <A, I extends string>(standard: Schema.Schema<A, I>) => ({
  /** Limits the list to one state (seen). */
  status: Schema.optional(ContractDetail.Status),
  /** Only contracts of this standard. */
  type: Schema.optional(standard),
  ...Paged.query
})

/**
 * Labelled contracts of fungible tokens. Seen as `getListofFtContracts`.
 *
 * @category endpoints
 */
export const getFtContracts = get("getFtContracts", "/v2/contract/ft", {
  urlParams: labelled(ContractDetail.FtStandard),
  success: PageableFtContractDetails
})

/**
 * One contract of fungible tokens. Seen under this name.
 *
 * @category endpoints
 */
export const getFtContractDetail = get("getFtContractDetail", "/v2/contract/ft/:contract", {
  path: contract,
  success: ContractDetail.FtContractDetail,
  errors: [ErrorBody.NotFound]
})

/**
 * Labelled NFT contracts. Seen as `getListOfNftContracts`.
 *
 * @category endpoints
 */
export const getNftContracts = get("getNftContracts", "/v2/contract/nft", {
  urlParams: labelled(ContractDetail.NftStandard),
  success: PageableNftContractDetails
})

/**
 * One NFT contract. Seen under this name.
 *
 * @category endpoints
 */
export const getNftContractDetail = get("getNftContractDetail", "/v2/contract/nft/:contract", {
  path: contract,
  success: ContractDetail.NftContractDetail,
  errors: [ErrorBody.NotFound]
})

/**
 * How many accounts own tokens of an NFT contract. Seen as `getNFTTokenHolder`.
 *
 * @category endpoints
 */
export const getNftTokenHolder = get("getNftTokenHolder", "/v2/contract/nft/:contract/holder", {
  path: contract,
  success: TokenHolder,
  errors: [ErrorBody.NotFound]
})

/**
 * Labelled multi-token contracts. Seen as `getListOfMtContracts`.
 *
 * @category endpoints
 */
export const getMtContracts = get("getMtContracts", "/v2/contract/mt", {
  urlParams: labelled(ContractDetail.MtStandard),
  success: PageableMtContractDetails
})

/**
 * One multi-token contract. Seen under this name.
 *
 * @category endpoints
 */
export const getMtContractDetail = get("getMtContractDetail", "/v2/contract/mt/:contract", {
  path: contract,
  success: ContractDetail.MtContractDetail,
  errors: [ErrorBody.NotFound]
})

/**
 * How many accounts own tokens of a multi-token contract. Seen as `getMTTokenHolder`.
 *
 * @category endpoints
 */
export const getMtTokenHolder = get("getMtTokenHolder", "/v2/contract/mt/:contract/holder", {
  path: contract,
  success: TokenHolder,
  errors: [ErrorBody.NotFound]
})

/**
 * The ownership changes of one NFT. Seen as `getListOfNftOwnershipChanges`.
 *
 * @category endpoints
 */
export const getNftOwnershipChanges = get(
  "getNftOwnershipChanges",
  "/v2/contract/nft/:contract/token/:tokenId/history",
  {
    path: { ...contract, ...tokenId },
    urlParams: Paged.query,
    success: PageableNftOwnershipChanges,
    errors: [ErrorBody.NotFound]
  }
)

/**
 * The contracts whose tokens an account holds. Seen as `getListOfContractByOwnerAddress`.
 *
 * @category endpoints
 */
export const getContractsByOwnerAddress = get("getContractsByOwnerAddress", "/v2/account/:owner/contract", {
  path: owner,
  urlParams: {
    /** The kinds to search for; all by default. */
    kind: Schema.optional(Input.CommaSeparated(TokenKind)),
    ...Paged.query
  },
  success: PageableContractSummary
})

/**
 * The tokens that an account holds. Seen as `getListOfTokenByOwnerAddress`.
 *
 * @category endpoints
 */
export const getTokensByOwnerAddress = get("getTokensByOwnerAddress", "/v2/account/:owner/token", {
  path: owner,
  urlParams: {
    /** The kinds to search for; all by default. */
    kind: Schema.optional(Input.CommaSeparated(TokenKind)),
    /** Only tokens of these contracts. */
    "ca-filters": Schema.optional(Input.CommaSeparated(Address.FromWire)),
    ...Paged.query
  },
  success: PageableTokenSummary
})
