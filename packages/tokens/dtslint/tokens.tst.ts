import type { Address } from "@effect-klaytn/core/Address"
import type * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import type { Cursor } from "@effect-klaytn/core/Cursor"
import type { Hash } from "@effect-klaytn/core/Hash"
import type * as Paged from "@effect-klaytn/core/Paged"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as Transfer from "@effect-klaytn/history/Transfer"
import type * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import type * as ContractDetail from "@effect-klaytn/tokens/ContractDetail"
import type { ContractSummary } from "@effect-klaytn/tokens/ContractSummary"
import * as Lookup from "@effect-klaytn/tokens/Lookup"
import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
import type { OwnershipChange, TokenHolder } from "@effect-klaytn/tokens/Ownership"
import * as OwnerSnapshot from "@effect-klaytn/tokens/OwnerSnapshot"
import type { Mt, MtToken, Nft } from "@effect-klaytn/tokens/Token"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as TokenDirectory from "@effect-klaytn/tokens/TokenDirectory"
import type { TokenSummary } from "@effect-klaytn/tokens/TokenSummary"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Match from "effect/Match"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "tstyche"

declare const tokens: TokenData.Service
declare const directory: TokenDirectory.Service
declare const history: TransferHistory.Service
declare const holding: TokenSummary

const contract = "0x3333333333333333333333333333333333333333"
const owner = "0x1111111111111111111111111111111111111111"

type Read<A> = Effect.Effect<A, ServiceError.ReadError>
type Reads<A> = Stream.Stream<A, ServiceError.StreamError>

describe("the operations of the document", () => {
  it("give records, pages and streams, and need nothing more", () => {
    expect(tokens.getNftById({ contract, tokenId: 1n })).type.toBe<Read<Nft>>()
    expect(tokens.getNftsByContractAddress({ contract })).type.toBe<Read<Paged.Page<Nft>>>()
    expect(tokens.getNftsByOwnerAddress({ contract, owner })).type.toBe<Read<Paged.Page<Nft>>>()
    expect(tokens.getMtsByContractAddress({ contract })).type.toBe<Read<Paged.Page<Mt>>>()
    expect(tokens.getMtTokensByContractAddressAndTokenId({ contract, tokenId: 1n }))
      .type.toBe<Read<Paged.Page<MtToken>>>()
    expect(tokens.getMtTokensByContractAddressAndOwnerAddress({ contract, owner }))
      .type.toBe<Read<Paged.Page<MtToken> & TokenData.TotalBalance>>()
    expect(tokens.getMtTokensByContractAddressAndOwnerAddressAndTokenId({ contract, owner, tokenId: 1n }))
      .type.toBe<Read<MtToken>>()
    expect(tokens.getNftsByContractAddress.items({ contract })).type.toBe<Reads<Nft>>()
    expect(tokens.getNftsByOwnerAddress.items({ contract, owner })).type.toBe<Reads<Nft>>()
    expect(tokens.getMtsByContractAddress.items({ contract })).type.toBe<Reads<Mt>>()
    expect(tokens.getMtTokensByContractAddressAndTokenId.items({ contract, tokenId: 1n })).type.toBe<Reads<MtToken>>()
    expect(tokens.getMtTokensByContractAddressAndOwnerAddress.items({ contract, owner })).type.toBe<Reads<MtToken>>()
  })

  it("have no failure left when each is caught by its tag", () => {
    const none = () => Effect.succeed(0)
    const handled = Stream.runCount(tokens.getNftsByContractAddress.items({ contract })).pipe(
      Effect.catchTags({
        InvalidInput: none,
        Unauthorized: none,
        Rejected: none,
        NotFound: none,
        RateLimited: none,
        Unavailable: none,
        TransportFailed: none,
        TimedOut: none,
        MalformedResponse: none,
        RedirectRefused: none,
        PagingStalled: none
      })
    )
    expect(handled).type.toBe<Effect.Effect<number>>()
  })
})

