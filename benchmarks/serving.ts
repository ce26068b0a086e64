/** The server process, for programs that are in processes of their own. */
import { type ChildProcess, fork } from "node:child_process"
import { bundleProgram } from "../scripts/bundleProgram.js"
import type { Ready } from "./Ready.js"

/** Starts the server. It answers as soon as this resolves, until it is killed or this process ends. */
export const serving = async (): Promise<readonly [ChildProcess, Ready]> => {
  const file = await bundleProgram(
    new URL("serve.ts", import.meta.url),
    { owner: new URL("../packages/sandbox/", import.meta.url) }
  )
  return new Promise((resolve, reject) => {
    const child = fork(file)
    // The other program of this folder sends nothing else.
    child.once("message", (ready) => resolve([child, ready as Ready]))
    child.once("exit", (code) => reject(new Error(`the server's process ended with ${code}`)))
  })
}
