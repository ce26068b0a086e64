/**
 * Bundles what the command `klaytn sandbox` loads, and the same command under the name `effect-klaytn-sandbox` for those who
 * install the sandbox alone. Native SQLite and WebAssembly stay outside.
 */
import { join } from "node:path"
import { bundleCommand } from "../../../scripts/bundleCommand.js"

await bundleCommand({
  dir: join(import.meta.dirname, ".."),
  entries: { bin: "../cli/src/internal/command/sandboxBin.ts", command: "src/internal/command.ts" },
  external: ["libsql", "tiny-secp256k1"]
})
