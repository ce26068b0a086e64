/** The payments of the drill of sends: each is known on the chain by its own amount. */
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import type * as Wallet from "@effect-klaytn/wallet/Wallet"
import type * as Effect from "effect/Effect"
import { identity } from "effect/Function"

/** Who pays, how that is said, and whether there is a memo. */
export const shapes = [
  "service",
  "service with memo",
  "user",
  "user with memo",
  "sender",
  "service by path",
  "user by path with memo"
] as const

/** One of {@link shapes}. */
export type Shape = (typeof shapes)[number]

/** A payment and the way it is made. */
export interface Payment {
  readonly input: Wallet.SendValueInput
  readonly way: <A, E, R>(send: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const receiver = "0xdddddddddddddddddddddddddddddddddddddddd"
const aside = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

/** The payment of a number. */
export const paymentOf = (
  given: { readonly from: string; readonly shape: Shape; readonly index: number; readonly feePayer: string }
): Payment => {
  const { feePayer, from, index, shape } = given
  const payer = shape.startsWith("user")
    ? FeeDelegation.user(feePayer)
    : shape === "sender"
    ? FeeDelegation.sender
    : FeeDelegation.service
  return {
    input: {
      from,
      to: receiver,
      value: BigInt(index + 1),
      payer,
      ...(shape.endsWith("memo") ? { memo: `payment ${index}` } : {})
    },
    way: shape === "sender" || shape.includes("path") ? FeeDelegation.withWay("paths") : identity
  }
}

/** A transaction that only takes a nonce. */
export const besides = (from: string): Wallet.SendValueInput => ({
  from,
  to: aside,
  value: 1n,
  payer: FeeDelegation.service
})

/** The number of the payment that a transaction makes, if it is one. */
export const indexOf = (to: string | undefined, value: bigint): number | undefined =>
  to === receiver ? Number(value) - 1 : undefined
