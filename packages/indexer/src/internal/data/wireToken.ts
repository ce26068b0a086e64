import type { FtContractDetail, MtContractDetail, NftContractDetail } from "@effect-klaytn/tokens/ContractDetail"
import type { FtContractSummary, MtContractSummary, NftContractSummary } from "@effect-klaytn/tokens/ContractSummary"
import type { Mt, MtToken, Nft } from "@effect-klaytn/tokens/Token"
import type { FtTokenSummary, MtTokenSummary, NftTokenSummary } from "@effect-klaytn/tokens/TokenSummary"
import { quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { ContractHolding, ContractRecord, HoldingRecord, TokenRecord } from "../../TokenRecord.js"
import { formatAmount } from "./wireTransfer.js"

/** A non-fungible token. */
export const nft = (token: TokenRecord): typeof Nft.Encoded => ({
  tokenId: quantity(token.tokenId),
  owner: token.owner ?? zeroAddress,
  previousOwner: token.previousOwner ?? zeroAddress,
  tokenUri: token.uri,
  transactionHash: token.transactionHash,
  createdAt: token.createdAt,
  updatedAt: token.updatedAt
})

/** An issued multi token. */
export const mt = (token: TokenRecord): typeof Mt.Encoded => ({
  tokenId: quantity(token.tokenId),
  totalSupply: quantity(token.supply),
  tokenUri: token.uri
})

/** The balance that one owner has of a multi token. */
export const mtToken = (holding: HoldingRecord): typeof MtToken.Encoded => ({
  tokenId: quantity(holding.tokenId ?? 0n),
  owner: holding.owner,
  tokenAddress: holding.contract,
  totalSupply: quantity(holding.supply ?? 0n),
  tokenUri: holding.uri ?? "",
  balance: quantity(holding.balance),
  transactionHash: holding.transactionHash,
  transferFrom: holding.transferFrom,
  transferTo: holding.transferTo,
  updatedAt: holding.updatedAt
})

const labelFields = ({ address, label, standard }: ContractRecord) => ({
  address,
  status: label.status,
  type: standard,
  createdAt: label.createdAt,
  updatedAt: label.updatedAt,
  deletedAt: label.deletedAt ?? 0
})

const nameFields = ({ name = "", symbol = "" }: ContractRecord) => ({ name, symbol })

/** A labelled contract of fungible tokens. */
export const ftContract = (contract: ContractRecord): typeof FtContractDetail.Encoded => ({
  ...nftContract(contract),
  decimals: contract.decimals ?? 0
})

/** A labelled contract of non-fungible tokens. */
export const nftContract = (contract: ContractRecord): typeof NftContractDetail.Encoded => ({
  ...labelFields(contract),
  ...nameFields(contract),
  totalSupply: quantity(contract.supply)
})

/** A labelled contract of multi tokens. */
export const mtContract = (contract: ContractRecord): typeof MtContractDetail.Encoded => labelFields(contract)

const ftExtras = (contract: ContractRecord, balance: bigint) => {
  const decimals = contract.decimals ?? 0
  return {
    ...nameFields(contract),
    decimals,
    totalSupply: quantity(contract.supply),
    formattedValue: formatAmount(balance, decimals)
  }
}

/** A contract whose tokens an owner holds. */
export const contractSummary = (
  { balance, contract, updatedAt }: ContractHolding
): typeof FtContractSummary.Encoded | typeof NftContractSummary.Encoded | typeof MtContractSummary.Encoded => {
  const common = { contractAddress: contract.address, updatedAt, totalBalance: quantity(balance) }
  switch (contract.kind) {
    case "ft":
      return { kind: "ft", ...common, extras: ftExtras(contract, balance) }
    case "nft":
      return { kind: "nft", ...common, extras: { ...nameFields(contract), totalSupply: quantity(contract.supply) } }
    case "mt":
      return { kind: "mt", ...common, extras: {} }
  }
}

/** A token that an owner holds, with its contract. */
export const tokenSummary = (
  { contract, holding }: {
    readonly holding: HoldingRecord
    readonly contract: ContractRecord
  }
): typeof FtTokenSummary.Encoded | typeof NftTokenSummary.Encoded | typeof MtTokenSummary.Encoded => {
  const common = {
    contractAddress: holding.contract,
    updatedAt: holding.updatedAt,
    balance: quantity(holding.balance),
    lastTransfer: {
      transactionHash: holding.transactionHash,
      transferFrom: holding.transferFrom,
      transferTo: holding.transferTo
    }
  }
  const token = { tokenId: quantity(holding.tokenId ?? 0n), tokenUri: holding.uri ?? "" }
  switch (holding.kind) {
    case "ft":
      return { kind: "ft", ...common, extras: ftExtras(contract, holding.balance) }
    case "nft":
      return { kind: "nft", ...common, extras: token }
    case "mt":
      return { kind: "mt", ...common, extras: { ...token, totalSupply: quantity(holding.supply ?? 0n) } }
  }
}
