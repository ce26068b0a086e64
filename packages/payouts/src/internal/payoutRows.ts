/** The rows of payouts, and what else of them is JSON. */
import * as Address from "@effect-klaytn/core/Address"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Content } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import * as stored from "./stored.js"
import { Whole } from "./values.js"

const column = <A, I>(name: string, schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey(name))

/** A payout with what only this package needs, as its row has it. */
const Row = Schema.Struct({
  key: column("id", Schema.String),
  content: stored.json("the content of a payout", Content),
  state: stored.json("the state of a payout", PayoutState.PayoutState),
  version: Whole,
  createdAt: column("created_at", Whole),
  updatedAt: column("updated_at", Whole),
  /** The number of its workflow: an approval begins a new one. */
  run: Whole,
  /** When it was accepted, or began to wait for a person, or its attempt was begun: a send that is repeated leaves it. */
  since: Whole,
  /** The nonce that it offers to the next payment of its account. */
  offers: Schema.NullOr(Whole),
  /** The ID of the limits under which it was stored. */
  limits: Schema.NullOr(Schema.String),
  /** The span in which it was asked for, to which the spans of its steps are linked. */
  trace: Schema.NullOr(stored.json(
    "the span of a payout",
    Schema.Struct({ traceId: Schema.String, spanId: Schema.String, sampled: Schema.Boolean })
  ))
})

export type Stored = typeof Row.Type

const OpenCount = Schema.Struct({
  tag: PayoutState.Tag,
  count: Whole,
  since: Whole,
  late: Whole,
  unattended: Whole,
  others: Whole
})

const Opening = stored.json(
  "the opening of an account",
  Schema.Struct({ at: Schema.Number, times: Schema.NonNegativeInt })
)

const decodeRow = Schema.decodeUnknownSync(Row)
const decodeOpenCounts = Schema.decodeUnknownSync(Schema.Array(OpenCount))
const decodeOpening = Schema.decodeSync(Opening)

/** Reads the row of a payout. */
const readRow = (row: object) => stored.read(`payout ${"id" in row ? String(row.id) : ""}`, () => decodeRow(row))

/** Reads rows of payouts; fails for the first one that this program can't read. */
export const readRows = (rows: ReadonlyArray<object>) => Effect.forEach(rows, readRow)
/** Reads the counts of open payouts. */
export const readOpenCounts = (rows: ReadonlyArray<object>) =>
  stored.read("the state of a payout", () => decodeOpenCounts(rows))
export const readAddress = Schema.decodeSync(Address.Address)
export const writeContent = Schema.encodeSync(Row.fields.content)
export const writeState = Schema.encodeSync(Row.fields.state)
export const writeTrace = Schema.encodeSync(Row.fields.trace)
export const writeOpening = Schema.encodeSync(Opening)

/** Reads when a process last began to open an account, and how often. */
export const readOpening = (address: string, json: string) =>
  stored.read(`the opening of ${address}`, () => decodeOpening(json))

/** Reads the rows that this program can read. Of others, the log says once why not: those of newer programs must not stop the rest. */
export const passingOver = () => {
  const named = new Set<string>()
  return (rows: ReadonlyArray<{ readonly id: string }>) =>
    Effect.map(
      Effect.forEach(rows, (row) =>
        readRow(row).pipe(
          Effect.asSome,
          Effect.catchAll(({ message }) => {
            const isNamed = named.has(row.id)
            named.add(row.id)
            return Effect.as(
              isNamed ? Effect.void : Effect.logError(`payouts: ${message}; it is left to others`),
              Option.none<Stored>()
            )
          })
        )),
      Arr.getSomes
    )
}
