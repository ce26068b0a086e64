/** Bundles the command. */
import { join } from "node:path"
import { bundleCommand } from "../../../scripts/bundleCommand.js"
import { outside } from "./outside.js"

await bundleCommand({
  dir: join(import.meta.dirname, ".."),
  entries: { bin: "src/internal/command/bin.ts" },
  external: outside
})
