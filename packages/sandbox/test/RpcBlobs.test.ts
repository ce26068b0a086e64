import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  blobTransaction,
  digestOf,
  hash as versionedHash,
  rawOf,
  sidecar
} from "../../local-chain/test/support/blobs.js"
import { BlobStore } from "../src/internal/store/BlobStore.js"
import { openStore } from "../src/internal/store/Store.js"
import * as Sandbox from "../src/Sandbox.js"
import * as Dev from "./support/devRpc.js"
import * as Rpc from "./support/rpc.js"

const alice = DevAccount.derive("blobs", "alice")

const options = { seed: "blobs", mining: "manual", clock: { start: 1_600_000_000, step: 1 } } as const

const hashOf = (transaction: Transaction.Transaction): Hex => {
  const found = Transaction.hash(transaction)
  assert(found.ok)
  return found.value
}

const fund = Effect.flatMap(
  Sandbox.Sandbox,
  ({ chains }) => chains.chain(1001).edit(alice.address, { balance: 10n ** 22n })
)

/** The blobs of an answer in short. */
const shown = (answer: unknown) => {
  const { blobSidecar, ...place } = answer as { readonly blobSidecar: typeof sidecar }
  return { place, digest: digestOf(blobSidecar) }
}

const short = { ...sidecar, blobs: sidecar.blobs.map((blob): Hex => `0x${blob.slice(2, 66)}`) }

describe("A transaction with blobs", () => {
  it.effect("has in every form what a node shows of it", () =>
    Effect.provide(
      Effect.gen(function*() {
        yield* fund
        const sent = blobTransaction(alice, 0)
        const hash = hashOf(sent)
        const raw = rawOf(sent)
        const bare = rawOf(Transaction.withoutSidecar(sent))
        assert.strictEqual(yield* Rpc.call("klay_sendRawTransaction", raw), hash)
        assert.isTrue((yield* Rpc.call("klay_getRawTransactionByHash", hash)) === raw)
        assert.strictEqual(
          (yield* Dev.failure("eth_getBlobSidecarByTxHash", hash, true)).message,
          `transaction not found: ${hash}`
        )
        const fields = {
          maxFeePerBlobGas: "0x38d7ea4c68000",
          blobVersionedHashes: [versionedHash],
          maxFeePerGas: "0x174876e800",
          maxPriorityFeePerGas: "0x3b9aca00",
          accessList: []
        }
        const paid = { blobGasUsed: "0x20000", blobGasPrice: "0x2e90edd000" }
        assert.deepInclude(yield* Rpc.object("eth_getTransactionByHash", hash), {
          ...fields,
          type: "0x3",
          blockHash: null
        })
        yield* Dev.call("evm_mine")
        const klay = { ...fields, type: "TxTypeEthereumBlob", typeInt: 30_723 }
        assert.deepInclude(yield* Rpc.object("eth_getTransactionByHash", hash), { ...fields, type: "0x3" })
        assert.deepInclude(yield* Rpc.object("klay_getTransactionByHash", hash), klay)
        assert.deepInclude(yield* Rpc.object("klay_getTransactionReceipt", hash), { ...klay, ...paid, status: "0x1" })
        const receipt = yield* Rpc.object("eth_getTransactionReceipt", hash)
        assert.deepInclude(receipt, { ...paid, effectiveGasPrice: "0x60db88400", gasUsed: "0x5208", type: "0x3" })
        assert.strictEqual(yield* Rpc.call("klay_getRawTransactionByHash", hash), bare)
        assert.strictEqual(yield* Rpc.call("eth_getRawTransactionByHash", hash), `0x${bare.slice(4)}`)

        const blobGas = { blobGasUsed: "0x20000", excessBlobGas: "0x0" }
        for (
          const [method, ...params] of [
            ["eth_getBlockByNumber", "0x1", false],
            ["klay_getBlockByNumber", "0x1", true],
            ["eth_getHeaderByNumber", "0x1"],
            ["klay_getHeaderByNumber", "0x1"],
            ["klay_getBlockWithConsensusInfoByNumber", "0x1"]
          ] as const
        ) {
          assert.deepInclude(yield* Rpc.object(method, ...params), blobGas, method)
        }
        yield* Dev.call("evm_mine")
        assert.deepInclude(yield* Rpc.object("eth_getHeaderByNumber", "0x2"), {
          blobGasUsed: "0x0",
          excessBlobGas: "0x0"
        })
        assert.isTrue((yield* Dev.failure("eth_sendRawTransaction", `0x${raw.slice(4)}`)).message === "nonce too low")

        const place = { blockHash: receipt["blockHash"], blockNumber: "0x1", txHash: hash, txIndex: "0x0" }
        for (const [isWhole, expected] of [[true, sidecar], [false, short]] as const) {
          const answer = { place, digest: digestOf(expected) }
          const all = yield* Dev.call("eth_getBlobSidecars", "0x1", isWhole)
          assert.deepStrictEqual((all as ReadonlyArray<unknown>).map(shown), [answer])
          assert.deepStrictEqual(shown(yield* Dev.call("eth_getBlobSidecarByTxHash", hash, isWhole)), answer)
        }
        assert.deepStrictEqual(yield* Dev.call("eth_getBlobSidecars", "0x2", true), [])
        const refusals = [
          [["eth_getBlobSidecars", "pending", true], "pending block not supported"],
          [["eth_getBlobSidecars", "0x9", true], "the block does not exist (block number: 9)"],
          [["eth_getBlobSidecars", "0x1"], "missing value for required argument 1"]
        ] as const
        for (const [[method, ...params], message] of refusals) {
          assert.strictEqual((yield* Dev.failure(method, ...params)).message, message)
        }
      }),
      Sandbox.layer(options)
    ))

  it.scoped("is kept with its blobs in the file of a sandbox", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "blobs-"))),
        (dir) => Effect.sync(() => rmSync(dir, { recursive: true }))
      )
      const file = Sandbox.layer({ ...options, database: join(folder, "chain.db") })
      const [first, second] = [blobTransaction(alice, 0), blobTransaction(alice, 1)]
      yield* Effect.provide(
        Effect.gen(function*() {
          yield* fund
          for (const sent of [first, second]) yield* Rpc.call("klay_sendRawTransaction", rawOf(sent))
          yield* Dev.call("evm_mine")
        }),
        file
      )
      // The second one was waiting when the first sandbox ended.
      yield* Effect.provide(
        Effect.gen(function*() {
          yield* Dev.call("evm_mine")
          for (const [height, sent] of [["0x1", first], ["0x2", second]] as const) {
            const [kept] = (yield* Dev.call("eth_getBlobSidecars", height, true)) as ReadonlyArray<unknown>
            assert.strictEqual(shown(kept).digest, digestOf(sidecar))
            assert.include(shown(kept).place, { txHash: hashOf(sent) })
          }
        }),
        file
      )
    }))

  it("loses its blobs when 1,814,400 blocks came after its own", () => {
    const { close, driver } = openStore(":memory:")
    const store = new BlobStore(driver, 1001)
    const [old, later, newest] = ["0x01", "0x02", "0x03"] as const
    const sent = new Uint8Array([3, 192])
    store.write(10, new Map([[old, sent]]))
    store.write(11, new Map([[later, sent]]))
    store.write(1_814_410, new Map([[newest, sent]]))
    assert.deepStrictEqual([old, later, newest].map((hash) => store.get(hash)?.length), [undefined, 2, 2])
    close()
  })
})
