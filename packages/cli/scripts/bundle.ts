/**
 * Bundles the command. The sandbox stays outside: its EVM is loaded only where it is installed and asked for. So does native
 * SQLite; the native driver of Postgres is never used.
 */
import { join } from "node:path"
import { bundleCommand } from "../../../scripts/bundleCommand.js"

await bundleCommand({
  dir: join(import.meta.dirname, ".."),
  entry: "src/internal/bin.ts",
  external: ["@effect-klaytn/sandbox", "libsql", "pg-native"]
})
