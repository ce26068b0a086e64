import { existsSync, readdirSync } from "node:fs"
import type { TestProjectInlineConfiguration } from "vitest/config"

const packages = readdirSync("packages").filter((name) => existsSync(`packages/${name}/package.json`))

/** One project for each package: `vitest run --project core`. */
const projects: Array<TestProjectInlineConfiguration> = packages.map((name) => ({
  test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000 }
}))

export default projects
