import type {
  CoinTransfer,
  FtTransfer,
  MtTransfer,
  NftTransfer,
  TransactionSummary
} from "@effect-klaytn/history/Transfer"
import { quantity } from "@effect-klaytn/transaction/Hex"
import type { CoinWord } from "../../DataChain.js"
import type { TransferContract, TransferRecord, TransferTransaction } from "../../TransferRecord.js"

/** A transfer as the contract has it on the wire. */
export type WireTransfer =
  | typeof CoinTransfer.Encoded
  | typeof FtTransfer.Encoded
  | typeof NftTransfer.Encoded
  | typeof MtTransfer.Encoded

/** A token amount as a plain decimal: no exponent, no zeros at the end, no separators. */
export const formatAmount = (value: bigint, decimals: number): string => {
  const digits = value.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}

const fees = (transaction: TransferTransaction) => ({
  fee: quantity(transaction.fee),
  feePayer: transaction.feePayer ?? "",
  feeRatio: transaction.feeRatio ?? 0
})

const summary = (transaction: TransferTransaction): typeof TransactionSummary.Encoded => ({
  from: transaction.from,
  transactionHash: transaction.transactionHash,
  blockNumber: transaction.blockNumber,
  timestamp: transaction.timestamp,
  typeInt: transaction.typeInt,
  value: quantity(transaction.value),
  ...fees(transaction)
})

/** A contract that did not answer has empty texts, and no decimals. */
const contractFields = ({ address, name = "", symbol = "" }: TransferContract) => ({ address, name, symbol })

/** Writes every field that the contract has, addresses in lower case. */
export const wireTransfer = (record: TransferRecord, coin: CoinWord): WireTransfer => {
  const { from, to, transaction } = record
  switch (record.kind) {
    case "coin":
      return {
        transferType: coin,
        from,
        to,
        value: quantity(record.value),
        ...fees(transaction),
        status: transaction.status,
        transactionHash: transaction.transactionHash,
        transactionIndex: transaction.transactionIndex,
        blockNumber: transaction.blockNumber,
        typeInt: transaction.typeInt,
        timestamp: transaction.timestamp
      }
    case "ft": {
      const decimals = record.contract.decimals ?? 0
      return {
        transferType: "ft",
        from,
        to,
        value: quantity(record.value),
        formattedValue: formatAmount(record.value, decimals),
        contract: { ...contractFields(record.contract), decimals },
        transaction: summary(transaction)
      }
    }
    case "nft":
      return {
        transferType: "nft",
        from,
        to,
        tokenId: quantity(record.tokenId),
        contract: contractFields(record.contract),
        transaction: summary(transaction)
      }
    case "mt":
      return {
        transferType: "mt",
        operator: record.operator,
        from,
        to,
        ids: record.ids.map(quantity),
        values: record.values.map(quantity),
        contract: { address: record.contract.address },
        transaction: summary(transaction)
      }
  }
}
