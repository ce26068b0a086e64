import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { failed, item, numbers, type Result, text } from "../support/answers.js"
import * as Node from "../support/node.js"

const replies = ["own", "error", "missing", "twice", "conflict", "no outcome", "text ID", "null ID"] as const

type Reply = typeof replies[number]

const reply = FastCheck.constantFrom(...replies)
const junk = FastCheck.constantFrom<unknown>(null, 7, "x", [], {}, { id: 999, result: 0 }, { id: 1.5, result: 0 }, {
  id: {}
})

const items = (kind: Reply, id: number): ReadonlyArray<unknown> => {
  switch (kind) {
    case "own":
      return [item(id, id - 1)]
    case "error":
      return [failed(id, id, `error ${id}`)]
    case "missing":
      return []
    case "twice":
      return [item(id, id - 1), item(String(id), id - 1)]
    case "conflict":
      return [item(id, id - 1), failed(id, 5)]
    case "no outcome":
      return [{ jsonrpc: "2.0", id }]
    case "text ID":
      return [item(String(id), id - 1)]
    case "null ID":
      return [item(null, id - 1)]
  }
}

const isOwn = (kind: Reply, i: number, result: Result): boolean => {
  if (kind === "own" || kind === "twice" || kind === "text ID") return Either.isRight(result) && result.right === i
  if (Either.isRight(result)) return false
  const { left } = result
  return kind === "error"
    ? "method" in left && left.serviceMessage === `error ${i + 1}` && left.method === "klay_echo"
    : left._tag === "MalformedResponse" && left.operation === "node.klay_echo"
}

describe("any interleaving of replies", () => {
  it(
    "gives each caller its own result or a typed error, never another's, in 2,000 cases",
    { timeout: 600_000 },
    async () => {
      let answer = text([])
      const wire = Testing.wire((sent) => answer(sent))
      const node = await Effect.runPromise(Node.make(wire))
      await FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(reply, { minLength: 1, maxLength: 12 }),
          FastCheck.array(junk, { maxLength: 3 }),
          FastCheck.infiniteStream(FastCheck.double({ min: 0, max: 1, noNaN: true })),
          async (kinds, noise, order) => {
            const shuffled = [...kinds.flatMap((kind, i) => items(kind, i + 1)), ...noise]
              .map((value) => ({ value, at: order.next().value ?? 0 }))
              .sort((left, right) => left.at - right.at)
              .map(({ value }) => value)
            answer = text(shuffled)
            const before = wire.sent.length
            const results = await Effect.runPromise(numbers(node, kinds.length))
            assert.strictEqual(wire.sent.length, before + 1)
            assert.strictEqual(results.length, kinds.length)
            kinds.forEach((kind, i) => {
              const result = results[i]
              assert.isTrue(
                result !== undefined && isOwn(kind, i, result),
                `${kind} as reply ${i + 1} of ${kinds.length}`
              )
            })
          }
        ),
        { numRuns: 2_000 }
      )
    }
  )
})
