/** What the service returns of a window now, and how often it returns what stands at the border of two pages. */
import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import type * as Paged from "@effect-klaytn/core/Paged"
import type { Transfer } from "@effect-klaytn/history/Transfer"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import type { ExportError } from "../ExportError.js"
import * as Plan from "../Plan.js"
import * as Sink from "../Sink.js"
import type { Columns } from "./columns.js"
import { type Flattened, flattener } from "./flatten.js"
import { type Next, type Recovery, smallerPage, WindowRecovery } from "./recovery.js"
import { stateAfter } from "./state.js"

/** The IDs of the rows and of the rejected records that a search returns. */
export interface Ids {
  readonly rows: ReadonlySet<string>
  readonly rejected: ReadonlySet<string>
}

export type Page = Paged.CheckpointedPage<Transfer | Paged.Unreadable>

/** What reads the pages of a window, each in its turn. */
export interface Reader {
  readonly columns: Columns
  readonly recovery: Recovery
  readonly eachPage: <E, R>(
    plan: Plan.Plan,
    window: Plan.Window,
    from: Checkpoint.Checkpoint | null,
    use: (page: Page) => Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E | ExportError, R | TransferHistory>
}

/** Reads a window and stores nothing. None if the service refuses its range; `problem` has its words. */
const read = Effect.fnUntraced(function*(
  run: Reader,
  plan: Plan.Plan,
  window: Plan.Window,
  settle: (page: Flattened) => Effect.Effect<Flattened, ExportError, TransferHistory>
) {
  const toRows = flattener(plan, window)
  const progress = new WindowRecovery(run.recovery, window, () => Effect.void)
  let { size } = plan
  for (;;) {
    const rows = new Set<string>()
    const rejected = new Set<string>()
    const ids: Ids = { rows, rejected }
    let state = Sink.fresh(window)
    const next = yield* run.eachPage(new Plan.Plan({ ...plan, size }), window, null, (page) =>
      Effect.gen(function*() {
        const made = yield* settle(toRows(page.items, state))
        for (const { id } of made.rows) rows.add(id)
        for (const { id } of made.rejected) rejected.add(id)
        state = stateAfter(run.columns, state, page.checkpoint, { ...made, rows: [] }, [], [])
        yield* progress.advanced()
      })).pipe(
        Effect.as<"done" | Next>("done"),
        // Each retry begins the window again: nothing of it is stored.
        Effect.catchAll((error) => {
          const smaller = smallerPage(error, size)
          if (smaller === undefined) return progress.recover(error, state)
          size = smaller
          return Effect.succeed("restart" as const)
        })
      )
    if (next === "done") return { _tag: "Read" as const, ids }
    if (next === "unreachable") return { _tag: "Refused" as const, problem: progress.note ?? "" }
  }
})

/** As many records as a page can have, so that a second or a block seldom has a border in it. */
const largest = 1000

/** How often a second or a block is asked for, if the answer lacks what was read a moment before. */
const attempts = 3

/**
 * The page without the rows that the service repeated at its beginning: a record that arrives while a list is read moves
 * the list on, and the next page begins with the last records of the page before. The service's records have no ID, so
 * its second or block is asked for by itself, and the answer tells how many equal records there are.
 */
export const withoutRepeated = Effect.fnUntraced(function*(
  run: Reader,
  plan: Plan.Plan,
  window: Plan.Window,
  page: Flattened
) {
  const uncertain = page.rows.filter(({ id }) => page.ambiguous.has(id))
  const [first] = uncertain
  const at = plan.unit === "second" ? first?.unix : first?.block_number
  if (at === undefined || at === null) return page
  const part = { ...window, from: at, to: at }
  for (let attempt = 0; attempt < attempts; attempt++) {
    const now = yield* read(run, new Plan.Plan({ ...plan, size: largest }), part, Effect.succeed)
    if (now._tag === "Refused") return page
    const { rows } = now.ids
    // An answer that lacks what was read before is no proof.
    if (!uncertain.every(({ id, part }) => rows.has(`${id.slice(0, id.indexOf("-"))}-0-${part}`))) continue
    const kept = page.rows.filter(({ id }) => !page.ambiguous.has(id) || rows.has(id))
    return {
      ...page,
      rows: kept,
      repeated: page.repeated + page.rows.length - kept.length,
      ambiguous: new Set<string>()
    }
  }
  return page
})

/** What a window, or a part of one, has in the service now. */
export const presentIds = (run: Reader, plan: Plan.Plan, window: Plan.Window) =>
  read(run, plan, window, (page) => withoutRepeated(run, plan, window, page))
