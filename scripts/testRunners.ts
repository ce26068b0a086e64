/**
 * The projects of docs/guides/test-runners.md, in an installed project: for each of its headings with a `sh` block, the files
 * that it shows, and its last command, which must succeed.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root, run } from "./workspace.js"

interface RunnerProject {
  readonly name: string
  /** What its `npm install` line names. */
  readonly packages: ReadonlyArray<string>
  readonly command: ReadonlyArray<string>
  readonly files: ReadonlyArray<{ readonly name: string; readonly text: string }>
}

const projectOf = (section: string): ReadonlyArray<RunnerProject> => {
  const [name = ""] = section.split("\n")
  const [, install, command] = /^```sh\nnpm install --save-dev (.+)\nnpx (.+)\n```/m.exec(section) ?? []
  if (install === undefined || command === undefined) return []
  const files = [...section.matchAll(/^`([\w.-]+)`:\n\n```js\n([\s\S]*?)^```/gm)].map(([, name = "", text = ""]) => ({
    name,
    text
  }))
  return [{ name, packages: install.split(" "), command: command.split(" "), files }]
}

const projects = readFileSync(join(root, "docs/guides/test-runners.md"), "utf8").split(/^## /m).slice(1).flatMap(
  projectOf
)

/** What the page tells to install, apart from our packages. */
export const packages: ReadonlyArray<string> = [
  ...new Set(projects.flatMap((project) => project.packages).filter((name) => !name.startsWith("../tarballs/")))
]

/** Runs each project below an installed one. Returns what went wrong. */
export const tryRunners = async (dir: string): Promise<ReadonlyArray<string>> => {
  const problems = projects.length < 3 ? [`docs/guides/test-runners.md has ${projects.length} projects`] : []
  for (const { command, files, name } of projects) {
    const place = join(dir, name)
    mkdirSync(place)
    writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }))
    for (const file of files) writeFileSync(join(place, file.name), file.text)
    const [program = "", ...args] = command
    const ran = await run(join(dir, "node_modules/.bin", program), args, { cwd: place, timeout: 180_000 })
    const isQuiet = !/did not exit|open handle/i.test(ran.output)
    if (ran.code !== 0 || !isQuiet) problems.push(`test-runners.md, ${name}: exit ${ran.code}: ${ran.output.trim()}`)
  }
  return problems
}
