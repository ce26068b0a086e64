import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import {
  account,
  balance,
  chain,
  feePayer,
  globalPayer,
  hex,
  klay,
  proven,
  run,
  somebody,
  unitPrice
} from "./support/walletStory.js"
import { ask, refusal } from "./support/wire.js"

const noBloom = `0x${"0".repeat(512)}`
const word = (value: string | number | bigint) => BigInt(value).toString(16).padStart(64, "0")
const late = (code: number, message: string) => [400, code, message, true]
const second = 1_600_000_000

/** A token of which an account of the wallet has a hundred. */
const token = (owner: string) =>
  Effect.gen(function*() {
    const control = (yield* Sandbox.Sandbox).control.chain(1001)
    const { address } = yield* control.deploy({ kind: "ft", from: "alice", name: "Apple", symbol: "APL", decimals: 0 })
    yield* control.mint(address, { kind: "ft", from: "alice", to: owner, amount: 100n })
    return address
  })

const receipt = (hash: string) => ask("GET", `/v2/tx/${hash}`)

describe("The receipt of a transaction", () => {
  it.effect("is whole for a transfer that was mined", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const { body: sent } = yield* ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x10", submit: true })
      const { number, hash } = yield* (yield* chain).head
      const { signatures } = proven(sent.rlp)
      const expected = {
        blockHash: hash,
        blockNumber: `0x${number.toString(16)}`,
        contractAddress: null,
        from,
        gas: "0xf4240",
        gasPrice: "0x66720b300",
        gasUsed: "0x5208",
        hash: sent.transactionHash,
        logs: [],
        logsBloom: noBloom,
        nonce: "0x0",
        senderTxHash: sent.transactionHash,
        signatures,
        status: "Committed",
        to: somebody,
        transactionHash: sent.transactionHash,
        transactionIndex: "0x0",
        type: "TxTypeValueTransfer",
        typeInt: 8,
        value: "0x10"
      }
      assert.deepStrictEqual(yield* receipt(sent.transactionHash), { status: 200, body: expected })
      assert.deepStrictEqual((yield* receipt(`0x${sent.transactionHash.slice(2).toUpperCase()}`)).body, expected)
      assert.deepStrictEqual(
        refusal(yield* receipt(`0x${"12".repeat(32)}`)),
        late(1065000, "failed to retrieve a transaction from klaytn node")
      )
      assert.deepStrictEqual(refusal(yield* receipt("0x12")), [
        400,
        1061615,
        "its value is out of range; transaction-hash",
        false
      ])
    })))

  it.effect("has the fee payer's part, and the events of a call", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const apples = yield* token(from)
      const input = `0xa9059cbb${word(somebody)}${word(7)}`
      const { body: sent } = yield* ask("POST", "/v2/tx/fd/contract/execute", {
        from,
        to: apples,
        input,
        feeRatio: 30,
        submit: true
      })
      const { body } = yield* receipt(sent.transactionHash)
      const at = { blockHash: body.blockHash, blockNumber: body.blockNumber, transactionIndex: "0x0" }
      assert.deepStrictEqual(body.logs, [{
        address: apples,
        topics: [
          "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
          `0x${word(from)}`,
          `0x${word(somebody)}`
        ],
        data: `0x${word(7)}`,
        ...at,
        transactionHash: sent.transactionHash,
        logIndex: "0x0",
        removed: false
      }])
      assert.notStrictEqual(body.logsBloom, noBloom)
      assert.deepStrictEqual(
        [body.type, body.typeInt, body.feePayer, body.feeRatio, body.input, body.to, body.status],
        [
          "TxTypeFeeDelegatedSmartContractExecutionWithRatio",
          50,
          yield* globalPayer,
          30,
          input,
          apples,
          "Committed"
        ]
      )
      assert.strictEqual(body.feePayerSignatures.length, 1)
      assert.notStrictEqual(body.senderTxHash, body.hash)
    })))

  it.effect("names the contract of a deployment, the key of an update, and a failure", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const send = (method: string, path: string, body: object) =>
        Effect.flatMap(
          ask(method, path, { from, submit: true, ...body }),
          (sent) => Effect.map(receipt(sent.body.transactionHash), (answer) => answer.body)
        )
      const deployed = yield* send("POST", "/v2/tx/contract/deploy", { input: "0x6001600c60003960016000f300" })
      assert.match(deployed.contractAddress, /^0x[0-9a-f]{40}$/)
      assert.deepStrictEqual(
        [deployed.to, deployed.codeFormat, deployed.humanReadable, deployed.status],
        [null, "0x0", false, "Committed"]
      )
      const apples = yield* token(somebody)
      const failed = yield* send("POST", "/v2/tx/contract/execute", {
        to: apples,
        input: `0xa9059cbb${word(somebody)}${word(7)}`
      })
      assert.deepStrictEqual([failed.status, failed.logs, failed.contractAddress], ["CommitError", [], null])
      const anchored = yield* send("POST", "/v2/tx/anchor", { input: "0x12" })
      assert.deepStrictEqual(["to" in anchored, "value" in anchored, anchored.input], [false, false, "0x12"])
      const updated = yield* send("PUT", "/v2/tx/account", { accountKey: { keyType: 3 } })
      assert.deepStrictEqual([updated.key, "to" in updated, updated.typeInt], ["0x03c0", false, 32])
    })))

  it.effect("has no block while the transaction waits for one", () =>
    run(
      Effect.gen(function*() {
        const { body: made } = yield* ask("POST", "/v2/account")
        const from = made.address.toLowerCase()
        const on = yield* chain
        yield* on.fund(hex(from), klay)
        const { body: sent } = yield* ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x1", submit: true })
        const { body } = yield* receipt(sent.transactionHash)
        assert.deepStrictEqual(body, {
          blockHash: `0x${"0".repeat(64)}`,
          blockNumber: "0x0",
          contractAddress: null,
          from,
          gas: "0xf4240",
          gasPrice: "0x66720b300",
          hash: sent.transactionHash,
          nonce: "0x0",
          senderTxHash: sent.transactionHash,
          signatures: sent.signatures,
          status: "Submitted",
          to: somebody,
          transactionIndex: "0x0",
          type: "TxTypeValueTransfer",
          typeInt: 8,
          value: "0x1"
        })
        yield* on.mine()
        assert.strictEqual((yield* receipt(sent.transactionHash)).body.status, "Committed")
      }),
      { mining: "manual" }
    ))
})

