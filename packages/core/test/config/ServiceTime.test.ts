import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import { assert, describe, it } from "@effect/vitest"

const at = Date.parse("2026-01-01T00:00:00Z")
const date = "Thu, 01 Jan 2026 00:10:00 GMT"

describe("the time of an answer", () => {
  it("is that of its date, in the middle of the second", () => {
    assert.deepStrictEqual(ServiceTime.read({ date }, at), { offsetMillis: 600_500, isReal: true })
    assert.strictEqual(ServiceTime.read({}, at), undefined)
    assert.strictEqual(ServiceTime.read({ date: "now" }, at), undefined)
  })

  it("is not known if a cache has kept the answer", () => {
    assert.strictEqual(ServiceTime.read({ date, age: "30" }, at), undefined)
  })
})

describe("the time that answers agree on", () => {
  const far: ServiceTime.Reading = { offsetMillis: 600_000, isReal: true }
  const near: ServiceTime.Reading = { offsetMillis: 900, isReal: true }

  it("is that of no single answer that is far from this machine's", () => {
    const time = ServiceTime.agreed()
    time.observe(near)
    time.observe(far)
    assert.deepStrictEqual([time.reading(), time.isAgreed()], [near, false])
    time.observe({ ...far, offsetMillis: 603_000 })
    assert.deepStrictEqual([time.reading()?.offsetMillis, time.isAgreed()], [603_000, true])
  })

  it("is that of a sandbox with a clock of its own at once", () => {
    const time = ServiceTime.agreed()
    time.observe({ ...far, isReal: false })
    assert.deepStrictEqual([time.reading()?.offsetMillis, time.isAgreed()], [600_000, true])
  })
})
