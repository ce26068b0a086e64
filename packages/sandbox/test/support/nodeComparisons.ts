/** How answers of the SDK's client are compared with the engine. */
import type { LogRecord, TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type * as Eth from "@effect-klaytn/node/Eth"
import type * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import type { Receipt } from "@effect-klaytn/node/Receipt"
import type { Transaction as NodeTransaction } from "@effect-klaytn/node/Transaction"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TokenContract from "../../src/TokenContract.js"
import * as NodeWorld from "./nodeWorld.js"

type Node = Effect.Effect.Success<typeof KlaytnNode.KlaytnNode>

/** Asks the client and compares with the engine. */
export type Check = (node: Node, world: NodeWorld.World) => Effect.Effect<unknown, unknown>

export const equal = (actual: unknown, expected: unknown, message?: string) =>
  assert.strictEqual(actual, expected, message)

export const same = <A, E>(asked: Effect.Effect<A, E>, expected: unknown) =>
  Effect.map(asked, (answer) => assert.deepStrictEqual<unknown>(answer, expected))

const transactionIn = (record: TransactionRecord): Transaction.Transaction => {
  const decoded = Transaction.decode(record.raw)
  if (!decoded.ok) throw decoded.error
  return decoded.value
}

const field = (value: object, name: string): unknown => Object.entries(value).find(([key]) => key === name)?.[1]

/** The fields of a transaction in both forms of `klay`. */
const sameBody = (answer: NodeTransaction | Receipt, record: TransactionRecord) => {
  const wanted = transactionIn(record)
  equal(answer._tag, wanted.type)
  equal(answer.typeInt, record.typeInt)
  equal(answer.senderTxHash, record.senderTxHash)
  equal(answer.from, record.from)
  equal(answer.nonce, record.nonce)
  equal(answer.gas, record.gas)
  equal(answer.gasPrice, "gasPrice" in wanted ? wanted.gasPrice : record.gasPrice)
  assert.deepStrictEqual<unknown>(answer.signatures, wanted.signatures)
  equal(answer.blockHash, record.blockHash)
  equal(answer.blockNumber, BigInt(record.blockNumber))
  equal(answer.transactionIndex, BigInt(record.transactionIndex))
  const own = [
    "to",
    "value",
    "input",
    "humanReadable",
    "codeFormat",
    "feePayer",
    "feePayerSignatures",
    "feeRatio",
    "accessList",
    "maxFeePerGas",
    "maxPriorityFeePerGas"
  ]
  for (const name of own) assert.deepStrictEqual(field(answer, name), field(wanted, name), `${wanted.type} ${name}`)
  if ("key" in wanted) {
    const key = AccountKey.encode(wanted.key)
    equal(field(answer, "key"), key.ok ? key.value : undefined)
  }
}

const sameLogs = (answers: Receipt["logs"], logs: ReadonlyArray<LogRecord>) =>
  assert.deepStrictEqual<unknown>(
    answers,
    logs.map((log) => ({
      ...log,
      blockNumber: BigInt(log.blockNumber),
      transactionIndex: BigInt(log.transactionIndex),
      logIndex: BigInt(log.logIndex),
      removed: false
    }))
  )

export const sameReceipt = (world: NodeWorld.World, answer: Receipt | undefined, record: TransactionRecord) =>
  Effect.map(world.chain.logsOf(record.hash), (logs) => {
    assert.isDefined(answer)
    sameBody(answer, record)
    equal(answer.transactionHash, record.hash)
    equal(answer.status, record.status)
    equal(answer.txError, record.txError)
    equal(answer.gasUsed, record.gasUsed)
    equal(answer.effectiveGasPrice, record.gasPrice)
    equal(answer.contractAddress, record.contractAddress)
    sameLogs(answer.logs, logs)
  })

const sameEthBody = (answer: Eth.Transaction | Eth.Receipt, record: TransactionRecord) => {
  const wanted = transactionIn(record)
  equal(answer.from, record.from)
  equal(answer.to, "value" in wanted ? wanted.to : record.from)
  equal(answer.blockHash, record.blockHash)
  equal(answer.blockNumber, BigInt(record.blockNumber))
  equal(answer.transactionIndex, BigInt(record.transactionIndex))
  equal(answer.type, record.typeInt > 30720 ? record.typeInt - 30720 : 0)
}

const sameEth = (answer: Eth.Transaction | undefined, record: TransactionRecord) => {
  assert.isDefined(answer)
  sameEthBody(answer, record)
  const wanted = transactionIn(record)
  const [signature] = wanted.signatures
  equal(answer.hash, record.hash)
  equal(answer.value, record.value)
  equal(answer.input, "input" in wanted ? wanted.input : "0x")
  assert.deepStrictEqual<unknown>({ v: answer.v, r: answer.r, s: answer.s }, signature)
}

export const sameEthReceipt = (world: NodeWorld.World, answer: Eth.Receipt | undefined, record: TransactionRecord) =>
  Effect.map(world.chain.logsOf(record.hash), (logs) => {
    assert.isDefined(answer)
    sameEthBody(answer, record)
    equal(answer.transactionHash, record.hash)
    equal(answer.status, record.status)
    equal(answer.gasUsed, record.gasUsed)
    equal(answer.cumulativeGasUsed, record.cumulativeGasUsed)
    equal(answer.contractAddress, record.contractAddress)
    sameLogs(answer.logs, logs)
  })

/** The same check for every transaction of the chain. */
export const each =
  (check: (node: Node, record: TransactionRecord, world: NodeWorld.World) => Effect.Effect<unknown, unknown>) =>
  (node: Node, world: NodeWorld.World) =>
    Effect.forEach(world.records, (record) => check(node, record, world), { concurrency: 50 })

/** Asks for a transaction in one of its forms, and compares each of the chain. */
export const all = <A>(
  ask: (node: Node, record: TransactionRecord) => Effect.Effect<Option.Option<A>, unknown>,
  check: (world: NodeWorld.World, answer: A, record: TransactionRecord) => Effect.Effect<unknown, unknown> | void
): Check =>
  each((node, record, world) =>
    Effect.flatMap(ask(node, record), (answer) => check(world, Option.getOrThrow(answer), record) ?? Effect.void)
  )

export const klayForm = (_: NodeWorld.World, answer: NodeTransaction, record: TransactionRecord) => {
  equal(answer.hash, record.hash)
  sameBody(answer, record)
}

export const ethForm = (_: NodeWorld.World, answer: Eth.Transaction, record: TransactionRecord) =>
  sameEth(answer, record)

export const rawOf = ({ raw, typeInt }: TransactionRecord) => typeInt > 30_720 ? `0x78${raw.slice(2)}` : raw

const blockFields = (block: NodeWorld.World["head"], unitPrice: bigint) => ({
  number: BigInt(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  logsBloom: block.logsBloom,
  stateRoot: block.stateRoot,
  transactionsRoot: block.transactionsRoot,
  receiptsRoot: block.receiptsRoot,
  gasUsed: block.gasUsed,
  timestamp: block.timestamp,
  baseFeePerGas: unitPrice
})

const sized = (block: NodeWorld.World["head"], unitPrice: bigint) => ({
  ...blockFields(block, unitPrice),
  size: BigInt(block.size)
})

/** Compares those fields of an answer that are expected. */
const sameFields = (answer: object, expected: object) =>
  assert.deepStrictEqual(
    Object.fromEntries(Object.keys(expected).map((name) => [name, field(answer, name)])),
    Object.fromEntries(Object.entries(expected))
  )

type AskBlock = (node: Node, block: NodeWorld.World["head"]) => Effect.Effect<unknown, unknown>

/** Asks for every block of the chain. */
export const blocks = (
  ask: AskBlock,
  expected: (block: NodeWorld.World["head"], world: NodeWorld.World) => object,
  transactions?: (
    answer: ReadonlyArray<unknown>,
    records: ReadonlyArray<TransactionRecord>,
    world: NodeWorld.World
  ) => Effect.Effect<unknown, unknown> | void
): Check =>
(node, world) =>
  Effect.forEach(
    Array.from({ length: world.head.number + 1 }, (_, number) => number),
    (number) =>
      Effect.gen(function*() {
        const block = Option.getOrThrow(yield* world.chain.block(number))
        const given = yield* ask(node, block)
        const answer = Option.isOption(given) ? Option.getOrThrow(given) : given
        if (!Array.isArray(answer)) sameFields(answer as object, expected(block, world))
        const inside: unknown = Array.isArray(answer) ? answer : field(answer as object, "transactions")
        const records = world.records.filter(({ blockNumber }) => blockNumber === number)
        yield* transactions?.(inside as ReadonlyArray<unknown>, records, world) ?? Effect.void
      }),
    { concurrency: 20 }
  )

export const hashesOnly = (answer: ReadonlyArray<unknown>, records: ReadonlyArray<TransactionRecord>) =>
  assert.deepStrictEqual(answer, records.map(({ hash }) => hash))

const zipped =
  <A>(check: (answer: A, record: TransactionRecord, world: NodeWorld.World) => unknown) =>
  (answer: ReadonlyArray<unknown>, records: ReadonlyArray<TransactionRecord>, world: NodeWorld.World) =>
    Effect.gen(function*() {
      equal(answer.length, records.length)
      for (const [index, record] of records.entries()) {
        const outcome = check(answer[index] as A, record, world)
        if (Effect.isEffect(outcome)) yield* outcome as Effect.Effect<unknown, unknown>
      }
    })

export const fullKlay = zipped<NodeTransaction>((answer, record, world) => klayForm(world, answer, record))
export const fullEth = zipped<Eth.Transaction>((answer, record) => sameEth(answer, record))
export const receiptsKlay = zipped<Receipt>((answer, record, world) => sameReceipt(world, answer, record))
export const receiptsEth = zipped<Eth.Receipt>((answer, record, world) => sameEthReceipt(world, answer, record))

export const klayBlock = (block: NodeWorld.World["head"], { chain }: NodeWorld.World) => sized(block, chain.unitPrice)
export const header = (block: NodeWorld.World["head"], { chain }: NodeWorld.World) =>
  blockFields(block, chain.unitPrice)

export type Account = Effect.Effect.Success<ReturnType<NodeWorld.World["chain"]["account"]>>

/** Asks about all accounts, a contract and an unused address, at the newest block and an older one. */
export const accounts = (
  ask: (node: Node, address: string, block: bigint) => Effect.Effect<unknown, unknown>,
  expected: (account: Account, storageRoot: string) => unknown
): Check =>
(node, { alice, bob, chain, empty, erin, head }) =>
  Effect.forEach(
    [alice.address, bob.address, erin.address, empty, "0x00000000000000000000000000000000000000ff"] as const,
    (address) =>
      Effect.forEach([head.number, head.number - 1, 1], (block) =>
        Effect.flatMap(
          Effect.all([chain.account(address, block), chain.storageRoot(address, block)]),
          ([account, root]) => same(ask(node, address, BigInt(block)), expected(account, root))
        ))
  )

const point = (key: string) => {
  const raw = PublicKey.uncompress(`0x${key.slice(2)}`)
  if (!raw.ok) throw raw.error
  return { x: BigInt(`0x${raw.value.slice(4, 68)}`), y: BigInt(`0x${raw.value.slice(68)}`) }
}

export const keyOf = (key: AccountKey.AccountKey): unknown => {
  switch (key.type) {
    case "AccountKeyNil":
      return { keyType: 0, key: {} }
    case "AccountKeyLegacy":
      return { keyType: 1, key: {} }
    case "AccountKeyPublic":
      return { keyType: 2, key: point(key.publicKey) }
    case "AccountKeyFail":
      return { keyType: 3, key: {} }
    case "AccountKeyWeightedMultiSig":
      return {
        keyType: 4,
        key: {
          threshold: key.threshold,
          keys: key.keys.map(({ publicKey, weight }) => ({ weight, key: point(publicKey) }))
        }
      }
    case "AccountKeyRoleBased":
      return { keyType: 5, key: key.keys.flatMap((role) => role === undefined ? [] : [keyOf(role)]) }
  }
}

export const accountOf = (
  { balance, codeHash, isContract, key, nonce }: Option.Option.Value<Account>,
  storageRoot: string
) => {
  const common = { nonce, balance, humanReadable: false, key: keyOf(key) }
  return {
    accType: isContract ? 2 : 1,
    account: {
      ...common,
      storageRoot,
      codeHash: Buffer.from(codeHash.slice(2), "hex").toString("base64"),
      codeFormat: 0,
      vmVersion: isContract ? 1 : 0
    }
  }
}

export const balanceOf = (account: Account) =>
  Option.match(account, { onNone: () => 0n, onSome: ({ balance }) => balance })
export const nonceOf = (account: Account) => Option.match(account, { onNone: () => 0n, onSome: ({ nonce }) => nonce })

const transferOf = ({ alice, bob, token }: NodeWorld.World) => ({
  from: alice.address,
  to: token.address,
  input: TokenContract.transferCall(alice.address, { kind: "ft", to: bob.address, amount: 1n })
})

export const calls =
  (ask: (node: Node) => (call: ReturnType<typeof transferOf>) => Effect.Effect<unknown, unknown>): Check =>
  (node, world) => {
    const { input, ...request } = transferOf(world)
    return Effect.flatMap(
      world.chain.call({ ...request, data: input }),
      ({ data }) => same(ask(node)({ ...request, input }), data)
    )
  }

export const computationCosts =
  (ask: (node: Node) => (call: ReturnType<typeof transferOf>) => Effect.Effect<bigint, unknown>): Check =>
  (node, world) => {
    const { input, ...request } = transferOf(world)
    return Effect.gen(function*() {
      const { computationCost } = yield* world.chain.measure({ ...request, data: input })
      assert.isAbove(Number(computationCost), 20_000)
      yield* same(ask(node)({ ...request, input }), computationCost)
    })
  }

export const accessLists =
  (ask: (node: Node) => (call: ReturnType<typeof transferOf>) => Effect.Effect<unknown, unknown>): Check =>
  (node, world) => {
    const { input, ...request } = transferOf(world)
    return Effect.gen(function*() {
      const access = yield* world.chain.accessList({ ...request, data: input })
      assert(access.kind === "listed" && access.accessList.length > 0)
      const { accessList, gasUsed } = access
      // A node leaves out what the list itself costs.
      const cost = accessList.reduce((sum, { storageKeys }) => sum + 2_400n + 1_900n * BigInt(storageKeys.length), 0n)
      yield* same(ask(node)({ ...request, input }), { accessList, gasUsed: gasUsed - cost })
      yield* same(ask(node)({ from: request.from, to: world.empty, input: "0x" }), {
        accessList: [],
        gasUsed: 21_006n,
        error: "evm: execution reverted"
      })
    })
  }

export const estimates =
  (ask: (node: Node) => (call: ReturnType<typeof transferOf>) => Effect.Effect<bigint, unknown>): Check =>
  (node, world) => {
    const { input, ...request } = transferOf(world)
    return Effect.gen(function*() {
      const gas = yield* ask(node)({ ...request, input })
      const before = yield* world.chain.snapshot
      const { gasUsed } = yield* world.chain.execute({
        kind: "execute",
        from: world.alice,
        to: request.to,
        data: input,
        gas
      })
      yield* Effect.flip(
        world.chain.execute({ kind: "execute", from: world.alice, to: request.to, data: input, gas: gas - 1n })
      )
      yield* world.chain.revert(before)
      assert.isTrue(gasUsed <= gas)
    })
  }

export const logs = (ask: (node: Node) => Node["klay"]["getLogs"]): Check => (node, { chain, head, token }) =>
  Effect.gen(function*() {
    const found = yield* chain.logs({ fromBlock: 0, toBlock: head.number, limit: 1000 })
    assert.strictEqual(found.length, 2)
    sameLogs(yield* ask(node)({ fromBlock: 0n, toBlock: "latest" }), found)
    sameLogs(yield* ask(node)({ fromBlock: 0n, address: [token.address] }), found)
    const [transfer] = found
    assert.isDefined(transfer)
    const [topic] = transfer.topics
    assert.isDefined(topic)
    const of = yield* chain.logs({ fromBlock: 0, toBlock: head.number, topics: [[topic]], limit: 1000 })
    sameLogs(yield* ask(node)({ fromBlock: 0n, topics: [topic] }), of)
    const inBlock = found.filter(({ blockHash }) => blockHash === transfer.blockHash)
    sameLogs(yield* ask(node)({ blockHash: transfer.blockHash }), inBlock)
    sameLogs(yield* ask(node)({ fromBlock: 5n, toBlock: 1n }), [])
  })

export const history = (ask: (node: Node) => Node["klay"]["feeHistory"]): Check => (node, { chain, head }) =>
  Effect.gen(function*() {
    const block = Option.getOrThrow(yield* chain.block(head.number - 1))
    const answer = yield* ask(node)(2, BigInt(head.number), [10, 99.5])
    equal(answer.oldestBlock, BigInt(head.number - 1))
    assert.deepStrictEqual<unknown>(answer.baseFeePerGas, [chain.unitPrice, chain.unitPrice, chain.unitPrice])
    const tips = yield* Effect.forEach(
      [head.number - 1, head.number],
      (height) =>
        Effect.map(chain.transactionsOf(height), (all) => {
          const sorted = all.map(({ gasPrice }) => gasPrice - chain.unitPrice).sort((a, b) => Number(a - b))
          return [sorted[0], sorted.at(-1)]
        })
    )
    assert.deepStrictEqual<unknown>(answer.reward, tips)
    assert.deepStrictEqual(
      answer.gasUsedRatio,
      [Number(block.gasUsed) / 60_000_000, Number(head.gasUsed) / 60_000_000]
    )
  })

export const submits =
  (ask: (node: Node, raw: string) => Effect.Effect<unknown, unknown>): Check => (node, { bob, chain, dave }) =>
    Effect.gen(function*() {
      const before = yield* chain.snapshot
      const raw = NodeWorld.signed(dave, {
        type: "LegacyTransaction",
        nonce: yield* chain.pendingNonce(dave.address),
        gas: 21_000n,
        gasPrice: chain.unitPrice,
        to: bob.address,
        value: 1n,
        input: "0x"
      })
      const answer = yield* ask(node, raw)
      const [hash] = Array.isArray(answer) ? answer : [answer]
      assert.isTrue(Option.isSome(yield* chain.transaction(hash)))
      yield* chain.revert(before)
    })

export const fails = (asked: Effect.Effect<unknown, unknown>, message: string) =>
  Effect.map(Effect.flip(asked), (error) => assert.include(String(error), message))

export const zeroHash = `0x${"0".repeat(64)}`
