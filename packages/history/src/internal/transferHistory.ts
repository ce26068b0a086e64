/** From the inputs of the service to the requests of the contract. */
import * as Address from "@effect-klaytn/core/Address"
import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { InvalidInput, type ReadError } from "@effect-klaytn/core/ServiceError"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HistoryApi from "../HistoryApi.js"
import * as Kind from "../Kind.js"
import * as PresetId from "../PresetId.js"
import * as Range from "../Range.js"
import type { Transfer } from "../Transfer.js"
import type * as TransferHistory from "../TransferHistory.js"
import * as internal from "./range.js"

const atLeastOne = <A, I>(item: Schema.Schema<A, I>, problem: string) =>
  Schema.Array(item).pipe(Schema.filter((items) => Array.isNonEmptyReadonlyArray(items), { message: () => problem }))

/** One of a few words, and the sentence that names them to whom gave another. */
const oneOf = <A, I>(words: Schema.Schema<A, I>, problem: string) =>
  words.annotations({ message: () => ({ message: problem, override: true }) })

const kind = oneOf(Kind.Kind, "a kind is one of coin, ft, nft and mt")

const search = {
  kinds: Schema.optional(atLeastOne(kind, "give at least one kind, or leave kinds out to search all of them")),
  range: Schema.optional(Schema.typeSchema(Range.Range)),
  size: Schema.optional(Schema.typeSchema(Paged.Size)),
  cursor: Schema.optional(Schema.String),
  excludeZeroCoin: Schema.optional(Schema.Boolean)
}

const TransfersInput = Schema.Struct({
  presets: atLeastOne(PresetId.FromInput, "give the ID of at least one preset"),
  ...search
})

const TransfersByEoaInput = Schema.Struct({
  address: Address.FromInput,
  contract: Schema.optional(Address.FromInput),
  only: Schema.optional(oneOf(Schema.Literal("from", "to"), "only is from (what was sent) or to (what was received)")),
  ...search
})

const TransfersByTxHashInput = Schema.Struct({ transactionHash: Hash.FromWire })

const invalidRange = (operation: string, problem: string): InvalidInput =>
  new InvalidInput({ operation, retrySafe: true, attempts: [], path: ["range"], problem })

/** A range is judged by its ends alone: the service knows its own clock and its latest block. */
const checkRange = (operation: string, range: Range.Range | undefined): Effect.Effect<void, InvalidInput> => {
  const problem = range === undefined ? undefined : Range.problem(range)
  return problem === undefined ? Effect.void : Effect.fail(invalidRange(operation, problem))
}

/** How a list begins: one spelling for its filters, and an end for a range that would grow too long on the way. */
const beginning = <Input extends TransferHistory.Search, A extends Input>(
  read: (input: unknown) => Effect.Effect<A, InvalidInput>
) =>
(given: Input, resumeFrom?: Checkpoint.Checkpoint): Effect.Effect<Paged.Beginning<Input>, InvalidInput> =>
  Effect.gen(function*() {
    const input: Input = yield* read(given)
    const { cursor, range } = input
    // A list that goes on is asked for with the range that it began with.
    const end = resumeFrom !== undefined
      ? resumeFrom.end
      : range === undefined || (cursor !== undefined && cursor !== "")
      ? undefined
      : internal.end(range, yield* UnixTime.now)
    return end === undefined || range === undefined
      ? { filters: input, input }
      : { filters: input, input: { ...input, range: internal.closed(range, end) }, end }
  })

export const make = Effect.gen(function*() {
  const client = yield* ServiceClient.make("history")
  const { dialect } = client.settings
  const scopes = {
    transfers: client.scope(HistoryApi.getTransfers),
    transfersByEoa: client.scope(HistoryApi.getTransfersByEoa),
    transfersByTxHash: client.scope(HistoryApi.getTransfersByTxHash)
  }
  const readTransfers = Input.decode(scopes.transfers.operation, TransfersInput)
  const readTransfersByEoa = Input.decode(scopes.transfersByEoa.operation, TransfersByEoaInput)
  const readTransfersByTxHash = Input.decode(scopes.transfersByTxHash.operation, TransfersByTxHashInput)

  const searchParams = (input: Schema.Struct.Type<typeof search>) => ({
    ...(input.kinds === undefined ? {} : { kind: Array.map(input.kinds, (kind) => Kind.toWord(kind, dialect)) }),
    ...(input.range === undefined ? {} : { range: input.range }),
    ...(input.size === undefined ? {} : { size: input.size }),
    ...(input.cursor === undefined || input.cursor === "" ? {} : { cursor: input.cursor }),
    ...(input.excludeZeroCoin === undefined ? {} : { "exclude-zero-klay": input.excludeZeroCoin })
  })

  const transfers = Paged.make<TransferHistory.TransfersInput, Transfer, ReadError>({
    scope: scopes.transfers,
    begin: beginning(readTransfers),
    page: (given) =>
      Effect.gen(function*() {
        const input = yield* readTransfers(given)
        yield* checkRange(scopes.transfers.operation, input.range)
        return yield* client.call(HistoryApi.getTransfers, {
          urlParams: { presets: input.presets, ...searchParams(input) }
        })
      })
  })

  const transfersByEoa = Paged.make<TransferHistory.TransfersByEoaInput, Transfer, ReadError>({
    scope: scopes.transfersByEoa,
    begin: beginning(readTransfersByEoa),
    page: (given) =>
      Effect.gen(function*() {
        const input = yield* readTransfersByEoa(given)
        yield* checkRange(scopes.transfersByEoa.operation, input.range)
        return yield* client.call(HistoryApi.getTransfersByEoa, {
          path: { address: input.address },
          urlParams: {
            ...searchParams(input),
            ...(input.contract === undefined ? {} : { "ca-filter": input.contract }),
            ...(input.only === undefined ? {} : { [`${input.only}-only`]: true })
          }
        })
      })
  })

  return {
    getTransfers: transfers.page,
    getTransfersByEoa: transfersByEoa.page,
    getTransfersByTxHash: (given: TransferHistory.TransfersByTxHashInput) =>
      readTransfersByTxHash(given).pipe(
        Effect.flatMap((input) =>
          client.call(HistoryApi.getTransfersByTxHash, { path: { hash: input.transactionHash } })
        ),
        Effect.map((answer) => answer.items)
      ),
    streamTransfers: transfers.items,
    streamTransfersByEoa: transfersByEoa.items,
    transfers,
    transfersByEoa
  }
})
