/** From the inputs of the directory to the requests of its contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ContractDetail from "../ContractDetail.js"
import type { ContractSummary } from "../ContractSummary.js"
import type { OwnershipChange } from "../Ownership.js"
import type * as TokenDirectory from "../TokenDirectory.js"
import * as Api from "../TokenDirectoryApi.js"
import { TokenKind } from "../TokenKind.js"
import type { TokenSummary } from "../TokenSummary.js"
import { beginning, input, pageOf } from "./parameters.js"

const { contract, owner, paging, tokenId } = input

const atLeastOne = <A, I>(item: Schema.Schema<A, I>, problem: string) =>
  Schema.Array(item).pipe(Schema.filter((items) => Arr.isNonEmptyReadonlyArray(items), { message: () => problem }))

const Contract = Schema.Struct(contract)

/** A choice of words that says which ones there are. */
const oneOf = <A, I>(words: Schema.Schema<A, I>, problem: string): Schema.Schema<A, I> =>
  words.annotations({ message: () => ({ message: problem, override: true }) })

const labelled = <A, I>(standard: Schema.Schema<A, I>, names: string) =>
  Schema.Struct({
    status: Schema.optional(
      oneOf(ContractDetail.Status, "a status is one of completed, processing, failed and cancelled")
    ),
    standard: Schema.optional(oneOf(standard, `a standard is one of ${names}`)),
    ...paging
  })

const kinds = Schema.optional(
  atLeastOne(
    oneOf(TokenKind, "a kind is one of ft, nft and mt"),
    "give at least one kind, or leave kinds out to search all of them"
  )
)

const labelledParams = <A>(
  given: TokenDirectory.Labelled & { readonly standard?: A | undefined }
) => ({
  ...(given.status === undefined ? {} : { status: given.status }),
  ...(given.standard === undefined ? {} : { type: given.standard }),
  ...pageOf(given)
})

const kindParams = (given: { readonly kinds?: Arr.NonEmptyReadonlyArray<TokenKind> | undefined }) =>
  given.kinds === undefined ? {} : { kind: given.kinds }

