import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Method from "@effect-klaytn/node/Method"
import * as Methods from "@effect-klaytn/node/Methods"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { zeroAddress } from "@effect-klaytn/transaction/Hex"
import { typeInts } from "@effect-klaytn/transaction/TransactionType"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { methods } from "../src/internal/rpc/methods.js"
import * as Sandbox from "../src/Sandbox.js"
import {
  accessLists,
  accountOf,
  accounts,
  all,
  balanceOf,
  blocks,
  calls,
  type Check,
  computationCosts,
  each,
  equal,
  estimates,
  ethForm,
  fails,
  fullEth,
  fullKlay,
  hashesOnly,
  header,
  history,
  keyOf,
  klayBlock,
  klayForm,
  logs,
  nonceOf,
  rawOf,
  receiptsEth,
  receiptsKlay,
  same,
  sameEthReceipt,
  sameReceipt,
  submits,
  zeroHash
} from "./support/nodeComparisons.js"
import * as NodeWorld from "./support/nodeWorld.js"
import { signMessage } from "./support/signedMessage.js"

const sandbox = Sandbox.layer({ seed: "node client", clock: { start: 1_600_000_000, step: 1 } })
const retry = RetryPolicy.make({ attempts: 1 })
const client = KlaytnNode.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001, { retry })),
  Layer.provide(FetchHttpClient.layer)
)

/** The one validator proposes every block but that of genesis, and its transactions are shown with their receipts. */
const agreed = (block: NodeWorld.World["head"], world: NodeWorld.World) =>
  block.number === 0
    ? { hash: block.hash, proposer: zeroAddress }
    : {
      hash: block.hash,
      proposer: world.chain.validator,
      committee: [world.chain.validator],
      committers: [world.chain.validator],
      round: 0
    }

const agreedReceipts = (answer: ReadonlyArray<unknown>, records: ReadonlyArray<TransactionRecord>) =>
  assert.deepStrictEqual(
    answer.map((one) => {
      assert(Predicate.hasProperty(one, "transactionHash") && Predicate.hasProperty(one, "gasUsed"))
      return [one.transactionHash, one.gasUsed]
    }),
    records.map(({ gasUsed, hash }) => [hash, gasUsed])
  )

