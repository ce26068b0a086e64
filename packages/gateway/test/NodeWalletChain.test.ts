import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import { WalletRefused } from "@effect-klaytn/custody/CustodyError"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import corpus from "../../indexer/test/corpus/blobs-2.2.1.json" with { type: "json" }
import * as records from "../../node/test/golden/records.js"
import * as NodeWalletChain from "../src/NodeWalletChain.js"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const tagOf = ({ _tag }: { readonly _tag: string }): string => _tag

const unknown = `0x${"ab".repeat(32)}` as const

/** The chain of a node that a test can break. */
const chainOf = (proxy: world.Proxy) =>
  KlaytnNode.make().pipe(
    Effect.provideServiceEffect(ClientConfig.ClientConfig, OwnNode.make({ url: proxy.url, chain: world.chain })),
    Effect.provide(FetchHttpClient.layer),
    Effect.flatMap((client) => NodeWalletChain.make(client, world.chain))
  )

/** The node has nothing, and refuses each transaction. */
const refuseSends = (proxy: world.Proxy, refusal: { readonly code: number; readonly message: string }) => {
  proxy.answer = ({ body }, response) => {
    const asked: Call | ReadonlyArray<Call> = JSON.parse(body)
    const answers = [asked].flat().map(({ id, method }) => ({
      jsonrpc: "2.0",
      id,
      ...(method === "klay_sendRawTransaction"
        ? { error: refusal }
        : { result: method === "klay_chainID" ? `0x${world.chain.toString(16)}` : null })
    }))
    response.writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  }
}

/** The node has no receipt from now on. */
const hideReceipts = (proxy: world.Proxy) => {
  proxy.answer = ({ body }, response) => {
    const asked: Call | ReadonlyArray<Call> = JSON.parse(body)
    const hide = (call: Call): Call =>
      call.method.endsWith("_getTransactionReceipt") ? { ...call, params: [unknown] } : call
    proxy.passOn(JSON.stringify("method" in asked ? hide(asked) : asked.map(hide)), response)
  }
}

/** A node of which some answers about accounts are those of a copy that has the state of the first block only. */
const lagging = Effect.gen(function*() {
  const sandbox = yield* world.sandbox
  const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
  const old = { isAsked: () => false, height: 0 }
  const rewrite = ({ id, method, params }: Call): Call =>
    method.endsWith("_getAccount") && old.isAsked() ?
      { id, method, params: [params[0], `0x${old.height.toString(16)}`] } :
      { id, method, params }
  proxy.answer = ({ body }, response) => {
    const asked: Call | ReadonlyArray<Call> = JSON.parse(body)
    const sent = [asked].flat().map((call) => rewrite(call))
    proxy.passOn(JSON.stringify(Array.isArray(asked) ? sent : sent[0]), response)
  }
  return { chain: sandbox.chains.chain(world.chain), proxy, old }
})

