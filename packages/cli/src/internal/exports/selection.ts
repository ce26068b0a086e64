/** What an export reads: the options of the command, as a plan. */
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Plan from "@effect-klaytn/exports/Plan"
import * as Kind from "@effect-klaytn/history/Kind"
import * as Range from "@effect-klaytn/history/Range"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Started } from "../service/sandbox.js"
import * as Failure from "../terminal/Failure.js"
import * as instant from "../terminal/instant.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import type { Selection } from "./options.js"

const isKind = Schema.is(Kind.Kind)

const rangeOf = (unit: instant.Instant["unit"], from: number, to: number | undefined) =>
  unit === "block" ? Range.blocks({ from, to }) : Range.time({ from, to })

/** What the parts of a plan are called on the command line. */
const words: Readonly<Record<string, string>> = {
  accounts: "ACCOUNT",
  contracts: "--contracts",
  presets: "--presets",
  size: "--size"
}

/** Says of the command's own words what is wrong with a plan or its range, and which of the values it is. */
const inWords = (plan: Readonly<Record<string, unknown>>) => ({ path: [field = "", index], problem }: InvalidInput) => {
  const values = plan[field]
  const value = Array.isArray(values) && typeof index === "number" ? ` ${Screen.clean(String(values[index]))}` : ""
  return Failure.usage(`${words[field] ?? "--from and --to"}${value}: ${problem}`)
}

/** The selection, parsed. */
export const read = Effect.fnUntraced(function*(selection: Selection) {
  const from = yield* instant.read("--from", selection.from, "first")
  /** Whether the end was opened in so many words. */
  const isOpen = selection.to === "now"
  const to = isOpen ? undefined : yield* instant.read("--to", selection.to, "last")
  if (from !== undefined && to !== undefined && from.unit !== to.unit) {
    return yield* Failure.usage("--from and --to are a time and a block: give two of one kind")
  }
  const kinds = values.list(selection.kinds)
  const known = kinds?.filter(isKind)
  if (known?.length !== kinds?.length) return yield* Failure.usage("--kinds takes any of coin,ft,nft,mt")
  return {
    from,
    to,
    isOpen,
    /** Everything but the range. */
    what: {
      accounts: selection.accounts.length === 0 ? undefined : selection.accounts,
      presets: values.list(selection.presets),
      contracts: values.list(selection.contracts),
      kinds: known,
      windows: selection.windows,
      size: selection.size
    }
  }
})

export type Search = Effect.Effect.Success<ReturnType<typeof read>>

/**
 * A new plan. In a sandbox, it is of the busiest account and all blocks by default. An end that the index has not settled yet is
 * left to later runs. With `settled`, an open end is that second.
 */
export const makePlan = Effect.fnUntraced(function*(
  { from: begin, to: end, what }: Search,
  sandbox: Started | undefined,
  indexLag: Duration.Duration | undefined,
  settled?: number
) {
  const { presets } = what
  const accounts = what.accounts ?? (sandbox !== undefined && presets === undefined ? [sandbox.busiest] : undefined)
  if (accounts === undefined && presets === undefined) {
    return yield* Failure.usage("no account is given", "name accounts, or --presets")
  }
  const from = begin?.value ?? sandbox?.from
  if (from === undefined) return yield* Failure.usage("--from is not given", "such as --from 2024-01-01")
  const unit = begin?.unit ?? "second"
  const planTo = (to: number | undefined) =>
    Effect.flatMap(rangeOf(unit, from, to), (range) => Plan.make({ ...what, accounts, range, indexLag })).pipe(
      Effect.mapError(inWords({ ...what, accounts }))
    )
  if (settled !== undefined) return new Plan.Plan({ ...yield* planTo(settled), open: true })
  const made = yield* planTo(end?.value ?? (unit === "block" ? undefined : sandbox?.to))
  if (end === undefined || unit === "block") return made
  return Option.match(yield* Effect.option(planTo(undefined)), {
    onNone: () => made,
    onSome: (latest) => latest.to < made.to ? new Plan.Plan({ ...latest, open: false }) : made
  })
})

const isSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  String([...new Set(one)].sort()) === String([...new Set(other)].sort())

/** Whether the options fit the stored plan. Options that are left out fit any. */
export const isStored = Effect.fnUntraced(
  function*({ from, to, what }: Search, stored: Plan.Plan): Effect.fn.Return<boolean, unknown> {
    const { accounts, contracts, kinds, presets } = what
    if (to !== undefined && to.unit !== stored.unit) return false
    if (from !== undefined && (from.unit !== stored.unit || from.value !== stored.from)) return false
    if (kinds !== undefined && !isSame(kinds, stored.kinds ?? [])) return false
    const held = stored.sources.flatMap((source) => source._tag === "Account" ? source.contract ?? [] : [])
    if (contracts !== undefined && !isSame(contracts.map((one) => one.toLowerCase()), held)) return false
    if (accounts === undefined && presets === undefined) return true
    const range = yield* rangeOf(stored.unit, stored.from, stored.to)
    const same = yield* Plan.make({ ...what, windows: 1, range })
    return JSON.stringify(same.sources) === JSON.stringify(stored.sources)
  }
)

/** Up to where the options extend the stored plan, if they do. Without a second or block, up to what has settled. */
export const extensionOf = ({ isOpen, to }: Search, stored: Plan.Plan): { readonly to?: number } | undefined => {
  if (to !== undefined) return to.value > stored.to ? { to: to.value } : undefined
  return isOpen || stored.open === true ? {} : undefined
}
