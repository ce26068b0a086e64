import { assert, describe, it } from "@effect/vitest"
import * as BatchLimits from "../../src/BatchLimits.js"
import * as ServiceError from "../../src/ServiceError.js"

const one = (): number => 1
const calls = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("the limits of a node", () => {
  it("are not known until a request was refused, and fit any number of calls", () => {
    const limits = new BatchLimits.BatchLimits()
    assert.deepStrictEqual(limits.learned, { calls: undefined, bytes: undefined })
    assert.strictEqual(limits.fit(calls(5000), one), 5000)
    limits.worked(1000, () => 1000)
    assert.deepStrictEqual(limits.learned, { calls: undefined, bytes: undefined })
  })

  it("are the largest request that worked, and grow after many full ones, but not to what was refused", () => {
    const limits = new BatchLimits.BatchLimits()
    limits.learn("calls", 10, 13)
    assert.strictEqual(limits.fit(calls(50), one), 10)
    for (let n = 0; n < 19; n++) limits.worked(10, () => 10)
    assert.strictEqual(limits.calls, 10)
    limits.worked(10, () => 10)
    assert.strictEqual(limits.calls, 12)
    // Small requests say nothing.
    for (let n = 0; n < 1000; n++) limits.worked(2, () => 2)
    assert.strictEqual(limits.calls, 12)
  })

  it("grow more slowly each time that the larger request is refused", () => {
    const limits = new BatchLimits.BatchLimits()
    limits.learn("calls", 10, 20)
    limits.learn("calls", 10, 11)
    for (let n = 0; n < 39; n++) limits.worked(10, () => 10)
    assert.strictEqual(limits.calls, 10)
    limits.worked(10, () => 10)
    assert.isAbove(limits.calls, 10)
  })

  it("of bytes fit at least one call, and no call beyond them", () => {
    const limits = new BatchLimits.BatchLimits()
    limits.learn("bytes", 100, 200)
    assert.strictEqual(limits.fit(calls(10), () => 40), 2)
    assert.strictEqual(limits.fit(calls(10), () => 50), 2)
    assert.strictEqual(limits.fit(calls(10), () => 51), 1)
    assert.strictEqual(limits.fit(calls(10), () => 1000), 1)
  })

  it("are tried at the size that worked if that is near, or else at half", () => {
    const limits = new BatchLimits.BatchLimits()
    assert.strictEqual(limits.fewer(9), 5)
    limits.learn("calls", 8, 9)
    assert.strictEqual(limits.fewer(9), 8)
    assert.strictEqual(limits.fewer(40), 20)
  })
})

describe("a failed request", () => {
  const failed = (status: number) =>
    new ServiceError.Rejected({ operation: "node.exchange", retrySafe: true, attempts: [], status })

  it("may have been refused for its size by any status from 400 on but four", () => {
    for (const status of [400, 405, 408, 413, 422, 429, 500, 502, 503, 599]) {
      assert.isTrue(BatchLimits.mayBeSize(failed(status)), String(status))
    }
    for (const status of [200, 302, 401, 402, 403, 404]) {
      assert.isFalse(BatchLimits.mayBeSize(failed(status)), String(status))
    }
  })
})
