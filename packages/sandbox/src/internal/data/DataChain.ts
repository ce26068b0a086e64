import type { Chain } from "../../Chain.js"

/**
 * What history and token data are served from: the index of a chain, and its time. The handlers of this
 * folder read nothing else.
 *
 * `Chain` implements it for a chain that the sandbox executes. For one that is executed elsewhere, `readIndex` gives all
 * of it but the time, from a store that `catchUp` fills.
 */
export type DataChain = Pick<
  Chain,
  | "chainId"
  | "now"
  | "head"
  | "transfers"
  | "transfersOf"
  | "contract"
  | "contracts"
  | "contractSupply"
  | "contractHoldings"
  | "ownership"
  | "token"
  | "tokens"
  | "holding"
  | "holdings"
  | "totalBalance"
  | "holderCount"
  | "preset"
>
