/**
 * `pnpm check:packages`: checks every tarball with publint, "are the types wrong" and a publish that stops before it sends
 * anything, and the list of what each brings along.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { problems } from "./dependencies.js"
import { filesBelow, inParallel, packed, published, run, seconds } from "./workspace.js"

const into = mkdtempSync(join(tmpdir(), "effect-klaytn-packages-"))
const tarballs = await packed(into)

/**
 * Finds declarations of public modules that mention an internal module. A library that re-exports such a type would give its
 * users an unresolvable path, which `skipLibCheck` turns into a silent `any`. An interface may extend one: declarations
 * elsewhere mention it by its own name.
 */
const closedIn = (declarations: string): ReadonlyArray<string> => {
  const others = declarations.replace(/^export interface \w+(?:<.*>)? extends [^{]*\{/gm, "{")
    .replace(/ from "[^"]*"/g, "")
  return declarations.split("\n").filter((line) => {
    if (!/(?:from|import\()\s*["'][^"']*internal\//.test(line)) return false
    const namespace = /^import (?:type )?\* as (\w+) from/.exec(line)?.[1]
    if (namespace !== undefined) return new RegExp(`[^/\\w.]${namespace}\\.\\w`).test(others)
    const names = /^import (?:type )?\{(.*)\} from/.exec(line)?.[1]?.split(",").map((name) => name.trim())
    return names === undefined ||
      names.some((name) => others.match(new RegExp(`\\b${name}\\b(?!\\??:)`, "g"))?.length !== 1)
  })
}

const closed = published.flatMap((one) =>
  filesBelow(join(one.dir, "dist"), ".d.ts")
    .filter((file) => !file.includes("/internal/"))
    .flatMap((file) =>
      closedIn(readFileSync(file, "utf8").replace(/\/\*\*[^]*?\*\//g, "")).map((line) =>
        `${one.folder}: ${relative(one.dir, file)} names a closed module: ${line.trim()}`
      )
    )
)
/** Public declarations that need the types of Node: a project that has none of them can't compile. */
const ofNode = published.flatMap((one) =>
  filesBelow(join(one.dir, "dist"), ".d.ts")
    .filter((file) => !file.includes("/internal/"))
    .flatMap((file) => {
      const [found] = /\bBuffer\b|\bNodeJS\.\w+|(?:from |import\()["']node:\w+["']/.exec(
        readFileSync(file, "utf8").replace(/\/\*\*[^]*?\*\//g, "")
      ) ?? []
      return found === undefined
        ? []
        : [`${one.folder}: ${relative(one.dir, file)} needs the types of Node for ${found}`]
    })
)

/** Packages that declarations mention and the manifest does not: whoever installs the package may not have them. */
const undeclared = published.filter(({ dir }) => existsSync(join(dir, "src/index.ts"))).flatMap(
  ({ dir, folder, manifest: { dependencies, name, peerDependencies } }) => {
    const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
    const mentioned = filesBelow(join(dir, "dist"), ".d.ts").flatMap((file) =>
      Array.from(
        readFileSync(file, "utf8").replace(/\/\*\*[^]*?\*\//g, "")
          .matchAll(/(?:from|import\()\s*["']((?:@[\w-]+\/)?[\w-]+)(?:\/[^"']*)?["']/g),
        ([, found = ""]) => found
      )
    )
    return [...new Set(mentioned)].filter((found) => !declared.has(found)).map((found) =>
      `${folder}: its types mention ${found}, which the manifest does not name`
    )
  }
)
const unlisted = problems()
for (const problem of [...closed, ...ofNode, ...undeclared, ...unlisted]) console.log(problem)

/** A publish that is not sent needs no registry, and does not ask one. */
const offline = { npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" }

const jobs = published.flatMap((one) => {
  const tarball = tarballs.get(one.folder) ?? ""
  const modules = filesBelow(join(one.dir, "src"), ".ts")
    .flatMap((file) => /\/src\/([^/]+)\.ts$/.exec(file)?.[1] ?? [])
    .map((module) => module === "index" ? "." : `./${module}`)
  const publint = { name: `${one.folder}: publint`, command: ["publint", "run", tarball, "--strict"] }
  const publish = {
    name: `${one.folder}: publish`,
    command: ["npm", "publish", "--dry-run", "--tag", "latest", "--ignore-scripts", tarball]
  }
  // A command alone has nothing to import.
  return modules.length === 0 ? [publint, publish] : [
    publint,
    publish,
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
  const { code: ended, output } = await run(program, args, { env: offline })
  // What npm would put right by itself is not what was checked.
  const code = output.includes("auto-corrected") ? 1 : ended
  console.log(`${name}: ${code === 0 ? "ok" : "FAILED"} (${seconds(since)})`)
  if (code !== 0) console.log(output.trim().replace(/^/gm, "  "))
  return code
})
rmSync(into, { recursive: true })
process.exit(
  closed.length + ofNode.length + undeclared.length + unlisted.length === 0 && results.every((code) => code === 0)
    ? 0
    : 1
)
