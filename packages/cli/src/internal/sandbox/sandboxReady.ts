/** The page that `klaytn sandbox` prints when it is ready. */
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import type { Ready } from "@effect-klaytn/sandbox/command"
import * as Screen from "../terminal/Screen.js"

/** How it runs. */
interface Running {
  /** The file that everything is kept in; without one it is in memory. */
  readonly database: string | undefined
  /** The file with the wallet's key, where it was read from one beside the database. */
  readonly walletKeyFile: string | undefined
  /** Whether the explorer is served. */
  readonly explorer: boolean
  /** Whether other machines reach it, at the address of the host. */
  readonly expose: boolean
  readonly host: string
}

const indented = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  Screen.table(rows).map((row) => `  ${row}`)

/** What other machines can reach, and how. */
const warning = (host: string, explorer: boolean, hasDevRpc: boolean): ReadonlyArray<string> => [
  `  EXPOSED on ${host}: other machines reach all of it with the credential, without encryption:`,
  `    the service, the controls (/_sandbox), ${explorer ? "the explorer (/), " : ""}the OpenAPI document`,
  hasDevRpc
    ? "    WITHOUT the credential: the JSON-RPC (/rpc), which sends from all development accounts"
    : "    not served: the JSON-RPC without a credential (/rpc)"
]

/** Address, credential, accounts, and the variables of the environment to copy. */
export const page = (ready: Ready, { database, explorer, expose, host, walletKeyFile }: Running): string => {
  const { accounts, presets, rpc, url } = ready
  return [
    `The sandbox listens on ${url}`,
    `  chains 8217 and 1001; ${database === undefined ? "in memory, gone when it stops" : `kept in ${database}`}`,
    ...(expose ? warning(host, explorer, rpc.length > 0) : []),
    ...(walletKeyFile === undefined
      ? []
      : [`  private keys of the wallet are sealed with the key in ${walletKeyFile}`]),
    `  pools of the wallet: krn:1001:wallet:${ready.accountId}:account-pool:default and so on`,
    "",
    "Accounts of chains 8217 and 1001, with their keys. Never use these keys on a real chain.",
    ...indented(accounts.map((one) => [one.name, one.address, one.privateKey])),
    ...(presets.length === 0
      ? []
      : ["", "Presets", ...indented(presets.map((one) => [`${one.id}`, `chain ${one.chain}`, one.name]))]),
    "",
    "For the clients, to copy:",
    "  export KLAYTN_CHAIN_ID=1001",
    `  export KLAYTN_ACCESS_KEY_ID=${ready.accessKeyId}`,
    // The secret of an exposed sandbox is not in its log.
    `  export KLAYTN_SECRET_ACCESS_KEY=${expose ? "..." : ready.secretAccessKey}`,
    ...Endpoints.services.map((service) => `  export ${Endpoints.variable(service)}=${url}`),
    `  export KLAYTN_FEE_PAYER_STYLE=${ready.feePayerStyle}`,
    "",
    ...rpc.map(({ chain, path }) => `JSON-RPC of chain ${chain}, for dapp tools: ${url}${path}`),
    ...(explorer ? [`Explorer: ${url}/   (blocks, transactions, tokens, accounts and requests, in a browser)`] : []),
    `Control: ${url}/_sandbox/health   Stop: Ctrl-C`,
    ""
  ].join("\n")
}