describe("the operations beyond the document", () => {
  it("give records, pages and streams, and need nothing more", () => {
    expect(directory.getFtContractDetail({ contract })).type.toBe<Read<ContractDetail.FtContractDetail>>()
    expect(directory.getNftContracts({})).type.toBe<Read<Paged.Page<ContractDetail.NftContractDetail>>>()
    expect(directory.getMtTokenHolder({ contract })).type.toBe<Read<TokenHolder>>()
    expect(directory.getNftOwnershipChanges.items({ contract, tokenId: 1n })).type.toBe<Reads<OwnershipChange>>()
    expect(directory.getContractsByOwnerAddress.items({ owner })).type.toBe<Reads<ContractSummary>>()
    expect(directory.getTokensByOwnerAddress.items({ owner })).type.toBe<Reads<TokenSummary>>()
  })

  it("take the words of their own kind only", () => {
    expect<{ standard: "KIP-7"; status: "completed" }>().type.toBeAssignableTo<TokenDirectory.FtContractsInput>()
    expect<{ standard: "KIP-17" }>().type.not.toBeAssignableTo<TokenDirectory.FtContractsInput>()
    expect<{ owner: string; kinds: ["ft"]; contracts: [string] }>()
      .type.toBeAssignableTo<TokenDirectory.TokensByOwnerAddressInput>()
    expect<{ owner: string; kinds: ["coin"] }>().type.not.toBeAssignableTo<TokenDirectory.TokensByOwnerAddressInput>()
  })

  it("are matched exhaustively with their unknown case, and not without it", () => {
    const told = Match.value(holding).pipe(
      Match.tag("FtTokenSummary", (_) => _.extras.symbol),
      Match.tag("NftTokenSummary", "MtTokenSummary", (_) => _.extras.tokenId),
      Match.tag("UnknownTokenSummary", (_) => _.record),
      Match.exhaustive
    )
    expect(told).type.toBe<string | bigint | { readonly [x: string]: unknown } | undefined>()
    const partial = Match.value(holding).pipe(
      Match.tag("FtTokenSummary", "NftTokenSummary", "MtTokenSummary", () => 0)
    )
    expect(Match.exhaustive).type.not.toBeCallableWith(partial)
  })
})

describe("the input", () => {
  it("takes a token ID as a bigint and as nothing else", () => {
    expect<{ contract: string; tokenId: bigint }>().type.toBeAssignableTo<TokenData.NftByIdInput>()
    expect<{ contract: string; tokenId: number }>().type.not.toBeAssignableTo<TokenData.NftByIdInput>()
    expect<{ contract: string; tokenId: string }>().type.not.toBeAssignableTo<TokenData.NftByIdInput>()
    expect<{ contract: string }>().type.not.toBeAssignableTo<TokenData.NftByIdInput>()
  })

  it("takes a page's cursor as it is, and paging only where there are pages", () => {
    expect<Cursor>().type.toBeAssignableTo<NonNullable<TokenData.NftsByContractAddressInput["cursor"]>>()
    expect<keyof TokenData.NftByIdInput>().type.toBe<"contract" | "tokenId">()
    expect<keyof TokenData.NftsByOwnerAddressInput>().type.toBe<"contract" | "owner" | "size" | "cursor">()
    expect<keyof TokenData.MtTokensByContractAddressAndOwnerAddressAndTokenIdInput>()
      .type.toBe<"contract" | "owner" | "tokenId">()
  })
})

describe("a record", () => {
  it("has typed fields, and the unknown ones apart from them", () => {
    expect<Nft["tokenId"]>().type.toBe<bigint>()
    expect<Nft["owner"]>().type.toBe<Address>()
    expect<Nft["transactionHash"]>().type.toBe<Hash>()
    expect<Nft["updatedAt"]>().type.toBe<UnixTime>()
    expect<Nft["extra"]>().type.toBe<{ readonly [x: string]: unknown }>()
    expect<MtToken["balance"]>().type.toBe<bigint>()
    expect<keyof Nft>().type.toBe<
      | "tokenId"
      | "owner"
      | "previousOwner"
      | "tokenUri"
      | "transactionHash"
      | "createdAt"
      | "updatedAt"
      | "extra"
    >()
    expect<keyof Mt>().type.toBe<"tokenId" | "totalSupply" | "tokenUri" | "extra">()
    expect<ContractDetail.FtContractDetail["deletedAt"]>().type.toBe<UnixTime | undefined>()
  })
})

