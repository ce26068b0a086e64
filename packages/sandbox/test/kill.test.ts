import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { killRuns } from "../../../drills/sandbox/killRuns.js"

describe("kill -9", () => {
  it("loses no block that was acknowledged, leaves none in part, and damages nothing", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kill-test-"))
    try {
      const summary = await killRuns({ database: join(directory, "chain.db"), runs: 3, seed: "test" })
      assert.isAbove(summary.blocks, 0)
      assert.deepStrictEqual({ ...summary, blocks: 0 }, { runs: 3, blocks: 0, lost: 0, partial: 0, corrupt: 0 })
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
