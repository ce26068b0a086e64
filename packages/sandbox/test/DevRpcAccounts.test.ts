import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PersonalMessage from "ox/PersonalMessage"
import * as Secp256k1 from "ox/Secp256k1"
import * as Signature from "ox/Signature"
import * as TypedData from "ox/TypedData"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const sandbox = Sandbox.layer({ seed: "devRpc accounts", clock: { start: 1_600_000_000, step: 1 } })
const whale = `0x${"77".repeat(20)}`
const to = `0x${"78".repeat(20)}`

const signerOf = (payload: `0x${string}`, signature: string) =>
  Secp256k1.recoverAddress({ payload, signature: Signature.fromHex(signature as `0x${string}`) }).toLowerCase()

layer(sandbox, { excludeTestServices: true })("A development account", (it) => {
  it.effect("sends each of Ethereum's types, filled in and signed with its key", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const from = chains.account("alice").address
      assert.include(yield* DevRpc.texts("eth_accounts"), from)
      const forms = [
        [{}, "0x2"],
        [{ gasPrice: "0x5d21dba00" }, "0x0"],
        [{ gasPrice: "0x5d21dba00", accessList: [{ address: to, storageKeys: [] }] }, "0x1"],
        [{ type: "0x0" }, "0x0"],
        [{ type: "0x2", gasPrice: "0xba43b7400" }, "0x2"],
        [{ maxFeePerGas: "0xba43b7400", maxPriorityFeePerGas: "0x1" }, "0x2"]
      ] as const
      for (const [index, [fields, type]] of forms.entries()) {
        const hash = yield* DevRpc.text("eth_sendTransaction", { from, to, value: "0x5", ...fields })
        const receipt = yield* DevRpc.object("eth_getTransactionReceipt", hash)
        assert.include(receipt, { status: "0x1", from, to, type })
        const raw = yield* DevRpc.text("eth_getRawTransactionByHash", hash)
        assert.strictEqual(
          yield* DevRpc.call("klay_recoverFromTransaction", type === "0x0" ? raw : `0x78${raw.slice(2)}`, "latest"),
          from
        )
        assert.strictEqual(Number(yield* DevRpc.text("eth_getBalance", to, "latest")), 5 * (index + 1))
      }
    }))

  it.effect("hears why a transaction would fail, before it is sent", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const from = chains.account("bob").address
      // Reverts with "no": PUSH the error's bytes and REVERT.
      const words = `08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`
      const code = `0x${
        Array.from({ length: 4 }, (_, index) =>
          `7f${words.slice(64 * index, 64 * index + 64).padEnd(64, "0")}60${
            (32 * index).toString(16).padStart(2, "0")
          }52`).join("")
      }60645ffd`
      yield* DevRpc.call("hardhat_setCode", whale, code)
      const reverted = yield* DevRpc.failure("eth_sendTransaction", { from, to: whale })
      assert.deepStrictEqual([reverted.code, reverted.message], [3, "execution reverted: no"])
      const poor = yield* DevRpc.failure("eth_sendTransaction", {
        from,
        to,
        value: `0x${"f".repeat(40)}`,
        gas: "0x5208"
      })
      assert.deepStrictEqual([poor.code, poor.message], [-32000, "insufficient funds of the sender for value "])
      const nonce = yield* DevRpc.failure("eth_sendTransaction", { from, to, chainId: "0x1" })
      assert.deepStrictEqual([nonce.code, nonce.message], [-32000, "chainId does not match node's (have=1, want=1001)"])
      assert.strictEqual(yield* DevRpc.call("eth_getTransactionCount", from, "latest"), "0x0")
    }))

  it.effect("signs messages and typed data", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const from = chains.account("carol").address
      const digest = PersonalMessage.getSignPayload("0x6869")
      assert.strictEqual(signerOf(digest, yield* DevRpc.text("personal_sign", "0x6869", from)), from)
      assert.strictEqual(signerOf(digest, yield* DevRpc.text("eth_sign", from, "0x6869")), from)
      const typed = {
        domain: { name: "Shop", chainId: 1001 },
        types: { Mail: [{ name: "amount", type: "uint256" }, { name: "text", type: "string" }] },
        primaryType: "Mail",
        message: { amount: "1000000000000000000000", text: "hello" }
      } as const
      const payload = TypedData.getSignPayload({ ...typed, message: { ...typed.message, amount: 10n ** 21n } })
      for (const given of [typed, JSON.stringify(typed)]) {
        assert.strictEqual(signerOf(payload, yield* DevRpc.text("eth_signTypedData_v4", from, given)), from)
      }
      for (const given of ["{", {}, null, 5, { ...typed, types: {} }]) {
        assert.strictEqual((yield* DevRpc.failure("eth_signTypedData_v4", from, given)).code, -32602)
      }
    }))
})

layer(sandbox, { excludeTestServices: true })("An address without a key", (it) => {
  it.effect("sends while it is impersonated, also if it is a contract, and not before or after", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setBalance", whale, "0x56bc75e2d63100000")
      yield* DevRpc.call("hardhat_setCode", whale, "0x00")
      const send = { from: whale, to, value: "0x7" }
      assert.match((yield* DevRpc.failure("eth_sendTransaction", send)).message, /^unknown account/)
      yield* DevRpc.call("hardhat_impersonateAccount", whale)
      const hash = yield* DevRpc.text("eth_sendTransaction", send)
      assert.include(yield* DevRpc.object("eth_getTransactionByHash", hash), { from: whale, to, value: "0x7" })
      assert.include(yield* DevRpc.object("eth_getTransactionReceipt", hash), { from: whale, status: "0x1" })
      assert.strictEqual(yield* DevRpc.call("eth_getTransactionCount", whale, "latest"), "0x1")
      assert.strictEqual(yield* DevRpc.call("eth_getBalance", to, "latest"), "0x7")
      yield* DevRpc.call("hardhat_stopImpersonatingAccount", whale)
      yield* DevRpc.failure("eth_sendTransaction", send)
      yield* DevRpc.call("anvil_autoImpersonateAccount", true)
      yield* DevRpc.call("eth_sendTransaction", send)
      yield* DevRpc.call("anvil_autoImpersonateAccount", false)
      yield* DevRpc.failure("eth_sendTransaction", send)
      for (
        const [name, ...params] of [["personal_sign", "0x00", whale], ["eth_signTransaction", {
          ...send,
          gas: "0x5208",
          gasPrice: "0x5d21dba00",
          nonce: "0x0"
        }]] as const
      ) {
        assert.match((yield* DevRpc.failure(name, ...params)).message, /^unknown account/)
      }
    }))

  it.effect("can send the same again and again, and from several addresses at once", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("anvil_autoImpersonateAccount", true)
      yield* DevRpc.call("evm_setAutomine", false)
      const hashes = new Set<string>()
      for (const digit of ["1", "2", "3"]) {
        const from = `0x${digit.repeat(40)}`
        yield* DevRpc.call("hardhat_setBalance", from, "0x56bc75e2d63100000")
        for (let times = 0; times < 2; times++) {
          hashes.add(yield* DevRpc.text("eth_sendTransaction", { from, to, value: "0x1" }))
        }
      }
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(hashes.size, 6)
      for (const hash of hashes) {
        assert.include(yield* DevRpc.object("eth_getTransactionReceipt", hash), { status: "0x1" })
      }
    }))
})
