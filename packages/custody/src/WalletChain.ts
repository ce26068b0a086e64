import type { Chain } from "../../Chain.js"

/**
 * What the wallet needs of a chain: accounts with their keys and nonces, a way to send, and what became of what was sent.
 * The wallet and its operations use nothing else.
 *
 * `Chain` implements it for a chain that the sandbox executes. A client of a node can implement it for one that is
 * executed elsewhere: every member but two is one call of the node. `now` is the time of the newest block or of the
 * clock, whichever is later, and `fund` fills up the service's own fee payer.
 */
export type WalletChain = Pick<
  Chain,
  | "chainId"
  | "unitPrice"
  | "now"
  | "block"
  | "account"
  | "pendingNonce"
  | "transaction"
  | "pendingTransaction"
  | "logsOf"
  | "call"
  | "send"
  | "submit"
  | "submitRaw"
  | "fund"
>
