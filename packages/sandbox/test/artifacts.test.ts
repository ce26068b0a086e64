import { assert, describe, it } from "@effect/vitest"
import { artifacts as drillArtifacts, sourceHash as drillHash } from "../../../drills/sandbox/contracts.generated.js"
import { collectSources, contractEntries, drillEntries, sourceHash } from "../scripts/contract-sources.js"
import * as generated from "../src/internal/contracts/artifacts.generated.js"

describe("generated contract artifacts", () => {
  it("come from the sources and settings that stand in the repository", () => {
    assert.strictEqual(generated.sourceHash, sourceHash(collectSources(contractEntries)))
    assert.strictEqual(drillHash, sourceHash(collectSources(drillEntries)))
  })

  it("hold every contract with bytecode and an ABI", () => {
    assert.deepStrictEqual(Object.keys(generated.artifacts), contractEntries.map((entry) => entry.name))
    assert.deepStrictEqual(Object.keys(drillArtifacts), drillEntries.map((entry) => entry.name))
    for (const artifact of Object.values(generated.artifacts)) {
      assert.match(artifact.bytecode, /^0x60[0-9a-f]{1000,}$/)
      assert.isTrue(Array.isArray(JSON.parse(artifact.abi)))
    }
  })
})
