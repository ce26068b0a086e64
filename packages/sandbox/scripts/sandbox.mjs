/**
 * `pnpm sandbox`: runs the bundled command, in this process so that signals reach it. Bundles it first if there is no
 * bundle of exactly these sources.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { freshBundle } from "../../../scripts/freshBundle.mjs"

freshBundle(join(import.meta.dirname, ".."))

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
