/**
 * What the SDK costs beside its peers: `npx -y pnpm@10.34.9 bench`. One JSON line a figure; README.md says how to read
 * it. What is measured is bundled first, as it would be built: run from its sources, each function would be wrapped to
 * keep its name, and only ours.
 */
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { join } from "node:path"

const outfile = join(import.meta.dirname, "run.bundle.mjs")

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["run.ts"],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  banner: {
    js: "import { createRequire as require$ } from \"node:module\"\nconst require = require$(import.meta.url)"
  },
  logLevel: "warning"
})

spawn(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: "inherit" })
  .once("exit", (code) => process.exit(code ?? 1))
