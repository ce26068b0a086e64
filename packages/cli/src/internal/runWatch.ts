/** Runs `klaytn payouts watch`: the changes of all payments, from where it stopped the last time. */
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ExitCode } from "./exitCode.js"
import * as Failure from "./Failure.js"
import * as payoutText from "./payoutText.js"
import { toJson } from "./printed.js"
import * as Screen from "./Screen.js"

/** The options of `watch`. */
export interface WatchOptions {
  readonly action: string
  readonly json: boolean
  readonly reader: Option.Option<string>
  readonly after: Option.Option<string>
  readonly once: boolean
}

/** What is wrong with the options, found before anything is opened. */
export const check = ({ action, after, once, reader }: WatchOptions): Either.Either<void, Failure.Failure> => {
  if (action !== "watch" && (Option.isSome(reader) || Option.isSome(after) || once)) {
    return Either.left(Failure.usage(`--reader, --after and --once go with watch, not with ${action}`))
  }
  return Option.isSome(reader) && Option.isSome(after)
    ? Either.left(Failure.usage("choose one of --reader and --after"))
    : Either.right(undefined)
}

/** Writes each change on a line, and stores the cursor of the reader when the lines were taken. */
export const watch = ({ after, json, once, reader }: WatchOptions) =>
  Effect.gen(function*(): Effect.fn.Return<ExitCode, unknown, Screen.Screen | Payouts.Payouts> {
    const { out } = yield* Screen.Screen
    const { cursor, feed, storeCursor } = yield* Payouts.Payouts
    const begin = Option.isSome(reader) ? yield* cursor(reader.value) : after
    const changes = feed({ after: Option.getOrUndefined(begin), ends: once })
    const isRead = yield* changes.pipe(
      Stream.chunks,
      Stream.mapEffect((page) =>
        Effect.gen(function*() {
          const all = Chunk.toReadonlyArray(page)
          yield* out.write(
            json
              ? all.map((change) => `${JSON.stringify(toJson(change))}\n`).join("")
              : Screen.lines(all.flatMap((change) => payoutText.change(out, change)))
          )
          const last = all.at(-1)
          if (last === undefined) return true
          if (!(yield* out.flushed)) return false
          if (Option.isSome(reader)) yield* storeCursor(reader.value, last.cursor)
          return true
        })
      ),
      Stream.takeUntil((isRead) => !isRead),
      Stream.runFold(true, (_, isRead) => isRead)
    )
    return isRead ? "ok" : "unread"
  })