const checks: { readonly [call: string]: Check } = {
  "klay.accountCreated": accounts((n, a, b) => n.klay.accountCreated(a, b), Option.isSome),
  "klay.getAccount": accounts(
    (n, a, b) => n.klay.getAccount(a, b),
    (account, root) => Option.map(account, (found) => accountOf(found, root))
  ),
  "klay.getAccountKey": accounts((n, a, b) => n.klay.getAccountKey(a, b), Option.map(({ key }) => keyOf(key))),
  "klay.getBalance": accounts((n, a, b) => n.klay.getBalance(a, b), balanceOf),
  "klay.getTransactionCount": accounts((n, a, b) => n.klay.getTransactionCount(a, b), nonceOf),
  "klay.isContractAccount": accounts(
    (n, a, b) => n.klay.isContractAccount(a, b),
    Option.match({ onNone: () => false, onSome: ({ isContract }) => isContract })
  ),
  "klay.getCode": (n, { chain, empty }) =>
    Effect.flatMap(chain.code(empty), (code) => same(n.klay.getCode(empty), code)),
  "klay.getStorageAt": (n, { chain, token }) =>
    Effect.forEach(
      [0, 1, 2, 3],
      (slot) =>
        Effect.flatMap(chain.storageAt(token.address, BigInt(slot)), (word) =>
          same(n.klay.getStorageAt(token.address, BigInt(slot)), word))
    ),
  "klay.encodeAccountKey": (n, { chain, erin }) =>
    Effect.gen(function*() {
      const { key } = Option.getOrThrow(yield* chain.account(erin.address))
      const form = Option.getOrThrow(yield* n.klay.getAccountKey(erin.address))
      const encoded = AccountKey.encode(key)
      assert.isTrue(encoded.ok)
      yield* same(n.klay.encodeAccountKey(form), encoded.value)
    }),
  "klay.decodeAccountKey": (n, { chain, erin }) =>
    Effect.gen(function*() {
      const { key } = Option.getOrThrow(yield* chain.account(erin.address))
      const encoded = AccountKey.encode(key)
      assert.isTrue(encoded.ok)
      yield* same(n.klay.decodeAccountKey(encoded.value), keyOf(key))
    }),
  "klay.blockNumber": (n, { head }) => same(n.klay.blockNumber(), BigInt(head.number)),
  "klay.getBlockByNumber": blocks((n, { number }) => n.klay.getBlockByNumber(BigInt(number)), klayBlock, hashesOnly),
  "klay.getFullBlockByNumber": blocks(
    (n, { number }) => n.klay.getFullBlockByNumber(BigInt(number)),
    klayBlock,
    fullKlay
  ),
  "klay.getBlockByHash": blocks((n, { hash }) => n.klay.getBlockByHash(hash), klayBlock, hashesOnly),
  "klay.getFullBlockByHash": blocks((n, { hash }) => n.klay.getFullBlockByHash(hash), klayBlock, fullKlay),
  "klay.getHeaderByNumber": blocks((n, { number }) => n.klay.getHeaderByNumber(BigInt(number)), header),
  "klay.getHeaderByHash": blocks((n, { hash }) => n.klay.getHeaderByHash(hash), header),
  "klay.getBlockReceipts": blocks((n, { number }) => n.klay.getBlockReceipts(BigInt(number)), () => ({}), receiptsKlay),
  "klay.getBlockTransactionCountByNumber": (n, { head }) =>
    same(n.klay.getBlockTransactionCountByNumber("latest"), Option.some(BigInt(head.transactionCount))),
  "klay.getBlockTransactionCountByHash": (n, { head }) =>
    Effect.zip(
      same(n.klay.getBlockTransactionCountByHash(head.hash), Option.some(BigInt(head.transactionCount))),
      same(n.klay.getBlockTransactionCountByHash(zeroHash), Option.none())
    ),
  "klay.getBlockWithConsensusInfoByNumber": blocks(
    (n, { number }) => n.klay.getBlockWithConsensusInfoByNumber(BigInt(number)),
    agreed,
    agreedReceipts
  ),
  "klay.getBlockWithConsensusInfoByHash": blocks(
    (n, { hash }) => n.klay.getBlockWithConsensusInfoByHash(hash),
    agreed,
    agreedReceipts
  ),
  "klay.getCommittee": (n, { chain }) => same(n.klay.getCommittee(1n), [chain.validator]),
  "klay.getCommitteeSize": (n) => same(n.klay.getCommitteeSize(), 1),
  "klay.getCouncil": (n, { chain }) => same(n.klay.getCouncil(0n), [chain.validator]),
  "klay.getCouncilSize": (n) => same(n.klay.getCouncilSize(), 1),
  "klay.nodeAddress": (n, { chain }) => same(n.klay.nodeAddress(), chain.validator),
  "klay.getTransactionByHash": all((n, { hash }) => n.klay.getTransactionByHash(hash), klayForm),
  "klay.getTransactionBySenderTxHash": all(
    (n, { senderTxHash }) => n.klay.getTransactionBySenderTxHash(senderTxHash),
    klayForm
  ),
  "klay.getTransactionByBlockHashAndIndex": all(
    (n, { blockHash, transactionIndex }) => n.klay.getTransactionByBlockHashAndIndex(blockHash, transactionIndex),
    klayForm
  ),
  "klay.getTransactionByBlockNumberAndIndex": all(
    (n, { blockNumber, transactionIndex }) =>
      n.klay.getTransactionByBlockNumberAndIndex(BigInt(blockNumber), transactionIndex),
    klayForm
  ),
  "klay.getTransactionReceipt": all((n, { hash }) => n.klay.getTransactionReceipt(hash), sameReceipt),
  "klay.getTransactionReceiptBySenderTxHash": all(
    (n, { senderTxHash }) => n.klay.getTransactionReceiptBySenderTxHash(senderTxHash),
    sameReceipt
  ),
  "klay.getTransactionReceiptInCache": all((n, { hash }) => n.klay.getTransactionReceiptInCache(hash), sameReceipt),
  "klay.getRawTransactionByHash": each((n, record) =>
    same(n.klay.getRawTransactionByHash(record.hash), Option.some(rawOf(record)))
  ),
  "klay.getRawTransactionByBlockHashAndIndex": each((n, record) =>
    same(
      n.klay.getRawTransactionByBlockHashAndIndex(record.blockHash, record.transactionIndex),
      Option.some(rawOf(record))
    )
  ),
  "klay.getRawTransactionByBlockNumberAndIndex": each((n, record) =>
    same(
      n.klay.getRawTransactionByBlockNumberAndIndex(BigInt(record.blockNumber), record.transactionIndex),
      Option.some(rawOf(record))
    )
  ),
  "klay.getDecodedAnchoringTransactionByHash": (n, { records }) =>
    Effect.gen(function*() {
      const [good, bad] = records.filter(({ typeInt }) => typeInt >= 72 && typeInt <= 74)
      assert.isDefined(good)
      assert.isDefined(bad)
      yield* same(n.klay.getDecodedAnchoringTransactionByHash(good.hash), {
        blockHash: `0x${"11".repeat(32)}`,
        transactionsRoot: `0x${"22".repeat(32)}`,
        parentHash: `0x${"33".repeat(32)}`,
        receiptsRoot: `0x${"44".repeat(32)}`,
        stateRoot: `0x${"55".repeat(32)}`,
        blockNumber: 7n,
        blockCount: 8n,
        txCount: 9n
      })
      yield* fails(n.klay.getDecodedAnchoringTransactionByHash(bad.hash), "cannot be decoded")
      yield* fails(n.klay.getDecodedAnchoringTransactionByHash(zeroHash), "can't find the transaction")
    }),
  "klay.call": calls((n) => n.klay.call),
  "klay.estimateGas": estimates((n) => n.klay.estimateGas),
  "klay.estimateComputationCost": computationCosts((n) => n.klay.estimateComputationCost),
  "klay.createAccessList": accessLists((n) => n.klay.createAccessList),
  "klay.gasPrice": (n) => same(n.klay.gasPrice(), 27_500_000_000n),
  "klay.gasPriceAt": (n, { chain }) => same(n.klay.gasPriceAt(1n), chain.unitPrice),
  "klay.upperBoundGasPrice": (n) => same(n.klay.upperBoundGasPrice(), 750_000_000_000n),
  "klay.lowerBoundGasPrice": (n, { chain }) => same(n.klay.lowerBoundGasPrice(), chain.unitPrice),
  "klay.maxPriorityFeePerGas": (n) => same(n.klay.maxPriorityFeePerGas(), 0n),
  "klay.feeHistory": history((n) => n.klay.feeHistory),
  "klay.chainId": (n) => same(n.klay.chainId(), 1001n),
  "klay.clientVersion": (n) =>
    Effect.map(n.klay.clientVersion(), (version) => assert.match(version, /^effect-klaytn-sandbox\//)),
  "klay.protocolVersion": (n) => same(n.klay.protocolVersion(), 67n),
  "klay.syncing": (n) => same(n.klay.syncing(), false),
  "klay.sha3": (n) => same(n.klay.sha3("0x"), "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
  "klay.isParallelDBWrite": (n) => same(n.klay.isParallelDBWrite(), true),
  "klay.isSenderTxHashIndexingEnabled": (n) => same(n.klay.isSenderTxHashIndexingEnabled(), true),
  "klay.isConsoleLogEnabled": (n) => same(n.klay.isConsoleLogEnabled(), false),
  "klay.accounts": (n) => same(n.klay.accounts(), []),
  "klay.rewardbase": (n, { chain }) => same(n.klay.rewardbase(), chain.validator),
  "klay.forkStatus": (n) =>
    Effect.map(n.klay.forkStatus(1n), (status) => {
      assert.deepInclude(status, { IsKaia: true, IsPrague: true, IsOsaka: true, IsRandao: false })
    }),
  "klay.getChainConfig": (n, { chain }) =>
    Effect.map(n.klay.getChainConfig(), (config) => {
      assert.deepInclude(config, { chainId: 1001n, unitPrice: chain.unitPrice, osakaCompatibleBlock: 0 })
      assert.strictEqual(config.governance?.governingNode, chain.validator)
      assert.strictEqual(config.governance?.kip71?.lowerboundbasefee, chain.unitPrice)
    }),
  "klay.getParams": (n, { chain }) =>
    Effect.map(n.klay.getParams(), (found) => {
      assert.deepInclude(found, {
        "governance.unitprice": Number(chain.unitPrice),
        "kip71.gastarget": 30_000_000,
        "reward.mintingamount": "0",
        "istanbul.committeesize": 1
      })
    }),
  "klay.getLogs": logs((n) => n.klay.getLogs),
  // At the block before, whose keys it was signed with.
  "klay.recoverFromTransaction": each((n, record) =>
    Effect.zip(
      same(n.klay.recoverFromTransaction(rawOf(record), BigInt(record.blockNumber - 1)), record.from),
      same(n.klay.recoverFromTransaction(record.raw, BigInt(record.blockNumber - 1)), record.from)
    )
  ),
  "klay.recoverFromMessage": (n, { alice, bob, carol, erin }) =>
    Effect.forEach([[alice, alice], [erin, bob], [erin, carol]] as const, ([owner, signer]) =>
      same(
        n.klay.recoverFromMessage(owner.address, "0x6869", signMessage(signer, "0x6869", "Klaytn")),
        signer.address
      )),
  "klay.sendRawTransaction": submits((n, raw) => n.klay.sendRawTransaction(raw)),
  "klay.sendRawTransactions": submits((n, raw) => n.klay.sendRawTransactions([raw])),
  "eth.getBlockByNumber": blocks((n, { number }) => n.eth.getBlockByNumber(BigInt(number)), klayBlock, hashesOnly),
  "eth.getFullBlockByNumber": blocks((n, { number }) => n.eth.getFullBlockByNumber(BigInt(number)), klayBlock, fullEth),
  "eth.getBlockByHash": blocks((n, { hash }) => n.eth.getBlockByHash(hash), klayBlock, hashesOnly),
  "eth.getFullBlockByHash": blocks((n, { hash }) => n.eth.getFullBlockByHash(hash), klayBlock, fullEth),
  "eth.getHeaderByNumber": blocks((n, { number }) => n.eth.getHeaderByNumber(BigInt(number)), header),
  "eth.getHeaderByHash": blocks((n, { hash }) => n.eth.getHeaderByHash(hash), header),
  "eth.getBlockReceipts": blocks((n, { number }) => n.eth.getBlockReceipts(BigInt(number)), () => ({}), receiptsEth),
  "eth.getTransactionByHash": all((n, { hash }) => n.eth.getTransactionByHash(hash), ethForm),
  "eth.getTransactionByBlockHashAndIndex": all(
    (n, { blockHash, transactionIndex }) => n.eth.getTransactionByBlockHashAndIndex(blockHash, transactionIndex),
    ethForm
  ),
  "eth.getTransactionByBlockNumberAndIndex": all(
    (n, { blockNumber, transactionIndex }) =>
      n.eth.getTransactionByBlockNumberAndIndex(BigInt(blockNumber), transactionIndex),
    ethForm
  ),
  "eth.getTransactionReceipt": all((n, { hash }) => n.eth.getTransactionReceipt(hash), sameEthReceipt),
  "eth.call": calls((n) => n.eth.call),
  "eth.getBalance": accounts((n, a, b) => n.eth.getBalance(a, b), balanceOf),
  "eth.getCode": (n, { chain, token }) =>
    Effect.flatMap(chain.code(token.address), (code) => same(n.eth.getCode(token.address), code)),
  "eth.getStorageAt": (n, { chain, token }) =>
    Effect.flatMap(chain.storageAt(token.address, 2n), (word) => same(n.eth.getStorageAt(token.address, 2n), word)),
  "eth.getTransactionCount": accounts((n, a, b) => n.eth.getTransactionCount(a, b), nonceOf),
  "eth.blockNumber": (n, { head }) => same(n.eth.blockNumber(), BigInt(head.number)),
  "eth.getBlockTransactionCountByNumber": (n) =>
    Effect.zip(
      same(n.eth.getBlockTransactionCountByNumber(0n), Option.some(0n)),
      same(n.eth.getBlockTransactionCountByNumber(1_000_000n), Option.none())
    ),
  "eth.getBlockTransactionCountByHash": (n, { head }) =>
    same(n.eth.getBlockTransactionCountByHash(head.hash), Option.some(BigInt(head.transactionCount))),
  "eth.getRawTransactionByHash": each((n, { hash, raw }) =>
    same(n.eth.getRawTransactionByHash(hash), Option.some(raw))
  ),
  "eth.getRawTransactionByBlockHashAndIndex": each((n, { blockHash, raw, transactionIndex }) =>
    same(n.eth.getRawTransactionByBlockHashAndIndex(blockHash, transactionIndex), Option.some(raw))
  ),
  "eth.getRawTransactionByBlockNumberAndIndex": (n, { head }) =>
    same(n.eth.getRawTransactionByBlockNumberAndIndex(BigInt(head.number), 77), Option.none()),
  "eth.estimateGas": estimates((n) => n.eth.estimateGas),
  "eth.createAccessList": accessLists((n) => n.eth.createAccessList),
  "eth.gasPrice": (n) => same(n.eth.gasPrice(), 27_500_000_000n),
  "eth.upperBoundGasPrice": (n) => same(n.eth.upperBoundGasPrice(), 750_000_000_000n),
  "eth.lowerBoundGasPrice": (n, { chain }) => same(n.eth.lowerBoundGasPrice(), chain.unitPrice),
  "eth.maxPriorityFeePerGas": (n) => same(n.eth.maxPriorityFeePerGas(), 0n),
  "eth.feeHistory": history((n) => n.eth.feeHistory),
  "eth.chainId": (n) => same(n.eth.chainId(), 1001n),
  "eth.syncing": (n) => same(n.eth.syncing(), false),
  "eth.accounts": (n) => same(n.eth.accounts(), []),
  "eth.coinbase": (n, { chain }) => same(n.eth.coinbase(), chain.validator),
  "eth.etherbase": (n, { chain }) => same(n.eth.etherbase(), chain.validator),
  "eth.blobBaseFee": (n, { chain }) => same(n.eth.blobBaseFee(), 8n * chain.unitPrice),
  "eth.config": (n) =>
    Effect.map(n.eth.config(), ({ last, next }) => assert.deepStrictEqual([next, last], [null, null])),
  "eth.getLogs": logs((n) => n.eth.getLogs),
  "eth.sendRawTransaction": submits((n, raw) => n.eth.sendRawTransaction(raw)),
  "eth.getUncleByBlockNumberAndIndex": (n) => same(n.eth.getUncleByBlockNumberAndIndex(1n, 0), null),
  "eth.getUncleByBlockHashAndIndex": (n) => same(n.eth.getUncleByBlockHashAndIndex(zeroHash, 0n), null),
  "eth.getUncleCountByBlockNumber": (n) => same(n.eth.getUncleCountByBlockNumber(1n), Option.some(0n)),
  "eth.getUncleCountByBlockHash": (n) => same(n.eth.getUncleCountByBlockHash(zeroHash), Option.none()),
  "eth.mining": (n) => same(n.eth.mining(), false),
  "eth.hashrate": (n) => same(n.eth.hashrate(), 0n),
  "eth.getHashrate": (n) => same(n.eth.getHashrate(), 0n),
  "eth.getWork": (n) => fails(n.eth.getWork(), "no mining work available yet"),
  "eth.submitWork": (n) => same(n.eth.submitWork("0x0000000000000000", zeroHash, zeroHash), false),
  "eth.submitHashrate": (n) => same(n.eth.submitHashrate(1, zeroHash), false),
  "net.networkId": (n) => same(n.net.networkId(), 1001),
  "net.version": (n) => same(n.net.version(), "1001"),
  "net.listening": (n) => same(n.net.listening(), true),
  "net.peerCount": (n) => same(n.net.peerCount(), 0n),
  "net.peerCountByType": (n) => same(n.net.peerCountByType(), { total: 0 }),
  "web3.clientVersion": (n) =>
    Effect.map(n.web3.clientVersion(), (version) => assert.match(version, /^effect-klaytn-sandbox\//)),
  "web3.sha3": (n) => same(n.web3.sha3("0x00"), "0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a"),
  "rpc.modules": (n) =>
    same(n.rpc.modules(), { klay: "1.0", kaia: "1.0", eth: "1.0", net: "1.0", web3: "1.0", rpc: "1.0" })
}

const { eth, klay, net, rpc, web3 } = Methods

const functions = Object.entries({ klay, eth, net, web3, rpc }).flatMap(([namespace, group]) =>
  Object.entries<Method.Any>(group).map(([name, method]) => ({
    call: `${namespace}.${name}`,
    wire: Method.wireName(method)
  }))
)

describe("The SDK's client on the node side", () => {
  it("has a comparison for every served function of the SDK, and for no other", () => {
    const served = functions.filter(({ wire }) => methods.has(wire)).map(({ call }) => call)
    assert.deepStrictEqual(Object.keys(checks).toSorted(), served.toSorted())
  })

  it("serves every method under both names of the chain, and none that the SDK does not know", () => {
    const known = new Set(functions.map(({ wire }) => wire))
    const names = [...methods.keys()].map((name) => name.replace(/^kaia_/, "klay_"))
    assert.deepStrictEqual(names.filter((name) => !known.has(name)), [
      "klay_chainId",
      "klay_chainId",
      "eth_estimateComputationCost"
    ])
    for (const name of methods.keys()) {
      if (name.startsWith("klay_")) assert.isTrue(methods.has(name.replace("klay", "kaia")), name)
    }
  })
})

layer(Layer.provideMerge(client, sandbox), { excludeTestServices: true })("The SDK's client reads", (it) => {
  it.effect("the same as the engine says, by every function", () =>
    Effect.gen(function*() {
      const world = yield* NodeWorld.make
      const types = new Set(world.records.map(({ typeInt }) => typeInt))
      const missing = Object.values(typeInts).filter((type) => !types.has(type))
      // Account updates of the fee-delegated kinds, plain deployment and execution: the same code writes them. Transactions
      // with blobs and those that set code have tests of their own.
      assert.deepStrictEqual(missing, [33, 34, 50, 30723, 30724])
      const node = yield* KlaytnNode.KlaytnNode
      for (const [call, check] of Object.entries(checks)) {
        yield* Effect.match(check(node, world), {
          onFailure: (error) => assert.fail(`${call}: ${String(error)}`),
          onSuccess: () => undefined
        })
      }
    }))

  it.effect("nothing of what is not served: it is told so", () =>
    Effect.gen(function*() {
      const node = yield* KlaytnNode.KlaytnNode
      for (const { wire } of functions.filter(({ wire }) => !methods.has(wire))) {
        const error = yield* Effect.flip(node.call(wire, [], Schema.Unknown))
        equal(error._tag, "MethodNotFound", wire)
      }
    }))
})
