import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { vi } from "vitest"
import * as Hex from "../src/Hex.js"

/** Calls a function as on a platform that has no `Buffer`. */
const withoutBuffer = <A>(run: () => A): A => {
  vi.stubGlobal("Buffer", undefined)
  try {
    return run()
  } finally {
    vi.unstubAllGlobals()
  }
}

describe.each([
  ["with Buffer", <A>(run: () => A): A => run()],
  ["without Buffer", withoutBuffer]
])("bytes and text %s", (name, on) => {
  it("are converted by the platform", () => {
    assert.strictEqual(on(() => Hex.bytesOf("0x00")) instanceof Buffer, name === "with Buffer")
  })

  it.prop("are the same after a conversion and back", [FastCheck.uint8Array()], ([bytes]) => {
    const text = on(() => Hex.fromBytes(bytes))
    assert.strictEqual(text, `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`)
    assert.deepStrictEqual([...on(() => Hex.bytesOf(text))], [...bytes])
    assert.deepStrictEqual([...on(() => Hex.bytesOf(`0x${text.slice(2).toUpperCase()}`))], [...bytes])
  })

  it("hold a part of a buffer alone", () => {
    assert.strictEqual(on(() => Hex.fromBytes(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))), "0x0203")
  })
})

describe("a quantity", () => {
  it("has no leading zeros", () => {
    assert.deepStrictEqual(
      [0, 0n, 16, 2n ** 64n].map((value) => Hex.quantity(value)),
      ["0x0", "0x0", "0x10", "0x10000000000000000"]
    )
  })
})
