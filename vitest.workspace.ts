import { existsSync, readdirSync } from "node:fs"
import { defineWorkspace } from "vitest/config"

const packages = readdirSync("packages").filter((name) => existsSync(`packages/${name}/package.json`))

export default defineWorkspace(packages.map((name) => ({
  test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000 }
})))
