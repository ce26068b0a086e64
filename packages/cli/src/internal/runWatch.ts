/** Runs `klaytn payouts watch`: the changes of all payments, from where it stopped the last time. */
import type { RecordedChange } from "@effect-klaytn/payouts/Payout"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { PayoutsInput } from "./payCommands.js"
import * as payoutText from "./payoutText.js"
import { jsonLines } from "./printed.js"
import * as Screen from "./Screen.js"

/** Writes each change on a line, and stores the cursor of the reader when the lines were taken. */
export const watch = ({ after, json, once, reader }: PayoutsInput) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const { cursor, feed, storeCursor } = yield* Payouts.Payouts
    const begin = reader === undefined ? after : Option.getOrUndefined(yield* cursor(reader))
    const writePage = (page: ReadonlyArray<RecordedChange>) =>
      Effect.gen(function*() {
        yield* out.write(
          json ? jsonLines(page) : Screen.lines(page.flatMap((change) => payoutText.change(out, change)))
        )
        const last = page.at(-1)
        const isRead = yield* out.flushed
        if (isRead && reader !== undefined && last !== undefined) yield* storeCursor(reader, last.cursor)
        return isRead
      })
    const isRead = yield* feed({ after: begin, ends: once }).pipe(
      Stream.chunks,
      Stream.mapEffect((page) => writePage(Chunk.toReadonlyArray(page))),
      Stream.takeUntil((isRead) => !isRead),
      Stream.runFold(true, (_, isRead) => isRead)
    )
    return isRead ? "ok" as const : "unread" as const
  })
