import type { InvalidInput, PagingStalled, ReadError } from "@effect-klaytn/core/ServiceError"
import type { BudgetExhausted } from "@effect-klaytn/exports/Budget"
import type { CursorLost, RangeUnavailable, ServiceMismatch } from "@effect-klaytn/exports/ExportError"
import * as Exports from "@effect-klaytn/exports/Exports"
import * as FileSink from "@effect-klaytn/exports/FileSink"
import type { Manifest } from "@effect-klaytn/exports/Manifest"
import * as Plan from "@effect-klaytn/exports/Plan"
import type { Rejected, Row } from "@effect-klaytn/exports/Row"
import type { Sink, SinkError } from "@effect-klaytn/exports/Sink"
import * as SqlSink from "@effect-klaytn/exports/SqlSink"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import type { FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import type { SqlClient } from "@effect/sql/SqlClient"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Stream from "effect/Stream"
import { describe, expect, it } from "tstyche"

declare const sink: Sink
declare const options: Plan.Options
declare const plan: Plan.Plan

type Failure = ReadError | PagingStalled | SinkError | BudgetExhausted | CursorLost | ServiceMismatch

describe("an export", () => {
  it("needs transfer history alone, and names all its errors", () => {
    expect(Plan.make(options)).type.toBe<Effect.Effect<Plan.Plan, InvalidInput>>()
    expect(Exports.run({ sink })).type.toBe<Effect.Effect<Manifest, Failure, TransferHistory>>()
    expect(Exports.events({ sink })).type.toBe<Stream.Stream<Exports.Event, Failure, TransferHistory>>()
  })

  it("goes into sinks that need what they store with", () => {
    expect(FileSink.make({ directory: "." })).type.toBe<Effect.Effect<Sink, never, FileSystem | Path>>()
    expect(SqlSink.make()).type.toBe<Effect.Effect<Sink, InvalidInput, SqlClient>>()
  })

  it("comes merged, with what could not be read", () => {
    expect(Exports.merged({ plan })).type.toBe<
      Stream.Stream<Either.Either<Row, Rejected>, Failure | RangeUnavailable, TransferHistory>
    >()
  })

  it("has flat rows", () => {
    expect<Row[keyof Row]>().type.toBeAssignableTo<string | number | null>()
  })
})
