/** The changes of payouts as streams. */
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Change, RecordedChange } from "../Payout.js"
import type { DatabaseFailed } from "../PayoutError.js"
import * as PayoutState from "../PayoutState.js"
import { orFailed } from "./databaseErrors.js"
import type * as stores from "./store.js"

/** How many changes one query reads. */
const chunk = 500

/** The changes of one payout, from its beginning until it is final. */
export const ofOne = (
  store: stores.Store,
  key: string,
  pollInterval: Duration.Duration
): Stream.Stream<Change, DatabaseFailed> =>
  Stream.paginateChunkEffect(
    0,
    Effect.fnUntraced(function*(seen: number) {
      const history = yield* orFailed(store.changes.of(key))
      const fresh = history.filter(({ version }) => version > seen)
      const last = fresh.at(-1)
      if (last === undefined) yield* Effect.sleep(pollInterval)
      const isOver = last !== undefined && PayoutState.isFinal(last.state)
      return [Chunk.unsafeFromArray(fresh), isOver ? Option.none() : Option.some(last?.version ?? seen)] as const
    })
  )

/** The changes of all payouts after a number; without `pollInterval`, until the last one that is committed. */
const after = (
  store: stores.Store,
  from: number,
  pollInterval: Duration.Duration | undefined
): Stream.Stream<RecordedChange, DatabaseFailed> =>
  Stream.paginateChunkEffect(
    from,
    Effect.fnUntraced(function*(seen: number) {
      const page = yield* orFailed(store.changes.after(seen, chunk))
      const last = page.at(-1)
      if (last === undefined && pollInterval !== undefined) yield* Effect.sleep(pollInterval)
      const next = last === undefined ? seen : Number(last.cursor)
      const isOver = last === undefined && pollInterval === undefined
      return [Chunk.unsafeFromArray(page), isOver ? Option.none() : Option.some(next)] as const
    })
  )

/** The changes of all payouts from now on. */
export const fromNow = (
  store: stores.Store,
  pollInterval: Duration.Duration
): Stream.Stream<RecordedChange, DatabaseFailed> =>
  Stream.unwrap(Effect.map(orFailed(store.changes.last), (last) => after(store, last, pollInterval)))

/** The place of a change. */
export const Cursor = Schema.String.pipe(
  Schema.pattern(/^\d{1,15}$/, { message: () => "it is no cursor of a change" })
)

const readCursor = Input.decode("payouts.feed", Schema.Struct({ after: Schema.optional(Cursor) }))

const refuse = (problem: string) => InvalidInput.at("payouts.feed", ["after"], problem)

/** The changes after a cursor, or from the first one. */
export const afterCursor = (
  store: stores.Store,
  input: string | undefined,
  pollInterval: Duration.Duration | undefined
): Stream.Stream<RecordedChange, InvalidInput | DatabaseFailed> =>
  Stream.unwrap(Effect.gen(function*() {
    const { after: cursor } = yield* readCursor({ after: input })
    if (cursor === undefined) return after(store, 0, pollInterval)
    const last = yield* orFailed(store.changes.last)
    if (Number(cursor) > last) {
      return yield* refuse("no change of this database has come so far: was another database or an older copy opened?")
    }
    return after(store, Number(cursor), pollInterval)
  }))
