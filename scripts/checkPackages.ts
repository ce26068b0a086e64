/** `pnpm check:packages`: checks every tarball with publint and "are the types wrong". */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { filesBelow, inParallel, packAll, published, run, seconds } from "./workspace.js"

const into = mkdtempSync(join(tmpdir(), "effect-klaytn-packages-"))
const tarballs = await packAll(into)

/**
 * Finds declarations of public modules that mention an internal module. A library that re-exports such a type would give its
 * users an unresolvable path, which `skipLibCheck` turns into a silent `any`.
 */
const closed = published.flatMap((one) =>
  filesBelow(join(one.dir, "dist"), ".d.ts")
    .filter((file) => !file.includes("/internal/") && !file.includes("/cli/"))
    .flatMap((file) =>
      readFileSync(file, "utf8").split("\n").flatMap((line) =>
        /(?:from|import\()\s*["'][^"']*(?:internal|cli)\//.test(line)
          ? [`${one.folder}: ${relative(one.dir, file)} names a closed module: ${line.trim()}`]
          : []
      )
    )
)
for (const problem of closed) console.log(problem)

const jobs = published.flatMap((one) => {
  const tarball = tarballs.get(one.folder) ?? ""
  const modules = filesBelow(join(one.dir, "src"), ".ts")
    .flatMap((file) => /\/src\/([^/]+)\.ts$/.exec(file)?.[1] ?? [])
    .map((module) => module === "index" ? "." : `./${module}`)
  const publint = { name: `${one.folder}: publint`, command: ["publint", "run", tarball, "--strict"] }
  // A command alone has nothing to import.
  return modules.length === 0 ? [publint] : [
    publint,
    {
      name: `${one.folder}: types of ${modules.length} entries`,
      command: [
        "attw",
        tarball,
        "--profile",
        "esm-only",
        "--no-emoji",
        "--no-color",
        "--format",
        "ascii",
        "--entrypoints",
        ...modules
      ]
    }
  ]
})

const results = await inParallel(jobs, 2, async ({ command: [program = "", ...args], name }) => {
  const since = performance.now()
  const { code, output } = await run(program, args)
  console.log(`${name}: ${code === 0 ? "ok" : "FAILED"} (${seconds(since)})`)
  if (code !== 0) console.log(output.trim().replace(/^/gm, "  "))
  return code
})
rmSync(into, { recursive: true })
process.exit(closed.length === 0 && results.every((code) => code === 0) ? 0 : 1)
