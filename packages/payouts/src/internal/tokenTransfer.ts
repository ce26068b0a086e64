/** The transfer of a KIP-7 token, as the call of a contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
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
