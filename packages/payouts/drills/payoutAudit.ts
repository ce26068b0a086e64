/**
 * The judge of the drill. It reads the keys that were asked for, the rows that are stored, and the blocks of the chain over
 * a node's HTTP, and shares no code with the package. What it can't prove is unknown, never success.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A payment that was asked for. */
export interface Requested {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly value: string
}

/** Where the chain can be read. */
export interface Node {
  readonly url: string
  readonly authorization: string
}

interface Payment {
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly block: number
  readonly succeeded: boolean
}

/** What was found. The last five must be 0. */
export interface Verdict {
  readonly keys: number
  readonly executed: number
  /** Ended as not paid, and nothing on the chain that could be it. */
  readonly refused: number
  /** Keys with more than one attempt. */
  readonly replanned: number
  readonly payments: number
  readonly lost: number
  readonly twice: number
  readonly wrong: number
  readonly unknown: number
  readonly problems: ReadonlyArray<string>
}

const ask = async ({ authorization, url }: Node, method: string, params: ReadonlyArray<unknown>): Promise<unknown> => {
  const response = await fetch(`${url}/v1/klaytn`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-chain-id": "1001", authorization },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  // The envelope of JSON-RPC 2.0.
  const { result } = await response.json() as { readonly result?: unknown }
  if (result === undefined) throw new Error(`the node does not answer ${method}`)
  return result
}

const hex = (value: number): string => `0x${value.toString(16)}`

/** All transactions to an account, with whether they succeeded. */
const paymentsTo = async (node: Node, receiver: string): Promise<ReadonlyArray<Payment>> => {
  const newest = Number(await ask(node, "klay_blockNumber", []))
  const payments: Array<Payment> = []
  for (let number = 0; number <= newest; number++) {
    // As the node's specification has them.
    const block = await ask(node, "klay_getBlockByNumber", [hex(number), true]) as {
      readonly transactions: ReadonlyArray<Record<"hash" | "from" | "to" | "value", string>>
    }
    for (const { from, hash, to, value } of block.transactions) {
      if (to !== receiver) continue
      const receipt = await ask(node, "klay_getTransactionReceipt", [hash]) as { readonly status: string }
      payments.push({ hash, from, to, value: BigInt(value), block: number, succeeded: Number(receipt.status) === 1 })
    }
  }
  return payments
}

interface Row {
  readonly id: string
  readonly state: string
}

interface State {
  readonly _tag: string
  readonly attempt?: number
  readonly transactionHash?: string
  readonly block?: number
}

/** Judges all payments to one receiver. */
export const audit = (
  requested: ReadonlyArray<Requested>,
  receiver: string,
  node: Node,
  namespace: string
): Effect.Effect<Verdict, unknown, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<Row>`SELECT id, state FROM ${sql(`${namespace}_payouts`)}`
    // As the package documents them.
    const states = new Map(rows.map(({ id, state }) => [id, JSON.parse(state) as State]))
    const onChain = (yield* Effect.tryPromise(() => paymentsTo(node, receiver))).filter(({ succeeded }) => succeeded)
    const byHash = new Map(onChain.map((payment) => [payment.hash, payment]))
    const claimed = new Map<string, string>()
    /** How many payouts that are unknown may be a payment of this account and amount. */
    const perhaps = new Map<string, number>()
    const problems: Array<string> = []
    const counts = { executed: 0, refused: 0, replanned: 0, lost: 0, twice: 0, wrong: 0, unknown: 0 }
    const blame = (kind: "lost" | "twice" | "wrong" | "unknown", text: string) => {
      counts[kind]++
      problems.push(`${kind}: ${text}`)
    }
    for (const { from, key, to, value } of requested) {
      const state = states.get(key)
      if (state === undefined) {
        blame("lost", `${key} is not stored`)
        continue
      }
      if ((state.attempt ?? 1) > 1) counts.replanned++
      switch (state._tag) {
        case "Executed": {
          const payment = byHash.get(state.transactionHash ?? "")
          const other = claimed.get(state.transactionHash ?? "")
          if (payment === undefined) blame("lost", `${key} is said to be paid by ${state.transactionHash}`)
          else if (other !== undefined) blame("lost", `${key} and ${other} are said to be paid by ${payment.hash}`)
          else if (payment.from !== from || payment.to !== to || payment.value !== BigInt(value)) {
            blame("wrong", `${key} is paid otherwise than was asked for: ${payment.hash}`)
          } else if (payment.block !== state.block) blame("wrong", `${key} is in another block than it says`)
          else {
            counts.executed++
            claimed.set(payment.hash, key)
          }
          break
        }
        case "Refused":
        case "GivenUp":
          counts.refused++
          break
        default:
          blame("unknown", `${key} is ${state._tag}`)
          perhaps.set(`${from} ${value}`, (perhaps.get(`${from} ${value}`) ?? 0) + 1)
      }
    }
    // A nonce belongs to one key at a time: no attempt is overtaken by the payment of another key.
    const changes = yield* sql<{ readonly payout: string; readonly event: string }>`
      SELECT payout, event FROM ${sql(`${namespace}_payout_changes`)}`
    for (const { event, payout } of changes) {
      // As the package documents them.
      const { by } = JSON.parse(event) as { readonly by?: string }
      const other = by === undefined ? undefined : claimed.get(by)
      if (other !== undefined && other !== payout) blame("wrong", `${payout} had the nonce of ${other}`)
    }
    // Whatever else was paid was paid for nothing that was asked for, or a second time.
    const amounts = new Set(requested.map(({ from, value }) => `${from} ${value}`))
    for (const { from, hash, value } of onChain) {
      if (claimed.has(hash)) continue
      const open = perhaps.get(`${from} ${value}`) ?? 0
      if (open > 0) {
        perhaps.set(`${from} ${value}`, open - 1)
        continue
      }
      blame(
        amounts.has(`${from} ${value}`) ? "twice" : "wrong",
        `${value} peb from ${from} in ${hash} belong to no key`
      )
    }
    return { keys: requested.length, payments: onChain.length, ...counts, problems }
  })
