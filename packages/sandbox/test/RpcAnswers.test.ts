import { type Signature, toQuantities } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, layer } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"

const sandbox = Sandbox.layer({ seed: "answers", clock: { start: 1_600_000_000, step: 1 } })

const noBloom = `0x${"0".repeat(512)}`

/** What is in block 1 of the chain: a fee-delegated transfer with a ratio. */
const world = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(8217)
  const [alice, bob, carol] = [chains.account("alice"), chains.account("bob"), chains.account("carol")]
  if ((yield* chain.head).number === 0) {
    yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 255n, feePayer: carol, feeRatio: 30 })
  }
  const block = Option.getOrThrow(yield* chain.block(1))
  const record = Option.getOrThrow(yield* chain.transactionAt(1, 0))
  const decoded = Transaction.decode(record.raw)
  assert.isTrue(decoded.ok)
  return { alice, bob, carol, validator: chain.validator, block, record, signed: decoded.value }
})

const call = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(
    Rpc.post(JSON.stringify({ id: 1, method, params }), { "x-chain-id": "8217" }),
    ({ text }): unknown => JSON.parse(text).result
  )

type World = Effect.Effect.Success<typeof world>

const klayTransaction = ({ alice, block, bob, carol, record, signed }: World) => ({
  senderTxHash: record.senderTxHash,
  type: "TxTypeFeeDelegatedValueTransferWithRatio",
  typeInt: 10,
  from: alice.address,
  nonce: "0x0",
  gas: "0xf4240",
  gasPrice: "0x66720b300",
  signatures: signed.signatures.map(toQuantities),
  to: bob.address,
  value: "0xff",
  feePayer: carol.address,
  feePayerSignatures: "feePayerSignatures" in signed ? signed.feePayerSignatures.map(toQuantities) : [],
  feeRatio: "0x1e",
  blockHash: block.hash,
  blockNumber: "0x1",
  transactionIndex: "0x0"
})

const ethTransaction = ({ alice, block, bob, record, signed }: World) => {
  const [{ r, s, v }] = signed.signatures as readonly [Signature]
  return {
    blockHash: block.hash,
    blockNumber: "0x1",
    from: alice.address,
    gas: "0xf4240",
    gasPrice: "0x66720b300",
    hash: record.hash,
    input: "0x",
    nonce: "0x0",
    to: bob.address,
    transactionIndex: "0x0",
    value: "0xff",
    type: "0x0",
    v: `0x${v.toString(16)}`,
    r: `0x${r.toString(16)}`,
    s: `0x${s.toString(16)}`
  }
}

const mixHashOf = ({ block }: Pick<World, "block">) =>
  `0x${bytesToHex(keccak_256(hexToBytes(block.parentHash.slice(2))))}`

const klayFields = ({ block, validator }: World) => ({
  number: "0x1",
  hash: block.hash,
  parentHash: block.parentHash,
  logsBloom: noBloom,
  transactionsRoot: block.transactionsRoot,
  stateRoot: block.stateRoot,
  receiptsRoot: block.receiptsRoot,
  reward: validator,
  blockScore: "0x1",
  extraData: "0x",
  gasUsed: "0x8ca0",
  timestamp: "0x5f5e1001",
  timestampFoS: "0x0",
  governanceData: "0x",
  voteData: "0x",
  baseFeePerGas: "0x5d21dba00",
  excessBlobGas: "0x0",
  blobGasUsed: "0x0"
})

const klayHeader = (world: World) => ({ ...klayFields(world), mixhash: mixHashOf(world) })

const klayBlock = (world: World) => ({
  ...klayFields(world),
  mixHash: mixHashOf(world),
  size: `0x${world.block.size.toString(16)}`
})

const ethHeader = ({ block, validator }: World) => ({
  number: "0x1",
  hash: block.hash,
  parentHash: block.parentHash,
  nonce: "0x0000000000000000",
  mixHash: mixHashOf({ block }),
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  logsBloom: noBloom,
  stateRoot: block.stateRoot,
  transactionsRoot: block.transactionsRoot,
  receiptsRoot: block.receiptsRoot,
  miner: validator,
  difficulty: "0x1",
  extraData: "0x",
  size: `0x${block.size.toString(16)}`,
  gasLimit: "0x1dcd6500",
  gasUsed: "0x8ca0",
  timestamp: "0x5f5e1001",
  baseFeePerGas: "0x5d21dba00",
  excessBlobGas: "0x0",
  blobGasUsed: "0x0"
})

