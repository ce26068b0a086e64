/** The compilers of the scripts. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * A command that compiles with TypeScript 7, which takes a third of the time, with the diagnostics of Effect, so that one pass
 * over the types finds both kinds. Without a binary of it for this platform, TypeScript 5.9, which lacks those diagnostics.
 * Each checker works out again the types that the others know: four take twice the processor time of one.
 */
export const compiler = (args: ReadonlyArray<string>, checkers = 1): ReadonlyArray<string> => {
  const effect = fileURLToPath(import.meta.resolve("@effect/tsgo/package.json"))
  const name = `@effect/tsgo-${process.platform}-${process.arch}`
  try {
    const tsc = join(dirname(createRequire(effect).resolve(`${name}/package.json`)), "artifacts/typescript/7.0.2/tsc")
    return [tsc, ...args, "--checkers", String(checkers)]
  } catch {
    console.error(`${name} is not installed: TypeScript 5.9 compiles, without the diagnostics of Effect`)
    return ["tsc", ...args]
  }
}
