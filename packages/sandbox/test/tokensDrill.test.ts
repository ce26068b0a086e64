import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sandbox, tokenRuns } from "../../../drills/sandbox/tokenRuns.js"

layer(sandbox, { excludeTestServices: true })("The drill of tokens, in short", (it) => {
  it.effect("finds the service to tell what the contracts tell, also after blocks were taken back", () =>
    Effect.gen(function*() {
      const { counts, wrong } = yield* tokenRuns({ operations: 10, seed: "short", serviceEvery: 9, revertEvery: 1 })
      assert.deepStrictEqual(wrong, [])
      for (const [name, { facts, reverts, succeeded }] of Object.entries(counts)) {
        assert.isAbove(Math.min(facts, reverts, succeeded), 0, name)
      }
    }))
})
