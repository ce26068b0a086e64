/** Bundles the command. Native SQLite and WebAssembly stay outside. */
import { join } from "node:path"
import { bundleCommand } from "../../../scripts/bundleCommand.js"

await bundleCommand({
  dir: join(import.meta.dirname, ".."),
  entry: "src/cli/bin.ts",
  external: ["libsql", "tiny-secp256k1"]
})
