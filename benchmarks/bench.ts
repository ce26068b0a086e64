/**
 * Compares the SDK with its peers: `npx -y pnpm@10.34.9 bench`. Prints one JSON line for each figure; README.md explains
 * them. The SDK is bundled first, as in a build: run from source, each of its functions, and only its own, would be wrapped
 * to keep its name.
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