export const make = Effect.gen(function*() {
  const client = yield* ServiceClient.make("tokens")
  const read = <A, I>(endpoint: Parameters<typeof client.scope>[0], schema: Schema.Schema<A, I>) =>
    Input.decode(client.scope(endpoint).operation, schema)

  const readFtContracts = read(Api.getFtContracts, labelled(ContractDetail.FtStandard, "KIP-7 and ERC-20"))
  const ftContracts = Paged.make<TokenDirectory.FtContractsInput, ContractDetail.FtContractDetail, ReadError>({
    scope: client.scope(Api.getFtContracts),
    begin: beginning(readFtContracts),
    page: (given) =>
      Effect.flatMap(
        readFtContracts(given),
        (input) => client.call(Api.getFtContracts, { urlParams: labelledParams(input) })
      )
  })

  const readNftContracts = read(Api.getNftContracts, labelled(ContractDetail.NftStandard, "KIP-17 and ERC-721"))
  const nftContracts = Paged.make<TokenDirectory.NftContractsInput, ContractDetail.NftContractDetail, ReadError>({
    scope: client.scope(Api.getNftContracts),
    begin: beginning(readNftContracts),
    page: (given) =>
      Effect.flatMap(
        readNftContracts(given),
        (input) => client.call(Api.getNftContracts, { urlParams: labelledParams(input) })
      )
  })

  const readMtContracts = read(Api.getMtContracts, labelled(ContractDetail.MtStandard, "KIP-37 and ERC-1155"))
  const mtContracts = Paged.make<TokenDirectory.MtContractsInput, ContractDetail.MtContractDetail, ReadError>({
    scope: client.scope(Api.getMtContracts),
    begin: beginning(readMtContracts),
    page: (given) =>
      Effect.flatMap(
        readMtContracts(given),
        (input) => client.call(Api.getMtContracts, { urlParams: labelledParams(input) })
      )
  })

  const readFtContractDetail = read(Api.getFtContractDetail, Contract)
  const readNftContractDetail = read(Api.getNftContractDetail, Contract)
  const readNftTokenHolder = read(Api.getNftTokenHolder, Contract)
  const readMtContractDetail = read(Api.getMtContractDetail, Contract)
  const readMtTokenHolder = read(Api.getMtTokenHolder, Contract)

  const readOwnershipChanges = read(Api.getNftOwnershipChanges, Schema.Struct({ ...contract, ...tokenId, ...paging }))
  const nftOwnershipChanges = Paged.make<TokenDirectory.NftOwnershipChangesInput, OwnershipChange, ReadError>({
    scope: client.scope(Api.getNftOwnershipChanges),
    begin: beginning(readOwnershipChanges),
    page: (given) =>
      Effect.flatMap(readOwnershipChanges(given), (input) =>
        client.call(Api.getNftOwnershipChanges, {
          path: { contract: input.contract, tokenId: input.tokenId },
          urlParams: pageOf(input)
        }))
  })

  const readContractsByOwner = read(Api.getContractsByOwnerAddress, Schema.Struct({ ...owner, kinds, ...paging }))
  const contractsByOwnerAddress = Paged.make<
    TokenDirectory.ContractsByOwnerAddressInput,
    ContractSummary,
    ReadError
  >({
    scope: client.scope(Api.getContractsByOwnerAddress),
    begin: beginning(readContractsByOwner),
    page: (given) =>
      Effect.flatMap(readContractsByOwner(given), (input) =>
        client.call(Api.getContractsByOwnerAddress, {
          path: { owner: input.owner },
          urlParams: { ...kindParams(input), ...pageOf(input) }
        }))
  })

  const readTokensByOwner = read(
    Api.getTokensByOwnerAddress,
    Schema.Struct({
      ...owner,
      kinds,
      contracts: Schema.optional(
        atLeastOne(Address.FromInput, "give at least one contract, or leave contracts out to search all of them")
      ),
      ...paging
    })
  )
  const tokensByOwnerAddress = Paged.make<TokenDirectory.TokensByOwnerAddressInput, TokenSummary, ReadError>({
    scope: client.scope(Api.getTokensByOwnerAddress),
    begin: beginning(readTokensByOwner),
    page: (given) =>
      Effect.flatMap(readTokensByOwner(given), (input) =>
        client.call(Api.getTokensByOwnerAddress, {
          path: { owner: input.owner },
          urlParams: {
            ...kindParams(input),
            ...(input.contracts === undefined ? {} : { "ca-filters": input.contracts }),
            ...pageOf(input)
          }
        }))
  })

  return {
    getFtContractDetail: (given: TokenDirectory.ContractInput) =>
      Effect.flatMap(readFtContractDetail(given), (path) => client.call(Api.getFtContractDetail, { path })),
    getNftContractDetail: (given: TokenDirectory.ContractInput) =>
      Effect.flatMap(readNftContractDetail(given), (path) => client.call(Api.getNftContractDetail, { path })),
    getNftTokenHolder: (given: TokenDirectory.ContractInput) =>
      Effect.flatMap(readNftTokenHolder(given), (path) => client.call(Api.getNftTokenHolder, { path })),
    getMtContractDetail: (given: TokenDirectory.ContractInput) =>
      Effect.flatMap(readMtContractDetail(given), (path) => client.call(Api.getMtContractDetail, { path })),
    getMtTokenHolder: (given: TokenDirectory.ContractInput) =>
      Effect.flatMap(readMtTokenHolder(given), (path) => client.call(Api.getMtTokenHolder, { path })),
    getFtContracts: ftContracts.page,
    getNftContracts: nftContracts.page,
    getMtContracts: mtContracts.page,
    getNftOwnershipChanges: nftOwnershipChanges.page,
    getContractsByOwnerAddress: contractsByOwnerAddress.page,
    getTokensByOwnerAddress: tokensByOwnerAddress.page,
    streamFtContracts: ftContracts.items,
    streamNftContracts: nftContracts.items,
    streamMtContracts: mtContracts.items,
    streamNftOwnershipChanges: nftOwnershipChanges.items,
    streamContractsByOwnerAddress: contractsByOwnerAddress.items,
    streamTokensByOwnerAddress: tokensByOwnerAddress.items,
    ftContracts,
    nftContracts,
    mtContracts,
    nftOwnershipChanges,
    contractsByOwnerAddress,
    tokensByOwnerAddress
  }
})
