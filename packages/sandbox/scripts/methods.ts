/** Writes METHODS.md. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { page } from "./methodsTable.js"

writeFileSync(join(import.meta.dirname, "..", "METHODS.md"), page())
