import type { Manifest } from "../Manifest.js"
import type { Plan } from "../Plan.js"
import { columns, type Row } from "../Row.js"
import { fresh, type WindowState } from "../Sink.js"
import { digest } from "./digest.js"

const summed = columns.filter((column) => column !== "window")
const modulus = 2n ** 128n
const hex = (sum: bigint): string => sum.toString(16).padStart(32, "0")

const numberOf = (row: Row): bigint => BigInt(`0x${digest(JSON.stringify(summed.map((column) => row[column])))}`)

const sum = (checksums: Iterable<string>): string => {
  let total = 0n
  for (const checksum of checksums) total += BigInt(`0x${checksum}`)
  return hex(total % modulus)
}

export const addToChecksum = (checksum: string, rows: ReadonlyArray<Row>): string => {
  let total = BigInt(`0x${checksum}`)
  for (const row of rows) total += numberOf(row)
  return hex(total % modulus)
}

export const make = (plan: Plan, states: ReadonlyArray<WindowState>): Manifest => {
  const found = new Map(states.map((state) => [state.window, state]))
  const windows = plan.windows.map((window): Manifest["windows"][number] => {
    const state = found.get(window.index)
    const { checkpoint: _checkpoint, equals: _equals, ...shown } = state ?? fresh(window)
    return {
      ...shown,
      status: state === undefined ? "pending" : state.status,
      source: window.source,
      from: window.from,
      to: window.to
    }
  })
  const total = (count: (window: Manifest["windows"][number]) => number): number =>
    windows.reduce((all, window) => all + count(window), 0)
  const rejected = total((window) => window.rejected)
  const newest = [...windows].sort((a, b) => b.to - a.to)
  return {
    version: 1,
    complete: windows.some(({ status }) => status !== "closed") ? "no" : rejected > 0 ? "except-rejected" : "yes",
    unit: plan.unit,
    from: plan.from,
    to: plan.to,
    sources: plan.sources,
    rows: total((window) => window.rows),
    rejected,
    skipped: total((window) => window.skipped),
    left: total((window) => window.left),
    overlaps: total((window) => window.overlaps),
    first: newest.find(({ first }) => first !== null)?.first ?? null,
    last: newest.findLast(({ last }) => last !== null)?.last ?? null,
    checksum: sum(windows.map((window) => window.checksum)),
    windows
  }
}
