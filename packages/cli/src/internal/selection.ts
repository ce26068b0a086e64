/** What an export reads: the options of the command, as a plan. */
import * as Plan from "@effect-klaytn/exports/Plan"
import * as Kind from "@effect-klaytn/history/Kind"
import * as Range from "@effect-klaytn/history/Range"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Selection } from "./exportCommands.js"
import * as Failure from "./Failure.js"
import * as instant from "./instant.js"
import type { Started } from "./sandbox.js"

const listOf = (text: string | undefined): ReadonlyArray<string> | undefined =>
  text?.split(",").map((one) => one.trim())

const isKind = Schema.is(Kind.Kind)

/** The selection, parsed. */
export const read = (selection: Selection) =>
  Effect.gen(function*() {
    const from = yield* instant.read("--from", selection.from, "first")
    /** Whether the end was opened in so many words. */
    const isOpen = selection.to === "now"
    const to = isOpen ? undefined : yield* instant.read("--to", selection.to, "last")
    if (from !== undefined && to !== undefined && from.unit !== to.unit) {
      return yield* Failure.usage("--from and --to are a time and a block: give two of one kind")
    }
    const kinds = listOf(selection.kinds)
    const known = kinds?.filter(isKind)
    if (known?.length !== kinds?.length) return yield* Failure.usage("--kinds takes any of coin,ft,nft,mt")
    return {
      from,
      to,
      isOpen,
      /** Everything but the range. */
      what: {
        accounts: selection.accounts.length === 0 ? undefined : selection.accounts,
        presets: listOf(selection.presets),
        contracts: listOf(selection.contracts),
        kinds: known,
        windows: selection.windows,
        size: selection.size
      }
    }
  })

export type Asked = Effect.Effect.Success<ReturnType<typeof read>>

/**
 * A new plan. In a sandbox, it is of the busiest account and all blocks by default. An end that the index has not settled yet is
 * left to later runs.
 */
export const makePlan = (
  { from: begin, to: end, what }: Asked,
  sandbox: Started | undefined,
  indexLag: Duration.Duration | undefined
) =>
  Effect.gen(function*() {
    const { presets } = what
    const accounts = what.accounts ?? (sandbox !== undefined && presets === undefined ? [sandbox.busiest] : undefined)
    if (accounts === undefined && presets === undefined) {
      return yield* Failure.usage("no account is given", "name accounts, or --presets")
    }
    const from = begin?.value ?? sandbox?.from
    if (from === undefined) return yield* Failure.usage("--from is not given", "such as --from 2024-01-01")
    const isBlock = begin?.unit === "block"
    const to = end?.value ?? (isBlock ? undefined : sandbox?.to)
    const planOf = (range: ReturnType<typeof Range.time> | ReturnType<typeof Range.blocks>) =>
      Effect.flatMap(range, (range) => Plan.make({ ...what, accounts, range, indexLag }))
    const made = yield* planOf(isBlock ? Range.blocks({ from, to }) : Range.time({ from, to }))
    if (end === undefined || isBlock) return made
    return Option.match(yield* Effect.option(planOf(Range.time({ from }))), {
      onNone: () => made,
      onSome: (latest) => latest.to < made.to ? new Plan.Plan({ ...latest, open: false }) : made
    })
  })

/** Whether the options fit the stored plan. Options that are left out fit any. */
export const isStored = ({ from, to, what }: Asked, stored: Plan.Plan): Effect.Effect<boolean, unknown> =>
  Effect.gen(function*() {
    const { accounts, kinds, presets } = what
    if (to !== undefined && to.unit !== stored.unit) return false
    if (from !== undefined && (from.unit !== stored.unit || from.value !== stored.from)) return false
    if (kinds !== undefined && String([...kinds].sort()) !== String([...stored.kinds ?? []].sort())) return false
    if (accounts === undefined && presets === undefined) return true
    const range = stored.unit === "second"
      ? Range.time({ from: stored.from, to: stored.to })
      : Range.blocks({ from: stored.from, to: stored.to })
    const same = yield* Plan.make({ ...what, windows: 1, range: yield* range })
    return JSON.stringify(same.sources) === JSON.stringify(stored.sources)
  })

/** Up to where the options extend the stored plan, if they do. Without a second or block, up to what has settled. */
export const extensionOf = ({ isOpen, to }: Asked, stored: Plan.Plan): { readonly to?: number } | undefined => {
  if (to !== undefined) return to.value > stored.to ? { to: to.value } : undefined
  return isOpen || stored.open === true ? {} : undefined
}
