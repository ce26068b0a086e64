import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import { write } from "../src/internal/jsonText.js"
import { parse, RawResult } from "../src/internal/rawResults.js"

const padding = "x".repeat(70_000)

/** A text as a whole; numbers that a JavaScript number would change are read otherwise than by `JSON.parse`. */
const asWhole = (text: string): unknown => Either.getOrThrow(JsonRpc.parse(text))

/** The same with each result as it is read. */
const read = (body: unknown): unknown =>
  body instanceof RawResult
    ? asWhole(body.json)
    : Array.isArray(body)
    ? body.map(read)
    : typeof body === "object" && body !== null
    ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name, read(value)]))
    : body

describe("a large answer of the node", () => {
  it("keeps its results as they are written, and has everything else read", () => {
    const result = ` [ 1.0, 123456789012345678901234567890, "a\\"]}" , {"b":"${padding}"} ] `
    const found = parse(`{"jsonrpc":"2.0","id":1,"result":${result}}`) as {
      readonly id: unknown
      readonly result: unknown
    }
    assert.strictEqual(found.id, 1)
    assert.strictEqual(write(found.result), result.trim())
  })

  it("is what it is when parsed as a whole, whatever is in it and however it is spaced", () => {
    const envelope = fc.record({
      jsonrpc: fc.constant("2.0"),
      id: fc.oneof(fc.nat(), fc.string()),
      result: fc.oneof(fc.jsonValue(), fc.constant([padding]), fc.constant({ [`"\\${padding}`]: [{}, []] })),
      error: fc.jsonValue()
    }, { requiredKeys: [] })
    const body = fc.oneof(envelope, fc.array(envelope, { minLength: 1, maxLength: 4 }))
    fc.assert(fc.property(body, fc.constantFrom(0, 1, "\t"), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent)
      const found = parse(text)
      if (found === undefined) return text.length < 65_536 || text.includes("{}") || text.includes("__proto__")
      assert.deepEqual(read(found), asWhole(text))
      return true
    }))
  })

  it("is parsed as a whole where it is not what it seems to be", () => {
    const result = JSON.stringify([padding])
    for (
      const text of [
        `{"id":1,"result":${result}`,
        `{"id":1,"result":${result}} x`,
        `{"id":1,"result":${result},"result":2}`,
        `{"id":1 "result":${result}}`,
        `[{"id":1,"result":${result}}`,
        `[{"id":1,"result":${result}},]`,
        `{"id":tru,"result":${result}}`,
        `{"id":1,"result":["${padding}`,
        `"${padding}"`,
        "[".repeat(100_000)
      ]
    ) assert.isUndefined(parse(text), text.slice(0, 40))
    assert.isUndefined(parse("{\"id\":1,\"result\":[]}"))
  })

  it("is passed on where JSON.parse reads it, and nowhere else", () => {
    const character = fc.constantFrom(..."{}[]\",:\\ \n\u0001019.-+eEtrufalsn", "")
    const result = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.array(fc.constantFrom("1", "-0", "1.5e+3", "01", "1.", "tru", "null", "\"\\u00eF\"", "\"\\B\"", "[", "]", ","))
        .map((all) => all.join(""))
    )
    let [passed, refused] = [0, 0]
    fc.assert(
      fc.property(result, fc.nat(), fc.nat(3), character, (json, place, removed, inserted) => {
        const at = place % (json.length + 1)
        const changed = json.slice(0, at) + inserted + json.slice(at + removed)
        const text = `{"id":1,"result":["${padding}",${changed}]}`
        const isJson = Either.isRight(JsonRpc.parse(text))
        assert.strictEqual(parse(text) !== undefined, isJson, changed)
        if (isJson) passed++
        else refused++
      }),
      { numRuns: 3_000 }
    )
    assert.isAbove(Math.min(passed, refused), 300)
  })

  it("costs a fraction of what parsing and writing it does", () => {
    const text = `{"jsonrpc":"2.0","id":1,"result":[${Array(500_000).fill("\"0x1ab\"").join(",")}]}`
    const least = (run: () => unknown) =>
      Math.min(...Array.from({ length: 5 }, () => {
        const before = process.cpuUsage()
        run()
        const { system, user } = process.cpuUsage(before)
        return system + user
      }))
    const raw = least(() => write((parse(text) as { readonly result: unknown }).result))
    const whole = least(() => write(Either.getOrThrow(JsonRpc.parse(text))))
    assert.isBelow(raw, whole / 2, `${raw} of ${whole} microseconds`)
  })
})
