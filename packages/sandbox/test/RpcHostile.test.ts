import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { methods } from "../src/internal/rpc/methods.js"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"

const sandbox = Sandbox.layer({ seed: "hostile", clock: { start: 1_600_000_000, step: 1 } })

const word = `0x${"ab".repeat(32)}`
const owner = "0x1111111111111111111111111111111111111111"

/** Things that methods take, and things that nobody should send. */
const value: FastCheck.Arbitrary<unknown> = FastCheck.oneof(
  FastCheck.constantFrom<unknown>(
    "latest",
    "earliest",
    "pending",
    "safe",
    "0x0",
    "0x1",
    "0x",
    "",
    "0x00",
    "0xffffffffffffffff",
    `0x${"f".repeat(64)}`,
    `0x1${"0".repeat(64)}`,
    word,
    owner,
    owner.toUpperCase(),
    "0xf86c0a8502540be400825208944bbeeb066ed09b7aed07bf39eee0460dfa261520880de0b6b3a7640000801ca0",
    "0x78",
    "0x08c0",
    "0x7802c0",
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    true,
    null,
    [],
    {},
    [null],
    [[word, null], owner],
    { blockNumber: "0x0" },
    { blockHash: word, blockNumber: "0x0" },
    { fromBlock: "0x0", toBlock: "latest", topics: [word, null, [word]] },
    { fromBlock: "0x0", address: [owner, 5] },
    { to: owner, input: "0x00" },
    { input: "0x5b600056", gas: "0xffffff" },
    { input: `0x${"5b".repeat(40_000)}` },
    { from: owner, to: owner, value: "0x1" },
    { to: owner, gas: "0x1", gasPrice: "0x1", maxFeePerGas: "0x1" },
    { accessList: [{ address: owner, storageKeys: [word] }], to: owner },
    { [owner]: { nonce: "0xffffffffffffffff", code: "0xfe", balance: `0x${"f".repeat(64)}`, state: { [word]: word } } },
    { [owner]: { state: {}, stateDiff: {} } },
    { keyType: 4, key: { threshold: 1, keys: [{ weight: 1, key: { x: "0x1", y: "0x2" } }] } },
    { keyType: 5, key: [{ keyType: 2, key: { x: "0x0", y: "0x0" } }] },
    { __proto__: null, constructor: 1 }
  ),
  { weight: 1, arbitrary: FastCheck.jsonValue() }
)

const request = FastCheck.record({
  id: FastCheck.oneof(FastCheck.integer(), FastCheck.string()),
  method: FastCheck.constantFrom(...methods.keys()),
  params: FastCheck.oneof(
    { weight: 9, arbitrary: FastCheck.array(value, { maxLength: 4 }) },
    { weight: 1, arbitrary: value }
  )
})

/** Codes that a node has for a caller's mistakes; no other may be heard, least of all that of a fault inside. */
const codes = new Set([-32600, -32602, -32000, 3])

layer(sandbox, { excludeTestServices: true })("Whatever a node is asked", (it) => {
  it.effect("it answers every call of a batch with a result or with a reason", () =>
    Effect.gen(function*() {
      const batches = FastCheck.sample(FastCheck.array(request, { minLength: 1, maxLength: 20 }), {
        numRuns: 300,
        seed: 20_240_101
      })
      for (const calls of batches) {
        const answers: ReadonlyArray<Record<string, unknown>> = JSON.parse(yield* Rpc.text(JSON.stringify(calls)))
        assert.deepStrictEqual(answers.map(({ id }) => id), calls.map(({ id }) => id))
        for (const [index, answer] of answers.entries()) {
          const error = answer["error"] as { readonly code: number; readonly message: string } | undefined
          const said = `${JSON.stringify(calls[index]).slice(0, 400)} ${JSON.stringify(error)}`
          if (error === undefined) assert.isTrue("result" in answer, said)
          else {
            assert.isTrue(codes.has(error.code), said)
            assert.isTrue(error.message.length > 0, said)
          }
        }
      }
    }), 120_000)

  it.effect("each method says what it misses when it is given nothing", () =>
    Effect.gen(function*() {
      for (const method of methods.keys()) {
        const { error, result } = yield* Rpc.reply(method)
        if (error === undefined) assert.isDefined(result, method)
        else {
          assert.deepStrictEqual(
            error,
            method === "eth_getWork"
              ? { code: -32000, message: "no mining work available yet" }
              : method.endsWith("_getBlockWithConsensusInfoByNumber")
              ? { code: -32000, message: "block number is not assigned" }
              : { code: -32602, message: "missing value for required argument 0" },
            method
          )
        }
      }
    }))

  it.effect("text that is almost JSON-RPC never breaks it", () =>
    Effect.gen(function*() {
      const bodies = [
        "null",
        "0",
        "\"\\",
        "[[[]]]",
        "{\"id\":\"\\ud800\",\"method\":\"net_version\"}",
        `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
        `{"id":1,"method":"net_version","params":${"[".repeat(50_000)}1.5${"]".repeat(50_000)}}`,
        "{\"id\":1,\"id\":2,\"method\":\"net_version\"}",
        "{\"id\":1,\"method\":\"__proto__\"}",
        "{\"id\":1,\"method\":\"constructor\",\"params\":[]}",
        "\u0000",
        "{\"id\":1,\"method\":\"net_version\",\"params\":[]}garbage"
      ]
      for (const body of bodies) {
        const { status, text } = yield* Rpc.post(body)
        assert.strictEqual(status, 200, body.slice(0, 50))
        assert.match(text, /^(?:\{"jsonrpc":"2\.0"|\[\{"jsonrpc":"2\.0")/, body.slice(0, 50))
      }
    }))
})
