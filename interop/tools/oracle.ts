/** The transfers of a chain, computed from the node's blocks, receipts and traces alone. */
import { type Hex, parseAbi, parseEventLogs, type TransactionReceipt, zeroAddress } from "viem"
import { result } from "./anvil.js"
import type { TokenKind, World } from "./traffic.js"

/** A transfer, with the fields of its transaction that answers show. */
export interface Transfer {
  /** Its place among all of the chain. */
  readonly place: number
  readonly kind: "coin" | TokenKind
  readonly from: Hex
  readonly to: Hex
  /** The token contract; undefined for coin. */
  readonly contract: Hex | undefined
  /** The caller of a multi token contract; the zero address for other kinds. */
  readonly operator: Hex
  /** Tokens: none of coin and of fungible tokens. */
  readonly ids: ReadonlyArray<bigint>
  /** Amounts: one, or one for each of `ids`. */
  readonly values: ReadonlyArray<bigint>
  /** Whether it is the transaction's own coin, or coin that a contract moved. */
  readonly isOwn: boolean
  readonly transaction: Transaction
}

/** A transaction with its receipt. */
export interface Transaction {
  readonly hash: Hex
  readonly index: number
  readonly block: number
  readonly timestamp: number
  readonly typeInt: number
  readonly from: Hex
  readonly value: bigint
  readonly fee: bigint
  readonly status: 0 | 1
}

type Moved = Pick<Transfer, "kind" | "from" | "to" | "contract" | "operator" | "ids" | "values" | "isOwn">

const lower = (text: string): Hex => text.toLowerCase() as Hex

const coin = (from: string, to: string, value: bigint, isOwn: boolean): Moved => ({
  kind: "coin",
  from: lower(from),
  to: lower(to),
  contract: undefined,
  operator: zeroAddress,
  ids: [],
  values: [value],
  isOwn
})

const events = {
  ft: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
  nft: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)"]),
  mt: parseAbi([
    "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
    "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)"
  ])
}

/** The token transfers that viem reads from the logs of a receipt; it leaves out all other events. */
const tokenTransfers = ({ logs }: TransactionReceipt, { tokens }: World): ReadonlyArray<Moved> =>
  logs.flatMap((log): ReadonlyArray<Moved> => {
    const token = Object.values(tokens).find(({ address }) => address === log.address)
    const moved = (from: string, to: string, ids: ReadonlyArray<bigint>, values: ReadonlyArray<bigint>): Moved => ({
      ...coin(from, to, 0n, false),
      kind: token?.kind ?? "ft",
      contract: lower(log.address),
      ids,
      values
    })
    switch (token?.kind) {
      case "ft":
        return parseEventLogs({ abi: events.ft, logs: [log] })
          .map(({ args: { from, to, value } }) => moved(from, to, [], [value]))
      case "nft":
        return parseEventLogs({ abi: events.nft, logs: [log] })
          .map(({ args: { from, to, tokenId } }) => moved(from, to, [tokenId], [1n]))
      case "mt":
        return parseEventLogs({ abi: events.mt, logs: [log] }).map(({ args, eventName }) => {
          const [ids, values] = eventName === "TransferSingle" ? [[args.id], [args.value]] : [args.ids, args.values]
          return { ...moved(args.from, args.to, ids, values), operator: lower(args.operator) }
        })
      default:
        return []
    }
  })

/** A call in the trace of a transaction. */
interface Call {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: Hex
  readonly error?: string
  readonly calls?: ReadonlyArray<Call>
}

const movesCoin: ReadonlySet<string> = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"])

/** The coin that the calls in a call moved, in their order: not that of calls that failed. `self` runs the outer call. */
const innerCoin = ({ calls = [], error }: Call, self: string): ReadonlyArray<Moved> =>
  error !== undefined ? [] : calls.flatMap((call) => {
    if (call.error !== undefined) return []
    const { to = self, type, value = "0x0" } = call
    const runs = type === "DELEGATECALL" || type === "CALLCODE" ? self : to
    const isMoved = movesCoin.has(type) && BigInt(value) > 0n && !(type === "SELFDESTRUCT" && self === to)
    return [...(isMoved ? [coin(self, to, BigInt(value), false)] : []), ...innerCoin(call, runs)]
  })

const tracer = { tracer: "callTracer" }

const traceOf = async ({ url }: World, hash: Hex): Promise<Call> =>
  await result(url, "debug_traceTransaction", hash, tracer) as Call

/** All transfers of the node's chain, oldest first. */
export const transfersOf = async (world: World): Promise<ReadonlyArray<Transfer>> => {
  const { reader } = world
  const transfers: Array<Transfer> = []
  const height = Number(await reader.getBlockNumber({ cacheTime: 0 }))
  for (let number = 0; number <= height; number++) {
    const block = await reader.getBlock({ blockNumber: BigInt(number), includeTransactions: true })
    for (const { from, hash, to, transactionIndex, type, typeHex, value } of block.transactions) {
      const receipt = await reader.getTransactionReceipt({ hash })
      if (typeHex === null) throw new Error(`the node gives ${hash} the unknown type ${type}`)
      const typeNumber = Number(typeHex)
      const transaction: Transaction = {
        hash,
        index: transactionIndex,
        block: number,
        timestamp: Number(block.timestamp),
        // The chain puts 0x78 in front of the number of a type of Ethereum.
        typeInt: typeNumber === 0 ? 0 : 0x7800 + typeNumber,
        from: lower(from),
        value,
        fee: receipt.gasUsed * receipt.effectiveGasPrice + (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n),
        status: receipt.status === "success" ? 1 : 0
      }
      const receiver = lower(to ?? receipt.contractAddress ?? from)
      const all = [
        coin(from, receiver, value, true),
        ...(transaction.status === 1 ? innerCoin(await traceOf(world, hash), receiver) : []),
        ...tokenTransfers(receipt, world)
      ]
      for (const one of all) transfers.push({ ...one, place: transfers.length, transaction })
    }
  }
  return transfers
}
