// Prints "passed failed" of a vitest JSON report; with --failures, which tests failed and the first lines of why.
// A file that could not be loaded holds no tests and counts as one failure.
import { readFileSync } from "node:fs"
import { relative } from "node:path"

const [path, wanted] = process.argv.slice(2)
const report = JSON.parse(readFileSync(path, "utf8"))
const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
const passed = report.numPassedTests
const failed = report.numFailedTests + unloaded.length
if (!Number.isInteger(passed) || !Number.isInteger(failed) || passed + failed === 0) process.exit(1)

const told = (file, name, message) => {
  const why = message.split("\n").slice(0, 12).map((line) => `      ${line}`)
  console.log([`  failed: ${relative(process.cwd(), file.name)} > ${name}`, ...why].join("\n"))
}
if (wanted === "--failures") {
  for (const file of unloaded) told(file, "not loaded", file.message)
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === "failed") told(file, test.fullName, test.failureMessages.join("\n"))
    }
  }
} else {
  console.log(`${passed} ${failed}`)
}
