/**
 * What a program that `bench:guard` starts measures with: CPU time of its process. The guard says when a program does the next
 * slice of the work, so that the slices of both sides take turns.
 */
import { writeSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** How a figure is measured, in the order in which the program measures. */
export interface Begun {
  readonly figure: string
  /** Slices that don't count: they compile the code. */
  readonly warmUps: number
  readonly slices: number
}

/** What one slice says of a figure. */
export interface Told {
  /** Milliseconds of CPU time. */
  readonly cpu?: number | undefined
  /** The same after the planted slowdown, where one was asked for. */
  readonly planted?: number | undefined
  /** How much was done, where the program counts: the same on both sides. */
  readonly done?: number | undefined
  /** Why there is no time. */
  readonly problem?: string | undefined
}

/**
 * The variable that plants a slowdown: a figure's name, or `all`. Only this module reads the variable: the process then
 * burns 30 % more CPU time than the work took.
 */
const plantedName = "GUARD_PLANTED"

/** How many times as long a figure takes with a planted slowdown. */
const plantedRatio = 1.3

const milliseconds = (since?: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(since)
  return (system + user) / 1000
}

const burnUntil = (cpu: number, since?: NodeJS.CpuUsage): void => {
  let value = 1
  while (milliseconds(since) < cpu) for (let i = 0; i < 20_000; i++) value = Math.sqrt(value + i)
  // Never true: the compiler must not leave the loop out.
  if (value < 0) throw new Error(`${value}`)
}

const tell = (message: Begun | Told): void => void process.send?.(message)

/** The CPU time, and the time after the planted slowdown. `since` is the start of the process by default. */
const timed = (figure: string, since?: NodeJS.CpuUsage, done?: number, notCounted = 0): Told => {
  const cpu = milliseconds(since) - notCounted
  const planted = process.env[plantedName]
  if (planted !== figure && planted !== "all") return { cpu, done }
  burnUntil(cpu * plantedRatio + notCounted, since)
  return { cpu, done, planted: milliseconds(since) - notCounted }
}

/** Tells the CPU time of the whole process, at its end, when nothing else can be waited for. */
export const tellWhole = (figure: string): void => void writeSync(3, JSON.stringify(timed(figure)))

setFlagsFromString("--expose-gc")
// The flag makes the function, and only for contexts made after it.
const collectGarbage: () => void = runInNewContext("gc")

const asked = (): Promise<void> => new Promise((resolve) => process.once("message", () => resolve()))

/** One slice of the work of a figure. Returns how much was done. */
export type Slice = (number: number) => Promise<number> | number

/**
 * Does slices of some work, each when the guard asks for the next. `others` are the milliseconds of CPU time that parts of this
 * process have taken that don't count. A failure is told in place of the time. By default 1 slice comes before the 4 that count,
 * and garbage is collected between them; `collectAt` is the number of the slice before which garbage is collected.
 */
export const measure = async (
  figure: string,
  work: Slice,
  options: {
    readonly warmUps?: number
    readonly slices?: number
    readonly collectAt?: number
    readonly others?: () => number
  } = {}
): Promise<void> => {
  const { others = () => 0, slices = 4, warmUps = 1, collectAt = warmUps } = options
  tell({ figure, warmUps, slices })
  for (let number = 0; number < warmUps + slices; number++) {
    await asked()
    if (number === collectAt) collectGarbage()
    try {
      const othersBefore = others()
      const since = process.cpuUsage()
      const done = await work(number)
      tell(timed(figure, since, done, others() - othersBefore))
    } catch (error) {
      tell({ problem: String(error) })
    }
  }
}