/** The whole of an answer: a field more or less is a failure. */
const pinned: ReadonlyArray<
  readonly [method: string, params: (world: World) => ReadonlyArray<unknown>, answer: (world: World) => unknown]
> = [
  [
    "klay_getTransactionByHash",
    ({ record }) => [record.hash],
    (w) => ({ hash: w.record.hash, ...klayTransaction(w) })
  ],
  [
    "klay_getTransactionBySenderTxHash",
    ({ record }) => [record.senderTxHash],
    (w) => ({ hash: w.record.hash, ...klayTransaction(w) })
  ],
  [
    "klay_getTransactionReceipt",
    ({ record }) => [record.hash],
    (w) => ({
      transactionHash: w.record.hash,
      ...klayTransaction(w),
      status: "0x1",
      gasUsed: "0x8ca0",
      effectiveGasPrice: "0x66720b300",
      logsBloom: noBloom,
      logs: [],
      contractAddress: null
    })
  ],
  ["eth_getTransactionByHash", ({ record }) => [record.hash], ethTransaction],
  [
    "eth_getTransactionReceipt",
    ({ record }) => [record.hash],
    ({ alice, block, bob, record }) => ({
      blockHash: block.hash,
      blockNumber: "0x1",
      contractAddress: null,
      cumulativeGasUsed: "0x8ca0",
      effectiveGasPrice: "0x66720b300",
      from: alice.address,
      gasUsed: "0x8ca0",
      logs: [],
      logsBloom: noBloom,
      status: "0x1",
      to: bob.address,
      transactionHash: record.hash,
      transactionIndex: "0x0",
      type: "0x0"
    })
  ],
  ["klay_getHeaderByNumber", () => ["0x1"], klayHeader],
  [
    "kaia_getBlockByNumber",
    () => [1, false],
    (w) => ({ ...klayBlock(w), transactions: [w.record.hash] })
  ],
  [
    "klay_getBlockByHash",
    ({ block }) => [block.hash, true],
    (w) => ({
      ...klayBlock(w),
      transactions: [{ hash: w.record.hash, ...klayTransaction(w) }]
    })
  ],
  ["eth_getHeaderByHash", ({ block }) => [block.hash], ethHeader],
  [
    "eth_getBlockByNumber",
    () => ["latest", false],
    (w) => ({ ...ethHeader(w), transactions: [w.record.hash], uncles: [] })
  ],
  [
    "eth_getBlockByHash",
    ({ block }) => [block.hash, true],
    (w) => ({ ...ethHeader(w), transactions: [ethTransaction(w)], uncles: [] })
  ],
  [
    "klay_getAccount",
    ({ alice }) => [alice.address, "latest"],
    () => ({
      accType: 1,
      account: {
        nonce: 1,
        // A million KLAY, less 255 peb and 70 percent of 36,000 gas.
        balance: `0x${(10n ** 24n - 255n - 36_000n * 27_500_000_000n * 7n / 10n).toString(16)}`,
        humanReadable: false,
        key: { keyType: 1, key: {} },
        storageRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
        // The digest of no bytes.
        codeHash: "xdJGAYb3IzySfn2y3McDwOUAtlPKgic7e/rYBF2FpHA=",
        codeFormat: 0,
        vmVersion: 0
      }
    })
  ],
  [
    "klay_getBalance",
    ({ carol }) => [carol.address, { blockNumber: "0x1" }],
    () => `0x${(10n ** 24n - 36_000n * 27_500_000_000n * 3n / 10n).toString(16)}`
  ],
  ["klay_getBalance", ({ carol }) => [carol.address, "earliest"], () => "0xd3c21bcecceda1000000"],
  [
    "klay_getRawTransactionByBlockHashAndIndex",
    ({ block }) => [block.hash, "0x0"],
    ({ record }) => record.raw
  ]
]

layer(sandbox, { excludeTestServices: true })("An answer of the node", (it) => {
  for (const [method, params, answer] of pinned) {
    it.effect(`of ${method} is this and no more`, () =>
      Effect.gen(function*() {
        const w = yield* world
        assert.deepStrictEqual(yield* call(method, ...params(w)), answer(w))
      }))
  }

  it.effect("on the other chain knows nothing of it", () =>
    Effect.gen(function*() {
      const { record } = yield* world
      assert.strictEqual(yield* Rpc.call("klay_getTransactionByHash", record.hash), null)
      assert.strictEqual(yield* Rpc.call("klay_blockNumber"), "0x0")
    }))
})
