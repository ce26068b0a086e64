import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { count, type Ended, isGood } from "../../../drills/sandbox/sendCounts.js"
import { sendRuns } from "../../../drills/sandbox/sendRuns.js"

describe("sends over a wire that breaks before and after the service acts", () => {
  it.live(
    "pay nobody twice, are never told wrongly, and are found out when they end unknown",
    () =>
      Effect.gen(function*() {
        const { counts, faults, wrong } = yield* sendRuns({ sends: 72, seed: "test" })
        assert.deepStrictEqual(wrong, [])
        assert.isTrue(isGood(counts))
        assert.strictEqual(counts.sent + counts.notSent + counts.unknown, 72)
        assert.strictEqual(counts.resolvedSent + counts.resolvedNotSent + counts.indistinct, counts.unknown)
        assert.isAbove(counts.unknown, 0)
        assert.isAbove(counts.sent, 0)
        assert.isAbove(Object.keys(faults).length, 8)
      }),
    120_000
  )
})

describe("the counts of the drill", () => {
  const unknown = (verdict: object | undefined, early?: object) =>
    ({ _tag: "Unknown", index: 0, reason: "", early, verdict }) as Ended // verdicts in the few fields that are looked at
  const executed = (transactionHash: string) => ({ _tag: "Executed", transaction: { transactionHash } })
  const sent: Ended = { _tag: "Sent", index: 0, hash: "a" }
  const notSent: Ended = { _tag: "NotSent", index: 0, reason: "RateLimited", proof: "lookup", met: ["denied after"] }

  it.each<readonly [name: string, end: Ended, hashes: ReadonlyArray<string>, bad: ReadonlyArray<string>]>([
    ["sent and there", sent, ["a"], []],
    ["sent and not there", sent, [], ["wrongSent"]],
    ["sent, and there as another", sent, ["b"], ["wrongSent"]],
    ["sent and there twice", sent, ["a", "b"], ["doublePayments"]],
    ["not sent and not there", notSent, [], []],
    ["not sent and there", notSent, ["a"], ["wrongNotSent"]],
    [
      "not sent and there, as an old state was looked up",
      { ...notSent, met: ["denied after", "older answer"] },
      ["a"],
      []
    ],
    ["refused and there, whatever the wire did", { ...notSent, proof: "refused", met: ["older answer"] }, ["a"], [
      "wrongNotSent"
    ]],
    ["found and there", unknown(executed("a")), ["a"], []],
    ["found and not there", unknown(executed("a")), [], ["wrongLookups"]],
    ["found as another", unknown(executed("a")), ["b"], ["wrongLookups"]],
    ["not found and not there", unknown({ _tag: "NotExecuted" }), [], []],
    ["not found and there", unknown({ _tag: "NotExecuted" }), ["a"], ["wrongLookups"]],
    ["superseded and there", unknown({ _tag: "Superseded" }), ["a"], ["wrongLookups"]],
    ["superseded at once and there", unknown(executed("a"), { _tag: "Superseded" }), ["a"], ["wrongLookups"]],
    ["not found at once and there later", unknown(executed("a"), { _tag: "NotExecuted" }), ["a"], []],
    ["left open", unknown({ _tag: "Ambiguous", transactions: [] }), ["a"], ["unresolved"]],
    ["waiting for ever", unknown({ _tag: "Waiting" }), [], ["unresolved"]],
    ["not to be looked up", unknown(undefined), [], ["unresolved"]],
    ["a defect", { _tag: "Died", index: 0, reason: "" }, [], ["lost"]]
  ])("tell what is wrong: %s", (_, end, hashes, bad) => {
    const { counts, wrong } = count(1, [end], new Map([[0, hashes]]))
    assert.deepStrictEqual(wrong.map(({ kind }) => kind), [...bad])
    assert.strictEqual(isGood(counts), bad.length === 0)
  })

  const open = { _tag: "Ambiguous", transactions: [executed("a").transaction] }

  it.each<
    readonly [name: string, ends: ReadonlyArray<Ended>, hashes: ReadonlyArray<string>, bad: ReadonlyArray<string>]
  >([
    ["both sent", [sent, { ...sent, hash: "b" }], ["a", "b"], []],
    ["both told of one", [sent, sent], ["a"], ["wrongSent"]],
    ["one told, one found as the same", [unknown(executed("a")), sent], ["a"], ["wrongLookups"]],
    ["one told, one denied", [sent, unknown({ _tag: "NotExecuted" })], ["a"], []],
    ["one told, one denied and there", [sent, unknown({ _tag: "NotExecuted" })], ["a", "b"], ["wrongLookups"]],
    ["one told, one refused and there", [sent, notSent], ["a", "b"], ["wrongNotSent"]],
    ["one told, one not sent by a race and there", [sent, { ...notSent, met: ["again later"] }], ["a", "b"], []],
    ["two not sent, one by a race, and one there", [notSent, { ...notSent, met: ["again later"] }], ["a"], [
      "wrongNotSent"
    ]],
    ["two that can't be told apart", [unknown(open), unknown(open)], ["a", "b"], []],
    ["one of two that can't be told apart", [unknown(open), unknown(open)], ["a"], []],
    ["two, and three payments", [sent, unknown(open)], ["a", "b", "c"], ["doublePayments"]],
    ["left open without a candidate", [sent, unknown({ _tag: "Ambiguous", transactions: [] })], ["a"], ["unresolved"]]
  ])("tell what is wrong of equal payments: %s", (_, ends, hashes, bad) => {
    const numbered = ends.map((end, index): Ended => ({ ...end, index }))
    const { counts, wrong } = count(2, numbered, new Map([[0, hashes]]), () => 0)
    assert.deepStrictEqual(wrong.map(({ kind }) => kind), [...bad])
    assert.strictEqual(counts.twins, 1)
  })

  it("tell a race of the look-up apart", () => {
    const raced: Ended = { ...notSent, met: ["late before"] }
    assert.strictEqual(count(1, [raced], new Map([[0, ["a"]]])).counts.lookupRaces, 1)
    assert.strictEqual(count(1, [raced], new Map()).counts.lookupRaces, 0)
  })

  it("miss no send that ended in no way", () => {
    assert.strictEqual(count(2, [sent], new Map([[0, ["a"]]])).counts.lost, 1)
  })
})
