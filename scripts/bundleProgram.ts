/** Programs of drills and benches as one file each, which starts fast. */
import { build } from "esbuild"
import { rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Bundles a program of a package and returns the file, which is there as long as this process is. It is inside the
 * package's `node_modules`, so that it finds native modules, and in a folder of its own, so that another drill at the
 * same time does not replace it.
 */
export const bundleProgram = async (program: URL): Promise<string> => {
  const entry = fileURLToPath(program)
  const folder = join(dirname(entry), "../node_modules/.drill", String(process.pid))
  const outfile = join(folder, `${basename(entry, ".ts")}.mjs`)
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    external: ["libsql", "pg-native", "cloudflare:sockets", "tiny-secp256k1"],
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: "error"
  })
  return outfile
}
