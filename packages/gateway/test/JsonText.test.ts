import { assert, describe, it } from "@effect/vitest"
import { write } from "../src/internal/jsonText.js"

/** The least processor time of some runs, in milliseconds: the least is that of the code and not of the machine. */
const leastOf = (run: () => unknown): number =>
  Math.min(...Array.from({ length: 7 }, () => {
    const before = process.cpuUsage()
    run()
    const { system, user } = process.cpuUsage(before)
    return (user + system) / 1000
  }))

describe("the JSON of an answer of the node", () => {
  it("has all digits of long numbers, wherever they are", () => {
    assert.strictEqual(
      write({ id: 1, list: [2n ** 64n, { deep: -(2n ** 70n) }, "2n"] }),
      "{\"id\":1,\"list\":[18446744073709551616,{\"deep\":-1180591620717411303424},\"2n\"]}"
    )
  })

  it("costs about what JSON.stringify does where no number is long", () => {
    const large = Array.from({ length: 300_000 }, (_, i) => `0x${i.toString(16)}`)
    const plain = leastOf(() => JSON.stringify(large))
    const own = leastOf(() => write(large))
    assert.isBelow(own, 2 * plain + 5, `${own} ms, and JSON.stringify ${plain} ms`)
  })
})
