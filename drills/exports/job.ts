/** What a process of the drill is to do. */
import * as Range from "@effect-klaytn/history/Range"
import * as Effect from "effect/Effect"
import * as Plan from "../../packages/exports/src/Plan.js"

export type SinkName = "sqlite" | "postgres" | "ndjson" | "csv"

export interface Job {
  readonly sink: SinkName
  /** The folder of the files or of the database, or the address of Postgres. */
  readonly place: string
  readonly url: string
  readonly accounts: ReadonlyArray<string>
  readonly range: { readonly from: number; readonly to: number }
  /** In place of the range. */
  readonly blocks?: { readonly from: number; readonly to: number } | undefined
  readonly windows: number
  readonly size: number
  readonly concurrency: number
  readonly perSecond?: number | undefined
  readonly perDay?: number | undefined
  /** Reads what is exported again and repairs it. */
  readonly reconcile?: boolean | undefined
  /** Counts the transfers of the first account in an open range of time from this second, and exports nothing. */
  readonly listFrom?: number | undefined
  /** By how many days this process's clock is ahead of the machine's. */
  readonly clockDays?: number | undefined
  readonly fault?: "checkpoint" | "border" | "budget" | undefined
}

export const planOf = ({ accounts, blocks, range, size, windows }: Job) =>
  Effect.flatMap(
    blocks === undefined ? Range.time(range) : Range.blocks(blocks),
    (range) => Plan.make({ accounts, range, windows, size })
  )
