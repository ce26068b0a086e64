/**
 * The contract of token data: the seven operations of the API document, with every path, parameter, record and error.
 * The client is derived from it, the sandbox implements it, and the OpenAPI document is generated from it.
 *
 * **Details**
 *
 * Names, purposes, result types and which operations are paged are in the API document; paths and path parameters were
 * seen in public clients of the service. All are reads and need the credential and chain of `Access`. Operations that
 * the API document does not name are in `TokenDirectoryApi`.
 */
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as Schema from "effect/Schema"
import { contract, owner, tokenId } from "./internal/pathFields.js"
import { Mt, MtToken, Nft } from "./Token.js"

const { get } = Operation.of("tokens", [ErrorBody.BadRequest, ErrorBody.InternalError, ErrorBody.NotFound])

/**
 * A page of NFTs.
 *
 * @category schemas
 */
export const PageableNfts = Paged.schema(Nft).annotations({ identifier: "PageableNfts" })

/**
 * A page of owners' holdings of multi tokens.
 *
 * @category schemas
 */
export const PageableMtTokens = Paged.schema(MtToken).annotations({ identifier: "PageableMtTokens" })

/**
 * A page of one owner's multi tokens; `totalBalance` is the sum over all tokens of the owner in the contract, not only
 * over the page (seen).
 *
 * @category schemas
 */
export const PageableMtTokensWithBalance = Schema.Struct({
  ...Paged.schema(MtToken).fields,
  /** What the owner holds of the contract altogether, not only on this page. */
  totalBalance: BigIntFromQuantity
}).annotations({ identifier: "PageableMtTokensWithBalance" })

/**
 * A page of issued multi tokens.
 *
 * @category schemas
 */
export const PageableMts = Paged.schema(Mt).annotations({ identifier: "PageableMts" })

/**
 * All NFTs of one contract.
 *
 * @category endpoints
 */
export const getNftsByContractAddress = get("getNftsByContractAddress", "/v2/contract/nft/:contract/token", {
  path: contract,
  urlParams: Paged.query,
  success: PageableNfts
})

/**
 * The NFTs of one owner in one contract.
 *
 * @category endpoints
 */
export const getNftsByOwnerAddress = get("getNftsByOwnerAddress", "/v2/contract/nft/:contract/owner/:owner", {
  path: { ...contract, ...owner },
  urlParams: Paged.query,
  success: PageableNfts
})

/**
 * One NFT.
 *
 * @category endpoints
 */
export const getNftById = get("getNftById", "/v2/contract/nft/:contract/token/:tokenId", {
  path: { ...contract, ...tokenId },
  success: Nft
})

/**
 * The multi tokens of one owner in one contract, with the owner's total balance.
 *
 * @category endpoints
 */
export const getMtTokensByContractAddressAndOwnerAddress = get(
  "getMtTokensByContractAddressAndOwnerAddress",
  "/v2/contract/mt/:contract/owner/:owner",
  {
    path: { ...contract, ...owner },
    urlParams: Paged.query,
    success: PageableMtTokensWithBalance
  }
)

/**
 * One multi token of one owner in one contract.
 *
 * @category endpoints
 */
export const getMtTokensByContractAddressAndOwnerAddressAndTokenId = get(
  "getMtTokensByContractAddressAndOwnerAddressAndTokenId",
  "/v2/contract/mt/:contract/owner/:owner/token/:tokenId",
  {
    path: { ...contract, ...owner, ...tokenId },
    success: MtToken
  }
)

/**
 * All owners of one multi token of one contract.
 *
 * @category endpoints
 */
export const getMtTokensByContractAddressAndTokenId = get(
  "getMtTokensByContractAddressAndTokenId",
  "/v2/contract/mt/:contract/token/:tokenId",
  {
    path: { ...contract, ...tokenId },
    urlParams: Paged.query,
    success: PageableMtTokens
  }
)

/**
 * All tokens issued by one multi-token contract, ordered lexicographically by token ID (the API document), meaning by
 * the text of the ID, so `0x10` before `0x2` (inferred).
 *
 * @category endpoints
 */
export const getMtsByContractAddress = get("getMtsByContractAddress", "/v2/contract/mt/:contract/token", {
  path: contract,
  urlParams: Paged.query,
  success: PageableMts
})
