/**
 * The contract of the further reads of the service: labelled contracts, past owners, holders, and what an account holds.
 *
 * **Beyond the document**: the document names none of these operations. Everything here was seen in public clients of
 * the service, under the names that each endpoint's text gives; the service may answer otherwise, or not at all.
 *
 * **Details**
 *
 * The seven operations of the document are in `TokensApi`; both are served under the base address of `tokens`, and the
 * client names the operations of both `tokens.*` in errors and telemetry.
 *
 * @since 0.1.0
 */
import { Access } from "@effect-klaytn/core/Access"
import * as Address from "@effect-klaytn/core/Address"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Paged from "@effect-klaytn/core/Paged"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as ContractDetail from "./ContractDetail.js"
import { ContractSummary } from "./ContractSummary.js"
import { list, paging } from "./internal/parameters.js"
import { OwnershipChange, TokenHolder } from "./Ownership.js"
import * as TokenId from "./TokenId.js"
import { TokenKind } from "./TokenKind.js"
import { TokenSummary } from "./TokenSummary.js"

/**
 * A page of labelled contracts of fungible tokens.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableFtContractDetails = Paged.schema(ContractDetail.FtContractDetail).annotations({
  identifier: "PageableFtContractDetails"
})

/**
 * A page of labelled NFT contracts.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableNftContractDetails = Paged.schema(ContractDetail.NftContractDetail).annotations({
  identifier: "PageableNftContractDetails"
})

/**
 * A page of labelled multi-token contracts.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableMtContractDetails = Paged.schema(ContractDetail.MtContractDetail).annotations({
  identifier: "PageableMtContractDetails"
})

/**
 * A page of the changes of hands of an NFT.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableNftOwnershipChanges = Paged.schema(OwnershipChange).annotations({
  identifier: "PageableNftOwnershipChanges"
})

/**
 * A page of the contracts that an account holds tokens of.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableContractSummary = Paged.schema(ContractSummary).annotations({
  identifier: "PageableContractSummary"
})

/**
 * A page of the tokens that an account holds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableTokenSummary = Paged.schema(TokenSummary).annotations({ identifier: "PageableTokenSummary" })

const contract = Schema.Struct({ contract: Address.FromWire })
const owner = Schema.Struct({ owner: Address.FromWire })

const labelled = <A, I extends string>(standard: Schema.Schema<A, I>) =>
  Schema.Struct({
    status: Schema.optional(ContractDetail.Status),
    type: Schema.optional(standard),
    ...paging.fields
  })

/**
 * Labelled contracts of fungible tokens. Seen as `getListofFtContracts`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getFtContracts = HttpApiEndpoint.get("getFtContracts", "/v2/contract/ft")
  .setUrlParams(labelled(ContractDetail.FtStandard))
  .addSuccess(PageableFtContractDetails)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.InternalError)

/**
 * One contract of fungible tokens. Seen under this name.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getFtContractDetail = HttpApiEndpoint.get("getFtContractDetail", "/v2/contract/ft/:contract")
  .setPath(contract)
  .addSuccess(ContractDetail.FtContractDetail)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.NotFound)
  .addError(ErrorBody.InternalError)

/**
 * Labelled NFT contracts. Seen as `getListOfNftContracts`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getNftContracts = HttpApiEndpoint.get("getNftContracts", "/v2/contract/nft")
  .setUrlParams(labelled(ContractDetail.NftStandard))
  .addSuccess(PageableNftContractDetails)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.InternalError)

/**
 * One NFT contract. Seen under this name.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getNftContractDetail = HttpApiEndpoint.get("getNftContractDetail", "/v2/contract/nft/:contract")
  .setPath(contract)
  .addSuccess(ContractDetail.NftContractDetail)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.NotFound)
  .addError(ErrorBody.InternalError)

/**
 * How many accounts own tokens of an NFT contract. Seen as `getNFTTokenHolder`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getNftTokenHolder = HttpApiEndpoint.get("getNftTokenHolder", "/v2/contract/nft/:contract/holder")
  .setPath(contract)
  .addSuccess(TokenHolder)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.NotFound)
  .addError(ErrorBody.InternalError)

/**
 * Labelled multi-token contracts. Seen as `getListOfMtContracts`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getMtContracts = HttpApiEndpoint.get("getMtContracts", "/v2/contract/mt")
  .setUrlParams(labelled(ContractDetail.MtStandard))
  .addSuccess(PageableMtContractDetails)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.InternalError)

/**
 * One multi-token contract. Seen under this name.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getMtContractDetail = HttpApiEndpoint.get("getMtContractDetail", "/v2/contract/mt/:contract")
  .setPath(contract)
  .addSuccess(ContractDetail.MtContractDetail)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.NotFound)
  .addError(ErrorBody.InternalError)

/**
 * How many accounts own tokens of a multi-token contract. Seen as `getMTTokenHolder`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getMtTokenHolder = HttpApiEndpoint.get("getMtTokenHolder", "/v2/contract/mt/:contract/holder")
  .setPath(contract)
  .addSuccess(TokenHolder)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.NotFound)
  .addError(ErrorBody.InternalError)

/**
 * The changes of hands of one NFT. Seen as `getListOfNftOwnershipChanges`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getNftOwnershipChanges = HttpApiEndpoint.get(
  "getNftOwnershipChanges",
  "/v2/contract/nft/:contract/token/:tokenId/history"
)
  .setPath(Schema.Struct({ ...contract.fields, tokenId: TokenId.FromQuantity }))
  .setUrlParams(paging)
  .addSuccess(PageableNftOwnershipChanges)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.NotFound)
  .addError(ErrorBody.InternalError)

/**
 * The contracts that an account holds tokens of. Seen as `getListOfContractByOwnerAddress`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getContractsByOwnerAddress = HttpApiEndpoint.get(
  "getContractsByOwnerAddress",
  "/v2/account/:owner/contract"
)
  .setPath(owner)
  .setUrlParams(Schema.Struct({ kind: Schema.optional(list(TokenKind)), ...paging.fields }))
  .addSuccess(PageableContractSummary)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.InternalError)

/**
 * The tokens that an account holds. Seen as `getListOfTokenByOwnerAddress`.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getTokensByOwnerAddress = HttpApiEndpoint.get("getTokensByOwnerAddress", "/v2/account/:owner/token")
  .setPath(owner)
  .setUrlParams(Schema.Struct({
    kind: Schema.optional(list(TokenKind)),
    "ca-filters": Schema.optional(list(Address.FromWire)),
    ...paging.fields
  }))
  .addSuccess(PageableTokenSummary)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.InternalError)

/**
 * The further operations as a group.
 *
 * @since 0.1.0
 * @category groups
 */
export class TokenDirectoryGroup extends HttpApiGroup.make("token-directory")
  .add(getFtContracts)
  .add(getFtContractDetail)
  .add(getNftContracts)
  .add(getNftContractDetail)
  .add(getNftTokenHolder)
  .add(getMtContracts)
  .add(getMtContractDetail)
  .add(getMtTokenHolder)
  .add(getNftOwnershipChanges)
  .add(getContractsByOwnerAddress)
  .add(getTokensByOwnerAddress)
  .middleware(Access)
{}

/**
 * The interface of the further reads.
 *
 * @since 0.1.0
 * @category apis
 */
export class TokenDirectoryApi extends HttpApi.make("token-directory").add(TokenDirectoryGroup) {}
