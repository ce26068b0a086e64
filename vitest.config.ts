import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.js"

// Set by CI: where the runner writes its own report, from which the tests are counted.
const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    projects,
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } })
  }
})
