import * as Testing from "@effect-klaytn/core/Testing"
import * as Method from "@effect-klaytn/node/Method"
import * as Methods from "@effect-klaytn/node/Methods"
import type { Param } from "@effect-klaytn/node/Param"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as callArguments from "../../src/internal/call/callArguments.js"
import { asked, environment, klaytn, node, secret } from "../support/terminal.js"

const account = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = `0x${"ab".repeat(32)}`

/** What `klaytn call` sends for these words. */
const sentFor = (...words: ReadonlyArray<string>) => {
  const wire = node({})
  return Effect.map(klaytn(["call", ...words], { wire }), ({ error }) => {
    assert.strictEqual(wire.sent.length, 1, error)
    return asked(wire)[0]
  })
}

/** Lets time pass until it has ended: what fails is tried again later. */
const passing = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(self, Effect.forever(TestClock.adjust("1 second")))

describe("klaytn call", () => {
  it.effect("writes a balance with all its digits, as a line and as JSON", () =>
    Effect.gen(function*() {
      const wire = node({ klay_getBalance: `"result":"0xffffffffffffffffffffffffffffff"` })
      const line = yield* klaytn(["call", "klay_getBalance", account], { wire })
      assert.deepStrictEqual(line, { code: 0, out: "1329227995784915872903807060280344575\n", error: "" })
      assert.deepStrictEqual(asked(wire), [["klay_getBalance", [account, "latest"]]])
      const json = yield* klaytn(["call", "klay_getBalance", account, "--json"], { wire })
      assert.strictEqual(json.out, "\"1329227995784915872903807060280344575\"\n")
    }))

  it.effect.prop(
    "keeps every digit of any quantity",
    [FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n })],
    ([n]) =>
      Effect.gen(function*() {
        const wire = node({ klay_getBalance: `"result":"0x${n.toString(16)}"` })
        assert.strictEqual((yield* klaytn(["call", "klay_getBalance", account], { wire })).out, `${n}\n`)
      })
  )

  it.effect("sends the words as they are with --raw, and writes the node's own JSON without rounding", () =>
    Effect.gen(function*() {
      const wire = node({ x_custom: `"result":{"n":123456789012345678901234567890,"list":[1.5,null,"a"]}` })
      const words = ["call", "x_custom", "text", "12", "[1,{\"a\":true}]", "0x10", "null", "--raw"]
      const { code, error, out } = yield* klaytn(words, { wire })
      assert.strictEqual(code, 0, error)
      assert.strictEqual(out, "{\"n\":123456789012345678901234567890,\"list\":[1.5,null,\"a\"]}\n")
      assert.deepStrictEqual(asked(wire), [["x_custom", ["text", 12, [1, { a: true }], "0x10", null]]])
    }))

  it.effect("sends no number that JSON would round with --raw", () =>
    Effect.forEach(["12345678901234567", "[{\"a\":12345678901234567}]"], (word) =>
      Effect.gen(function*() {
        const wire = node({})
        const { code, error } = yield* klaytn(["call", "x_custom", word, "--raw"], { wire })
        assert.strictEqual(code, 2)
        assert.include(error, "would lose digits")
        assert.strictEqual(wire.sent.length, 0)
      }), { discard: true }))

  it.effect("takes a method by its name on the wire, by its function, or without klay", () =>
    Effect.forEach(
      [
        ["klay_getBalance", "klay_getBalance"],
        ["kaia_getBalance", "kaia_getBalance"],
        ["klay.getBalance", "klay_getBalance"],
        ["getBalance", "klay_getBalance"],
        ["GETBALANCE", "klay_getBalance"],
        ["eth_getBalance", "eth_getBalance"]
      ] as const,
      ([name, wireName]) =>
        Effect.map(sentFor(name, account), (sent) => assert.deepStrictEqual(sent, [wireName, [account, "latest"]])),
      { discard: true }
    ))

  it.effect("takes heights in decimal and hex, tags and hashes, and sends what a node takes", () =>
    Effect.forEach(
      [
        [["klay_getBalance", account, "436"], [account, "0x1b4"]],
        [["klay_getBalance", account, "0x1b4"], [account, "0x1b4"]],
        [["klay_getBalance", account, "earliest"], [account, "earliest"]],
        [["klay_getBalance", account, hash], [account, hash]],
        [["klay_getStorageAt", account, "3"], [account, "0x3", "latest"]],
        [["klay_getStorageAt", account, hash], [account, hash, "latest"]],
        [["eth_getProof", account, `3,${BigInt(hash)},${hash}`], [account, ["0x3", hash, hash], "latest"]],
        [["klay_getTransactionByBlockHashAndIndex", hash, "2"], [hash, "0x2"]],
        [["klay_getBlockByNumber", "7"], ["0x7", false]],
        [["klay_getBlockByNumber", "7", "true"], ["0x7", true]],
        [["klay_getBlockByNumber", "7", "false"], ["0x7", false]],
        [["klay_feeHistory", "4", "latest", "10,50.5"], ["0x4", "latest", [10, 50.5]]],
        [
          ["klay_call", `{"to":"${account}","value":1000000000000000000000,"gas":"0x10","data":"0x18160ddd"}`, "7"],
          [{ to: account, value: "0x3635c9adc5dea00000", gas: "0x10", input: "0x18160ddd" }, "0x7"]
        ],
        [
          ["klay_getLogs", `{"fromBlock":1,"toBlock":"16","address":"${account}"}`],
          [{ fromBlock: "0x1", toBlock: "0x10", address: account }]
        ]
      ] as const,
      ([words, params]) => Effect.map(sentFor(...words), (sent) => assert.deepStrictEqual(sent?.[1], params)),
      { discard: true }
    ))

  it.effect("refuses words that the method does not take, before anything is sent, and says how it is called", () =>
    Effect.forEach(
      [
        [["klay_getBalance"], "address is missing", "usage: klaytn call klay_getBalance ADDRESS [BLOCK]"],
        [["klay_getBalance", account, "1", "2"], "it takes 2 arguments at most, not 3", "usage: klaytn call"],
        [["klay_getBalance", "0x12"], "address", ""],
        [["klay_getBalance", account, "newest"], "latest", ""],
        [["klay_call", "{to:1}"], "call is not JSON", "quote it for the shell"],
        [["klay_getBalanc", account], "there is no method klay_getBalanc", "did you mean klay_getBalance?"]
      ] as const,
      ([words, message, hint]) =>
        Effect.gen(function*() {
          const wire = node({})
          const { code, error, out } = yield* klaytn(["call", ...words], { wire })
          assert.strictEqual(code, 2, words.join(" "))
          assert.strictEqual(out, "")
          assert.include(error, message)
          assert.include(error, hint)
          assert.strictEqual(wire.sent.length, 0)
        }),
      { discard: true }
    ))

  it.effect("writes records in columns and what is not there as none", () =>
    Effect.gen(function*() {
      const wire = node({
        klay_getAccount: `"result":{"accType":1,"account":{"nonce":7,"balance":"0x10","humanReadable":false,` +
          `"key":{"keyType":1,"key":{}}}}`,
        klay_getTransactionReceipt: `"result":null`
      })
      const { out } = yield* klaytn(["call", "klay_getAccount", account], { wire })
      assert.strictEqual(
        out,
        "accType  1\naccount\n  nonce          7\n  balance        16\n  humanReadable  false\n" +
          "  key\n    keyType  1\n    key      none\n"
      )
      assert.strictEqual((yield* klaytn(["call", "klay_getTransactionReceipt", hash], { wire })).out, "none\n")
      const json = yield* klaytn(["call", "klay_getTransactionReceipt", hash, "--json"], { wire })
      assert.strictEqual(json.out, "null\n")
    }))

  it.effect("lets no text of a node move the cursor of a terminal, and cuts very long texts there", () =>
    Effect.gen(function*() {
      const wire = node({
        klay_clientVersion: `"result":"\\u001b[2Jevil\\u202e"`,
        klay_getCode: `"result":"0x${"00".repeat(300)}"`
      })
      const version = yield* klaytn(["call", "klay_clientVersion"], { wire, isTerminal: true })
      assert.strictEqual(version.out, "\\u{1b}[2Jevil\\u{202e}\n")
      const shown = yield* klaytn(["call", "klay_getCode", account], { wire, isTerminal: true })
      assert.include(shown.out, "... (602 characters: --json)")
      const piped = yield* klaytn(["call", "klay_getCode", account], { wire })
      assert.strictEqual(piped.out, `0x${"00".repeat(300)}\n`)
    }))

  it.effect("tells the errors of a node and of the service, each with its exit code and without the secret", () =>
    Effect.forEach(
      [
        [node({}), 1, "does not have this method"],
        [node({ klay_blockNumber: `"error":{"code":-32602,"message":"bad"}` }), 2, "the node refused the parameters"],
        [Testing.wire(Testing.json(401, { code: 1010009, message: `no ${secret}` })), 4, "klaytn doctor"],
        [Testing.wire(Testing.json(429, { code: 1010000, message: "slow" }, { "retry-after": "3600" })), 5, "later"],
        [Testing.wire(Testing.broken(Testing.networkError("ENOTFOUND"))), 5, "ENOTFOUND"],
        [Testing.wire(Testing.text(200, "<html>", { "content-type": "text/html" })), 1, "klaytn doctor"]
      ] as const,
      ([wire, code, message]) =>
        Effect.gen(function*() {
          const ended = yield* passing(klaytn(["call", "klay_blockNumber"], { wire }))
          assert.strictEqual(ended.code, code, ended.error)
          assert.include(ended.error, message)
          assert.notInclude(ended.error, secret)
          assert.strictEqual(ended.out, "")
        }),
      { discard: true, concurrency: 1 }
    ))

  it.effect("tells that a transaction may have been sent with exit code 6, and how to find out", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.cutOff(200))
      const { code, error } = yield* passing(klaytn(["call", "klay_sendRawTransaction", "0x31f8"], { wire }))
      assert.strictEqual(code, 6, error)
      assert.include(error, "klaytn call klay_getTransactionReceipt 0x")
    }))

  it.effect("lists all methods without one", () =>
    Effect.gen(function*() {
      const { code, out } = yield* klaytn(["call"], { environment: {} })
      assert.strictEqual(code, 0)
      for (const method of Methods.all) assert.include(out, callArguments.signature(method))
      assert.include(out, "\nklay_getBalance ADDRESS [BLOCK]\n")
    }))

  it.effect("asks the chain of --chain", () =>
    Effect.gen(function*() {
      const wire = node({ klay_blockNumber: `"result":"0x1"`, eth_chainId: `"result":"0x2019"` })
      yield* klaytn(["call", "klay_blockNumber", "--chain", "mainnet"], { wire })
      yield* klaytn(["--chain=8217", "call", "klay_blockNumber"], { wire, environment })
      yield* klaytn(["call", "klay_blockNumber"], { wire })
      assert.deepStrictEqual(
        wire.sent.map(({ headers }, i) => [asked(wire)[i]?.[0], headers["x-chain-id"]]),
        [
          ["eth_chainId", "8217"],
          ["klay_blockNumber", "8217"],
          ["eth_chainId", "8217"],
          ["klay_blockNumber", "8217"],
          ["klay_blockNumber", "1001"]
        ]
      )
    }))

  it.effect("calls a node of one's own without a credential of the service", () =>
    Effect.gen(function*() {
      const wire = node({ klay_blockNumber: `"result":"0x10"`, eth_chainId: `"result":"0x3e9"` })
      const url = "http://127.0.0.1:8551/a-key"
      const given = yield* klaytn(["call", "klay_blockNumber", "--node", url], { wire, environment: {} })
      assert.deepStrictEqual(given, { code: 0, out: "16\n", error: "" })
      const own = {
        KLAYTN_OWN_NODE_URL: url,
        KLAYTN_OWN_NODE_AUTHORIZATION: `Bearer ${secret}`,
        KLAYTN_CHAIN_ID: "1001"
      }
      const read = yield* klaytn(["call", "klay_blockNumber", "--own-node"], { wire, environment: own })
      assert.deepStrictEqual(read, given)
      assert.deepStrictEqual(
        wire.sent.map(({ headers, url }, i) => [asked(wire)[i]?.[0], url, headers["authorization"]]),
        [
          ["klay_blockNumber", url, undefined],
          ["eth_chainId", url, `Bearer ${secret}`],
          ["klay_blockNumber", url, `Bearer ${secret}`]
        ]
      )
    }))

  it.effect("asks a node of another chain than --chain or KLAYTN_CHAIN_ID nothing else", () =>
    Effect.gen(function*() {
      const url = "http://127.0.0.1:8551"
      for (
        const [words, variables] of [
          [["--node", url, "--chain", "8217"], {}],
          [["--node", url], { KLAYTN_CHAIN_ID: "8217" }],
          [["--chain", "8217"], environment]
        ] as const
      ) {
        const wire = node({ klay_getBalance: `"result":"0x0"`, eth_chainId: `"result":"0x3e9"` })
        const { code, error, out } = yield* klaytn(["call", "klay_getBalance", account, ...words], {
          wire,
          environment: variables
        })
        assert.deepStrictEqual([code, out], [1, ""])
        assert.include(error, "it is a node of chain 1001, and 8217 is asked for")
        assert.deepStrictEqual(asked(wire).map(([method]) => method), ["eth_chainId"])
      }
    }))

  it.effect("refuses two nodes, none, and a node beside a sandbox before any request", () =>
    Effect.gen(function*() {
      for (const words of [["--own-node"], ["--node", "x"], ["--node", "http://127.0.0.1:1", "--sandbox"]]) {
        const wire = node({})
        const { code, out } = yield* klaytn(["call", "klay_blockNumber", ...words], { wire, environment: {} })
        assert.deepStrictEqual([code, out, wire.sent.length], [2, "", 0])
      }
    }))
})

describe("the methods", () => {
  it("each take their arguments in the order of their parameters", () => {
    for (const method of Methods.all) {
      const marks = callArguments.paramsOf(method).map((_, i) => `mark ${i}`)
      // As in the source: the parameters keep the values that were given.
      const params = (method.params as unknown as (...args: ReadonlyArray<string>) => ReadonlyArray<Param>)(...marks)
      const given = params.filter(({ form }) => form.takes !== "true" && form.takes !== "false")
      assert.deepStrictEqual(given.map(({ value }) => value), marks, Method.wireName(method))
    }
  })

  it("are each found by the name that the list shows, and by their name on the wire", () => {
    assert.deepStrictEqual(callArguments.listed.map(({ method }) => method), Methods.all)
    assert.strictEqual(new Set(callArguments.listed.map(({ name }) => name)).size, Methods.all.length)
    for (const { method, name } of callArguments.listed) {
      assert.strictEqual(Either.getOrThrow(callArguments.find(name)).method, method, name)
      const wireName = Method.wireName(method)
      const found = Either.getOrThrow(callArguments.find(wireName)).method
      assert.strictEqual(Method.wireName(found), wireName)
    }
  })
})
