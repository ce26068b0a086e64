/** What an export reads: the options of the command, as a plan. */
import * as Plan from "@effect-klaytn/exports/Plan"
import * as Kind from "@effect-klaytn/history/Kind"
import * as Range from "@effect-klaytn/history/Range"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Failure from "./Failure.js"
import * as instant from "./instant.js"
import type { Started } from "./sandbox.js"

export interface Selection {
  readonly accounts: ReadonlyArray<string>
  readonly presets: Option.Option<string>
  readonly contracts: Option.Option<string>
  readonly kinds: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
  readonly windows: Option.Option<number>
  readonly size: Option.Option<number>
}

const listOf = (text: Option.Option<string>): ReadonlyArray<string> | undefined =>
  Option.getOrUndefined(Option.map(text, (all) => all.split(",").map((one) => one.trim())))

const isKind = Schema.is(Kind.Kind)

const kindsOf = (text: Option.Option<string>): Either.Either<ReadonlyArray<Kind.Kind> | undefined, Failure.Failure> => {
  const kinds = listOf(text)
  const known = kinds?.filter(isKind)
  return kinds?.length === known?.length
    ? Either.right(known)
    : Either.left(Failure.usage("--kinds takes any of coin,ft,nft,mt"))
}

export const instantOf = (option: "--from" | "--to", text: Option.Option<string>) =>
  Effect.transposeMapOption(text, (one) => instant.parse(option, one, option === "--from" ? "first" : "last"))

/** The selection, parsed. */
export const read = (selection: Selection) =>
  Effect.gen(function*() {
    const from = yield* instantOf("--from", selection.from)
    const isOpen = Option.contains(selection.to, "now")
    const to = isOpen ? Option.none() : yield* instantOf("--to", selection.to)
    if (Option.isSome(from) && Option.isSome(to) && from.value.unit !== to.value.unit) {
      return yield* Failure.usage("--from and --to are a time and a block: give two of one kind")
    }
    return {
      accounts: selection.accounts.length === 0 ? undefined : selection.accounts,
      presets: listOf(selection.presets),
      contracts: listOf(selection.contracts),
      kinds: yield* kindsOf(selection.kinds),
      from: Option.getOrUndefined(from),
      to: Option.getOrUndefined(to),
      /** Whether the end was opened in so many words. */
      isOpen,
      windows: Option.getOrUndefined(selection.windows),
      size: Option.getOrUndefined(selection.size)
    }
  })

export type Asked = Effect.Effect.Success<ReturnType<typeof read>>

/** Everything but the range. */
const whatOf = ({ accounts, contracts, kinds, presets, size, windows }: Asked) => ({
  accounts,
  contracts,
  kinds,
  presets,
  size,
  windows
})

/**
 * A new plan. In a sandbox, it is of the busiest account and all blocks by default. An end that the index has not settled yet is
 * left to later runs.
 */
export const makePlan = (asked: Asked, sandbox: Started | undefined, indexLag: Duration.Duration | undefined) =>
  Effect.gen(function*() {
    const ofSandbox = sandbox !== undefined && asked.presets === undefined ? [sandbox.busiest] : undefined
    const accounts = asked.accounts ?? ofSandbox
    if (accounts === undefined && asked.presets === undefined) {
      return yield* Failure.usage("no account is given", "name accounts, or --presets")
    }
    const from = asked.from?.value ?? sandbox?.from
    if (from === undefined) return yield* Failure.usage("--from is not given", "such as --from 2024-01-01")
    const isBlock = asked.from?.unit === "block"
    const to = asked.to?.value ?? (isBlock ? undefined : sandbox?.to)
    const range = isBlock ? Range.blocks({ from, to }) : Range.time({ from, to })
    const made = yield* Plan.make({ ...whatOf(asked), accounts, range: yield* range, indexLag })
    if (asked.to === undefined || isBlock) return made
    const settled = yield* Effect.option(
      Effect.flatMap(Range.time({ from }), (open) => Plan.make({ ...whatOf(asked), accounts, range: open, indexLag }))
    )
    return Option.match(settled, {
      onNone: () => made,
      onSome: (latest) => latest.to < made.to ? new Plan.Plan({ ...latest, open: false }) : made
    })
  })

/** Whether the options fit the stored plan. Options that are left out fit any. */
export const isStored = (asked: Asked, stored: Plan.Plan): Effect.Effect<boolean, unknown> =>
  Effect.gen(function*() {
    if (asked.to !== undefined && asked.to.unit !== stored.unit) return false
    if (asked.from !== undefined && (asked.from.unit !== stored.unit || asked.from.value !== stored.from)) return false
    if (asked.kinds !== undefined && String([...asked.kinds].sort()) !== String([...stored.kinds ?? []].sort())) {
      return false
    }
    if (asked.accounts === undefined && asked.presets === undefined) return true
    const range = stored.unit === "second"
      ? Range.time({ from: stored.from, to: stored.to })
      : Range.blocks({ from: stored.from, to: stored.to })
    const same = yield* Plan.make({ ...whatOf(asked), windows: 1, range: yield* range })
    return JSON.stringify(same.sources) === JSON.stringify(stored.sources)
  })

/** Up to where the options extend the stored plan, if they do. Without a second or block, up to what has settled. */
export const extensionOf = (asked: Asked, stored: Plan.Plan): Option.Option<{ readonly to?: number }> => {
  if (asked.to !== undefined) return asked.to.value > stored.to ? Option.some({ to: asked.to.value }) : Option.none()
  return asked.isOpen || stored.open === true ? Option.some({}) : Option.none()
}
