/** Turns the inputs of the service into requests of the contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Operations from "@effect-klaytn/core/Operations"
import { fields as paging } from "@effect-klaytn/core/Paged"
import * as Effect from "effect/Effect"
import * as TokenId from "../TokenId.js"
import * as Api from "../TokensApi.js"

/** Input fields that operations share. */
export const contract = { contract: Address.FromInput }

export const owner = { owner: Address.FromInput }

export const tokenId = { tokenId: TokenId.TokenId }

export const make = Effect.map(Operations.make("tokens"), ({ list, one }) => ({
  getNftById: one(Api.getNftById, { ...contract, ...tokenId }, (path, call) => call({ path })),
  getNftsByContractAddress: list(
    Api.getNftsByContractAddress,
    { ...contract, ...paging },
    ({ contract, ...urlParams }, call) => call({ path: { contract }, urlParams })
  ),
  getNftsByOwnerAddress: list(
    Api.getNftsByOwnerAddress,
    { ...contract, ...owner, ...paging },
    ({ contract, owner, ...urlParams }, call) => call({ path: { contract, owner }, urlParams })
  ),
  getMtsByContractAddress: list(
    Api.getMtsByContractAddress,
    { ...contract, ...paging },
    ({ contract, ...urlParams }, call) => call({ path: { contract }, urlParams })
  ),
  getMtTokensByContractAddressAndTokenId: list(
    Api.getMtTokensByContractAddressAndTokenId,
    { ...contract, ...tokenId, ...paging },
    ({ contract, tokenId, ...urlParams }, call) => call({ path: { contract, tokenId }, urlParams })
  ),
  getMtTokensByContractAddressAndOwnerAddress: list(
    Api.getMtTokensByContractAddressAndOwnerAddress,
    { ...contract, ...owner, ...paging },
    ({ contract, owner, ...urlParams }, call) => call({ path: { contract, owner }, urlParams })
  ),
  getMtTokensByContractAddressAndOwnerAddressAndTokenId: one(
    Api.getMtTokensByContractAddressAndOwnerAddressAndTokenId,
    { ...contract, ...owner, ...tokenId },
    (path, call) => call({ path })
  )
}))
