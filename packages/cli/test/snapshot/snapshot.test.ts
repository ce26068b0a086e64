import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { klaytn } from "../support/terminal.js"

const contract = "0x3333333333333333333333333333333333333333"
const now = 1_700_000_000
const hex = (value: number, digits = 1): string => `0x${value.toString(16).padStart(digits, "0")}`
const ownerOf = (index: number): string => hex(0xa000 + index, 40)

const token = (id: number, owner: number, updatedAt: number, more: object) => ({
  tokenId: hex(id),
  owner: ownerOf(owner),
  tokenUri: "",
  transactionHash: hex(id, 64),
  updatedAt,
  ...more
})

const nfts = (changed: ReadonlyArray<number> = []) =>
  Array.from(
    { length: 7 },
    (_, id) =>
      token(id, id % 3, changed.includes(id) ? now + 1 : now - 1000, {
        previousOwner: hex(0, 40),
        createdAt: now - 2000
      })
  )

/** Owners of each of four multi tokens: none, one, two and three. */
const holders = (id: number) =>
  Array.from({ length: id }, (_, owner) =>
    token(id, owner, now - 1000, {
      tokenAddress: contract,
      totalSupply: "0x64",
      balance: hex(10 * id + owner),
      transferFrom: hex(0, 40),
      transferTo: ownerOf(owner)
    }))

const listOf = (path: string, changed: ReadonlyArray<number>): ReadonlyArray<unknown> => {
  const [, id] = /\/token\/(\w+)$/.exec(path) ?? []
  if (path.includes("/nft/")) return nfts(changed)
  return id === undefined
    ? [0, 1, 2, 3].map((one) => ({ tokenId: hex(one), totalSupply: "0x64", tokenUri: "" }))
    : holders(Number(id))
}

