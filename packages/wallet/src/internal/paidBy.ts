/** Who pays the fee of a transaction, compared with who was asked for. */
import * as Address from "@effect-klaytn/core/Address"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import type { FeePayer } from "../FeeDelegation.js"
import type { PaidBy } from "../SendOutcome.js"

/** What an answer or a look-up says of a transaction. */
export interface Told {
  readonly from: Address.Address
  readonly feePayer?: Address.Address | undefined
  readonly typeInt: number
}

const isFeeDelegated = (typeInt: number): boolean => {
  const type = TransactionType.fromTypeInt(typeInt)
  return type !== undefined && TransactionType.isFeeDelegated(type)
}

/** The fee payer of an answer, or the sender if the type has none. */
const addressOf = ({ feePayer, from, typeInt }: Told): Address.Address | undefined =>
  feePayer ?? (isFeeDelegated(typeInt) ? undefined : from)

/** The service's global fee payer has no fixed address: it is anybody but the sender. */
const isAsked = (asked: FeePayer, from: Address.Address, address: Address.Address): boolean => {
  switch (asked._tag) {
    case "SenderPays":
      return address === from
    case "ServiceFeePayer":
      return address !== from
    case "UserFeePayer":
      return address === asked.address
  }
}

export const paidBy = (asked: FeePayer, told: Told): PaidBy => {
  const address = addressOf(told)
  if (address === undefined) return { _tag: "NotKnown" }
  return { _tag: isAsked(asked, told.from, address) ? "AsAsked" : "Other", address }
}

const textOf = (asked: FeePayer): string => {
  switch (asked._tag) {
    case "SenderPays":
      return "the sender"
    case "ServiceFeePayer":
      return "the service's global fee payer"
    case "UserFeePayer":
      return Address.checksum(asked.address)
  }
}

/** What to tell when another than the one who was asked for pays. */
export const warning = (asked: FeePayer, from: Address.Address, address: Address.Address): string =>
  `${address === from ? "the sender" : Address.checksum(address)} pays the fee, and the plan names ${textOf(asked)}: ` +
  "check feePayerStyle of the configuration (KLAYTN_FEE_PAYER_STYLE); this is logged once for each client"
