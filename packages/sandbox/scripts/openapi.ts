/**
 * Writes `openapi.json`, the OpenAPI document that the package publishes, the sandbox serves and its command prints. With
 * `--check` it writes nothing, and fails if the file is not what the contracts, their docstrings and the example calls
 * make it.
 */
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeDocument } from "./openapi/document.js"
import { recorded } from "./openapi/exampleCalls.js"

const file = join(import.meta.dirname, "..", "openapi.json")
const text = `${JSON.stringify(makeDocument(await Effect.runPromise(recorded)), null, 1)}\n`

if (!process.argv.includes("--check")) writeFileSync(file, text)
else if (readFileSync(file, "utf8") !== text) {
  console.log("packages/sandbox/openapi.json is out of date: run `npx tsx packages/sandbox/scripts/openapi.ts`")
  process.exitCode = 1
}
