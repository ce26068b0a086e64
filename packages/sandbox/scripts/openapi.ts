/** Writes `openapi.json`, the OpenAPI document that the package publishes, the sandbox serves and its command prints. */
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeDocument } from "./openapi/document.js"
import { recorded } from "./openapi/exampleCalls.js"

/** The document as JSON. */
export const documentText = Effect.map(recorded, (calls) => `${JSON.stringify(makeDocument(calls), null, 1)}\n`)

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, "..", "openapi.json"), await Effect.runPromise(documentText))
}
