/** From the inputs of the service to the requests of the contract. */
import * as Input from "@effect-klaytn/core/Input"
import * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Mt } from "../Mt.js"
import type { MtToken } from "../MtToken.js"
import type { Nft } from "../Nft.js"
import type * as TokenData from "../TokenData.js"
import * as TokensApi from "../TokensApi.js"
import { beginning, input, pageOf } from "./parameters.js"

const { contract, owner, paging, tokenId } = input

export const make = Effect.gen(function*() {
  const client = yield* ServiceClient.make("tokens")
  const read = <A, I>(endpoint: Parameters<typeof client.scope>[0], schema: Schema.Schema<A, I>) =>
    Input.decode(client.scope(endpoint).operation, schema)

  const readNftById = read(TokensApi.getNftById, Schema.Struct({ ...contract, ...tokenId }))
  const getNftById = (given: TokenData.NftByIdInput) =>
    Effect.flatMap(readNftById(given), (path) => client.call(TokensApi.getNftById, { path }))

  const readNftsByContract = read(TokensApi.getNftsByContractAddress, Schema.Struct({ ...contract, ...paging }))
  const nftsByContractAddress = Paged.make<TokenData.NftsByContractAddressInput, Nft, ReadError>({
    scope: client.scope(TokensApi.getNftsByContractAddress),
    begin: beginning(readNftsByContract),
    page: (given) =>
      Effect.flatMap(readNftsByContract(given), (input) =>
        client.call(TokensApi.getNftsByContractAddress, {
          path: { contract: input.contract },
          urlParams: pageOf(input)
        }))
  })

  const readNftsByOwner = read(TokensApi.getNftsByOwnerAddress, Schema.Struct({ ...contract, ...owner, ...paging }))
  const nftsByOwnerAddress = Paged.make<TokenData.NftsByOwnerAddressInput, Nft, ReadError>({
    scope: client.scope(TokensApi.getNftsByOwnerAddress),
    begin: beginning(readNftsByOwner),
    page: (given) =>
      Effect.flatMap(readNftsByOwner(given), (input) =>
        client.call(TokensApi.getNftsByOwnerAddress, {
          path: { contract: input.contract, owner: input.owner },
          urlParams: pageOf(input)
        }))
  })

  const readMtsByContract = read(TokensApi.getMtsByContractAddress, Schema.Struct({ ...contract, ...paging }))
  const mtsByContractAddress = Paged.make<TokenData.MtsByContractAddressInput, Mt, ReadError>({
    scope: client.scope(TokensApi.getMtsByContractAddress),
    begin: beginning(readMtsByContract),
    page: (given) =>
      Effect.flatMap(readMtsByContract(given), (input) =>
        client.call(TokensApi.getMtsByContractAddress, {
          path: { contract: input.contract },
          urlParams: pageOf(input)
        }))
  })

  const readMtTokensByToken = read(
    TokensApi.getMtTokensByContractAddressAndTokenId,
    Schema.Struct({ ...contract, ...tokenId, ...paging })
  )
  const mtTokensByContractAddressAndTokenId = Paged.make<
    TokenData.MtTokensByContractAddressAndTokenIdInput,
    MtToken,
    ReadError
  >({
    scope: client.scope(TokensApi.getMtTokensByContractAddressAndTokenId),
    begin: beginning(readMtTokensByToken),
    page: (given) =>
      Effect.flatMap(
        readMtTokensByToken(given),
        (input) =>
          client.call(TokensApi.getMtTokensByContractAddressAndTokenId, {
            path: { contract: input.contract, tokenId: input.tokenId },
            urlParams: pageOf(input)
          })
      )
  })

  const readMtTokensByOwner = read(
    TokensApi.getMtTokensByContractAddressAndOwnerAddress,
    Schema.Struct({ ...contract, ...owner, ...paging })
  )
  const getMtTokensByContractAddressAndOwnerAddress = (
    given: TokenData.MtTokensByContractAddressAndOwnerAddressInput
  ) =>
    Effect.flatMap(
      readMtTokensByOwner(given),
      (input) =>
        client.call(TokensApi.getMtTokensByContractAddressAndOwnerAddress, {
          path: { contract: input.contract, owner: input.owner },
          urlParams: pageOf(input)
        })
    )
  const mtTokensByContractAddressAndOwnerAddress = Paged.make<
    TokenData.MtTokensByContractAddressAndOwnerAddressInput,
    MtToken,
    ReadError
  >({
    scope: client.scope(TokensApi.getMtTokensByContractAddressAndOwnerAddress),
    begin: beginning(readMtTokensByOwner),
    page: getMtTokensByContractAddressAndOwnerAddress
  })

  const readMtToken = read(
    TokensApi.getMtTokensByContractAddressAndOwnerAddressAndTokenId,
    Schema.Struct({ ...contract, ...owner, ...tokenId })
  )
  const getMtTokensByContractAddressAndOwnerAddressAndTokenId = (
    given: TokenData.MtTokensByContractAddressAndOwnerAddressAndTokenIdInput
  ) =>
    Effect.flatMap(
      readMtToken(given),
      (path) => client.call(TokensApi.getMtTokensByContractAddressAndOwnerAddressAndTokenId, { path })
    )

  return {
    getMtTokensByContractAddressAndOwnerAddress,
    getMtTokensByContractAddressAndOwnerAddressAndTokenId,
    getMtTokensByContractAddressAndTokenId: mtTokensByContractAddressAndTokenId.page,
    getMtsByContractAddress: mtsByContractAddress.page,
    getNftById,
    getNftsByContractAddress: nftsByContractAddress.page,
    getNftsByOwnerAddress: nftsByOwnerAddress.page,
    streamMtTokensByContractAddressAndOwnerAddress: mtTokensByContractAddressAndOwnerAddress.items,
    streamMtTokensByContractAddressAndTokenId: mtTokensByContractAddressAndTokenId.items,
    streamMtsByContractAddress: mtsByContractAddress.items,
    streamNftsByContractAddress: nftsByContractAddress.items,
    streamNftsByOwnerAddress: nftsByOwnerAddress.items,
    mtTokensByContractAddressAndOwnerAddress,
    mtTokensByContractAddressAndTokenId,
    mtsByContractAddress,
    nftsByContractAddress,
    nftsByOwnerAddress
  }
})
