import type { Address } from "@effect-klaytn/core/Address"
import type { BalanceChange } from "../BalanceChange.js"
import type { Transfer } from "../Transfer.js"

/** The movement of one asset between two accounts, from the point of view of `account`. */
const between = (
  sides: { readonly from: Address; readonly to: Address },
  account: string,
  moved: Omit<BalanceChange, "isCertain">,
  isCertain = true
): ReadonlyArray<BalanceChange> => {
  const sign = (sides.to === account ? 1n : 0n) - (sides.from === account ? 1n : 0n)
  const amount = sign * moved.amount
  return amount === 0n ? [] : [{ ...moved, amount, isCertain }]
}

export const of = (transfer: Transfer, address: string): ReadonlyArray<BalanceChange> => {
  const account = address.toLowerCase()
  switch (transfer._tag) {
    case "CoinTransfer": {
      const { status, value } = transfer
      const coin = { asset: "coin", contract: undefined, tokenId: undefined, amount: value } as const
      return status === "failure" ? [] : between(transfer, account, coin, status === "success")
    }
    case "FtTransfer": {
      const { contract: { address: contract }, value } = transfer
      return between(transfer, account, { asset: "ft", contract, tokenId: undefined, amount: value })
    }
    case "NftTransfer": {
      const { contract: { address: contract }, tokenId } = transfer
      return between(transfer, account, { asset: "nft", contract, tokenId, amount: 1n })
    }
    case "MtTransfer": {
      const { contract: { address: contract }, ids, values } = transfer
      return ids.flatMap((tokenId, index) =>
        between(transfer, account, { asset: "mt", contract, tokenId, amount: values[index] ?? 0n })
      )
    }
    case "UnknownTransfer":
      return []
  }
}
