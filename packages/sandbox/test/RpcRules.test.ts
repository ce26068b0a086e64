import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { crc32 } from "node:zlib"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"

const options = { seed: "rules", clock: { start: 1_600_000_000, step: 1 } } as const

layer(Sandbox.layer(options), { excludeTestServices: true })("The rules of a chain", (it) => {
  it.effect("are told for any block, also one to come, and in the form of EIP-7910", () =>
    Effect.gen(function*() {
      const config = yield* Rpc.object("klay_getChainConfig", "0x0")
      assert.deepStrictEqual(config, yield* Rpc.object("kaia_getChainConfig"))
      assert.deepInclude(config, { chainId: 1001, pragueCompatibleBlock: 0, deriveShaImpl: 2 })
      assert.deepStrictEqual(yield* Rpc.object("klay_getChainConfig", "0x99"), config)
      assert.deepStrictEqual(yield* Rpc.object("klay_getParams", "0x99"), yield* Rpc.object("klay_getParams", "0x0"))
      assert.strictEqual(
        (yield* Rpc.failure("klay_forkStatus", "0x99")).message,
        "the block does not exist (block number: 153)"
      )
      const { current } = (yield* Rpc.object("eth_config")) as {
        readonly current: {
          readonly activationBlock: number
          readonly chainId: string
          readonly forkId: string
          readonly precompiles: Record<string, string>
        }
      }
      const { hash } = yield* Rpc.object("eth_getBlockByNumber", "0x0", false)
      const sum = crc32(Buffer.from(`${hash}`.slice(2), "hex")).toString(16).padStart(8, "0")
      assert.deepInclude(current, { activationBlock: 0, chainId: "0x3e9", forkId: `0x${sum}` })
      assert.strictEqual(current.precompiles["P256VERIFY"], `0x${"100".padStart(40, "0")}`)
      assert.strictEqual(current.precompiles["VALIDATE_SENDER"], `0x${"3ff".padStart(40, "0")}`)
    }))

  it.effect("have a price for blobs, in the history of fees too", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Rpc.call("eth_blobBaseFee"), "0x2e90edd000")
      assert.deepStrictEqual(yield* Rpc.call("eth_feeHistory", "0x1", "latest", []), {
        oldestBlock: "0x0",
        baseFeePerGas: ["0x5d21dba00", "0x5d21dba00"],
        blobBaseFeePerGas: ["0x2e90edd000", "0x2e90edd000"],
        gasUsedRatio: [0]
      })
      const call = { to: `0x${"11".repeat(20)}` }
      assert.strictEqual(
        yield* Rpc.call("eth_estimateComputationCost", call, "latest"),
        yield* Rpc.call("klay_estimateComputationCost", call, "latest")
      )
    }))
})

describe("Older rules", () => {
  it.effect("have neither blobs nor later upgrades", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { address } = (yield* Sandbox.Sandbox).chains.account("alice")
        assert.notProperty(yield* Rpc.object("klay_getChainConfig"), "pragueCompatibleBlock")
        assert.deepInclude(yield* Rpc.object("kaia_forkStatus", "latest"), {
          ChainID: 1001,
          IsCancun: true,
          IsPrague: false,
          IsOsaka: false
        })
        assert.strictEqual(yield* Rpc.call("eth_blobBaseFee"), "0x0")
        assert.notProperty(yield* Rpc.object("eth_feeHistory", 1, "latest", []), "blobBaseFeePerGas")
        const { account } = yield* Rpc.object("klay_getAccount", address, "latest")
        assert.isObject(account)
        assert.notProperty(account, "codeHash")
        const { current } = yield* Rpc.object("eth_config")
        assert.deepNestedInclude({ current }, { "current.systemContracts": {} })
      }),
      Sandbox.layer({ ...options, hardfork: "cancun" })
    ))
})