/** Lists in pages. From a request on, the network fails. */
const service = (changed: ReadonlyArray<number> = [], lasts = Number.POSITIVE_INFINITY) => {
  let requests = 0
  const wire = Testing.wire((sent) => {
    if (++requests > lasts) return Testing.broken(Testing.networkError("ECONNRESET"))(sent)
    const { pathname, searchParams } = new URL(sent.url)
    const size = Number(searchParams.get("size"))
    const at = Number(searchParams.get("cursor") ?? 0)
    const items = listOf(pathname, changed)
    const cursor = at + size < items.length ? String(at + size) : ""
    return Testing.json(200, { items: items.slice(at, at + size), cursor })(sent)
  })
  return { wire, requests: () => requests }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-snapshot-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const taken = (words: ReadonlyArray<string>, wire: Testing.Wire) =>
  Effect.zipRight(
    TestClock.setTime(now * 1000),
    Effect.raceFirst(
      klaytn(["snapshot", "owners", contract, "--size", "2", ...words], { wire }),
      Effect.forever(TestClock.adjust("1 second"))
    )
  )

const expectedCsv = `token_id,owner,balance,updated\r\n${
  nfts().map((_, id) => `${id},${ownerOf(id % 3)},1,${new Date((now - 1000) * 1000).toISOString()}\r\n`).join("")
}`

const expectedMts = [1, 2, 3].flatMap((id) =>
  Array.from({ length: id }, (_, owner) => ({
    token_id: String(id),
    owner: ownerOf(owner),
    balance: String(10 * id + owner),
    updated: new Date((now - 1000) * 1000).toISOString()
  }))
)

describe("klaytn snapshot owners", () => {
  it.scoped("stores every owner once, and says that nothing changed", () =>
    Effect.gen(function*() {
      const place = yield* folder
      const { code, error, out } = yield* taken(["--out", join(place, "owners.csv")], service().wire)
      assert.strictEqual(code, 0, error)
      assert.match(out, /^unchanged: 7 owners/)
      assert.strictEqual(readFileSync(join(place, "owners.csv"), "utf8"), expectedCsv)
      assert.deepStrictEqual(readdirSync(place).sort(), ["owners.csv", "owners.csv.verdict.json"])
    }))

  it.scoped("names the tokens that changed meanwhile, with exit code 3", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "owners.csv")
      const { code, out } = yield* taken(["--out", place, "--json"], service([2, 5]).wire)
      assert.strictEqual(code, 3)
      const { changed, rows } = JSON.parse(out)
      assert.deepStrictEqual([rows, changed], [7, ["2", "5"]])
      assert.deepStrictEqual(JSON.parse(readFileSync(`${place}.verdict.json`, "utf8")), JSON.parse(out))
    }))

  for (const kind of ["nft", "mt"]) {
    it.scoped(`goes on where it was stopped, at any request, also behind a torn line: ${kind}`, () =>
      Effect.gen(function*() {
        const name = kind === "nft" ? "owners.csv" : "owners.ndjson"
        const words = (place: string) => ["--out", join(place, name), "--kind", kind]
        const whole = service()
        yield* taken(words(yield* folder), whole.wire)
        assert.isAbove(whole.requests(), 4)
        for (let lasts = 0; lasts < whole.requests(); lasts++) {
          const place = yield* folder
          const stopped = yield* taken(words(place), service([], lasts).wire)
          assert.strictEqual(stopped.code, 5, stopped.error)
          assert.isFalse(existsSync(join(place, name)))
          if (existsSync(join(place, `${name}.partial`))) appendFileSync(join(place, `${name}.partial`), "9,0x")
          const rest = service()
          const ended = yield* taken(words(place), rest.wire)
          assert.strictEqual(ended.code, 0, ended.error)
          const text = readFileSync(join(place, name), "utf8")
          if (kind === "nft") assert.strictEqual(text, expectedCsv, `after ${lasts} requests`)
          else assert.deepStrictEqual(text.trim().split("\n").map((line) => JSON.parse(line)), expectedMts)
          assert.isAtMost(rest.requests(), whole.requests())
          assert.deepStrictEqual(readdirSync(place).sort(), [name, `${name}.verdict.json`])
        }
      }))
  }

  it.scoped("goes on where it was killed before its first page was stored", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "owners.csv")
      yield* taken(["--out", place], service([], 0).wire)
      const { bytes } = JSON.parse(readFileSync(`${place}.progress`, "utf8"))
      writeFileSync(
        `${place}.progress`,
        readFileSync(`${place}.progress`, "utf8").replace(`"bytes":${bytes}`, "\"bytes\":0")
      )
      const { code, error } = yield* taken(["--out", place], service().wire)
      assert.strictEqual(code, 0, error)
      assert.strictEqual(readFileSync(place, "utf8"), expectedCsv)
    }))

  it.scoped("writes nothing to a file of others, and never replaces one", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "owners.csv")
      writeFileSync(`${place}.partial`, "precious")
      const { code, error } = yield* taken(["--out", place], service().wire)
      assert.deepStrictEqual([code, readFileSync(`${place}.partial`, "utf8")], [2, "precious"], error)
      rmSync(`${place}.partial`)
      const { wire } = service()
      const appears = Testing.wire((sent) => {
        writeFileSync(place, "precious")
        return Testing.json(200, { items: listOf(new URL(sent.url).pathname, []), cursor: "" })(sent)
      })
      assert.strictEqual((yield* taken(["--out", place], appears)).code, 2)
      assert.strictEqual(readFileSync(place, "utf8"), "precious")
      rmSync(place)
      assert.strictEqual((yield* taken(["--out", place], wire)).code, 0)
      assert.strictEqual(readFileSync(place, "utf8"), expectedCsv)
    }))

  it.scoped("stops where another process writes to the same file", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "owners.csv")
      const beside = Testing.wire((sent) => {
        appendFileSync(`${place}.partial`, "9,0x\r\n")
        return Testing.json(200, { items: nfts(), cursor: "" })(sent)
      })
      const { code, error } = yield* taken(["--out", place], beside)
      assert.deepStrictEqual([code, existsSync(place)], [2, false])
      assert.include(error, "another process writes to it")
    }))

  it.scoped("takes the window from the service's clock, which it asks until two answers agree", () =>
    Effect.gen(function*() {
      /** A service a year behind this machine, where one token moved while the owners were read. */
      const behind = (dates: (asked: number) => number) => {
        let asked = 0
        return Testing.wire((sent) => {
          const items = nfts().map((one, id) => ({ ...one, updatedAt: id === 3 ? year + 1 : year - 1000 }))
          const date = new Date(dates(asked++) * 1000).toUTCString()
          return Testing.json(200, { items, cursor: "" }, { date })(sent)
        })
      }
      const year = now - 31_536_000
      const place = yield* folder
      const { code, out } = yield* taken(["--out", join(place, "owners.csv"), "--json"], behind(() => year))
      const { changed, from } = JSON.parse(out)
      assert.deepStrictEqual([code, changed], [3, ["3"]])
      assert.closeTo(from, year, 60)
      const odd = behind((asked) => year + 5000 * asked * asked)
      const { code: later, error } = yield* taken(["--out", join(place, "odd.csv")], odd)
      assert.strictEqual(later, 5, error)
      assert.include(error, "times that are far from this machine's and from each other")
    }))

  it.scoped("explains an error once, and says how it continues", () =>
    Effect.gen(function*() {
      const place = join(yield* folder, "owners.csv")
      const { error } = yield* taken(
        ["--out", place],
        Testing.wire(Testing.json(404, { code: 1040400, message: "none" }))
      )
      assert.strictEqual(error.split("klaytn explain NotFound").length, 2, error)
      assert.include(error, "the same command continues")
    }))

  it.scoped("refuses what it can't read or would replace, before anything is requested", () =>
    Effect.gen(function*() {
      const place = yield* folder
      writeFileSync(join(place, "owners.csv"), "precious")
      const { requests, wire } = service()
      for (
        const words of [["--out", join(place, "owners.csv")], ["--out", join(place, "owners.xls")], []]
      ) assert.strictEqual((yield* taken(words, wire)).code, 2)
      const bad = yield* klaytn(["snapshot", "owners", "0x12", "--out", join(place, "new.csv")], { wire })
      assert.strictEqual(bad.code, 2)
      assert.strictEqual((yield* klaytn(["snapshot"], { wire })).code, 2)
      assert.strictEqual(readFileSync(join(place, "owners.csv"), "utf8"), "precious")
      const other = join(place, "mine.csv")
      yield* taken(["--out", other], service([], 2).wire)
      assert.strictEqual((yield* taken(["--out", other, "--kind", "mt"], wire)).code, 2)
      assert.strictEqual(requests(), 0)
    }))
})
