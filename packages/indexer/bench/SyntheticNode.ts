/**
 * A node with a made-up chain, kept as the JSON that a node of Kaia sends: coin, ERC-20, ERC-721 and ERC-1155 among
 * thousands of holders. Every transaction moves one thing.
 */
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
import { encodeCall, topicOf } from "../src/Abi.js"

/** A block as a node sends it, and its receipts. */
interface Sent {
  readonly block: string
  readonly receipts: string
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const word = (value: bigint | number | Hex): string =>
  (typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0")
const address = (n: number): Hex => `0x${(n * 0x9e3779b1).toString(16).padStart(40, "a1b2c3d4e5")}`
const next = (state: number): number => (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
/** A hash that looks random. */
const hash = (n: number): Hex => {
  let state = n
  let digits = ""
  while (digits.length < 48) digits += (state = next(state)).toString(16).padStart(8, "0")
  return `0x${digits}${word(n).slice(-16)}`
}
const blockHash = (height: number): Hex => hash(2 ** 40 + height)
const quantity = (n: number | bigint): Hex => `0x${n.toString(16)}`
const textOf = (value: string): string =>
  word(32) + word(value.length) + Buffer.from(value).toString("hex").padEnd(Math.ceil(value.length / 32) * 64, "0")

const zero: Hex = `0x${"00".repeat(20)}`
const transferTopic = topicOf("Transfer(address,address,uint256)")
const singleTopic = topicOf("TransferSingle(address,address,address,uint256,uint256)")

const holders = 5000
/** An account; those with low numbers are the busiest. */
export const holderOf = (number: number): Hex => address(number)
const contracts = {
  ft: Array.from({ length: 40 }, (_, index) => address(1_000_000 + index)),
  nft: Array.from({ length: 10 }, (_, index) => address(2_000_000 + index)),
  mt: Array.from({ length: 5 }, (_, index) => address(3_000_000 + index))
}
/** Answers to questions about the state that the chain ends with. */
class State {
  readonly balances = new Map<string, bigint>()
  readonly supplies = new Map<string, bigint>()
  readonly owners = new Map<string, Hex>()

  /** Moves an amount, which is minted if the sender has less. Returns the sender that the log names. */
  move(contract: Hex, from: Hex, to: Hex, amount: bigint, token = ""): Hex {
    const had = this.balances.get(contract + from + token) ?? 0n
    const sender = had < amount ? zero : from
    if (sender === zero) this.supplies.set(contract + token, (this.supplies.get(contract + token) ?? 0n) + amount)
    else this.balances.set(contract + from + token, had - amount)
    this.balances.set(contract + to + token, (this.balances.get(contract + to + token) ?? 0n) + amount)
    return sender
  }

  call(contract: Hex, data: string): string | undefined {
    const [first, second] = [data.slice(10, 74), data.slice(74)]
    const owner = `0x${first.slice(24)}`
    switch (signatures.get(data.slice(0, 10))) {
      case "balanceOf(address)":
        return word(this.balances.get(contract + owner) ?? 0n)
      case "balanceOf(address,uint256)":
        return word(this.balances.get(contract + owner + quantity(BigInt(`0x${second}`))) ?? 0n)
      case "totalSupply()":
        return word(this.supplies.get(contract) ?? 0n)
      case "totalSupply(uint256)":
        return word(this.supplies.get(contract + quantity(BigInt(`0x${first}`))) ?? 0n)
      case "ownerOf(uint256)":
        return word(this.owners.get(contract + quantity(BigInt(`0x${first}`))) ?? zero)
      case "tokenURI(uint256)":
      case "uri(uint256)":
        return textOf(`https://tokens.example/${contract}/${Number(`0x${first}`)}.json`)
      case "name()":
        return textOf(`Token ${contract.slice(-4)}`)
      case "symbol()":
        return textOf(contract.slice(-4))
      case "decimals()":
        return word(18)
      case "supportsInterface(bytes4)":
        return word(contracts.mt.includes(contract) && first.startsWith("d9b67a26") ? 1 : 0)
      default:
        return undefined
    }
  }
}

const signatures = new Map([
  "balanceOf(address)",
  "balanceOf(address,uint256)",
  "totalSupply()",
  "totalSupply(uint256)",
  "ownerOf(uint256)",
  "tokenURI(uint256)",
  "uri(uint256)",
  "name()",
  "symbol()",
  "decimals()",
  "supportsInterface(bytes4)"
].map((signature) => [`0x${Buffer.from(encodeCall(signature)).toString("hex", 0, 4)}`, signature]))

interface Moved {
  readonly to: Hex
  readonly value: bigint
  readonly logs: ReadonlyArray<{ readonly address: Hex; readonly topics: ReadonlyArray<Hex>; readonly data: string }>
}

/** What happens on the chain, transaction by transaction. */
class Chain {
  readonly state = new State()
  #random: number
  #tokens = 0

  constructor(seed: number) {
    this.#random = seed
  }

  below(limit: number): number {
    this.#random = next(this.#random)
    return Math.floor(this.#random / 2 ** 32 * limit)
  }

  /** Some holders are much busier than others. */
  holder(): Hex {
    return address(Math.floor(holders * (this.below(1000) / 1000) ** 3))
  }

  pick(list: ReadonlyArray<Hex>): Hex {
    return list[this.below(list.length)] ?? zero
  }

  /** What one transaction moves: four of ten coin, three ERC-20, two ERC-721, one ERC-1155. */
  move(position: number, from: Hex): Moved {
    const to = this.holder()
    const kind = position % 10
    if (kind < 4) return { to, value: BigInt(1 + this.below(1e9)) * 10n ** 9n, logs: [] }
    if (kind < 7) {
      const contract = this.pick(contracts.ft)
      const amount = BigInt(1 + this.below(1e9)) * 10n ** 12n
      const sender = this.state.move(contract, from, to, amount)
      const topics: ReadonlyArray<Hex> = [transferTopic, `0x${word(sender)}`, `0x${word(to)}`]
      return { to: contract, value: 0n, logs: [{ address: contract, topics, data: `0x${word(amount)}` }] }
    }
    return kind < 9 ? this.#moveOne(to) : this.#moveMany(from, to)
  }

  #moveOne(to: Hex): Moved {
    const contract = this.pick(contracts.nft)
    const isNew = this.#tokens < 100 || this.below(3) === 0
    const id = isNew ? ++this.#tokens : 1 + this.below(this.#tokens)
    const key = contract + quantity(id)
    const sender = this.state.owners.get(key) ?? zero
    this.state.owners.set(key, to)
    if (sender === zero) this.state.supplies.set(contract, (this.state.supplies.get(contract) ?? 0n) + 1n)
    const topics: ReadonlyArray<Hex> = [transferTopic, `0x${word(sender)}`, `0x${word(to)}`, `0x${word(id)}`]
    return { to: contract, value: 0n, logs: [{ address: contract, topics, data: "0x" }] }
  }

  #moveMany(from: Hex, to: Hex): Moved {
    const contract = this.pick(contracts.mt)
    const id = this.below(200)
    const amount = BigInt(1 + this.below(1000))
    const sender = this.state.move(contract, from, to, amount, quantity(id))
    const topics: ReadonlyArray<Hex> = [singleTopic, `0x${word(from)}`, `0x${word(sender)}`, `0x${word(to)}`]
    return { to: contract, value: 0n, logs: [{ address: contract, topics, data: `0x${word(id)}${word(amount)}` }] }
  }
}

const signature = { V: "0x7f5", R: hash(1), S: hash(2) }

/** What a node says of a transaction in its block and, again, in its receipt. */
const transactionOf = (height: number, index: number, from: Hex, { logs, to, value }: Moved) => {
  const id = hash(height * 1000 + index)
  const isCall = logs.length > 0
  return {
    blockHash: blockHash(height),
    blockNumber: quantity(height),
    from,
    gas: quantity(isCall ? 200_000 : 21_000),
    gasPrice: quantity(25_000_000_000),
    hash: id,
    input: isCall ? `0xa9059cbb${word(to)}${word(1)}` : "0x",
    nonce: quantity(height),
    senderTxHash: id,
    signatures: [signature],
    to,
    transactionIndex: quantity(index),
    type: isCall ? "TxTypeSmartContractExecution" : "TxTypeValueTransfer",
    typeInt: isCall ? 48 : 8,
    value: quantity(value)
  }
}

/** The gas that a call uses, or a transfer. */
const gasOf = (isCall: boolean): number => isCall ? 45_000 : 21_000

const timeOf = (height: number): Hex => quantity(1_700_000_000 + height)

const sentBlock = (
  height: number,
  transactions: ReadonlyArray<ReturnType<typeof transactionOf>>,
  logs: Moved["logs"]
): string =>
  JSON.stringify({
    baseFeePerGas: "0x5d21dba00",
    blockscore: "0x1",
    extraData: `0x${hash(height).slice(2).repeat(8)}`,
    gasUsed: quantity(transactions.reduce((sum, { typeInt }) => sum + gasOf(typeInt === 48), 0)),
    governanceData: "0x",
    hash: blockHash(height),
    logsBloom: fromBytes(LogsBloom.of(logs)),
    mixHash: hash(height + 3),
    number: quantity(height),
    parentHash: blockHash(height - 1),
    randomReveal: `0x${hash(height).slice(2).repeat(3)}`,
    receiptsRoot: hash(height + 5),
    reward: address(7),
    size: quantity(2000 + transactions.length * 200),
    stateRoot: hash(height + 6),
    timestamp: timeOf(height),
    timestampFoS: "0x0",
    totalBlockScore: quantity(height),
    transactions,
    transactionsRoot: hash(height + 7),
    voteData: "0x"
  })

/** The fields of a header that an index compares blocks by. */
const sentHeader = (height: number): string =>
  JSON.stringify({
    hash: blockHash(height),
    number: quantity(height),
    parentHash: blockHash(height - 1),
    timestamp: timeOf(height)
  })

const sentReceipt = (
  { hash: transactionHash, ...transaction }: ReturnType<typeof transactionOf>,
  logs: Moved["logs"],
  logsBefore: number
) => ({
  ...transaction,
  contractAddress: null,
  effectiveGasPrice: "0x5d21dba00",
  gasUsed: quantity(gasOf(logs.length > 0)),
  logs: logs.map((log, index) => ({
    ...log,
    blockHash: transaction.blockHash,
    blockNumber: transaction.blockNumber,
    logIndex: quantity(logsBefore + index),
    removed: false,
    transactionHash,
    transactionIndex: transaction.transactionIndex
  })),
  logsBloom: fromBytes(LogsBloom.of(logs)),
  status: "0x1",
  transactionHash
})

const isCalls = (value: unknown): value is Call | ReadonlyArray<Call> => typeof value === "object" && value !== null

/** A node that answers requests with text. It makes its chain as far as it is asked for, the same for the same size. */
export class SyntheticNode {
  /** The newest block that it has. */
  height: number
  /** How much higher it says that it is. */
  ahead = 0
  /** Seconds of this process that making and sending took. */
  busy = 0
  /** How often contracts were called. */
  contractCalls = 0
  readonly #chain: Chain
  readonly #transactions: number
  readonly #kept: number
  readonly #sent = new Map<number, Sent>()
  readonly #heights = new Map<unknown, number>()
  #made = -1

  /** `kept` is the number of newest blocks that it keeps the text of. Default: all. Another `seed` is other traffic. */
  constructor(height: number, transactions: number, kept = Number.POSITIVE_INFINITY, seed = 1) {
    this.#chain = new Chain(seed)
    this.height = height
    this.#transactions = transactions
    this.#kept = kept
  }

  /** The text of blocks and receipts. */
  get texts(): ReadonlyArray<string> {
    return [...this.#sent.values()].flatMap(({ block, receipts }) => [block, receipts])
  }

  /** What owners have of contracts: by contract and owner, and the token if there are several. */
  get balances(): ReadonlyMap<string, bigint> {
    return this.#chain.state.balances
  }

  /** Makes the whole chain now. */
  makeAll(): void {
    this.#at(this.height)
  }

  /** The text of the answer to a request. */
  answer(body: string): string {
    const before = process.cpuUsage()
    const calls: unknown = JSON.parse(body)
    if (!isCalls(calls)) throw new Error("it is no request")
    const text = "method" in calls ? this.#answer(calls) : `[${calls.map((call) => this.#answer(call)).join()}]`
    const { system, user } = process.cpuUsage(before)
    this.busy += (system + user) / 1e6
    return text
  }

  #answer({ id, method, params }: Call): string {
    return `{"jsonrpc":"2.0","id":${id},"result":${this.#result(method, params) ?? "null"}}`
  }

  #result(method: string, [first, second]: ReadonlyArray<unknown>): string | undefined {
    switch (method.replace(/^[a-z]+_/, "")) {
      case "chainId":
        return "\"0x3e9\""
      case "blockNumber":
        return `"${quantity(this.height + this.ahead)}"`
      case "getBlockByNumber": {
        const height = Number(first)
        if (height > this.height) return undefined
        return second === true ? this.#at(height)?.block : sentHeader(height)
      }
      case "getBlockReceipts":
        return this.#at(this.#heights.get(first) ?? -1)?.receipts
      case "getCode":
        return "\"0x6080604052\""
      case "call": {
        this.contractCalls++
        const { data, to } = first as { readonly to: Hex; readonly data: string }
        return `"0x${to === zero ? this.#bundle(data.slice(2)) : this.#chain.state.call(to, data) ?? ""}"`
      }
      default:
        throw new Error(`it has no method ${method}`)
    }
  }

  /** Answers calls that an index makes as one: address, length and data of each; of each a word with its length, and the answer. */
  #bundle(input: string): string {
    const parts: Array<string> = []
    for (let at = 0; at < input.length;) {
      const end = at + 42 + 2 * Number(`0x${input.slice(at + 40, at + 42)}`)
      const answer = this.#chain.state.call(`0x${input.slice(at, at + 40)}`, `0x${input.slice(at + 42, end)}`) ?? ""
      parts.push(`8${word(answer.length / 2).slice(1)}${answer}`)
      at = end
    }
    return parts.join("")
  }

  #at(height: number): Sent | undefined {
    while (this.#made < height) this.#make(++this.#made)
    return this.#sent.get(height)
  }

  #make(height: number): void {
    const count = height === 0 ? 0 : this.#transactions
    const made = Array.from({ length: count }, (_, index) => {
      const from = this.#chain.holder()
      const moved = this.#chain.move(index, from)
      return { moved, transaction: transactionOf(height, index, from, moved) }
    })
    let logs = 0
    const receipts = made.map(({ moved, transaction }) =>
      sentReceipt(transaction, moved.logs, (logs += moved.logs.length) - moved.logs.length)
    )
    this.#sent.set(height, {
      block: sentBlock(height, made.map(({ transaction }) => transaction), made.flatMap(({ moved }) => moved.logs)),
      receipts: JSON.stringify(receipts)
    })
    this.#heights.set(blockHash(height), height)
    this.#sent.delete(height - this.#kept)
    this.#heights.delete(blockHash(height - this.#kept))
  }
}
