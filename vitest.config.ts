import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.js"

// Set by CI: where the runner writes its own report, from which the tests are counted.
const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    projects,
    // The files of a package share a worker and what it has loaded: loading Effect for every file took a third of the time.
    // Both settings are heeded only here, not in a project. The runner's own choice leaves one processor idle.
    isolate: false,
    maxWorkers: "100%",
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } })
  }
})
