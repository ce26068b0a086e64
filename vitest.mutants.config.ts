import { readdirSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { testsOf } from "./vitest.workspace.js"

// For `pnpm mutants`, which runs the tests in a copy of the repository whose installed packages are links to the originals:
// packages of ours are named to the sources of the copy, or a change in one would not be seen by another.
const packages = join(import.meta.dirname, "packages")
const alias = readdirSync(packages).flatMap((folder) => [
  { find: new RegExp(`^@effect-klaytn/${folder}$`), replacement: join(packages, folder, "src/index.ts") },
  { find: new RegExp(`^@effect-klaytn/${folder}/(.+)$`), replacement: join(packages, folder, "src/$1.ts") }
])
const { test } = testsOf(...(process.env["MUTANTS_TESTS"] ?? "").split(",").map((folder) => `packages/${folder}`))

export default defineConfig({
  test: {
    projects: [{
      resolve: { alias },
      test: {
        ...test,
        setupFiles: [test?.setupFiles ?? [], join(import.meta.dirname, "scripts/mutants.setup.mjs")].flat(),
        // Less than Stryker waits: a test that hangs fails, and the worker lives on.
        testTimeout: 12_000,
        // They take seconds, and would run for nearly every change: a plain test must notice it.
        exclude: ["**/*Drill*.test.ts", "**/Properties.test.ts", "**/Totality.test.ts"]
      }
    }],
    isolate: false
  }
})
