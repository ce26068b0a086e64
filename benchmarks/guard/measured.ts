/**
 * What a program that `bench:guard` starts measures with: CPU time of its process, which other programs hardly affect. It
 * prints one line of JSON for each figure.
 */
import { writeSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** What one run says of a figure. */
export interface Told {
  readonly figure: string
  /** Milliseconds of CPU time. */
  readonly cpu?: number
  /** How much was done, where the program counts: the same on both sides. */
  readonly done?: number | undefined
  /** The same after the planted slowdown, where one was asked for. */
  readonly planted?: number
  /** Why there is no time. */
  readonly problem?: string
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

/** Standard output is the program's own. */
const tell = (told: Told): void => void writeSync(3, `${JSON.stringify(told)}\n`)

/** Tells the CPU time, and the time after the planted slowdown. `since` is the start of the process by default. */
export const tellTime = (figure: string, since?: NodeJS.CpuUsage, done?: number, notCounted = 0): void => {
  const cpu = milliseconds(since) - notCounted
  const planted = process.env[plantedName]
  if (planted !== figure && planted !== "all") return tell({ figure, cpu, done })
  burnUntil(cpu * plantedRatio + notCounted, since)
  return tell({ figure, cpu, done, planted: milliseconds(since) - notCounted })
}

setFlagsFromString("--expose-gc")
// The flag makes the function, and only for contexts made after it.
const collectGarbage: () => void = runInNewContext("gc")

/**
 * Measures some work after as much of the same, which compiles the code. The work returns how much was done; `others` are the
 * milliseconds of CPU time that parts of this process have taken that don't count. A failure is told in place of the time.
 */
export const measure = async (
  figure: string,
  work: () => Promise<number> | number,
  others: () => number = () => 0
): Promise<void> => {
  try {
    await work()
    collectGarbage()
    const othersBefore = others()
    const since = process.cpuUsage()
    const done = await work()
    tellTime(figure, since, done, others() - othersBefore)
  } catch (error) {
    tell({ figure, problem: String(error) })
  }
}
