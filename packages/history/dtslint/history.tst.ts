import type { Address } from "@effect-klaytn/core/Address"
import type { Peb } from "@effect-klaytn/core/Amount"
import type * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import type { Cursor } from "@effect-klaytn/core/Cursor"
import type * as Paged from "@effect-klaytn/core/Paged"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import type * as Kind from "@effect-klaytn/history/Kind"
import * as Range from "@effect-klaytn/history/Range"
import * as TransactionGrouping from "@effect-klaytn/history/TransactionGrouping"
import type * as Transfer from "@effect-klaytn/history/Transfer"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as ConfigError from "effect/ConfigError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Match from "effect/Match"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "tstyche"

declare const history: TransferHistory.Service
declare const transfer: Transfer.Transfer

const address = "0x1111111111111111111111111111111111111111"

type ErrorOf<T> = T extends Effect.Effect<infer _A, infer E, infer _R> ? E
  : T extends Stream.Stream<infer _A, infer E, infer _R> ? E
  : never

describe("the operations", () => {
  it("give pages, records and streams of transfers, and need nothing more", () => {
    expect(history.getTransfers({ presets: [65] }))
      .type.toBe<Effect.Effect<Paged.Page<Transfer.Transfer>, ServiceError.ReadError>>()
    expect(history.getTransfersByEoa({ address }))
      .type.toBe<Effect.Effect<Paged.Page<Transfer.Transfer>, ServiceError.ReadError>>()
    expect(history.getTransfersByTxHash({ transactionHash: "0x" }))
      .type.toBe<Effect.Effect<ReadonlyArray<Transfer.Transfer>, ServiceError.ReadError>>()
    expect(history.getTransfers.items({ presets: [65] }))
      .type.toBe<Stream.Stream<Transfer.Transfer, ServiceError.StreamError>>()
    expect(history.getTransfersByEoa.items({ address }))
      .type.toBe<Stream.Stream<Transfer.Transfer, ServiceError.StreamError>>()
    expect(TransactionGrouping.fromTransfers(history.getTransfers.items({ presets: [65] })))
      .type.toBe<Stream.Stream<TransactionGrouping.Transaction, ServiceError.StreamError>>()
  })

  it("show records that could not be read where they are kept, and only there", () => {
    expect(history.getTransfers.items({ presets: [65] }, { unreadable: "keep", prefetch: 1 }))
      .type.toBe<Stream.Stream<Transfer.Transfer | Paged.Unreadable, ServiceError.StreamError>>()
    expect(history.getTransfers.items({ presets: [65] }, { prefetch: 1 }))
      .type.toBe<Stream.Stream<Transfer.Transfer, ServiceError.StreamError>>()
    expect(history.getTransfers({ presets: [65] }, { unreadable: "keep" }))
      .type.toBe<Effect.Effect<Paged.Page<Transfer.Transfer | Paged.Unreadable>, ServiceError.ReadError>>()
    const some: Paged.StreamOptions<Paged.UnreadableMode> = {}
    expect(history.getTransfers.items({ presets: [65] }, some))
      .type.toBe<Stream.Stream<Transfer.Transfer | Paged.Unreadable, ServiceError.StreamError>>()
  })

  it("never end as an outcome that nobody knows, since they change nothing", () => {
    type Failures =
      | ErrorOf<ReturnType<typeof history.getTransfers>>
      | ErrorOf<ReturnType<typeof history.getTransfersByEoa>>
      | ErrorOf<ReturnType<typeof history.getTransfersByTxHash>>
    expect<Failures["_tag"]>().type.toBe<
      | "InvalidInput"
      | "Unauthorized"
      | "Rejected"
      | "NotFound"
      | "RateLimited"
      | "Unavailable"
      | "TransportFailed"
      | "TimedOut"
      | "MalformedResponse"
      | "RedirectRefused"
    >()
    type Stalling = ErrorOf<ReturnType<typeof history.getTransfers.items | typeof history.getTransfersByEoa.items>>
    expect<Stalling>().type.toBe<Failures | ServiceError.PagingStalled>()
    expect<ServiceError.OutcomeUnknown>().type.not.toBeAssignableTo<Failures>()
  })

  it("have no failure left when each is caught by its tag", () => {
    const none = () => Effect.succeed(0)
    const handled = history.getTransfersByEoa.items({ address }).pipe(
      Stream.runCount,
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

describe("the input", () => {
  it("takes presets as numbers and texts, and every filter or none", () => {
    expect<{ presets: [65, "68"] }>().type.toBeAssignableTo<TransferHistory.TransfersInput>()
    expect<{ address: string }>().type.toBeAssignableTo<TransferHistory.TransfersByEoaInput>()
    expect<{ address: string; only: undefined; kinds: undefined; size: undefined }>()
      .type.toBeAssignableTo<TransferHistory.TransfersByEoaInput>()
    expect<keyof TransferHistory.TransfersInput>()
      .type.toBe<"presets" | "kinds" | "range" | "size" | "cursor" | "excludeZeroCoin">()
    expect<keyof TransferHistory.TransfersByEoaInput>()
      .type.toBe<"address" | "contract" | "only" | "kinds" | "range" | "size" | "cursor" | "excludeZeroCoin">()
    expect<keyof TransferHistory.TransfersByTxHashInput>().type.toBe<"transactionHash">()
    expect<{ transactionHash: string }>().type.toBeAssignableTo<TransferHistory.TransfersByTxHashInput>()
  })

  it("needs presets or an account", () => {
    expect<{}>().type.not.toBeAssignableTo<TransferHistory.TransfersInput>()
    expect<{ kinds: ["ft"] }>().type.not.toBeAssignableTo<TransferHistory.TransfersByEoaInput>()
  })

  it("takes a page's cursor as it is", () => {
    expect<Cursor>().type.toBeAssignableTo<NonNullable<TransferHistory.SearchInput["cursor"]>>()
  })

  it("does not take the wire's words or both directions", () => {
    expect<Kind.Kind>().type.toBe<"coin" | "ft" | "nft" | "mt">()
    expect<TransferHistory.SearchInput["kinds"]>().type.toBe<ReadonlyArray<Kind.Kind> | undefined>()
    expect<TransferHistory.TransfersByEoaInput["only"]>().type.toBe<"from" | "to" | undefined>()
  })
})

describe("a range", () => {
  it("is of time or of blocks and can't mix them", () => {
    expect(Range.time).type.toBeCallableWith({ from: 1, to: 2 })
    expect(Range.time).type.toBeCallableWith({ from: new Date(0), to: DateTime.unsafeMake(0) })
    expect(Range.time({ from: 1 })).type.toBe<Either.Either<Range.Range, ServiceError.InvalidInput>>()
    expect(Range.blocks).type.toBeCallableWith({ from: 1 })
    expect(Range.time).type.not.toBeCallableWith({ from: 1, to: "0x2" })
    expect(Range.blocks).type.not.toBeCallableWith({ from: "0x1" })
    expect(Range.blocks).type.not.toBeCallableWith({ from: new Date(0) })
    expect(Range.time).type.not.toBeCallableWith({ to: 2 })
    expect(Range.time).type.not.toBeCallableWith({ from: 1, block: 2 })
  })

  it("is made by its constructors: a text, a pair and numbers that nobody checked are none", () => {
    expect<string>().type.not.toBeAssignableTo<Range.Range>()
    expect<readonly [number, number]>().type.not.toBeAssignableTo<Range.Range>()
    expect<{ readonly _tag: "TimeRange"; readonly from: number }>().type.not.toBeAssignableTo<Range.Range>()
    expect<ReturnType<typeof Range.time>>().type.not.toBeAssignableTo<Range.Range>()
  })
})

describe("a transfer", () => {
  it("is one of five, and a match over all of them is exhaustive", () => {
    expect<Transfer.Transfer["_tag"]>().type.toBe<
      "CoinTransfer" | "FtTransfer" | "NftTransfer" | "MtTransfer" | "UnknownTransfer"
    >()
    const told = Match.value(transfer).pipe(
      Match.tag("CoinTransfer", (_) => _.value),
      Match.tag("FtTransfer", (_) => _.value),
      Match.tag("NftTransfer", (_) => _.tokenId),
      Match.tag("MtTransfer", (_) => _.ids.length),
      Match.tag("UnknownTransfer", (_) => _.transferType),
      Match.exhaustive
    )
    expect(told).type.toBe<Peb | bigint | number | string>()
  })

  it("is not matched exhaustively without its unknown case", () => {
    const partial = Match.value(transfer).pipe(
      Match.tag("CoinTransfer", "FtTransfer", "NftTransfer", "MtTransfer", () => 0)
    )
    expect(Match.exhaustive).type.not.toBeCallableWith(partial)
  })

  it("has amounts that are told apart, and optional fields where older records lack them", () => {
    expect<Transfer.CoinTransfer["value"]>().type.toBe<Peb>()
    expect<Transfer.FtTransfer["value"]>().type.toBe<bigint>()
    expect<Transfer.NftTransfer["tokenId"]>().type.toBe<bigint>()
    expect<Transfer.MtTransfer["ids"]>().type.toBe<ReadonlyArray<bigint>>()
    expect<Transfer.CoinTransfer["status"]>().type.toBe<"success" | "failure" | number | undefined>()
    expect<Transfer.CoinTransfer["blockNumber"]>().type.toBe<number | undefined>()
    expect<Transfer.CoinTransfer["feePayer"]>().type.toBe<Address | undefined>()
    expect<Transfer.UnknownTransfer["record"]>().type.toBe<{ readonly [x: string]: unknown }>()
  })
})

describe("the three doors", () => {
  it("say what they need and how they fail", () => {
    expect(TransferHistory.make()).type.toBe<
      Effect.Effect<
        TransferHistory.Service,
        ServiceError.InvalidInput,
        ClientConfig.ClientConfig | HttpClient.HttpClient
      >
    >()
    expect(TransferHistory.layer()).type.toBe<
      Layer.Layer<
        TransferHistory.TransferHistory,
        ServiceError.InvalidInput,
        ClientConfig.ClientConfig | HttpClient.HttpClient
      >
    >()
    expect(TransferHistory.layerConfig()).type.toBe<
      Layer.Layer<
        TransferHistory.TransferHistory,
        ConfigError.ConfigError | ServiceError.InvalidInput,
        HttpClient.HttpClient
      >
    >()
  })
})
