/** The programs that `bench:guard` runs, bundled from the sources of one side. */
import { cpSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { run } from "../../scripts/workspace.js"
import { temporaryFolder } from "./revision.js"

/** A program and the figures that its process tells. */
export interface Program {
  readonly figures: ReadonlyArray<string>
  /** The arguments of `node`, for the sources in a folder. Rejects if there is no such program. */
  readonly build: (dir: string) => Promise<ReadonlyArray<string>>
  /** True if the process is measured as a whole, and does nothing in slices. */
  readonly isWhole?: boolean
}

const bundled = (file: string) => async (dir: string) => [await bundleProgram(pathToFileURL(join(dir, file)))]

/** The command's own bundle, copied: another build in the same folder may replace it. */
const command = async (dir: string): Promise<ReadonlyArray<string>> => {
  const { code, output } = await run("tsx", ["packages/cli/scripts/bundle.ts"], { cwd: dir })
  if (code !== 0) throw new Error(output)
  const copy = join(temporaryFolder(), "dist")
  cpSync(join(dir, "packages/cli/dist"), copy, { recursive: true })
  return [join(copy, "bin.mjs"), "--help"]
}

/** The programs in the order in which they run. */
export const programs: ReadonlyArray<Program> = [
  { figures: ["decoding"], build: bundled("benchmarks/guard/decoding.ts") },
  {
    figures: ["pages of 1,000", "pages of 100", "single calls", "batches", "list reads"],
    build: bundled("benchmarks/guard/clients.ts")
  },
  { figures: ["execution", "a page among 100,000"], build: bundled("packages/sandbox/bench/guarded.ts") },
  { figures: ["backfill of the index", "a first sync"], build: bundled("packages/indexer/bench/guarded.ts") },
  { figures: ["start of klaytn --help"], build: command, isWhole: true },
  { figures: ["start to the first page"], build: bundled("benchmarks/guard/firstPage.ts"), isWhole: true }
]

/** A program of one side, ready to run. */
export interface Built {
  readonly program: Program
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

let preload: Promise<string> | undefined

/** What measures a whole process: both sides load the same bundle. */
const wholeProcess = (): Promise<string> => preload ??= bundleProgram(new URL("wholeProcess.ts", import.meta.url))

/** Bundles a program. `server` is what the programs are told of the server. */
export const built = async (program: Program, dir: string, server: string): Promise<Built> => {
  const args = await program.build(dir)
  const before = program.isWhole === true ? ["--import", await wholeProcess()] : []
  return {
    program,
    args: [...before, ...args],
    env: {
      NODE_NO_WARNINGS: "1",
      GUARD_SERVER: server,
      GUARD_FIGURE: program.figures[0] ?? "",
      GUARD_FILE: join(temporaryFolder(), "transfers.db")
    }
  }
}
