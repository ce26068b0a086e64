// Prints "passed failed" of a vitest JSON report. A file that could not be loaded holds no tests and counts as one failure.
import { readFileSync } from "node:fs"

const report = JSON.parse(readFileSync(process.argv[2], "utf8"))
const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
const passed = report.numPassedTests
const failed = report.numFailedTests + unloaded.length
if (!Number.isInteger(passed) || !Number.isInteger(failed) || passed + failed === 0) process.exit(1)
console.log(`${passed} ${failed}`)
