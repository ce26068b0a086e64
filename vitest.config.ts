import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.js"

// Set by CI: where the runner writes its own report, from which the tests are counted.
const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    projects,
    // Files share a worker and what it has loaded: loading Effect for every file took a third of the time. These settings
    // are heeded only here, not in a project. The runner's own choice of workers leaves one processor idle. Effect's fibers
    // live short: more room for young objects saves a tenth of the time.
    isolate: false,
    maxWorkers: "100%",
    poolOptions: { forks: { execArgv: ["--max-semi-space-size=64"] } },
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } })
  }
})
