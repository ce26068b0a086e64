/** Turns the inputs of the service into requests of the contract. */
import * as Address from "@effect-klaytn/core/Address"
import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import * as Operations from "@effect-klaytn/core/Operations"
import * as Paged from "@effect-klaytn/core/Paged"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HistoryApi from "../HistoryApi.js"
import * as Kind from "../Kind.js"
import * as PresetId from "../PresetId.js"
import * as Range from "../Range.js"
import * as internal from "./range.js"

const search = {
  kinds: Schema.optional(
    Input.atLeastOne(
      Input.oneOf(Kind.Kind, "a kind is one of coin, ft, nft and mt"),
      "give at least one kind, or leave kinds out to search all of them"
    )
  ),
  range: Schema.optional(Schema.typeSchema(Range.Range)),
  ...Paged.fields,
  excludeZeroCoin: Schema.optional(Schema.Boolean)
}

type Search = Schema.Struct.Type<typeof search>

/** Begins a list: a range that would grow too long while it is read is given an end. */
const begin = <Params extends Search>(
  params: Params,
  resumeFrom?: Checkpoint.Checkpoint
): Effect.Effect<Paged.Beginning<Params>> =>
  Effect.gen(function*() {
    const { cursor, range } = params
    // A resumed list keeps the range that it began with.
    const end = resumeFrom !== undefined
      ? resumeFrom.end
      : range === undefined || cursor !== undefined
      ? undefined
      : internal.end(range, yield* UnixTime.now)
    return end === undefined || range === undefined
      ? { filters: params, params }
      : { filters: params, params: { ...params, range: internal.closed(range, end) }, end }
  })

export const make = Effect.gen(function*() {
  const { list, one, settings } = yield* Operations.make("history")

  /** The query of a search. A range is checked by its ends alone: only the service knows its clock and latest block. */
  const query = (operation: string, { cursor, excludeZeroCoin, kinds, range, size }: Search) => {
    const problem = range === undefined ? undefined : Range.problem(range)
    return problem === undefined
      ? Effect.succeed({
        kind: kinds && Array.map(kinds, (kind) => Kind.toWord(kind, settings.dialect)),
        range,
        size,
        cursor,
        "exclude-zero-klay": excludeZeroCoin
      })
      : new InvalidInput({ operation, retrySafe: true, attempts: [], path: ["range"], problem })
  }

  return {
    getTransfers: list(
      HistoryApi.getTransfers,
      { presets: Input.atLeastOne(PresetId.FromInput, "give the ID of at least one preset"), ...search },
      ({ presets, ...input }, call) =>
        Effect.flatMap(
          query(HistoryApi.getTransfers.name, input),
          (params) => call({ urlParams: { presets, ...params } })
        ),
      begin
    ),
    getTransfersByEoa: list(
      HistoryApi.getTransfersByEoa,
      {
        address: Address.FromInput,
        contract: Schema.optional(Address.FromInput),
        only: Schema.optional(
          Input.oneOf(Schema.Literal("from", "to"), "only is from (what was sent) or to (what was received)")
        ),
        ...search
      },
      ({ address, contract, only, ...input }, call) =>
        Effect.flatMap(query(HistoryApi.getTransfersByEoa.name, input), (params) =>
          call({
            path: { address },
            urlParams: {
              ...params,
              "ca-filter": contract,
              "from-only": only === "from" ? true : undefined,
              "to-only": only === "to" ? true : undefined
            }
          })),
      begin
    ),
    getTransfersByTxHash: one(
      HistoryApi.getTransfersByTxHash,
      { transactionHash: Hash.FromWire },
      ({ transactionHash }, call) => Effect.map(call({ path: { hash: transactionHash } }), ({ items }) => items)
    )
  }
})
