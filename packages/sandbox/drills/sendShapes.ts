/**
 * The payments of the send drill. Each is recognised on the chain by its amount; twins pay the same amount, and without a
 * memo they are indistinguishable.
 */
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import type * as Wallet from "@effect-klaytn/wallet/Wallet"
import type * as Effect from "effect/Effect"
import { identity } from "effect/Function"

/** Who pays, how the sender is given, and whether there is a memo. */
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

/** Whether payments of a shape are equal if their amounts are. */
export const isPlain = (shape: Shape): boolean => !shape.endsWith("memo")

/** A payment and the way it is made. */
export interface Payment {
  readonly input: Wallet.SendValueInput
  readonly way: <A, E, R>(send: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The recipient of payments. */
export const receiver = "0xdddddddddddddddddddddddddddddddddddddddd"
/** The recipient of transactions that only use up a nonce. */
export const aside = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

/** The payment of a content. */
export const paymentOf = (
  given: { readonly from: string; readonly shape: Shape; readonly content: number; readonly feePayer: string }
): Payment => {
  const { content, feePayer, from, shape } = given
  const payer = shape.startsWith("user")
    ? FeeDelegation.user(feePayer)
    : shape === "sender"
    ? FeeDelegation.sender
    : FeeDelegation.service
  return {
    input: {
      from,
      to: receiver,
      value: BigInt(content + 1),
      payer,
      ...(shape.endsWith("memo") ? { memo: `payment ${content}` } : {})
    },
    way: shape === "sender" || shape.includes("path") ? FeeDelegation.withStyle("paths") : identity
  }
}

/** A transaction that only uses up a nonce. */
export const besides = (from: string): Wallet.SendValueInput => ({
  from,
  to: aside,
  value: 1n,
  payer: FeeDelegation.service
})

/** The content of the payment that a transaction makes, if it is one. */
export const contentOf = (to: string | undefined, value: bigint): number | undefined =>
  to === receiver ? Number(value) - 1 : undefined
