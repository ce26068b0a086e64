import type { ChargedFee } from "@effect-klaytn/wallet/FeesApi"
import type { ChainId } from "../../Chain.js"
import type { ChargedFee as Charged } from "../wallet/chargedFees.js"
import { quantity } from "./wireTransactionResult.js"

/** What a KLAY costs in the sandbox, in thousandths: the service tells the rates of the day. */
const krwPerMille = 350_000n
const usdPerMille = 250n

/** An amount of this many digits after its point, without zeros at its end. */
const decimal = (value: bigint, digits: number): string => {
  const text = value.toString().padStart(digits + 1, "0")
  const fraction = text.slice(-digits).replace(/0+$/, "")
  return `${text.slice(0, -digits)}${fraction === "" ? "" : `.${fraction}`}`
}

/** A fee that the global fee payer has paid. */
export const wireChargedFee = (
  chainId: ChainId,
  { charged, feePayer, record }: Charged
): typeof ChargedFee.Encoded => ({
  chainId,
  chargedByKlay: decimal(charged, 18),
  chargedByKrw: decimal(charged * krwPerMille, 21),
  chargedByPeb: charged.toString(),
  chargedByUsd: decimal(charged * usdPerMille, 21),
  feePayer,
  ...(record.feeRatio !== undefined && { feeRatio: record.feeRatio.toString() }),
  from: record.from,
  gasPrice: quantity(record.gasPrice),
  gasUsed: quantity(record.gasUsed),
  krw: Number(krwPerMille) / 1000,
  status: quantity(record.status),
  timestamp: record.timestamp,
  ...(record.to !== undefined && { to: record.to }),
  transactionHash: record.hash,
  typeInt: record.typeInt,
  usd: Number(usdPerMille) / 1000
})
