/**
 * The index follows a node of another program: anvil executes, viem reads what happened from blocks and receipts, and the
 * index has to say the same. Blob transactions are left out: anvil needs a proof of each blob.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  parseAbi,
  parseEventLogs,
  type TransactionReceipt
} from "viem"
import { mnemonicToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as OwnNode from "../../packages/core/src/OwnNode.js"
import * as ServiceClient from "../../packages/core/src/ServiceClient.js"
import { catchUp } from "../../packages/indexer/src/CatchUp.js"
import * as Driver from "../../packages/indexer/src/Driver.js"
import * as NodeSource from "../../packages/indexer/src/NodeSource.js"
import * as SqliteIndex from "../../packages/indexer/src/SqliteIndex.js"
import type { TransferRecord } from "../../packages/indexer/src/TransferRecord.js"
import { artifacts } from "../../packages/sandbox/src/internal/contracts/artifacts.generated.js"
import { type Random, random } from "../transaction/random.js"
import { result, startAnvil } from "./anvil.js"

/** How many operations there are before each look. */
const steps = Number(process.env["FOLLOW_STEPS"] ?? 60)
const seed = Number(process.env["FOLLOW_SEED"] ?? 0xf0110)

const mnemonic = "test test test test test test test test test test test junk"
const person = (addressIndex: number) => mnemonicToAccount(mnemonic, { addressIndex })
const people = [person(0), person(1), person(2), person(3)] as const
type Person = (typeof people)[number]

const abiOf = (name: "OpenKIP7" | "OpenKIP17" | "OpenKIP37"): Abi => JSON.parse(artifacts[name].abi) as Abi

const events = {
  ft: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
  nft: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)"]),
  mt: parseAbi([
    "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
    "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)"
  ])
}

const open = async () => {
  const anvil = await startAnvil()
  const chain = defineChain({
    id: 1001,
    name: "anvil",
    nativeCurrency: { name: "KLAY", symbol: "KLAY", decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } }
  })
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 20 })
  const wallet = createWalletClient({ chain, transport: http() })
  const receipt = (hash: Hex) => reader.waitForTransactionReceipt({ hash, timeout: 30_000 })
  const deploy = async (name: "OpenKIP7" | "OpenKIP17" | "OpenKIP37", args: ReadonlyArray<unknown>) => {
    const bytecode = artifacts[name].bytecode as Hex
    const hash = await wallet.deployContract({ account: people[0], abi: abiOf(name), bytecode, args })
    const { contractAddress } = await receipt(hash)
    if (!contractAddress) throw new Error(`${name} was not deployed`)
    return contractAddress.toLowerCase() as Hex
  }
  const tokens = {
    ft: await deploy("OpenKIP7", ["Coins", "COIN", 6]),
    nft: await deploy("OpenKIP17", ["Cats", "CAT"]),
    mt: await deploy("OpenKIP37", ["https://items.example/{id}"])
  }
  const scope = Effect.runSync(Scope.make())
  const driver = Driver.open(":memory:")
  Driver.atomically(driver, () => SqliteIndex.ensureTables(driver, 1001))
  const index = SqliteIndex.make(driver, 1001)
  const source = await Effect.runPromise(
    ServiceClient.make("node").pipe(
      Effect.provide(OwnNode.layer({ chain: 1001, url: anvil.url })),
      Effect.provide(FetchHttpClient.layer),
      Effect.flatMap(NodeSource.make),
      Scope.extend(scope)
    )
  )
  return {
    url: anvil.url,
    reader,
    wallet,
    receipt,
    tokens,
    index: index.reader,
    source,
    catchUp: () => Effect.runPromise(catchUp(index, source, { shrinks: false, depth: 128 })),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      driver.close()
      anvil.process.kill()
    }
  }
}

type World = Awaited<ReturnType<typeof open>>
let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

const gasPrice = 100_000_000_000n
const fees = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: 1n }

