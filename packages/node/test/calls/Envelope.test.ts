import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { failed, item, numbers, type Result, text } from "../support/answers.js"
import * as Node from "../support/node.js"

const asks = (answer: Testing.Step, count: number) =>
  Effect.gen(function*() {
    const wire = Testing.wire(answer)
    const results = yield* numbers(yield* Node.make(wire), count)
    return { results, sent: wire.sent.length }
  })

const tags = (results: ReadonlyArray<Result>) =>
  results.map((result) => Either.isRight(result) ? result.right : result.left._tag)

describe("an answer to three calls", () => {
  const rows: ReadonlyArray<readonly [name: string, answer: Testing.Step, results: ReadonlyArray<unknown>]> = [
    ["in order", text([item(1, 0), item(2, 1), item(3, 2)]), [0, 1, 2]],
    ["in another order", text([item(3, 2), item(1, 0), item(2, 1)]), [0, 1, 2]],
    ["with one missing", text([item(1, 0), item(3, 2)]), [0, "MalformedResponse", 2]],
    ["with nothing in it", text([]), ["MalformedResponse", "MalformedResponse", "MalformedResponse"]],
    ["with an ID that nobody has", text([item(1, 0), item(2, 1), item(3, 2), item(4, 9)]), [0, 1, 2]],
    ["with IDs as text", text([item("1", 0), item("3", 2), item("2", 1)]), [0, 1, 2]],
    [
      "with IDs as text that are no numbers of calls",
      text([item("01", 0), item("1.0", 0), item("1 ", 0), item("x1", 0), item("3", 2), item(2, 1)]),
      ["MalformedResponse", 1, 2]
    ],
    ["with an ID in a list", text([item(1, 0), item([2], 1), item(3, 2)]), [0, "MalformedResponse", 2]],
    ["with the IDs 0 and -1", text([item(0, 9), item(-1, 9), item(1, 0), item(3, 2)]), [0, "MalformedResponse", 2]],
    ["with the same item twice", text([item(1, 0), item(2, 1), item(2, 1), item(3, 2)]), [0, 1, 2]],
    [
      "with two that differ for one ID",
      text([item(1, 0), item(2, 1), item(2, 7), item(3, 2)]),
      [0, "MalformedResponse", 2]
    ],
    [
      "with two objects that differ for one ID",
      text([item(1, 0), item(2, { a: 1 }), item(2, { a: 2 }), item(3, 2)]),
      [0, "MalformedResponse", 2]
    ],
    [
      "with the same number above 2^53 twice",
      Node.body(`[{"id":1,"result":0},${`{"id":2,"result":[9007199254740993]},`.repeat(2)}{"id":3,"result":2}]`),
      [0, [9007199254740993n], 2]
    ],
    [
      "with the same error twice",
      text([item(1, 0), failed(2, -32602), failed(2, -32602), item(3, 2)]),
      [0, "InvalidParams", 2]
    ],
    [
      "with two errors that differ for one ID",
      text([item(1, 0), failed(2, -32602), failed(2, -32601), item(3, 2)]),
      [0, "MalformedResponse", 2]
    ],
    ["where one failed", text([item(1, 0), failed(2, -32602), item(3, 2)]), [0, "InvalidParams", 2]],
    [
      "where one failed and one is missing",
      text([item(1, 0), failed(2, -32602)]),
      [0, "InvalidParams", "MalformedResponse"]
    ],
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
    ["as 204", Testing.text(204, ""), ["MalformedResponse", "MalformedResponse", "MalformedResponse"]],
    ["as HTML", Testing.text(200, "<html>", { "content-type": "text/html" }), [
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
    ["as a code of the gateway without a word", text({ code: 1010009 }), [
      "Unauthorized",
      "Unauthorized",
      "Unauthorized"
    ]],
    ["as a word of the gateway without a code", text({ message: "no" }), ["Rejected", "Rejected", "Rejected"]],
    ["as an unknown word of the gateway", text({ code: 1019999, message: "no" }), ["Rejected", "Rejected", "Rejected"]],
    ["as a refusal with its status", Testing.json(401, { code: 1010009, message: "no" }), [
      "Unauthorized",
      "Unauthorized",
      "Unauthorized"
    ]]
  ]

  it.effect.each(rows)("%s settles each with its own", ([row, answer, expected]) =>
    Effect.gen(function*() {
      const { results, sent } = yield* asks(answer, 3)
      assert.deepStrictEqual(tags(results), expected)
      // One error for all is asked again in parts: two of the calls, each of them, and the third.
      const isForAll = row === "as one error for all" || row === "as one error without an ID"
      assert.strictEqual(sent, isForAll ? 5 : 1)
    }))

  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
  const beside = (item: string): Testing.Step => Node.body(`[{"id":1,"result":0},${item},{"id":3,"result":2}]`)

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
      ],
      [
        "a result of a million digits",
        beside(`{"id":2,"result":${"9".repeat(1_000_000)}}`),
        "MalformedResponse"
      ],
      [
        "a number of 101 digits inside of its result",
        beside(`{"id":2,"result":{"a":[1,{"b":${"9".repeat(101)}}],"c":2}}`),
        "MalformedResponse"
      ],
      [
        "an error with a number of 101 digits",
        beside(`{"id":2,"error":{"code":-32000,"message":"no","data":[${"9".repeat(101)}]}}`),
        "MalformedResponse"
      ],
      [
        "an error of 100,000 levels beside a number above 2^53",
        beside(`{"id":2,"error":[${deep},9007199254740993]}`),
        "RpcFailed"
      ]
    ] as const
  )("fails one call by %s, and answers the others", ([, answer, tag]) =>
    Effect.gen(function*() {
      const { results } = yield* asks(answer, 3)
      assert.deepStrictEqual(tags(results), [0, tag, 2])
    }))

  it.effect("with a result of 100,000 levels for a typed method is malformed", () =>
    Effect.gen(function*() {
      const node = yield* Node.make(Testing.wire(Node.body(`{"id":1,"result":${deep}}`)))
      assert.strictEqual((yield* Effect.flip(node.klay.getBlockByNumber()))._tag, "MalformedResponse")
    }))

  it.effect("with a number longer than any of the chain is malformed: reading it would take too long", () =>
    Effect.gen(function*() {
      const answer = (digits: number) => Node.body(`{"id":1,"result":${"9".repeat(digits)}}`)
      const read = (digits: number) =>
        Effect.flatMap(
          Node.make(Testing.wire(answer(digits))),
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

describe("an answer to one call that is not what it should be", () => {
  const response = "a JSON-RPC response"
  const deep = `{"id":1,"result":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
  it.effect.each(
    [
      ["empty", Node.body(""), response, "an empty body"],
      ["HTML", Testing.text(200, "<html>", { "content-type": "text/html" }), response, "6 characters of text/html"],
      [
        "something without a type",
        () => Effect.sync(() => new Response(new TextEncoder().encode("oops"))),
        response,
        "4 characters of no content type"
      ],
      ["a number", Node.body("5"), response, "1 characters of application/json"],
      ["an object of nothing", text({}), response, "2 characters of application/json"],
      ["an object with an ID that nobody has", text({ id: "x" }), response, "10 characters of application/json"],
      ["an ID alone", text({ id: 1 }), "a result or an error", "neither"],
      ["a result without an ID", text({ result: 5 }), "an answer to the call", "none with its ID"],
      ["a list of nothing", text([]), "an answer to the call", "none with its ID"],
      ["something for no call", text([{ id: null }]), "an answer to the call", "none with its ID"],
      [
        "two answers too deep to be compared",
        Node.body(`[${deep},${deep}]`),
        "one answer to the call",
        "several that differ"
      ],
      ["two answers", text([item(1, 0), item(1, 1)]), "one answer to the call", "several that differ"]
    ] as const
  )("and is %s is malformed, and the error tells how", ([, answer, expected, actual]) =>
    Effect.gen(function*() {
      const { results: [result] } = yield* asks(answer, 1)
      const error = yield* Effect.flip(result ?? assert.fail("there was no result"))
      assert.deepInclude(error, { _tag: "MalformedResponse", path: [], expected, actual })
    }))
})
