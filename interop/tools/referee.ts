/** A tool's list of checks: what works, and what does not, with the reason. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"

export type Check = () => Promise<unknown>

/** A check that fails, and why. */
export interface Missing {
  readonly why: string
  readonly check: Check
}

export type Checks = Readonly<Record<string, Check | Missing>>

const guide = join(import.meta.dirname, "../../docs/guides/dapp-tools.md")

/** The row of the guide's table for a tool. */
const rowOf = (tool: string, total: number, missing: ReadonlyArray<readonly [string, Missing]>): string => {
  const reasons = new Map<string, Array<string>>()
  for (const [name, { why }] of missing) reasons.set(why, [...(reasons.get(why) ?? []), name])
  const text = Array.from(reasons, ([why, names]) => `${names.map((name) => `\`${name}\``).join(", ")}: ${why}`)
  return `| ${tool} | ${total - missing.length} of ${total} | ${text.length === 0 ? "nothing" : text.join("; ")} |`
}

const plain = (text: string): string => text.replaceAll(/ +/g, " ")

const isMissing = (check: Check | Missing): check is Missing => typeof check !== "function"

/**
 * Runs every check as a test. One that is missing must fail, so that no reason is kept for what works. The totals are printed,
 * and the guide must have the same.
 */
export const referee = (tool: string, atLeast: number, checks: Checks): void => {
  const all = Object.entries(checks)
  const served = all.flatMap(([name, check]) => isMissing(check) ? [] : [[name, check] as const])
  const missing = all.flatMap(([name, check]) => isMissing(check) ? [[name, check] as const] : [])
  const row = rowOf(tool, all.length, missing)
  const passed = new Set<string>()
  const run = async (name: string, check: Check) => {
    await check()
    return passed.add(name)
  }
  it.each(served)("%s", async (name, check) => {
    assert.include([...await run(name, check)], name)
  })
  it.each(missing)("%s is missing", async (name, { check, why }) => {
    const works = await check().then(() => true, () => false)
    assert.isFalse(works, `${name} works, so "${why}" is no longer true: remove it`)
  })
  it(`${tool}: at least ${atLeast} of ${all.length}, as the guide says`, () => {
    assert.isAtLeast(passed.size, atLeast)
    assert.include(plain(readFileSync(guide, "utf8")), row)
  })
  afterAll(() => {
    const failed = served.map(([name]) => name).filter((name) => !passed.has(name))
    process.stdout.write(failed.length === 0 ? `${row}\n` : `${row}\nfailed: ${failed.join(", ")}\n`)
  })
}
