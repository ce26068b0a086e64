/** A sink in memory, as an own sink would be written. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Manifest from "../../src/Manifest.js"
import type { Plan } from "../../src/Plan.js"
import type { Rejected, Row } from "../../src/Row.js"
import * as Sink from "../../src/Sink.js"

export const make = () => {
  const rows = new Map<string, Row>()
  const rejected = new Map<string, Rejected>()
  const states = new Map<number, Sink.WindowState>()
  const extras = new Map<number, ReadonlyArray<Sink.Extra>>()
  let plan: Plan | undefined
  let manifest: Manifest.Manifest | undefined
  const session: Sink.Session = {
    plan: Effect.suspend(() =>
      plan === undefined ? new Sink.SinkError({ reason: "stored", problem: "nothing" }) : Effect.succeed(plan)
    ),
    states: Effect.sync(() => [...states.values()]),
    extend: (longer) =>
      Effect.sync(() => {
        plan = longer
        return longer
      }),
    commit: (page) =>
      Effect.sync(() => {
        const fresh = page.rows.filter(({ id }) => !rows.has(id))
        const bad = page.rejected.filter(({ id }) => !rejected.has(id))
        for (const row of fresh) rows.set(row.id, row)
        for (const one of bad) rejected.set(one.id, one)
        const state = page.next(fresh, bad)
        states.set(page.window.index, state)
        return state
      }),
    restart: (before) =>
      Effect.succeed({ ...before, status: "open", checkpoint: null, equals: Sink.fresh(noWindow).equals }),
    ids: ({ index }) =>
      Stream.suspend(() => {
        const isOfWindow = ({ window }: { readonly window: number }) => window === index
        return Stream.make([
          ...[...rows.values()].filter(isOfWindow).map(({ block_number, id, unix }) => ({
            id,
            unix,
            block: block_number
          })),
          ...[...rejected.values()].filter(isOfWindow).map(({ id }) => ({ id, unix: null, block: null }))
        ])
      }),
    damages: Effect.succeed([]),
    verify: () => Effect.succeed([]),
    extras: Effect.sync(() => [...extras.values()].flat()),
    mark: ({ index }, marked) => Effect.sync(() => void extras.set(index, marked)),
    remove: (before, ids) =>
      Effect.sync(() => {
        const kept = [...rows.values()].filter(({ id, window }) => window !== before.window || !ids.has(id))
        for (const id of ids) {
          rows.delete(id)
          rejected.delete(id)
        }
        extras.set(before.window, (extras.get(before.window) ?? []).filter(({ id }) => !ids.has(id)))
        const left = kept.filter(({ window }) => window === before.window)
        const state = {
          ...before,
          rows: left.length,
          rejected: [...rejected.values()].filter(({ window }) => window === before.window).length,
          checksum: Manifest.addToChecksum("0".repeat(32), left)
        }
        states.set(before.window, state)
        return state
      }),
    finish: (made) =>
      Effect.sync(() => {
        manifest = made
      })
  }
  const sink: Sink.Sink = {
    open: (given) =>
      Effect.suspend(() => {
        plan ??= given
        return plan === undefined
          ? new Sink.SinkError({ reason: "stored", problem: "nothing" })
          : Effect.succeed(session)
      })
  }
  return { sink, rows, rejected, states, manifest: () => manifest }
}

const noWindow = { index: 0, source: 0, from: 0, to: 0 }
