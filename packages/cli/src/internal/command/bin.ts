/** Entry of the command `klaytn`. The version is written without loading anything else. */
import * as Module from "node:module"
import manifest from "../../../package.json" with { type: "json" }

if (["--version", "-v", "version"].includes(process.argv[2] ?? "")) {
  process.stdout.write(`${manifest.version}\n`)
} else {
  // Node 22.1 and later start faster with a compile cache. A cast, since the types are those of Node 20.
  const { enableCompileCache } = Module as { readonly enableCompileCache?: () => unknown }
  enableCompileCache?.()
  const [{ start }, { commands }] = await Promise.all([import("../frame/terminal.js"), import("./commands.js")])
  // `pnpm run` passes on the `--` that ends its own options.
  start({ commands }, process.argv.slice(process.argv[2] === "--" ? 3 : 2))
}