describe("A call of a contract", () => {
  it.effect("answers with the encoded call and what came back, and changes nothing", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const apples = yield* token(from)
      const call = (methodName: string, args: ReadonlyArray<{ readonly type: string; readonly value: unknown }>) =>
        ask("POST", "/v2/tx/contract/call", { to: apples, from, data: { methodName, arguments: args } })
      const owner = { type: "address", value: from }
      assert.deepStrictEqual(yield* call("balanceOf", [owner]), {
        status: 200,
        body: { data: `0x70a08231${word(from)}`, result: `0x${word(100)}` }
      })
      const amount = { type: "uint", value: "0x64" }
      const transfer = yield* call("transfer", [{ type: "address", value: somebody }, amount])
      assert.deepStrictEqual(transfer.body, {
        data: `0xa9059cbb${word(somebody)}${word(100)}`,
        result: `0x${word(1)}`
      })
      assert.strictEqual((yield* call("balanceOf", [owner])).body.result, `0x${word(100)}`)
      assert.deepStrictEqual(
        refusal(yield* call("transfer", [{ type: "address", value: somebody }, { type: "uint256", value: 101 }])),
        late(1065001, "failed to send a raw transaction to klaytn node; -32000::evm: execution reverted")
      )
      for (
        const bad of [
          { type: "uint8", value: 256 },
          { type: "uint256", value: -1 },
          { type: "bool", value: 1 },
          { type: "address", value: "0x12" },
          { type: "uint8[2]", value: [1] },
          { type: "tuple", value: [] }
        ]
      ) {
        assert.deepStrictEqual(refusal(yield* call("x", [bad])), [
          400,
          1061615,
          "its value is out of range; arguments",
          false
        ])
      }
    })))

  it.effect("encodes every kind of argument as the examples of the ABI do", () =>
    run(Effect.gen(function*() {
      const data = (methodName: string, args: ReadonlyArray<readonly [string, unknown]>) =>
        Effect.map(
          ask("POST", "/v2/tx/contract/call", {
            to: somebody,
            data: { methodName, arguments: args.map(([type, value]) => ({ type, value })) }
          }),
          ({ body }) => body.data
        )
      assert.strictEqual(
        yield* data("baz", [["uint32", 69], ["bool", true]]),
        `0xcdcd77c0${word(0x45)}${word(1)}`
      )
      assert.strictEqual(
        yield* data("bar", [["bytes3[2]", ["0x616263", "0x646566"]]]),
        `0xfce353f6${"616263".padEnd(64, "0")}${"646566".padEnd(64, "0")}`
      )
      assert.strictEqual(
        yield* data("sam", [["bytes", "0x64617665"], ["bool", "true"], ["uint256[]", [1, "2", "0x3"]]]),
        `0xa5643bf2${word(0x60)}${word(1)}${word(0xa0)}${word(4)}${"64617665".padEnd(64, "0")}${word(3)}${word(1)}` +
          `${word(2)}${word(3)}`
      )
      assert.strictEqual(
        yield* data("f", [
          ["uint256", 0x123],
          ["uint32[]", [0x456, 0x789]],
          ["bytes10", "0x31323334353637383930"],
          ["bytes", "0x48656c6c6f2c20776f726c6421"]
        ]),
        `0x8be65246${word(0x123)}${word(0x80)}${"31323334353637383930".padEnd(64, "0")}${word(0xe0)}${word(2)}` +
          `${word(0x456)}${word(0x789)}${word(0x0d)}${"48656c6c6f2c20776f726c6421".padEnd(64, "0")}`
      )
      assert.strictEqual(
        yield* data("g", [["uint256[][]", [[1, 2], [3]]], ["string[]", ["one", "two", "three"]]]),
        `0x2289b18c${word(0x40)}${word(0x140)}${word(2)}${word(0x40)}${word(0xa0)}${word(2)}${word(1)}${word(2)}` +
          `${word(1)}${word(3)}${word(3)}${word(0x60)}${word(0xa0)}${word(0xe0)}${word(3)}` +
          `${"6f6e65".padEnd(64, "0")}${word(3)}${"74776f".padEnd(64, "0")}${word(5)}${"7468726565".padEnd(64, "0")}`
      )
      assert.strictEqual(
        (yield* data("h", [["int8", -1]])).slice(10),
        "f".repeat(64)
      )
    })))
})

