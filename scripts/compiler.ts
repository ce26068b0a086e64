/** The compilers of the scripts. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * TypeScript 7, which takes a third of the time, with the diagnostics of Effect, so that one pass over the types finds both
 * kinds. Without a binary of it for this platform, TypeScript 5.9, which lacks those diagnostics.
 */
export const compiler = (): string => {
  const effect = fileURLToPath(import.meta.resolve("@effect/tsgo/package.json"))
  const name = `@effect/tsgo-${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(effect).resolve(`${name}/package.json`)), "artifacts/typescript/7.0.2/tsc")
  } catch {
    console.error(`${name} is not installed: TypeScript 5.9 compiles, without the diagnostics of Effect`)
    return "tsc"
  }
}
