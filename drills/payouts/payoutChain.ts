/** The chain as the audit reads it: the blocks, over a node's JSON-RPC, with no code of the packages. */

/** Where the chain can be read. */
export interface Node {
  readonly url: string
  readonly authorization: string
}

/** A transaction in a block. */
export interface Executed {
  readonly hash: string
  readonly type: string
  readonly from: string
  readonly nonce: number
  /** Empty where there is no receiver. */
  readonly to: string
  readonly value: bigint
  /** What it calls a contract with; empty for none. */
  readonly input: string
  readonly block: number
  /** When the block was made, in seconds. */
  readonly time: number
  readonly succeeded: boolean
}

interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const ask = async ({ authorization, url }: Node, calls: ReadonlyArray<Call>): Promise<ReadonlyArray<unknown>> => {
  if (calls.length === 0) return []
  const response = await fetch(`${url}/v1/klaytn`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-chain-id": "1001", authorization },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })))
  })
  // The envelopes of JSON-RPC 2.0.
  const answers = await response.json() as ReadonlyArray<{ readonly id: number; readonly result?: unknown }>
  return calls.map(({ method }, id) => {
    const result = answers.find((one) => one.id === id)?.result
    if (result === undefined) throw new Error(`the node does not answer ${method}`)
    return result
  })
}

/** As the node's specification has them. */
interface Block {
  readonly number: string
  readonly timestamp: string
  readonly transactions: ReadonlyArray<
    Record<"hash" | "type" | "from" | "nonce" | "value", string> & { to?: string; input?: string }
  >
}

const size = 50

const hex = (value: number): string => `0x${value.toString(16)}`

/** All transactions of some accounts, in the order of the chain. */
export const transactionsOf = async (
  node: Node,
  accounts: ReadonlySet<string>
): Promise<ReadonlyArray<Executed>> => {
  const [newest] = await ask(node, [{ method: "klay_blockNumber", params: [] }])
  const found: Array<Executed> = []
  for (let from = 0; from <= Number(newest); from += size) {
    const numbers = Array.from({ length: Math.min(size, Number(newest) + 1 - from) }, (_, i) => from + i)
    const blocks = await ask(
      node,
      numbers.map((number) => ({ method: "klay_getBlockByNumber", params: [hex(number), true] }))
    ) as ReadonlyArray<Block>
    const all = blocks.flatMap((block) =>
      block.transactions.filter((one) => accounts.has(one.from)).map((transaction) => ({ block, transaction }))
    )
    for (let at = 0; at < all.length; at += size) {
      const some = all.slice(at, at + size)
      const receipts = await ask(
        node,
        some.map(({ transaction }) => ({ method: "klay_getTransactionReceipt", params: [transaction.hash] }))
      ) as ReadonlyArray<{ readonly status: string }>
      found.push(...some.map(({ block, transaction }, i): Executed => ({
        hash: transaction.hash,
        type: transaction.type,
        from: transaction.from,
        nonce: Number(transaction.nonce),
        to: transaction.to ?? "",
        value: BigInt(transaction.value ?? 0),
        input: transaction.input ?? "",
        block: Number(block.number),
        time: Number(block.timestamp),
        succeeded: Number(receipts[i]?.status) === 1
      })))
    }
  }
  return found
}
