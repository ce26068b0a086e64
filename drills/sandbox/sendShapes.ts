/**
 * The payments of the send drill. Each is recognised on the chain by its amount; twins pay the same amount, and without a
 * memo they are indistinguishable.
 */
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import type * as Wallet from "@effect-klaytn/wallet/Wallet"

/** Who pays, and whether there is a memo. */
const delegated = ["service", "service with memo", "user", "user with memo"] as const
const own = ["sender", "sender with memo"] as const

/** A shape of a payment. */
export type Shape = (typeof delegated)[number] | (typeof own)[number]

/** The shapes that a service takes: with the document's form, the sender can't pay. */
export const shapesOf = (style: FeePayerStyle): ReadonlyArray<Shape> =>
  style === "document" ? delegated : [...delegated, ...own]

/** Whether payments of a shape are equal if their amounts are. */
export const isPlain = (shape: Shape): boolean => !shape.endsWith("memo")

/** The recipient of payments. */
export const receiver = "0xdddddddddddddddddddddddddddddddddddddddd"
/** The recipient of transactions that only use up a nonce. */
export const aside = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

/** The payment of a content. */
export const paymentOf = (
  given: { readonly from: string; readonly shape: Shape; readonly content: number; readonly feePayer: string }
): Wallet.SendValueInput => {
  const { content, feePayer, from, shape } = given
  const payer = shape.startsWith("user")
    ? FeeDelegation.user(feePayer)
    : shape.startsWith("sender")
    ? FeeDelegation.sender
    : FeeDelegation.service
  return {
    from,
    to: receiver,
    value: BigInt(content + 1),
    payer,
    ...(shape.endsWith("memo") ? { memo: `payment ${content}` } : {})
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