describe("look-ups", () => {
  it("never fail as a stream, and hold each result or failure", () => {
    expect(Lookup.getNftsById({ contract, tokenIds: new Set([1n]) }))
      .type.toBe<Stream.Stream<Lookup.NftResult, ServiceError.InvalidInput, TokenData.TokenData>>()
    expect<Lookup.NftResult["result"]>().type.toBe<Either.Either<Nft, ServiceError.ReadError>>()
    expect<{ contract: string; tokenIds: Array<bigint> }>().type.toBeAssignableTo<Lookup.NftsByIdInput>()
    expect<{ contract: string; tokenIds: Array<number> }>().type.not.toBeAssignableTo<Lookup.NftsByIdInput>()
  })
})

describe("a snapshot", () => {
  it("takes the transfer history as it is, in one line", () => {
    const changes = OwnerChanges.fromTransfers((search) => history.getTransfers.items({ presets: [65], ...search }))
    expect(changes).type.toBe<OwnerChanges.OwnerChanges<ServiceError.StreamError>>()
    expect<Transfer.Transfer>().type.toBeAssignableTo<OwnerChanges.TokenTransfer>()
    expect<OwnerChanges.TransferSearch>().type.toBeAssignableTo<TransferHistory.SearchInput>()
  })

  it("has the failures and the needs of its source beside its own", () => {
    const changes: OwnerChanges.OwnerChanges<"no history", TransferHistory.TransferHistory> = () => Stream.empty
    expect(OwnerSnapshot.snapshotNftOwners({ contract, changes })).type.toBe<
      Stream.Stream<
        OwnerSnapshot.Element<Nft>,
        ServiceError.StreamError | "no history",
        TokenData.TokenData | TransferHistory.TransferHistory
      >
    >()
    expect(OwnerSnapshot.snapshotMtOwners({ contract, changes: OwnerChanges.fromUpdateTimes })).type.toBe<
      Stream.Stream<OwnerSnapshot.Element<MtToken>, ServiceError.StreamError, TokenData.TokenData>
    >()
    expect(OwnerSnapshot.collect(OwnerSnapshot.snapshotNftOwners({ contract, changes }))).type.toBe<
      Effect.Effect<
        OwnerSnapshot.Table<Nft>,
        ServiceError.StreamError | "no history",
        TokenData.TokenData | TransferHistory.TransferHistory
      >
    >()
  })

  it("is not taken without a source of changes", () => {
    expect<{ contract: string }>().type.not.toBeAssignableTo<OwnerSnapshot.Options>()
    expect<{ contract: string; changes: OwnerChanges.OwnerChanges }>().type.toBeAssignableTo<OwnerSnapshot.Options>()
  })

  it("is a line or one of two verdicts", () => {
    expect<OwnerSnapshot.Element<Nft>["_tag"]>().type.toBe<"Owner" | "Unchanged" | "Changed">()
    expect<OwnerSnapshot.Unchanged["final"]>().type.toBe<true>()
    expect<OwnerSnapshot.Changed["tokens"]>().type.toBe<ReadonlyArray<bigint>>()
  })
})

describe("the three doors", () => {
  it("say what they need and how they fail", () => {
    type Needs = ClientConfig.ClientConfig | HttpClient.HttpClient
    expect(TokenData.make()).type.toBe<Effect.Effect<TokenData.Service, ServiceError.InvalidInput, Needs>>()
    expect(TokenData.layer()).type.toBe<Layer.Layer<TokenData.TokenData, ServiceError.InvalidInput, Needs>>()
    expect(TokenData.layerConfig()).type.toBe<
      Layer.Layer<TokenData.TokenData, ConfigError.ConfigError | ServiceError.InvalidInput, HttpClient.HttpClient>
    >()
    expect(TokenDirectory.make()).type.toBe<Effect.Effect<TokenDirectory.Service, ServiceError.InvalidInput, Needs>>()
    expect(TokenDirectory.layer())
      .type.toBe<Layer.Layer<TokenDirectory.TokenDirectory, ServiceError.InvalidInput, Needs>>()
    expect(TokenDirectory.layerConfig()).type.toBe<
      Layer.Layer<
        TokenDirectory.TokenDirectory,
        ConfigError.ConfigError | ServiceError.InvalidInput,
        HttpClient.HttpClient
      >
    >()
  })
})
