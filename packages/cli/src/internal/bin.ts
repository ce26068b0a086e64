/** Entry of the command `klaytn`. The version is told without loading anything else. */
import * as Module from "node:module"
import manifest from "../../package.json" with { type: "json" }

if (["--version", "-v", "version"].includes(process.argv[2] ?? "")) {
  process.stdout.write(`${manifest.version}\n`)
} else {
  // From Node 22.1 on, what was compiled once starts faster; the types are those of Node 20.
  const { enableCompileCache } = Module as { readonly enableCompileCache?: () => unknown }
  enableCompileCache?.()
  await import("./terminal.js")
}
