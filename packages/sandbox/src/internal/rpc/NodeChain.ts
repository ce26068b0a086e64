import type { Chain } from "../../Chain.js"

/**
 * What the methods of the node ask: blocks, transactions and logs, accounts at any block, the pool, and execution.
 *
 * `Chain` implements it for a chain that the sandbox executes. A chain that is executed elsewhere has a node of its own:
 * put that behind the gateway rather than another implementation of this.
 */
export type NodeChain = Pick<
  Chain,
  | "chainId"
  | "unitPrice"
  | "head"
  | "block"
  | "transaction"
  | "transactionBySenderHash"
  | "transactionAt"
  | "transactionsOf"
  | "pendingTransaction"
  | "logs"
  | "logsOf"
  | "account"
  | "code"
  | "storageAt"
  | "pendingNonce"
  | "call"
  | "estimateGas"
  | "accessList"
  | "submitRaw"
>
