/** Runs `klaytn payouts watch`: the changes of all payments, from where it stopped the last time. */
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Failure from "./Failure.js"
import type { PayoutsInput } from "./payCommands.js"
import * as payoutText from "./payoutText.js"
import { jsonLine } from "./printed.js"
import * as Screen from "./Screen.js"

/** What is wrong with the options, found before anything is opened. */
export const check = ({ action, after, once, reader }: PayoutsInput): Effect.Effect<void, Failure.Failure> => {
  if (action !== "watch" && (reader !== undefined || after !== undefined || once)) {
    return Failure.usage(`--reader, --after and --once go with watch, not with ${action}`)
  }
  return reader !== undefined && after !== undefined
    ? Failure.usage("choose one of --reader and --after")
    : Effect.void
}

/** Writes each change on a line, and stores the cursor of the reader when the lines were taken. */
export const watch = ({ after, json, once, reader }: PayoutsInput) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const { cursor, feed, storeCursor } = yield* Payouts.Payouts
    const begin = reader === undefined ? after : Option.getOrUndefined(yield* cursor(reader))
    const isRead = yield* feed({ after: begin, ends: once }).pipe(
      Stream.chunks,
      Stream.mapEffect((page) =>
        Effect.gen(function*() {
          const all = Chunk.toReadonlyArray(page)
          yield* out.write(
            json
              ? all.map(jsonLine).join("")
              : Screen.lines(all.flatMap((change) => payoutText.change(out, change)))
          )
          const last = all.at(-1)
          const isRead = yield* out.flushed
          if (isRead && reader !== undefined && last !== undefined) yield* storeCursor(reader, last.cursor)
          return isRead
        })
      ),
      Stream.takeUntil((isRead) => !isRead),
      Stream.runFold(true, (_, isRead) => isRead)
    )
    return isRead ? "ok" as const : "unread" as const
  })
