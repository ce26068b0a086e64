/**
 * All of tokens, one namespace per module.
 */
export * as ContractDetail from "./ContractDetail.js"
export * as ContractSummary from "./ContractSummary.js"
export * as Lookup from "./Lookup.js"
export * as OwnerChanges from "./OwnerChanges.js"
export * as Ownership from "./Ownership.js"
export * as OwnerSnapshot from "./OwnerSnapshot.js"
export * as Token from "./Token.js"
export * as TokenData from "./TokenData.js"
export * as TokenDirectory from "./TokenDirectory.js"
export * as TokenDirectoryApi from "./TokenDirectoryApi.js"
export * as TokenId from "./TokenId.js"
export * as TokenInput from "./TokenInput.js"
export * as TokensApi from "./TokensApi.js"
export * as TokenSummary from "./TokenSummary.js"