/** A transaction of any type but that of blobs. */
const shape = async ({ wallet }: World, from: Person, to: Hex, pick: Random) => {
  switch (pick.int(4)) {
    case 0:
      return { type: "legacy", gasPrice } as const
    case 1:
      return { type: "eip2930", gasPrice, accessList: [{ address: to, storageKeys: [] }] } as const
    case 2:
      return { type: "eip1559", ...fees } as const
    default: {
      const contractAddress = people[pick.int(people.length)]?.address ?? from.address
      const authorization = await wallet.signAuthorization({ account: from, contractAddress, executor: "self" })
      // An invalid authorization has no effect, and no account gets code of its own.
      return { type: "eip7702", ...fees, authorizationList: [{ ...authorization, nonce: 1_000_000 }] } as const
    }
  }
}

/** One operation, which may fail in its block. */
const operate = async (world: World, pick: Random) => {
  const { receipt, tokens, wallet } = world
  const [account, other] = [pick.pick(people), pick.pick(people)]
  const [from, to] = [account.address, other.address]
  const [id, amount] = [BigInt(pick.int(6)), BigInt(pick.int(50))]
  const calls = {
    ft: [["mint", [to, amount]], ["transfer", [to, amount]], ["burn", [from, amount]]],
    nft: [["mint", [to, id, `https://cats.example/${id}`]], ["transferFrom", [from, to, id]], ["burn", [id]]],
    mt: [
      ["mint", [to, id, amount]],
      ["mintBatch", [to, [id, id + 1n], [amount, 1n]]],
      ["safeTransferFrom", [from, to, id, amount / 2n, "0x"]],
      ["safeBatchTransferFrom", [from, to, [id, id + 1n], [1n, 1n], "0x"]],
      ["burn", [from, id, 1n]]
    ]
  } as const
  const kind = pick.pick(["coin", "ft", "nft", "mt"] as const)
  const gas = 500_000n
  if (kind === "coin") {
    const hash = await wallet.sendTransaction({
      account,
      to,
      value: amount,
      gas,
      ...await shape(world, account, to, pick)
    })
    return receipt(hash)
  }
  const [functionName, args] = calls[kind][pick.int(calls[kind].length)] ?? calls[kind][0]
  const address = tokens[kind]
  const abi = abiOf(kind === "ft" ? "OpenKIP7" : kind === "nft" ? "OpenKIP17" : "OpenKIP37")
  const fields = await shape(world, account, address, pick)
  return receipt(await wallet.writeContract({ account, address, abi, functionName, args, gas, ...fields }))
}

/** A transfer as text, so that lists compare line by line. */
const line = (...parts: ReadonlyArray<string | bigint | ReadonlyArray<bigint>>): string =>
  parts.map((part) => String(part).toLowerCase()).join(" ")

/** The token transfers that viem reads from the logs of a receipt; it leaves out all other events. */
const tokenLines = ({ logs, transactionHash }: TransactionReceipt, { tokens }: World): ReadonlyArray<string> =>
  logs.flatMap((log) => {
    const kind = (["ft", "nft", "mt"] as const).find((one) => tokens[one] === log.address)
    switch (kind) {
      case "ft":
        return parseEventLogs({ abi: events.ft, logs: [log] })
          .map(({ args }) => line(transactionHash, kind, args.from, args.to, args.value))
      case "nft":
        return parseEventLogs({ abi: events.nft, logs: [log] })
          .map(({ args }) => line(transactionHash, kind, args.from, args.to, args.tokenId))
      case "mt":
        return parseEventLogs({ abi: events.mt, logs: [log] }).map(({ args, eventName }) => {
          const [ids, values] = eventName === "TransferSingle" ? [[args.id], [args.value]] : [args.ids, args.values]
          return line(transactionHash, kind, args.operator, args.from, args.to, ids, values)
        })
      default:
        return []
    }
  })

/** All transfers of anvil's chain, oldest first. */
const expected = async (world: World): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const height = Number(await world.reader.getBlockNumber({ cacheTime: 0 }))
  for (let number = 0; number <= height; number++) {
    const block = await world.reader.getBlock({ blockNumber: BigInt(number), includeTransactions: true })
    for (const { from, hash, to, value } of block.transactions) {
      const receipt = await world.reader.getTransactionReceipt({ hash })
      const receiver = to ?? receipt.contractAddress ?? from
      lines.push(line(hash, "coin", from, receiver, value), ...tokenLines(receipt, world))
    }
  }
  return lines
}

