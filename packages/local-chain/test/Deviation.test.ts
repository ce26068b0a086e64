import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Deviation from "../src/Deviation.js"

const ended: Readonly<Record<NonNullable<Deviation.Deviation["unless"]>, string>> = {
  anchoring: ", unless `anchoring` is false",
  senderTxHashIndex: ", unless `senderTxHashIndex` is false",
  nodeDefaults: ", unless the sandbox has `nodeDefaults`"
}

describe("The README", () => {
  it("has a row for each deviation from a node, and no other", () => {
    const page = readFileSync(join(import.meta.dirname, "../README.md"), "utf8")
    const [, section = ""] = page.split("## What differs from a node")
    const [, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"))
    assert.deepStrictEqual(
      rows.map((row) => row.slice(1, -1).split("|").map((cell) => cell.trim())),
      Deviation.all.map(({ here, node, unless, why }) => [
        `${here}${unless === undefined ? "" : ended[unless]}`,
        node,
        why
      ])
    )
  })
})
