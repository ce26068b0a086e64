import { join } from "node:path"
import { configDefaults, type TestProjectInlineConfiguration } from "vitest/config"

// Set by `pnpm test:load`: each test runs that many times.
const repeating = process.env["TEST_REPEATS"] === undefined
  ? {}
  : { runner: join(import.meta.dirname, "scripts/repeat.runner.ts") }

/** Files whose tests all need the server of `pnpm test:postgres`. */
const withoutServer = process.env["TEST_POSTGRES"] === undefined ? ["**/*.postgres.test.ts"] : []

/** The tests of some folders, as globs, as one project: projects would each load Effect again, and wait for each other. */
export const testsOf = (...folders: ReadonlyArray<string>): TestProjectInlineConfiguration => ({
  test: {
    name: "tests",
    root: import.meta.dirname,
    ...repeating,
    include: folders.map((folder) => `${folder}/test/**/*.test.ts`),
    exclude: [...configDefaults.exclude, ...withoutServer],
    setupFiles: [join(import.meta.dirname, "vitest.setup.ts")],
    // These only end what hangs: how fast something is, a loaded machine can't tell.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})

/** All tests. A path chooses some: `vitest run packages/core/`. */
export default [testsOf("packages/*", "examples", "benchmarks")]
