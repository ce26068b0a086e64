import type { NewRow } from "@effect-klaytn/store/Table"
import { transferClass, type transfers } from "../IndexTables.js"
import type { DraftTransfer } from "./IndexedBlock.js"

/** The row of a transfer. */
export const fromTransfer = (id: number, tx: number, transfer: DraftTransfer): NewRow<typeof transfers.fields> => {
  const { from, to } = transfer
  const amount = transfer.kind === "mt" ? 0n : transfer.kind === "nft" ? transfer.tokenId : transfer.value
  return {
    id,
    tx,
    class: transfer.kind === "coin" && amount === 0n ? transferClass.zeroCoin : transferClass[transfer.kind],
    from,
    to,
    contract: transfer.kind === "coin" ? undefined : transfer.contract,
    operator: transfer.kind === "mt" ? transfer.operator : undefined,
    amount,
    batch: transfer.kind === "mt" ? transfer : undefined
  }
}
