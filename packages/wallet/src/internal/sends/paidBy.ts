/** Who pays the fee of a transaction, compared with who was asked for. */
import * as Address from "@effect-klaytn/core/Address"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import type { FeePayer } from "../../FeeDelegation.js"
import type { FoundTransaction } from "../../TransactionResult.js"

/** What an answer or a look-up says about a transaction. */
type Found = Pick<FoundTransaction, "from" | "feePayer" | "typeInt">

const isFeeDelegated = (typeInt: number): boolean => {
  const type = TransactionType.fromTypeInt(typeInt)
  return type !== undefined && TransactionType.isFeeDelegated(type)
}

/** The service's global fee payer has no fixed address: any account except the sender counts as it. */
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

/** Who pays: the account that was asked for, another one, or one that the answer does not name. */
type PaidBy =
  | { readonly _tag: "AsAsked" | "Other"; readonly address: Address.Address }
  | { readonly _tag: "NotKnown" }

export const paidBy = (asked: FeePayer, { feePayer, from, typeInt }: Found): PaidBy => {
  const address = feePayer ?? (isFeeDelegated(typeInt) ? undefined : from)
  if (address === undefined) return { _tag: "NotKnown" }
  return { _tag: isAsked(asked, from, address) ? "AsAsked" : "Other", address }
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

/** The text of the warning that another account pays than the plan names. */
export const warning = (asked: FeePayer, from: Address.Address, address: Address.Address): string =>
  `${address === from ? "the sender" : Address.checksum(address)} pays the fee, and the plan names ${textOf(asked)}: ` +
  "check feePayerStyle of the configuration (KLAYTN_FEE_PAYER_STYLE); this is logged once for each client"
