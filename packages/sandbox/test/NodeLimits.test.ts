import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as LogRange from "@effect-klaytn/node/LogRange"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Sandbox from "../src/Sandbox.js"
import * as Dev from "./support/devRpc.js"
import { contractOf } from "./support/nodeWorld.js"

const retry = RetryPolicy.make({ attempts: 2, baseDelay: "1 millis" })

/** The client of the node of a sandbox with these options. */
const world = (options: Sandbox.Options = {}) =>
  KlaytnNode.layer().pipe(
    Layer.provide(Sandbox.clientConfig(1001, { retry })),
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(Sandbox.layer({ mining: "manual", seed: "limits of a node", ...options }))
  )

const holder: Hex = `0x${"11".repeat(20)}`

describe("The limits of a node", () => {
  it.effect("are those of a full node for old states: the newest 128, and every 128th", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        yield* chain.fund(holder, 7n)
        yield* chain.mine(300)
        const { number } = yield* chain.head
        const node = yield* KlaytnNode.KlaytnNode
        for (const kept of [0, 128, 256, number - 127, number]) {
          assert.strictEqual(yield* node.klay.getBalance(holder, BigInt(kept)), kept === 0 ? 0n : 7n, `${kept}`)
        }
        for (const gone of [1, 127, 129, number - 128]) {
          const error = yield* Effect.flip(node.klay.getBalance(holder, BigInt(gone)))
          assert.strictEqual(error._tag, "StatePruned", `${gone}`)
          assert.match(error.message, /the node no longer has this state: missing trie node [0-9a-f]{64} \(path \)/)
        }
        const others = [
          Effect.flip(node.klay.call({ to: holder }, 1n)),
          Effect.flip(node.klay.getCode(holder, 1n)),
          Effect.flip(node.klay.getStorageAt(holder, 0n, 1n)),
          Effect.flip(node.klay.getAccount(holder, 1n)),
          Effect.flip(node.eth.getTransactionCount(holder, 1n))
        ]
        for (const error of yield* Effect.all(others)) assert.strictEqual(error._tag, "StatePruned")
        // For a trace, a node makes the state again that it has no more.
        const traced = yield* Dev.call(
          "debug_traceCall",
          { from: chain.faucet.address, to: holder, gas: "0x5208" },
          "0x1",
          {
            tracer: "callTracer"
          }
        )
        assert.deepInclude(traced, { type: "CALL", to: holder })
        // Blocks, receipts and logs are there for good.
        assert.strictEqual((yield* node.klay.getBlockByNumber(1n)).number, 1n)
      }),
      world({ oldState: "pruned" })
    ))

  it.effect("are none for old states unless they are asked for", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        yield* chains.chain(1001).fund(holder, 7n)
        yield* chains.chain(1001).mine(200)
        const node = yield* KlaytnNode.KlaytnNode
        assert.strictEqual(yield* node.klay.getBalance(holder, 1n), 7n)
      }),
      world()
    ))

  it.effect("are 10,000 logs in an answer: a block with more of them is read from its receipts", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        // PUSH2 10,001 JUMPDEST PUSH0 PUSH0 LOG0 PUSH1 1 SWAP1 SUB DUP1 PUSH1 3 JUMPI
        const code = contractOf("6127115b5f5fa0600190038060035700")
        const { contractAddress } = yield* chain.execute({ kind: "deploy", from: chains.account("alice"), code })
        const { blockNumber } = yield* chain.execute({
          kind: "execute",
          from: chains.account("alice"),
          to: contractAddress ?? assert.fail("it made no contract"),
          data: "0x",
          gas: 20_000_000n
        })
        const at = BigInt(blockNumber)
        const node = yield* KlaytnNode.KlaytnNode
        const error = yield* Effect.flip(node.klay.getLogs({ fromBlock: at, toBlock: at }))
        assert.strictEqual(error._tag, "LogLimitExceeded")
        assert.include(
          error.message,
          "or for the receipts of one that is too much alone: query returned more than 10000 results"
        )
        assert.strictEqual(yield* Stream.runCount(LogRange.logs({ fromBlock: 0n, toBlock: at })), 10_001)
      }),
      world()
    ))

  it.live("are the life of a connection: an estimate that outlives it is a failure of the transport", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { control } = yield* Sandbox.Sandbox
        const node = yield* KlaytnNode.KlaytnNode
        yield* control.addFault({
          operation: "node.klay_estimateGas",
          times: 100,
          action: { kind: "drop", when: "before", milliseconds: 50 }
        })
        const error = yield* Effect.flip(node.klay.estimateGas({ to: holder }))
        assert.strictEqual(error._tag, "TransportFailed")
        // What is asked beside it has its answer.
        const [, height] = yield* Effect.all([
          Effect.flip(node.klay.estimateGas({ to: holder })),
          node.klay.blockNumber()
        ], {
          concurrency: "unbounded"
        })
        assert.strictEqual(height, 0n)
      }),
      world()
    ))
})
