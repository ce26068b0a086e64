/** A payment of the database beside a transaction of the chain. */
import type * as Address from "@effect-klaytn/core/Address"
import type * as Hash from "@effect-klaytn/core/Hash"
import { noData } from "@effect-klaytn/core/HexEncoding"
import * as Option from "effect/Option"
import { type Difference, Field } from "../../DayReport.js"
import type { Content } from "../../Payout.js"
import type * as PayoutState from "../../PayoutState.js"
import { arrivedBy } from "../arrivals.js"
import { fromContent, isSameMove, type Moves, movesOf } from "../moves.js"
import type { Stored } from "../store.js"
import type { Mined } from "./chainView.js"

type Differs = Extract<Difference, { readonly _tag: "Differs" }>

/** A state that names a block. */
export type InBlock = Extract<PayoutState.PayoutState, { readonly _tag: "Executed" | "MovedOtherwise" | "Refused" }> & {
  readonly block: number
  readonly transactionHash: Hash.Hash
}

/** The state of a payout that is in a block, as the database says. */
export const inBlock = (state: PayoutState.PayoutState): InBlock | undefined => {
  if (state._tag !== "Executed" && state._tag !== "MovedOtherwise" && state._tag !== "Refused") return undefined
  const { block, transactionHash } = state
  return block === undefined || transactionHash === undefined ? undefined : { ...state, block, transactionHash }
}

const transferOf = (request: Content["request"]) => Option.getOrUndefined(fromContent({ request }))

/** What a transaction moves, to be compared with `like`: the input of a payment of coins is a memo, any other is a call. */
const movesOnChain = ({ from, input, to, value }: Mined, like: Content["request"]): Moves => {
  if (to === undefined) return { from, amount: String(value), input }
  if (like._tag === "Value") return { from, to, amount: String(value), memo: input }
  const request = { _tag: "Execute" as const, from, to, value, input }
  return transferOf(like) === undefined ? { from, to, amount: String(value), input } : movesOf(request)
}

/** The token that a payout moves; undefined for KLAY. */
export const tokenOf = ({ content: { request } }: Pick<Stored, "content">): Address.Address | undefined =>
  transferOf(request)?.token

/** The amount that a payout moves, in the smallest unit: what arrived, where that is another one. */
export const amountOf = ({ content: { request }, state }: Pick<Stored, "content" | "state">): bigint =>
  state._tag === "MovedOtherwise" ? BigInt(state.moved) : transferOf(request)?.amount ?? request.value ?? 0n

/** Whether a transaction moves what a payout is to move. */
export const movesSame = ({ content: { request } }: Stored, mined: Mined): boolean =>
  isSameMove(movesOf(request), movesOnChain(mined, request))

type Recorded = "block" | "nonce" | "paidBy" | "transactionHash"

/** What a payout or a block says about the transaction itself, as text by field. */
const recordOf = (
  { block, nonce, paidBy, transactionHash }: { readonly [F in Recorded]?: Mined[F] | undefined }
): Moves => ({
  nonce: nonce?.toString(),
  block: block?.toString(),
  transactionHash,
  paidBy
})

/** The differences between a payout and the transaction that is its own. */
export const differences = (payout: Stored, mined: Mined): ReadonlyArray<Difference> => {
  const { content: { request }, key, state } = payout
  const { succeeded, transactionHash } = mined
  const paidBy = "paidBy" in state && state.paidBy !== undefined && "address" in state.paidBy
    ? state.paidBy.address
    : undefined
  const record = recordOf({ ...state, paidBy })
  const database: Moves = { ...movesOf(request), ...record, state: state._tag }
  const onChain = movesOnChain(mined, request)
  const transfer = transferOf(request)
  // Of a token moves what its logs say, whatever its call asked for.
  const amount = succeeded && mined.logs !== undefined && transfer !== undefined && onChain.token === transfer.token
    ? String(arrivedBy(mined.logs, transfer))
    : onChain.amount
  const done = amount === onChain.amount ? "Executed" : "MovedOtherwise"
  const chain: Moves = { ...onChain, amount, ...recordOf(mined), state: succeeded ? done : "Refused" }
  // A field that the database does not have is no difference.
  const isCompared = (field: Field) => !(field in record) || record[field] !== undefined
  const token = tokenOf(payout)
  return Field.literals.filter((field) => isCompared(field) && database[field] !== chain[field]).map((
    field
  ): Differs => ({
    _tag: "Differs",
    key,
    transactionHash,
    field,
    database: database[field] ?? "none",
    chain: chain[field] ?? "none",
    ...(field === "amount" && token !== undefined ? { token } : {})
  }))
}

/** The types of cancellations; and of transfers: legacy, of coin, with an access list, with a dynamic fee. */
const types = { cancellations: [0x38, 0x39, 0x3a], transfers: [0, 0x08, 0x09, 0x0a, 0x7801, 0x7802] } as const

const isOne = (all: ReadonlyArray<number>, type: number): boolean => all.includes(type)

/**
 * Whether a transaction only used its nonce: an opening, a cancellation, or a filled gap. Its type says so: what moves no coin may change the
 * key of the account, or make its code another one's.
 */
export const movesNothing = ({ from, input, to, typeInt, value }: Mined): boolean =>
  typeInt !== undefined && value === 0n && input === noData && (
    isOne(types.cancellations, typeInt) || isOne(types.transfers, typeInt) && to === from
  )
