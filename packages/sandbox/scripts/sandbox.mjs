/**
 * `pnpm sandbox`: runs the bundled command, in this process so that signals reach it. Bundles it first if there is no
 * bundle of exactly these sources.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const dir = resolve(import.meta.dirname, "..")
const root = resolve(dir, "../..")

const hash = (file) => createHash("sha256").update(readFileSync(file)).digest("hex")

const isFresh = () => {
  try {
    readFileSync(join(dir, "dist/bin.mjs"))
    const made = JSON.parse(readFileSync(join(dir, "dist/.bundle.json"), "utf8"))
    return Object.entries(made).every(([file, known]) => hash(join(root, file)) === known)
  } catch {
    return false
  }
}

if (!isFresh()) {
  const tsx = join(root, "node_modules/tsx/dist/cli.mjs")
  const { status } = spawnSync(process.execPath, [tsx, join(dir, "scripts/bundle.ts")], {
    cwd: root,
    stdio: ["ignore", process.stderr, process.stderr]
  })
  if (status !== 0) process.exit(1)
}

await import(new URL("../dist/bin.mjs", import.meta.url).href)
