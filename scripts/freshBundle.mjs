/** Bundles the command of a package, by `scripts/bundle.ts` in its folder, unless a bundle of exactly these sources is there. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")

const hash = (file) => createHash("sha256").update(readFileSync(file)).digest("hex")

const isFresh = (dir) => {
  try {
    readFileSync(join(dir, "dist/bin.mjs"))
    const made = JSON.parse(readFileSync(join(dir, "dist/.bundle.json"), "utf8"))
    return Object.entries(made).every(([file, known]) => hash(join(root, file)) === known)
  } catch {
    return false
  }
}

/** @param {string} dir - the package's folder */
export const freshBundle = (dir) => {
  if (isFresh(dir)) return
  const { status } = spawnSync(
    process.execPath,
    [join(root, "node_modules/tsx/dist/cli.mjs"), join(dir, "scripts/bundle.ts")],
    { cwd: root, stdio: ["ignore", process.stderr, process.stderr] }
  )
  if (status !== 0) process.exit(1)
}
