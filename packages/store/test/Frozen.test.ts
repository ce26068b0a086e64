import { assert, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const packages = join(import.meta.dirname, "../..")

/** The packages of which a file in a folder has a text. */
const among = (folder: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(packages).sort().filter((name) => {
    const inside = join(packages, name, folder)
    return existsSync(inside) &&
      readdirSync(inside, { recursive: true }).map(String).some((file) =>
        file.endsWith(".ts") && pattern.test(readFileSync(join(inside, file), "utf8"))
      )
  })

it("the released migrations and files of every package are frozen by a test, and their recipe for a column is tried", () => {
  const migrated = among("src", /: (?:Migrations\.)?Tables (?:=> \(|= )\{/)
  assert.includeMembers([...migrated], ["custody", "engine", "exports", "gateway", "indexer", "payouts"])
  assert.deepStrictEqual(migrated.filter((name) => !among("test", /\bcompare(?:Migrations)?\(/).includes(name)), [])
  assert.deepStrictEqual(migrated.filter((name) => !among("test", /\brecipe\.check\(/).includes(name)), [])
  const files = among("src", /: DatabaseFile\.Kind = \{/)
  assert.includeMembers([...files], ["gateway", "sandbox"])
  // The sandbox's file is frozen by its digest.
  const frozen = among("test", /compareFile\(|\[schemaVersion, digest\]/)
  assert.deepStrictEqual(files.filter((name) => !frozen.includes(name)), [])
})
