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

/**
 * The processes that `npx pnpm` puts between its caller and us. A signal to the first of them ends that one only, without
 * a word to the others: they are watched, so that no sandbox is left behind. Known on Linux only.
 */
const starters = () => {
  const found = []
  let shells = []
  try {
    for (let pid = process.ppid; pid > 1;) {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      if (/^\S*\bsh -c /.test(command)) shells.push(pid)
      else if (/^npm exec |^\S*node \S*pnpm\b/.test(command)) {
        found.push(...shells, pid)
        shells = []
      } else break
      pid = Number(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")[1])
    }
  } catch {
    return found
  }
  return found
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const watched = starters()
const watch = setInterval(() => {
  if (watched.every(isAlive)) return
  clearInterval(watch)
  process.kill(process.pid, "SIGTERM")
}, 500)
watch.unref()

await import(new URL("../dist/bin.mjs", import.meta.url).href)
