import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { TestProjectInlineConfiguration } from "vitest/config"

const packages = join(import.meta.dirname, "packages")

/** One project for each package: `vitest run --project core`. */
const projects: Array<TestProjectInlineConfiguration> = readdirSync(packages)
  .filter((name) => existsSync(join(packages, name, "package.json")))
  .map((name) => ({
    test: {
      name,
      root: join(packages, name),
      include: ["test/**/*.test.ts"],
      setupFiles: [join(import.meta.dirname, "vitest.setup.ts")],
      testTimeout: 30_000,
      hookTimeout: 60_000
    }
  }))

export default projects
