import { ethAccounts, klayAccounts } from "./accounts.js"
import { ethBlocks, klayBlocks } from "./blocks.js"
import { ethFacts, ethOnly, klayFacts, modules, netFacts, web3Facts } from "./chainFacts.js"
import { consensusMethods } from "./consensus.js"
import { accessListMethods, ethCalls, klayCalls } from "./execution.js"
import { klayPriceMethods, priceMethods } from "./gas.js"
import { logMethods } from "./logs.js"
import { inNamespaces, type Method, type Methods } from "./Method.js"
import { recoveryMethods } from "./recovery.js"
import { ethRules, klayRules } from "./rules.js"
import { ethSubmit, ethTransactions, klaySubmit, klayTransactions } from "./transactions.js"

const klay: Methods = {
  ...klayAccounts,
  ...klayBlocks,
  ...consensusMethods,
  ...klayTransactions,
  ...klayCalls,
  ...accessListMethods,
  ...klayPriceMethods,
  ...klayFacts,
  ...klayRules,
  ...logMethods,
  ...recoveryMethods,
  ...klaySubmit
}

const eth: Methods = {
  ...ethAccounts,
  ...ethBlocks,
  ...ethTransactions,
  ...ethCalls,
  ...accessListMethods,
  ...priceMethods,
  ...ethFacts,
  ...ethRules,
  ...logMethods,
  ...ethSubmit,
  ...ethOnly
}

/** `kaia` is the chain's newer name for `klay`. */
const namespaces: Readonly<Record<string, Methods>> = { klay, kaia: klay, eth, net: netFacts, web3: web3Facts }

/** Methods that no node of release 2.2.1 has. */
export const more: ReadonlySet<string> = new Set(["klay_gasPriceAt", "kaia_gasPriceAt", "eth_estimateComputationCost"])

/** Every method that is served, by its name on the wire. */
export const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...namespaces, rpc: modules([...Object.keys(namespaces), "rpc"]) }).flatMap(([namespace, named]) =>
    Object.entries(inNamespaces([namespace], named))
  )
)
