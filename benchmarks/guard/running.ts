/** A process of a program that is measured, and what it tells. */
import { spawn } from "node:child_process"
import type { Begun, Told } from "./measured.js"
import type { Built } from "./sides.js"

export interface Running {
  /** What the process tells next. After its end: the problem that it has ended. */
  readonly next: () => Promise<Begun | Told>
  /** Asks for the next slice. */
  readonly ask: () => void
  readonly ended: Promise<void>
}

/** The line of an error output that says what went wrong. */
const firstError = (errors: string): string =>
  errors.split("\n").find((line) => /error/i.test(line))?.trim() ?? errors.trim()

/** Starts a program, with a planted slowdown of that figure. */
export const launch = ({ args, env, program }: Built, planted: string | undefined): Running => {
  // A whole process is measured without the channel that slices are asked through: it tells its time on a pipe.
  const channel = program.isWhole === true ? "pipe" : "ipc"
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, GUARD_PLANTED: planted },
    stdio: ["ignore", "ignore", "pipe", channel]
  })
  const told: Array<Begun | Told> = []
  let last: Told | undefined
  let notify = (): void => {}
  let errors = ""
  child.stderr?.on("data", (chunk: Buffer) => errors += chunk.toString())
  let text = ""
  if (channel === "pipe") child.stdio[3]?.on("data", (chunk: Buffer) => text += chunk.toString())
  // A cast: the programs send nothing else.
  else child.on("message", (message) => (told.push(message as Begun | Told), notify()))
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => errors += String(error))
    child.once("close", (code) => {
      if (text !== "" && code === 0) told.push(JSON.parse(text))
      last = { problem: `the process ended with ${code}: ${firstError(errors)}` }
      notify()
      resolve()
    })
  })
  const next = async (): Promise<Begun | Told> => {
    while (told.length === 0 && last === undefined) {
      await new Promise<void>((resolve) => notify = resolve)
    }
    return told.shift() ?? last ?? {}
  }
  return { next, ask: () => void (child.connected && child.send("next")), ended }
}
