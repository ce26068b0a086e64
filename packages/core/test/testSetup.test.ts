import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"

describe("The set-up of tests", () => {
  it("tells a Some from a None, also within a value", () => {
    for (const [left, right] of [[Option.none(), Option.some({ a: 1 })], [Option.some(1), Option.none()]] as const) {
      assert.notDeepEqual<unknown>(left, right)
      assert.notDeepEqual<unknown>([{ left }], [{ left: right }])
    }
    assert.deepStrictEqual([Option.some({ a: 1n }), Option.none()], [Option.some({ a: 1n }), Option.none()])
  })

  it("tells errors apart that have the same message and other fields", () => {
    class Odd extends Error {
      constructor(readonly detail: unknown) {
        super("odd")
      }
    }
    assert.notDeepEqual(new Odd(Option.some(1)), new Odd(Option.none()))
    assert.notDeepEqual<unknown>({ error: new Odd({ a: [1] }) }, { error: new Odd({ a: [2] }) })
    assert.deepStrictEqual(new Odd({ a: [1] }), new Odd({ a: [1] }))
  })
})