describe("The fees that the service has paid", () => {
  const send = (from: string, path: string, more: object = {}) =>
    Effect.map(
      ask("POST", path, { from, to: somebody, value: "0x1", submit: true, ...more }),
      ({ body }) => String(body.transactionHash)
    )

  const hashes = (path: string) =>
    Effect.map(ask("GET", path), ({ body }) => ({
      hashes: body.items?.map((one: { readonly transactionHash: string }) => one.transactionHash) ?? body.code,
      cursor: String(body.cursor)
    }))

  it.effect("are told one by one, whole, with what was charged for them", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const payer = yield* globalPayer
      const before = yield* balance(payer)
      const all = yield* send(from, "/v2/tx/fd/value")
      const fee = 31_000n * unitPrice
      const { number, timestamp } = yield* (yield* chain).head
      assert.strictEqual(timestamp, second + number)
      assert.deepStrictEqual(yield* ask("GET", `/v2/history/fd/tx/${all}`), {
        status: 200,
        body: {
          chainId: 1001,
          chargedByKlay: "0.0008525",
          chargedByKrw: "0.298375",
          chargedByPeb: "852500000000000",
          chargedByUsd: "0.000213125",
          feePayer: payer,
          from,
          gasPrice: "0x66720b300",
          gasUsed: "0x7918",
          krw: 350,
          status: "0x1",
          timestamp,
          to: somebody,
          transactionHash: all,
          typeInt: 9,
          usd: 0.25
        }
      })
      const part = yield* send(from, "/v2/tx/fd/value", { feeRatio: 30 })
      const { body: shared } = yield* ask("GET", `/v2/history/fd/tx/${part}`)
      assert.deepStrictEqual([shared.chargedByPeb, shared.feeRatio, shared.gasUsed], [
        "297000000000000",
        "30",
        "0x8ca0"
      ])
      assert.strictEqual(before - (yield* balance(payer)), fee + BigInt(shared.chargedByPeb))
      const noData = late(1061010, "data don't exist")
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/history/fd/tx/0x${"1".repeat(64)}`)), noData)
      const own = yield* send(from, "/v2/tx/value")
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/history/fd/tx/${own}`)), noData)
    })))

  it.effect("are listed page by page, newest first, also of one sender; those of others are not among them", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const other = yield* account
      const user = yield* feePayer
      assert.deepStrictEqual((yield* hashes("/v2/history/fd/tx")).hashes, 1061010)
      const made: Array<string> = []
      for (let i = 0; i < 3; i++) made.unshift(yield* send(from, "/v2/tx/fd/value"))
      const byOther = yield* send(other, "/v2/tx/fd/value")
      yield* send(from, "/v2/tx/fd-user/value", { feePayer: user })
      yield* send(from, "/v2/tx/fd/value", { submit: false })
      assert.deepStrictEqual(yield* hashes("/v2/history/fd/tx"), { hashes: [byOther, ...made], cursor: "" })
      const first = yield* hashes(`/v2/history/fd/tx?from=${from}&size=2`)
      assert.deepStrictEqual(first.hashes, made.slice(0, 2))
      const next = yield* hashes(`/v2/history/fd/tx?from=${from}&size=2&cursor=${encodeURIComponent(first.cursor)}`)
      assert.deepStrictEqual(next, { hashes: made.slice(2), cursor: "" })
    })))

  it.effect("are gone with the blocks that are taken back", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const kept = yield* send(from, "/v2/tx/fd/value")
      const on = yield* chain
      const snapshot = yield* on.snapshot
      yield* send(from, "/v2/tx/fd/value")
      yield* on.revert(snapshot)
      assert.deepStrictEqual((yield* hashes("/v2/history/fd/tx")).hashes, [kept])
    })))
})