describe("a transaction as the wallet shows it", () => {
  const alice = `0x${"a1".repeat(20)}`
  const hash = `0x${"ab".repeat(32)}` as const
  const shown = (receipt: object) => {
    const answers: Readonly<Record<string, unknown>> = {
      klay_getTransactionReceipt: {
        transactionHash: hash,
        senderTxHash: hash,
        type: "TxTypeValueTransfer",
        typeInt: 8,
        from: alice,
        to: alice,
        value: "0x1",
        nonce: "0x1",
        gas: "0x5208",
        gasUsed: "0x5208",
        signatures: [],
        blockHash: unknown,
        blockNumber: "0x5",
        transactionIndex: "0x0",
        status: "0x1",
        logs: [],
        ...receipt
      },
      klay_chainID: `0x${world.chain.toString(16)}`,
      klay_getRawTransactionByHash: "0x08",
      klay_getBlockByNumber: {
        number: "0x5",
        hash: unknown,
        parentHash: unknown,
        timestamp: "0x65000000",
        gasUsed: "0x5208",
        stateRoot: unknown,
        transactionsRoot: unknown,
        receiptsRoot: unknown,
        extraData: "0x",
        size: "0x1",
        transactions: []
      }
    }
    const node = KlaytnNode.layerTest((method) => Effect.succeed(answers[method] ?? null))
    return KlaytnNode.KlaytnNode.pipe(
      Effect.flatMap((client) => NodeWalletChain.make(client, world.chain)),
      Effect.flatMap((chain) => chain.transaction(hash)),
      Effect.provide(node)
    )
  }

  it.live("has the fee of its gas and of its blobs", () =>
    Effect.gen(function*() {
      const priced = { gasPrice: "0x32", effectiveGasPrice: "0x19" }
      assert.strictEqual(Option.getOrThrow(yield* shown(priced)).fee, 21_000n * 25n)
      const blobs = { ...priced, blobGasUsed: "0x20000", blobGasPrice: "0x2" }
      assert.strictEqual(Option.getOrThrow(yield* shown(blobs)).fee, 21_000n * 25n + 131_072n * 2n)
    }))

  it.live("has no fee of zero where the node names no price", () =>
    Effect.gen(function*() {
      assert.match((yield* Effect.flip(shown({}))).message, /it names no price of gas/)
    }))

  it.live("is not shown where the node does not say what its blobs cost", () =>
    Effect.gen(function*() {
      const priced = { gasPrice: "0x32", effectiveGasPrice: "0x19" }
      const [recorded] = corpus.kaia_getBlockReceipts
      assert.strictEqual(Option.getOrThrow(yield* shown({ ...recorded })).fee, BigInt(corpus.paid))
      const cases = [
        [{ ...recorded, blobGasUsed: undefined, blobGasPrice: undefined }, /it does not say what its blobs cost/],
        [{ blobGasUsed: "0x20000" }, /it does not say what its blobs cost/]
      ] as const
      for (const [receipt, problem] of cases) {
        assert.match((yield* Effect.flip(shown({ ...priced, ...receipt }))).message, problem)
      }
    }))

  it.live("is not believed with a number that no block can have", () =>
    Effect.gen(function*() {
      const priced = { gasPrice: "0x32", effectiveGasPrice: "0x19" }
      const failure = yield* Effect.flip(shown({ ...priced, blockNumber: `0x${(2n ** 60n).toString(16)}` }))
      assert.match(failure.message, /receipt with a number that can't be so/)
    }))
})

describe("a refusal of a node", () => {
  it.scopedLive("refuses the bytes only if it says that no copy of them can run", () =>
    Effect.gen(function*() {
      const proxy = yield* world.proxyOf("http://127.0.0.1:1")
      const refusal = { code: -32_000, message: "" }
      refuseSends(proxy, refusal)
      const { submitRaw } = yield* chainOf(proxy)
      const told = (code: number, message: string) =>
        Effect.map(
          Effect.flip(Effect.zipRight(Effect.sync(() => Object.assign(refusal, { code, message })), submitRaw("0x01"))),
          tagOf
        )
      assert.deepStrictEqual(
        [
          yield* told(-32_000, `known transaction: ${unknown.slice(2)}`),
          yield* told(-32_000, "nonce too low"),
          yield* told(-32_601, "the method klay_sendRawTransaction does not exist/is not available"),
          yield* told(-32_000, "insufficient funds of the sender for value ")
        ],
        ["NodeFailure", "NodeFailure", "NodeFailure", "TransactionRejected"]
      )
    }))

  it.scopedLive("gives the bytes once, after its last check, however the node answers", () =>
    Effect.gen(function*() {
      const proxy = yield* world.proxyOf("http://127.0.0.1:1")
      const sends = () => proxy.seen.filter(({ body }) => body.includes("sendRawTransaction")).length
      refuseSends(proxy, { code: -32_000, message: "" })
      const { answer } = proxy
      proxy.answer = (seen, response) =>
        seen.body.includes("sendRawTransaction") ? void response.destroy() : answer?.(seen, response)
      const { submitRaw } = yield* chainOf(proxy)
      const seen: Array<number> = []
      yield* Effect.flip(submitRaw("0x01", Effect.sync(() => seen.push(sends()))))
      assert.deepStrictEqual([seen, sends()], [[0], 1])
      const refused = new WalletRefused({ reason: "frozen", message: "the wallet is frozen" })
      assert.strictEqual(yield* Effect.flip(submitRaw("0x01", refused)), refused)
      assert.strictEqual(sends(), 1)
    }))
})

describe("the chain of a node that is on another chain", () => {
  it.live("gives and takes nothing", () =>
    Effect.gen(function*() {
      const methods = new Set<string>()
      const chain = yield* KlaytnNode.KlaytnNode.pipe(
        Effect.flatMap((node) => NodeWalletChain.make(node, world.chain)),
        Effect.provide(KlaytnNode.layerTest((method) => Effect.sync(() => (methods.add(method), "0x2019"))))
      )
      const address = `0x${"a1".repeat(20)}` as const
      const asked: Record<string, Effect.Effect<unknown, { readonly message: string }>> = {
        unitPrice: chain.unitPrice,
        genesisTime: chain.genesisTime,
        prices: chain.prices,
        blockTime: chain.blockTime,
        account: chain.account(address),
        hasCode: chain.hasCode(address),
        pendingNonce: chain.pendingNonce(address),
        transaction: chain.transaction(unknown),
        pendingTransaction: chain.pendingTransaction(unknown),
        logsOf: chain.logsOf(unknown),
        call: chain.call({ from: address, to: address, gas: 1n, value: 0n, data: "0x" }),
        submitRaw: chain.submitRaw("0x01"),
        verdict: chain.verdict({ account: address, nonce: 0n, hash: unknown, senderHash: unknown })
      }
      for (const [name, effect] of Object.entries(asked)) {
        const failure = yield* Effect.flip(effect)
        assert.include(failure.message, "the node is on chain 8217, and the wallet on chain 1001", name)
      }
      assert.deepStrictEqual([...methods], ["klay_chainID"])
    }))
})

describe("the chain of a node that names a height far above the one before", () => {
  it.live("reads nothing there", () =>
    Effect.gen(function*() {
      const blocks = new Set<unknown>()
      const node = { height: 5 }
      const answers = (method: string, params: ReadonlyArray<unknown>) => {
        if (method === "klay_chainID") return `0x${world.chain.toString(16)}`
        if (method === "klay_blockNumber") return `0x${node.height.toString(16)}`
        blocks.add(params[1])
        return "0x"
      }
      const chain = yield* KlaytnNode.KlaytnNode.pipe(
        Effect.flatMap((client) => NodeWalletChain.make(client, world.chain)),
        Effect.provide(KlaytnNode.layerTest((method, params) => Effect.sync(() => answers(method, params))))
      )
      const read = chain.hasCode(`0x${"a1".repeat(20)}`)
      assert.isFalse(yield* read)
      node.height = 1_000_006
      yield* Effect.sleep("60 millis")
      assert.match((yield* Effect.flip(read)).message, /blockNumber with a number that can't be so: 1000006/)
      assert.deepStrictEqual([...blocks], ["0x5"])
    }))
})

describe("the chain of a node with a block that has a transaction which failed", () => {
  it.live("says that the transaction ran: its nonce is used, and its fee is paid", () =>
    Effect.gen(function*() {
      const account = `0x${"a1".repeat(20)}` as const
      const receipt = { ...records.receipt(records.transfer), status: "0x0", txError: "0x9", logs: [] }
      const answers: Readonly<Record<string, unknown>> = {
        klay_chainID: `0x${world.chain.toString(16)}`,
        klay_getTransactionCount: "0x1",
        klay_getTransactionReceipt: receipt
      }
      const chain = yield* KlaytnNode.KlaytnNode.pipe(
        Effect.flatMap((client) => NodeWalletChain.make(client, world.chain)),
        Effect.provide(KlaytnNode.layerTest((method) => Effect.sync(() => answers[method])))
      )
      const verdict = yield* chain.verdict({ account, nonce: 0n, hash: unknown, senderHash: unknown })
      assert.deepStrictEqual(verdict, { _tag: "mined" })
    }))
})

describe("the chain of a node with copies that lag", () => {
  it.scopedLive("shows a key that the wallet has changed, though some copies have the key before", () =>
    Effect.gen(function*() {
      const { chain, old, proxy } = yield* lagging
      const { ask } = yield* open(yield* world.file("index.db"), proxy.url)
      const { body: { address } } = yield* ask("POST", "/v2/account", {})
      const { body: { publicKey } } = yield* ask("POST", "/v2/account", {})
      yield* chain.fund(address, klay)
      old.height = (yield* chain.head).number
      const update = { from: address, accountKey: { keyType: 2, key: publicKey }, submit: true }
      const updated = yield* ask("PUT", "/v2/tx/account", update)
      assert.strictEqual(updated.status, 200, updated.text)
      let answers = 0
      old.isAsked = () => answers++ < 3
      const shown = yield* ask("GET", `/v2/account/${address}`)
      assert.deepStrictEqual([shown.status, shown.body.code], [400, 1065102])
      assert.isAbove(answers, 3)
    }))
  it.scopedLive("says that a send can't run only if it has read the transaction that has its nonce", () =>
    Effect.gen(function*() {
      const { chain, proxy } = yield* lagging
      const { ask } = yield* open(yield* world.file("index.db"), proxy.url)
      const { body: { address } } = yield* ask("POST", "/v2/account", {})
      yield* chain.fund(address, klay)
      const sent = yield* ask("POST", "/v2/tx/value", { from: address, to: address, value: "0x1", submit: true })
      assert.strictEqual(sent.status, 200, sent.text)
      const client = yield* KlaytnNode.make().pipe(
        Effect.provideServiceEffect(
          ClientConfig.ClientConfig,
          OwnNode.make({ url: proxy.url, chain: world.chain })
        ),
        Effect.provide(FetchHttpClient.layer)
      )
      const { verdict } = yield* NodeWalletChain.make(client, world.chain)
      const own = {
        account: address,
        nonce: 0n,
        hash: sent.body.transactionHash,
        senderHash: sent.body.transactionHash
      }
      const other = { ...own, hash: unknown, senderHash: unknown }
      const withOtherFeePayer = { ...own, hash: unknown }
      const later = { ...other, nonce: 1n }
      assert.deepStrictEqual(
        yield* Effect.forEach([own, other, withOtherFeePayer, later], (send) => Effect.map(verdict(send), tagOf)),
        ["mined", "replaced", "mined", "open"]
      )
      // Counts are those of a copy that is ahead, receipts those of one that is behind.
      hideReceipts(proxy)
      assert.deepStrictEqual(
        yield* Effect.forEach([own, other, withOtherFeePayer, later], (send) => Effect.map(verdict(send), tagOf)),
        ["open", "replaced", "open", "open"]
      )
    }))
})

describe("the chain of a node that answers what cannot be", () => {
  const far = `0x${(2n ** 60n).toString(16)}`

  it.scopedLive(
    "fails for such a number of a block and such a time, and goes on with the next answer",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* world.sandbox
        const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
        const { ask } = yield* open(yield* world.file("index.db"), proxy.url)
        const { body: { address } } = yield* ask("POST", "/v2/account", {})
        yield* sandbox.chains.chain(world.chain).fund(address, klay)
        const sent = yield* ask("POST", "/v2/tx/value", { from: address, to: address, value: "0x1", submit: true })
        assert.strictEqual(sent.status, 200, sent.text)
        const looked = ask("GET", `/v2/tx/${sent.body.transactionHash}`)
        yield* world.until(Effect.map(looked, ({ body }) => body.status === "Committed"))
        const signed = ask("POST", "/v2/tx/value", { from: address, to: address, value: "0x1", submit: false })
        const lie = (isAsked: (method: string) => boolean, change: (result: unknown) => unknown) => {
          proxy.answer = ({ body }, response) => {
            const asked: Call | ReadonlyArray<Call> = JSON.parse(body)
            void fetch(proxy.target, { method: "POST", body, headers: { "content-type": "application/json" } })
              .then(async (answer) => {
                // The answers to a batch come in its order.
                const answers: ReadonlyArray<{ readonly result: unknown }> = [JSON.parse(await answer.text())].flat()
                const changed = answers.map((one, at) =>
                  isAsked([asked].flat()[at]?.method ?? "") ? { ...one, result: change(one.result) } : one
                )
                response.writeHead(200, { "content-type": "application/json" })
                  .end(JSON.stringify(Array.isArray(asked) ? changed : changed[0]))
              })
              .catch(() => response.destroy())
          }
        }
        const field = (name: string) => (result: unknown) =>
          typeof result === "object" && result !== null ? { ...result, [name]: far } : result
        const lies = [
          [(method: string) => method.endsWith("_getBlockByNumber"), field("timestamp")],
          [(method: string) => method.endsWith("_getTransactionReceipt"), field("blockNumber")],
          [(method: string) => method.endsWith("_blockNumber"), () => far]
        ] as const
        for (const [isAsked, change] of lies) {
          lie(isAsked, change)
          // Requests of a moment share one look.
          yield* Effect.sleep("100 millis")
          const { body, status } = yield* isAsked("klay_blockNumber") ? signed : looked
          assert.notStrictEqual(status, 200, JSON.stringify(body))
          proxy.answer = undefined
          assert.strictEqual((yield* looked).body.status, "Committed")
          assert.strictEqual((yield* signed).status, 200)
        }
        // The schema of a block refuses such a time before.
        assert.isAtLeast((yield* ask("GET", "/status")).body.wallet.impossibleAnswers, 2)
        assert.isAtMost((yield* ask("GET", "/status")).body.node.head, 2 ** 38)
      }),
    60_000
  )
})
