/** The progress of an export: one line that is redrawn on a terminal, a line now and then elsewhere. */
import type { Event } from "@effect-klaytn/exports/Exports"
import type * as Plan from "@effect-klaytn/exports/Plan"
import * as instant from "./instant.js"

/** A window that is being read. */
interface Open {
  readonly window: Plan.Window
  /** How far back it is read. */
  readonly at: number
}

export class Progress {
  readonly windows: number = 0
  readonly closed: number = 0
  readonly open: ReadonlyMap<number, Open> = new Map()
  readonly rows: number = 0
  /** Of this run. */
  readonly stored: number = 0
  readonly rejected: number = 0
  /** Windows of this run that turned out to be out of reach. */
  readonly unreachable: number = 0
  /** Windows that were searched for late records, and how many rows were found. */
  readonly rechecked: number = 0
  readonly late: number = 0
  /** Records that turned out in this run to be no longer in the service. */
  readonly extra: number = 0
  /** How much was done when this run began, 0 to 1. */
  readonly began: number = 0
  readonly throttledTo: number | undefined
}

export const none = new Progress()

/** The part of a window that is read, 0 to 1. */
const partOf = ({ at, window: { from, to } }: Open): number =>
  to === from ? 1 : Math.max(0, Math.min(1, (to - at) / (to - from)))

const withStored = (progress: Progress, { rejected, rows }: Pick<Progress, "rejected" | "rows">): Progress => ({
  ...progress,
  rows: progress.rows + rows,
  stored: progress.stored + rows,
  rejected: progress.rejected + rejected
})

/** The progress after an event. */
export const after = (progress: Progress, event: Event): Progress => {
  switch (event._tag) {
    case "Started":
      return {
        ...none,
        windows: event.windows,
        closed: event.closed,
        rows: event.rows,
        began: event.windows === 0 ? 0 : event.closed / event.windows
      }
    case "Extended": {
      // A window that has grown is read on.
      const closed = Math.max(0, progress.closed - event.grown)
      return { ...progress, closed, windows: event.windows, began: closed / event.windows }
    }
    case "PageStored": {
      const { window } = event
      const at = event.at ?? progress.open.get(window.index)?.at ?? window.to
      const open = new Map(progress.open).set(window.index, { window, at })
      return { ...withStored(progress, event), open }
    }
    case "WindowClosed":
    case "WindowUnreachable":
      return {
        ...progress,
        // A window that was read before may turn out to be out of reach now.
        closed: Math.min(progress.windows, progress.closed + 1),
        unreachable: progress.unreachable + (event._tag === "WindowUnreachable" ? 1 : 0),
        open: new Map([...progress.open].filter(([index]) => index !== event.window.index))
      }
    case "WindowRechecked":
      return {
        ...withStored(progress, event),
        rechecked: progress.rechecked + 1,
        late: progress.late + event.rows,
        extra: progress.extra + event.extra.length
      }
    case "Throttled":
      return { ...progress, throttledTo: event.concurrency }
    default:
      return progress
  }
}

/** The part that is done, 0 to 1. */
export const share = ({ closed, open, windows }: Progress): number =>
  windows === 0 ? 1 : Math.min(1, [...open.values()].reduce((sum, one) => sum + partOf(one), closed) / windows)

/** How far back everything is stored: as far as the newest open window. */
const position = ({ open }: Progress): number | undefined =>
  [...open.values()].sort((a, b) => a.window.index - b.window.index)[0]?.at

/** A number with separators. */
export const number = (value: number | bigint): string =>
  (typeof value === "bigint" ? value : Math.round(value)).toLocaleString("en-US")

/** How many there are of something. */
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? "" : "s"}`

/** A time that is left, or that has passed. */
export const duration = (seconds: number): string => {
  const whole = Math.max(1, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`
}

/** The parts of the line, the most important first. */
export const parts = (progress: Progress, unit: "second" | "block", seconds: number): ReadonlyArray<string> => {
  const done = share(progress)
  const at = position(progress)
  const gained = done - progress.began
  return [
    `${Math.floor(100 * done)} %`,
    `${number(progress.rows)} rows`,
    ...(seconds > 0 && progress.stored > 0 ? [`${number(progress.stored / seconds)}/s`] : []),
    `windows ${progress.closed}/${progress.windows}, ${progress.open.size} open`,
    ...(at === undefined ? [] : [`back to ${instant.format({ unit, value: at }).slice(0, 16)}`]),
    ...(gained > 0 && done < 1 && seconds > 1 ? [`${duration(seconds * (1 - done) / gained)} left`] : []),
    ...(progress.rechecked > 0 ? [`${number(progress.rechecked)} checked again`] : []),
    ...(progress.rejected > 0 ? [`${number(progress.rejected)} rejected`] : []),
    ...(progress.throttledTo === undefined ? [] : [`throttled to ${progress.throttledTo} at once`])
  ]
}

const barWidth = 20

/** A bar for the part that is done, 0 to 1. */
export const bar = (done: number): string => {
  const full = Math.floor(done * barWidth)
  return "█".repeat(full) + "░".repeat(barWidth - full)
}

/** One line for a terminal of so many columns: what comes first, and the parts that fit behind it. */
export const fitted = (first: string, others: ReadonlyArray<string>, columns: number): string => {
  let text = first.slice(0, Math.max(0, columns - 1))
  for (const part of others) {
    if (text.length + part.length + 2 >= columns) break
    text += `  ${part}`
  }
  return text
}

/** The line of an export: parts that don't fit are left out. */
export const line = (progress: Progress, unit: "second" | "block", seconds: number, columns: number): string =>
  fitted(bar(share(progress)), parts(progress, unit, seconds), columns)
