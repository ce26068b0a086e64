/** Times as people write them, in seconds, and blocks. */
import * as Either from "effect/Either"
import * as Failure from "./Failure.js"

/** A second, or a block. */
export interface Instant {
  readonly unit: "second" | "block"
  readonly value: number
}

const lastSecondOfDay = 86_399

/** Reads `2024-01-31`, `2024-01-31T12:00:00Z`, Unix seconds or `#1200`. A day is its first second, or its last one. */
export const parse = (option: string, text: string, end: "first" | "last"): Either.Either<Instant, Failure.Failure> => {
  const refused = Either.left(
    Failure.usage(
      `${option} ${text} is not a time`,
      "write 2024-01-31, 2024-01-31T12:00:00Z, Unix seconds, or #1200 for a block"
    )
  )
  const [, block] = /^#(\d{1,15})$/.exec(text) ?? []
  if (block !== undefined) return Either.right({ unit: "block", value: Number(block) })
  if (/^\d{9,10}$/.test(text)) return Either.right({ unit: "second", value: Number(text) })
  const [, day, time, zone] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? []
  if (day === undefined) return refused
  const millis = Date.parse(`${day}T${time ?? "00:00:00"}${zone ?? "Z"}`)
  // The 31st of a shorter month would be another day.
  if (Number.isNaN(millis) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) return refused
  return Either.right({
    unit: "second",
    value: millis / 1000 + (time === undefined && end === "last" ? lastSecondOfDay : 0)
  })
}

/** The same of an option that may be left out. */
export const read = (option: string, text: string | undefined, end: "first" | "last") =>
  text === undefined ? Either.right(undefined) : parse(option, text, end)

/** A second or a block as text. */
export const format = ({ unit, value }: Instant): string =>
  unit === "block" ? `block ${value}` : new Date(value * 1000).toISOString().replace("T", " ").replace(".000Z", "")

/** A range of seconds or blocks as text. */
export const formatRange = (unit: Instant["unit"], from: number, to: number): string =>
  `${format({ unit, value: from })} to ${format({ unit, value: to })}`
