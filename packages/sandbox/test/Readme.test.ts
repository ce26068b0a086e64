import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

describe("The README", () => {
  it("shows a test that runs here as it stands", () => {
    assert.include(read("../README.md"), `\`\`\`ts\n${read("./OwnProgram.test.ts")}\`\`\`\n`)
  })
})
