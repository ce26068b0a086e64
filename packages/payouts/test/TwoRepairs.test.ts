import { assert, describe, it } from "@effect/vitest"
import { search } from "./support/twoRepairs.js"

describe("a payout and the keeper of the wallet, over a node that drops, refuses and forgets", () => {
  it("come to an end from every state, without the end of a process, and pay once", async () => {
    const { problem, tags, trace, worlds } = await search(13)
    assert.isUndefined(problem, trace.join(", "))
    assert.isAbove(worlds, 5000)
    assert.includeMembers([...tags], ["Executed", "Refused", "Superseded", "Unknown", "Sent", "Reserved", "Sending"])
  })

  it("would starve each other if the keeper left alone what a request has touched", async () => {
    const { problem } = await search(9, { starves: true })
    assert.include(problem, "it never ends")
  })
})
