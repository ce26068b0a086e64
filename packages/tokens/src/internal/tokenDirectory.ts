/** Turns the inputs of the directory into requests of its contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import * as Operations from "@effect-klaytn/core/Operations"
import { fields as paging } from "@effect-klaytn/core/Paged"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ContractDetail from "../ContractDetail.js"
import { TokenKind } from "../Token.js"
import * as Api from "../TokenDirectoryApi.js"
import { contract, owner, tokenId } from "./tokenData.js"

const labelled = <A, I>(standard: Schema.Schema<A, I>, names: string) => ({
  status: Schema.optional(
    Input.oneOf(ContractDetail.Status, "a status is one of completed, processing, failed and cancelled")
  ),
  standard: Schema.optional(Input.oneOf(standard, `a standard is one of ${names}`)),
  ...paging
})

const kinds = {
  kinds: Schema.optional(
    Input.atLeastOne(
      Input.oneOf(TokenKind, "a kind is one of ft, nft and mt"),
      "give at least one kind, or leave kinds out to search all of them"
    )
  )
}

const contracts = {
  contracts: Schema.optional(
    Input.atLeastOne(Address.FromInput, "give at least one contract, or leave contracts out to search all of them")
  )
}

export const make = Effect.map(Operations.make("tokens"), ({ list, one }) => ({
  getFtContractDetail: one(Api.getFtContractDetail, contract, (path, call) => call({ path })),
  getNftContractDetail: one(Api.getNftContractDetail, contract, (path, call) => call({ path })),
  getNftTokenHolder: one(Api.getNftTokenHolder, contract, (path, call) => call({ path })),
  getMtContractDetail: one(Api.getMtContractDetail, contract, (path, call) => call({ path })),
  getMtTokenHolder: one(Api.getMtTokenHolder, contract, (path, call) => call({ path })),
  getFtContracts: list(
    Api.getFtContracts,
    labelled(ContractDetail.FtStandard, "KIP-7 and ERC-20"),
    ({ standard, ...input }, call) => call({ urlParams: { ...input, type: standard } })
  ),
  getNftContracts: list(
    Api.getNftContracts,
    labelled(ContractDetail.NftStandard, "KIP-17 and ERC-721"),
    ({ standard, ...input }, call) => call({ urlParams: { ...input, type: standard } })
  ),
  getMtContracts: list(
    Api.getMtContracts,
    labelled(ContractDetail.MtStandard, "KIP-37 and ERC-1155"),
    ({ standard, ...input }, call) => call({ urlParams: { ...input, type: standard } })
  ),
  getNftOwnershipChanges: list(
    Api.getNftOwnershipChanges,
    { ...contract, ...tokenId, ...paging },
    ({ contract, tokenId, ...urlParams }, call) => call({ path: { contract, tokenId }, urlParams })
  ),
  getContractsByOwnerAddress: list(
    Api.getContractsByOwnerAddress,
    { ...owner, ...kinds, ...paging },
    ({ kinds, owner, ...input }, call) => call({ path: { owner }, urlParams: { kind: kinds, ...input } })
  ),
  getTokensByOwnerAddress: list(
    Api.getTokensByOwnerAddress,
    { ...owner, ...kinds, ...contracts, ...paging },
    ({ contracts, kinds, owner, ...input }, call) =>
      call({ path: { owner }, urlParams: { kind: kinds, "ca-filters": contracts, ...input } })
  )
}))
