/** What the request of a payout moves: coins, or a KIP-7 token by the call of its `transfer`. */
import * as Address from "@effect-klaytn/core/Address"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import type { Field } from "../DayReport.js"
import type { Content } from "../Payout.js"
import type { Transfer } from "../TokenPayout.js"

/** `transfer(address,uint256)`. */
export const selector = "0xa9059cbb"

const call = new RegExp(`^${selector}0{24}([0-9a-f]{40})([0-9a-f]{64})$`, "i")

export const fromContent = ({ request }: Pick<Content, "request">): Option.Option<Transfer> => {
  if (request._tag !== "Execute" || (request.value ?? 0n) !== 0n) return Option.none()
  const [, to, amount] = call.exec(request.input) ?? []
  return Option.map(
    Either.getRight(Address.make(`0x${to?.toLowerCase()}`)),
    (to) => ({ token: request.to, from: request.from, to, amount: BigInt(`0x${amount}`) })
  )
}

/** What a payout or a transaction moves, as text by field. A transfer of a token is read from its call. */
export type Moves = { readonly [F in Field]?: string | undefined }

export const movesOf = (request: Content["request"]): Moves => {
  const transfer = Option.getOrUndefined(fromContent({ request }))
  if (transfer !== undefined) return { ...transfer, amount: String(transfer.amount) }
  const { from, to, value = 0n } = request
  const input = request._tag === "Value" ? `0x${Encoding.encodeHex(request.memo ?? "")}` : request.input.toLowerCase()
  return { from, to, amount: String(value), [request._tag === "Value" ? "memo" : "input"]: input }
}

const fieldsThatMove: ReadonlyArray<Field> = ["from", "token", "to", "amount"]

/** What a transaction has as its input. A payment of coin to a contract is made as a call, with its memo as input. */
const inputOf = ({ input, memo }: Moves): string | undefined => memo ?? input

/** Whether a transaction could be either of the two, whether they were asked for as payments or as calls. */
export const isSameMove = (left: Moves, right: Moves): boolean =>
  fieldsThatMove.every((field) => left[field] === right[field]) && inputOf(left) === inputOf(right)
