import { existsSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import type { TestProjectInlineConfiguration } from "vitest/config"

// Set by `pnpm test:load`: each test runs that many times.
const repeating = process.env["TEST_REPEATS"] === undefined
  ? {}
  : { runner: join(import.meta.dirname, "scripts/repeat.runner.ts") }

const packages = join(import.meta.dirname, "packages")

const folders = readdirSync(packages)
  .filter((name) => existsSync(join(packages, name, "package.json")))
  .map((name) => join(packages, name))

/** One project for each package, and one for the examples: `vitest run --project core`. */
const projects: Array<TestProjectInlineConfiguration> = [...folders, join(import.meta.dirname, "examples")]
  .map((root) => ({
    test: {
      name: basename(root),
      root,
      ...repeating,
      include: ["test/**/*.test.ts"],
      setupFiles: [join(import.meta.dirname, "vitest.setup.ts")],
      // These only end what hangs: how fast something is, a loaded machine can't tell.
      testTimeout: 120_000,
      hookTimeout: 120_000
    }
  }))

export default projects
