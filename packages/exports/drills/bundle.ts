/** Programs of the drill and of the bench as one file each, which starts fast. */
import { build } from "esbuild"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

/** Bundles a program and returns the file. */
export const bundle = async (program: URL): Promise<string> => {
  const entry = fileURLToPath(program)
  const name = basename(entry, ".ts")
  const outfile = fileURLToPath(new URL(`../node_modules/.drill/${name}.mjs`, import.meta.url))
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    external: ["libsql", "pg-native", "cloudflare:sockets", "esbuild"],
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: "error"
  })
  return outfile
}
