/** Loaded before a program with `--import`: tells how long the evaluation of each module took, when the program ends. */
import { writeFileSync } from "node:fs"
import { register } from "node:module"

declare global {
  var markLoading: ((module: string) => void) | undefined
}

const milliseconds = new Map<string, number>()
let current = ""
let since = 0

const end = (): void => {
  const now = performance.now()
  if (current !== "") milliseconds.set(current, (milliseconds.get(current) ?? 0) + now - since)
  current = ""
}

globalThis.markLoading = (module) => {
  end()
  current = module
  since = performance.now()
  // Where a module awaits something at its top, its evaluation stops, and microtasks run.
  queueMicrotask(() => current === module && end())
}
register(process.env["LOADING_HOOKS"] ?? "")
process.once("exit", () => {
  writeFileSync(process.env["LOADING_FILE"] ?? "", JSON.stringify(Object.fromEntries(milliseconds)))
})
