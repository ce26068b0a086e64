import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Wire from "../../core/test/support/wire.js"
import type { Service } from "../src/KlaytnNode.js"
import type { RpcError } from "../src/RpcError.js"
import * as Node from "./support/node.js"

type Result = Either.Either<unknown, RpcError | ServiceError.ServiceError>

/** Asks for the numbers 0 to `count - 1`; each call is answered with its own number by a good node. */
const numbers = (node: Service, count: number): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.forEach(
    Array.from({ length: count }, (_, i) => i),
    (i) => Effect.either(node.call("klay_echo", [i], Schema.Unknown, { safety: "safe" })),
    { concurrency: "unbounded" }
  )

const asks = (answer: Wire.Step, count: number) =>
  Effect.gen(function*() {
    const wire = Wire.make(answer)
    const results = yield* numbers(yield* Node.make(wire), count)
    return { results, sent: wire.sent.length }
  })

const tags = (results: ReadonlyArray<Result>) =>
  results.map((result) => Either.isRight(result) ? result.right : result.left._tag)

const item = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result })
const failed = (id: unknown, code: number, message = "no") => ({ jsonrpc: "2.0", id, error: { code, message } })
const text = (value: unknown) => Node.body(JSON.stringify(value))

describe("an answer to three calls", () => {
  const rows: ReadonlyArray<readonly [name: string, answer: Wire.Step, results: ReadonlyArray<unknown>]> = [
    ["in order", text([item(1, 0), item(2, 1), item(3, 2)]), [0, 1, 2]],
    ["in another order", text([item(3, 2), item(1, 0), item(2, 1)]), [0, 1, 2]],
    ["with one missing", text([item(1, 0), item(3, 2)]), [0, "MalformedResponse", 2]],
    ["with nothing in it", text([]), ["MalformedResponse", "MalformedResponse", "MalformedResponse"]],
    ["with an ID that nobody has", text([item(1, 0), item(2, 1), item(3, 2), item(4, 9)]), [0, 1, 2]],
    ["with IDs as text", text([item("1", 0), item("3", 2), item("2", 1)]), [0, 1, 2]],
    ["with the same item twice", text([item(1, 0), item(2, 1), item(2, 1), item(3, 2)]), [0, 1, 2]],
    [
      "with two that differ for one ID",
      text([item(1, 0), item(2, 1), item(2, 7), item(3, 2)]),
      [0, "MalformedResponse", 2]
    ],
    ["where one failed", text([item(1, 0), failed(2, -32602), item(3, 2)]), [0, "InvalidParams", 2]],
    [
      "with an error beside a null result",
      text([item(1, 0), { ...item(2, null), error: { code: -32601, message: "no" } }, item(3, 2)]),
      [0, "MethodNotFound", 2]
    ],
    ["with a null error beside a result", text([item(1, 0), { ...item(2, 1), error: null }, item(3, 2)]), [0, 1, 2]],
    ["with null as a result", text([item(1, null), item(2, 1), item(3, 2)]), [null, 1, 2]],
    [
      "with neither a result nor an error",
      text([item(1, 0), { jsonrpc: "2.0", id: 2 }, item(3, 2)]),
      [0, "MalformedResponse", 2]
    ],
    [
      "with things that are no items",
      text([item(1, 0), null, 5, "x", [item(2, 1)], item(3, 2)]),
      [0, "MalformedResponse", 2]
    ],
    ["as one error for all", text(failed(null, -32600, "invalid batch")), ["RpcFailed", "RpcFailed", "RpcFailed"]],
    ["as one error without an ID", text({ error: { code: 3, message: "no" } }), [
      "ExecutionReverted",
      "ExecutionReverted",
      "ExecutionReverted"
    ]],
    [
      "as one error without an ID beside the rest",
      text([item(1, 0), failed(null, -32700)]),
      [0, "RpcFailed", "RpcFailed"]
    ],
    [
      "as two errors without an ID beside the rest",
      text([item(1, 0), failed(null, -32700), failed(null, -32601)]),
      [0, "MalformedResponse", "MalformedResponse"]
    ],
    ["as one item alone", text(item(2, 1)), ["MalformedResponse", 1, "MalformedResponse"]],
    ["as an empty body", Node.body(""), ["MalformedResponse", "MalformedResponse", "MalformedResponse"]],
    ["as 204", Wire.text(204, ""), ["MalformedResponse", "MalformedResponse", "MalformedResponse"]],
    ["as HTML", Wire.text(200, "<html>", { "content-type": "text/html" }), [
      "MalformedResponse",
      "MalformedResponse",
      "MalformedResponse"
    ]],
    ["as a number", Node.body("5"), ["MalformedResponse", "MalformedResponse", "MalformedResponse"]],
    ["as an error that is a text", text([item(1, 0), { id: 2, error: "no" }, item(3, 2)]), [0, "RpcFailed", 2]],
    ["as the gateway's word about the credential", text({ code: 1010009, message: "no", requestId: "r-1" }), [
      "Unauthorized",
      "Unauthorized",
      "Unauthorized"
    ]],
    ["as an unknown word of the gateway", text({ code: 1019999, message: "no" }), ["Rejected", "Rejected", "Rejected"]],
    ["as a refusal with its status", Wire.json(401, { code: 1010009, message: "no" }), [
      "Unauthorized",
      "Unauthorized",
      "Unauthorized"
    ]]
  ]

  it.effect.each(rows)("%s settles each with its own", ([, answer, expected]) =>
    Effect.gen(function*() {
      const { results, sent } = yield* asks(answer, 3)
      assert.deepStrictEqual(tags(results), expected)
      assert.strictEqual(sent, 1)
    }))

  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
  const beside = (item: string): Wire.Step => Node.body(`[{"id":1,"result":0},${item},{"id":3,"result":2}]`)

  it.effect.each(
    [
      ["an error that is a list of what throws when printed", beside(`{"id":2,"error":[{"toString":1}]}`), "RpcFailed"],
      [
        "an error that throws when printed",
        beside(`{"id":2,"error":{"toString":1,"message":{"toString":1}}}`),
        "RpcFailed"
      ],
      ["an error of 100,000 levels", beside(`{"id":2,"error":${deep}}`), "RpcFailed"],
      ["data of 100,000 levels", beside(`{"id":2,"error":{"code":-32000,"message":"no","data":${deep}}}`), "RpcFailed"],
      [
        "two results of 100,000 levels",
        beside(`{"id":2,"result":${deep}},{"id":2,"result":${deep}}`),
        "MalformedResponse"
      ]
    ] as const
  )("fails one call by %s, and answers the others", ([, answer, tag]) =>
    Effect.gen(function*() {
      const { results } = yield* asks(answer, 3)
      assert.deepStrictEqual(tags(results), [0, tag, 2])
    }))

  it.effect("with a result of 100,000 levels for a typed method is malformed", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Wire.make(Node.body(`{"id":1,"result":${deep}}`)))
      assert.strictEqual((yield* Effect.flip(node.klay.getBlockByNumber()))._tag, "MalformedResponse")
    }))

  it.effect("with a number longer than any of the chain is malformed: reading it would take too long", () =>
    Effect.gen(function*() {
      const answer = (digits: number) => Node.body(`{"id":1,"result":${"9".repeat(digits)}}`)
      const read = (digits: number) =>
        Effect.flatMap(
          Node.make(Wire.make(answer(digits))),
          (node) => node.call("klay_echo", [], Schema.Unknown, { safety: "safe" })
        )
      assert.strictEqual(yield* read(78), 10n ** 78n - 1n)
      assert.strictEqual((yield* Effect.flip(read(10_000_000)))._tag, "MalformedResponse")
    }))

  it.effect("keeps digits above 2^53 in any place", () =>
    Effect.gen(function*() {
      const { results } = yield* asks(
        Node.body(`[{"id":1,"result":[9007199254740993,{"a":-12345678901234567890}]},{"id":2,"result":1.5}]`),
        2
      )
      assert.deepStrictEqual(tags(results), [[9007199254740993n, { a: -12345678901234567890n }], 1.5])
    }))
})

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
      const wire = Wire.make((sent) => answer(sent))
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