const recordLine = (record: TransferRecord): string => {
  const { from, to, transaction: { transactionHash } } = record
  switch (record.kind) {
    case "coin":
    case "ft":
      return line(transactionHash, record.kind, from, to, record.value)
    case "nft":
      return line(transactionHash, record.kind, from, to, record.tokenId)
    case "mt":
      return line(transactionHash, record.kind, record.operator, from, to, record.ids, record.values)
  }
}

/** What anvil's contracts answer about holders and owners. */
const answers = async ({ reader, tokens }: World) => {
  const ask = (kind: "ft" | "nft" | "mt", functionName: string, args: ReadonlyArray<unknown>) => {
    const abi = abiOf(kind === "ft" ? "OpenKIP7" : kind === "nft" ? "OpenKIP17" : "OpenKIP37")
    return reader.readContract({ address: tokens[kind], abi, functionName, args })
  }
  const ids = [0n, 1n, 2n, 3n, 4n, 5n, 6n]
  return {
    coins: await Promise.all(people.map(({ address }) => ask("ft", "balanceOf", [address]))),
    items: await Promise.all(people.flatMap(({ address }) => ids.map((id) => ask("mt", "balanceOf", [address, id])))),
    cats: await Promise.all(
      ids.map((id) => ask("nft", "ownerOf", [id]).then((owner) => String(owner).toLowerCase(), () => undefined))
    )
  }
}

/** The same from the index. */
const indexed = ({ index, tokens }: World) =>
  Effect.runPromise(Effect.gen(function*() {
    const ids = [0n, 1n, 2n, 3n, 4n, 5n, 6n]
    const owners = people.map(({ address }) => address.toLowerCase() as Hex)
    const held = (owner: Hex, id: bigint) =>
      Effect.map(
        index.holding(tokens.mt, owner, id),
        Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance })
      )
    return {
      coins: yield* Effect.forEach(owners, (owner) => index.totalBalance(tokens.ft, owner)),
      items: yield* Effect.forEach(owners.flatMap((owner) => ids.map((id) => [owner, id] as const)), ([owner, id]) =>
        held(owner, id)),
      cats: yield* Effect.forEach(ids, (id) =>
        Effect.map(index.token(tokens.nft, id), (token) =>
          Option.getOrUndefined(token)?.owner))
    }
  }))

/** Compares everything; returns the number of transfers and the types of transactions that there were. */
const compare = async (world: World) => {
  const all = await expected(world)
  const records = await Effect.runPromise(world.index.transfers({ limit: 100_000 }))
  assert.deepStrictEqual(records.map(recordLine).sort(), [...all].sort())
  assert.deepStrictEqual(await indexed(world), await answers(world))
  return { transfers: all.length, types: new Set(records.map(({ transaction }) => transaction.typeInt)) }
}

describe("an index of a node that another program executes", () => {
  it("has every transfer, balance and owner that the node has, also after a reorganisation", async () => {
    const pick = random(seed)
    assert.deepStrictEqual([world.source.namespace, world.source.chainId], ["eth", 1001])
    for (let step = 0; step < steps; step++) await operate(world, pick)
    await world.catchUp()
    const first = await compare(world)
    assert.isAbove(first.transfers, steps)
    assert.deepStrictEqual([...first.types].sort((one, other) => one - other), [0, 0x7801, 0x7802, 0x7804])

    const { number, transactions } = await world.reader.getBlock()
    assert.isAbove(transactions.length, 0)
    await result(world.url, "anvil_reorg", 5, [])
    for (let step = 0; step < 10; step++) await operate(world, pick)
    assert.deepInclude(await world.catchUp(), { reverted: 5 })
    assert.isAbove((await compare(world)).transfers, first.transfers - 10)
    assert.isAbove(Number(await world.reader.getBlockNumber({ cacheTime: 0 })), Number(number))
  }, 240_000)

  it("knows the contracts by their own answers", async () => {
    const contract = (kind: "ft" | "nft" | "mt") =>
      Effect.runPromise(Effect.map(world.index.contract(world.tokens[kind]), Option.getOrThrow))
    assert.deepInclude(await contract("ft"), {
      kind: "ft",
      standard: "KIP-7",
      name: "Coins",
      symbol: "COIN",
      decimals: 6
    })
    assert.deepInclude(await contract("nft"), { kind: "nft", standard: "KIP-17", name: "Cats", symbol: "CAT" })
    assert.deepInclude(await contract("mt"), { kind: "mt", standard: "KIP-37" })
  })
})
