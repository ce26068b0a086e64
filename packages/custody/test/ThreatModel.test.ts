import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")
const page = readFileSync(join(root, "docs/guides/wallet-security.md"), "utf8")
const [, model = ""] = page.split("## Threat model")
const [table = "", list = ""] = model.split("The tests:")

/** The numbers of the list, with what is written behind each. */
const tests = new Map(
  list.split("Also tested:")[0]?.trim().split(/\n(?=\d+\. )/).map((text): [string, string] => [
    /^(\d+)\. /.exec(text)?.[1] ?? "",
    text.replaceAll(/\s+/g, " ")
  ])
)

describe("the threat model", () => {
  it("names a test for each thing that somebody can't do", () => {
    const cells = table.split("\n").filter((line) => line.startsWith("| ")).slice(1).map((line) =>
      line.split(" | ")[2] ?? ""
    )
    assert.isAbove(cells.length, 5)
    const named = cells.flatMap((cell) => [...cell.matchAll(/\[(\d+)\]/g)].map(([, number = ""]) => number))
    assert.deepStrictEqual([...new Set(named)].sort(), [...tests.keys()].sort())
  })

  it("names tests that are there", () => {
    let names = 0
    for (const [number, text] of tests) {
      const files = [...text.matchAll(/`((?:packages|drills)\/[^`]+)`(?:: "([^"]+)")?/g)]
      assert.isAbove(files.length, 0, number)
      for (const [, file = "", name] of files) {
        assert.isTrue(existsSync(join(root, file)), file)
        if (name === undefined) continue
        names++
        assert.include(readFileSync(join(root, file), "utf8").replaceAll(/\s+/g, " "), name, `${number}: ${file}`)
      }
    }
    assert.isAbove(names, 12)
  })
})
