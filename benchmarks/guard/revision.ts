/** The commit that `bench:guard` compares with, and its files. */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root, run } from "../../scripts/workspace.js"

const git = async (...args: ReadonlyArray<string>): Promise<string | undefined> => {
  const { code, output } = await run("git", args)
  return code === 0 ? output.trim() : undefined
}

/** The full name of a commit. */
export const commitOf = (revision: string): Promise<string | undefined> =>
  git("rev-parse", "--quiet", "--verify", `${revision}^{commit}`)

/** How a commit is shown. */
export const shown = async (commit: string): Promise<string> =>
  await git("log", "-1", "--format=%h of %cs, \"%s\"", commit) ?? commit

/**
 * The newest commit of `main`, or of `origin/main` where there is no such branch, that is an ancestor of this commit and at
 * least a day old. None in a clone without older commits.
 */
export const dayOld = async (): Promise<string | undefined> => {
  for (const branch of ["main", "origin/main"]) {
    if (await commitOf(branch) === undefined) continue
    const common = await git("merge-base", branch, "HEAD")
    if (common === undefined) return undefined
    const head = await commitOf("HEAD")
    const found = await git("rev-list", "--max-count=2", `--before=${Math.floor(Date.now() / 1000) - 86_400}`, common)
    return found?.split("\n").find((commit) => commit !== "" && commit !== head)
  }
  return undefined
}

/** Folders with the programs that are measured: both sides have those of this checkout. */
const programFolders = ["benchmarks", "packages/sandbox/bench", "packages/indexer/bench"]

const isCopied = (file: string): boolean => !/\/(node_modules|package\.json)$/.test(file)

const outside = mkdtempSync(join(tmpdir(), "guard-"))
process.once("exit", () => rmSync(outside, { recursive: true, force: true }))

/** A new folder outside the repository, which is removed when this process ends. */
export const temporaryFolder = (): string => mkdtempSync(join(outside, "part-"))

/**
 * Writes the files of a commit into a temporary folder, with its dependencies, from pnpm's store as far as they are there.
 * Returns the folder, which is removed when this process ends. Rejects if there are no such files or they can't be installed.
 */
export const checkOut = async (commit: string): Promise<string> => {
  const dir = temporaryFolder()
  const archive = join(temporaryFolder(), "files.tar")
  const steps = [
    ["git", "archive", "--output", archive, commit],
    ["tar", "-xf", archive, "-C", dir],
    ["pnpm", "--dir", dir, "install", "--prefer-offline", "--frozen-lockfile", "--ignore-scripts"]
  ]
  for (const [command = "", ...args] of steps) {
    const { code, output } = await run(command, args)
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${output}`)
  }
  for (const folder of programFolders) {
    cpSync(join(root, folder), join(dir, folder), { recursive: true, filter: isCopied })
  }
  return dir
}
