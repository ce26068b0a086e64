/** The CPU time of a server that a process has started. */
import { readdirSync, readFileSync } from "node:fs"

/** What Linux says of a process, its ended children included. */
interface Running {
  readonly name: string
  readonly parent: number
  readonly seconds: number
}

const processes = (): ReadonlyMap<number, Running> =>
  new Map(
    readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
      try {
        const [before = "", after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
        const fields = after.split(" ")
        const ticks = fields.slice(11, 15).map(Number).reduce((one, other) => one + other, 0)
        const name = before.slice(before.indexOf("(") + 1)
        return [[Number(pid), { name, parent: Number(fields[1]), seconds: ticks / 100 }] as const]
      } catch {
        // The process has ended.
        return []
      }
    })
  )

/** CPU seconds of a process that runs; 0 if it has ended. */
export const secondsOf = (pid: number | undefined): number => pid === undefined ? 0 : processes().get(pid)?.seconds ?? 0

/** CPU seconds of all processes of this name below this process. */
export const serverSeconds = (name: string): number => {
  const all = processes()
  const isBelow = (pid: number): boolean => pid === process.pid || (pid > 1 && isBelow(all.get(pid)?.parent ?? 0))
  return [...all].reduce(
    (sum, [pid, one]) => pid !== process.pid && one.name === name && isBelow(pid) ? sum + one.seconds : sum,
    0
  )
}
