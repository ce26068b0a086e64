import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"

const sandbox = Sandbox.layer({ seed: "overrides", clock: { start: 1_600_000_000, step: 1 } })

const target = `0x${"11".repeat(20)}`
const miner = `0x${"22".repeat(20)}`
const word = (value: number | bigint): string => value.toString(16).padStart(64, "0")

/** Returns slot 0: PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const reader = "0x5f545f5260205ff3"

/** Returns NUMBER, TIMESTAMP, COINBASE, GASLIMIT, BASEFEE and PREVRANDAO. */
const block = `0x${
  ["43", "42", "41", "45", "48", "44"].map((code, at) => `${code}60${(32 * at).toString(16).padStart(2, "0")}52`).join(
    ""
  )
}60c05ff3`

layer(sandbox, { excludeTestServices: true })("A call", (it) => {
  it.effect.each(["klay", "kaia", "eth"])(
    "of %s runs with other accounts, which are as before after it",
    (namespace) =>
      Effect.gen(function*() {
        const call = (overrides: unknown) => Rpc.call(`${namespace}_call`, { to: target }, "latest", overrides)
        const slot = `0x${word(0)}`
        const stored = { [slot]: `0x${word(7)}` }
        assert.strictEqual(yield* call({ [target]: { code: reader, stateDiff: stored } }), `0x${word(7)}`)
        assert.strictEqual(yield* call({ [target]: { code: reader, state: stored } }), `0x${word(7)}`)
        assert.strictEqual(yield* call({ [target]: { code: reader } }), `0x${word(0)}`)
        assert.strictEqual(yield* call(null), "0x")
        const both = { [target]: { state: stored, stateDiff: stored } }
        for (const method of ["call", "estimateGas", "createAccessList"]) {
          const args = { to: target, input: "0x01" }
          const failure = yield* Rpc.failure(`${namespace}_${method}`, args, "latest", both)
          assert.strictEqual(failure.message, `account ${target} has both 'state' and 'stateDiff'`)
        }
        const spend = { from: miner, to: target, value: "0x5" }
        assert.match((yield* Rpc.failure(`${namespace}_estimateGas`, spend)).message, /insufficient balance/)
        assert.strictEqual(
          yield* Rpc.call(`${namespace}_estimateGas`, spend, "latest", { [miner]: { balance: "0x5" } }),
          "0x5208"
        )
        const list = yield* Rpc.object(`${namespace}_createAccessList`, { from: miner, to: target }, "latest", {
          [target]: { code: reader },
          // Twice the base fee for all gas that a call may have.
          [miner]: { balance: "0xad78ebc5ac6200000" }
        })
        assert.deepStrictEqual(list["accessList"], [{ address: target, storageKeys: [slot] }])
      })
  )

  it.effect.each(["klay", "eth"])("of %s runs in another block", (namespace) =>
    Effect.gen(function*() {
      const accounts = { [target]: { code: block } }
      const fields = {
        number: "0x7",
        time: "0x8",
        feeRecipient: miner,
        gasLimit: "0x9",
        baseFeePerGas: "0xa",
        prevRandao: `0x${word(11)}`,
        difficulty: "0x1",
        blobBaseFee: "0x1"
      }
      const expected = `0x${[7, 8, BigInt(miner), 9, 10, 11].map(word).join("")}`
      const call = (overrides: unknown) => Rpc.call(`${namespace}_call`, { to: target }, "latest", accounts, overrides)
      assert.strictEqual(yield* call(fields), expected)
      const { baseFeePerGas, feeRecipient, prevRandao, ...rest } = fields
      assert.strictEqual(
        yield* call({ ...rest, baseFee: baseFeePerGas, coinbase: feeRecipient, random: prevRandao }),
        expected
      )
      assert.notStrictEqual(yield* call({}), expected)
      assert.deepStrictEqual(
        yield* Rpc.failure(`${namespace}_call`, { to: target }, "latest", accounts, { number: 7 }),
        {
          code: -32602,
          message:
            "invalid argument 3: json: cannot unmarshal non-string into Go struct field BlockOverrides.number of type *hexutil.Big"
        }
      )
    }))

  it.effect("names a fee payer, who has the funds for its gas", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const { address } = chains.account("alice")
      // As in a node, who names a price has to have coin.
      const args = { from: chains.account("bob").address, to: target, gas: "0x5208", gasPrice: "0x5d21dba00" }
      for (const method of ["klay_call", "kaia_estimateGas"]) {
        yield* Rpc.call(method, { ...args, feePayer: address }, "latest")
        assert.deepStrictEqual(yield* Rpc.failure(method, { ...args, feePayer: miner }, "latest"), {
          code: -32000,
          message: "insufficient funds of the fee payer for gas * price"
        })
        yield* Rpc.call(method, { ...args, feePayer: miner }, "latest", { [miner]: { balance: `0x${"f".repeat(20)}` } })
      }
    }))
})
