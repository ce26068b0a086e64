/**
 * What the command says when it is ready: one JSON line for programs, a page for people.
 */
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"

/**
 * An account whose key the sandbox holds, with the key: it is worth nothing outside.
 *
 * @category models
 */
export interface ReadyAccount {
  readonly name: string
  readonly address: string
  readonly privateKey: string
}

/**
 * A preset that searches can name.
 *
 * @category models
 */
export interface ReadyPreset {
  readonly chain: number
  readonly id: number
  readonly name: string
}

/**
 * All that a client needs to begin.
 *
 * @category models
 */
export interface Ready {
  readonly url: string
  readonly chains: ReadonlyArray<number>
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** ID of the customer, a part of the names of all pools. */
  readonly accountId: string
  /** How it reads the fee payer of a value transfer. */
  readonly feePayerStyle: FeePayerStyle
  readonly accounts: ReadonlyArray<ReadyAccount>
  readonly presets: ReadonlyArray<ReadyPreset>
}

/**
 * How it runs.
 *
 * @category models
 */
export interface Running {
  /** The file that everything is kept in; without one it is in memory. */
  readonly database: string | undefined
  /** The file with the wallet's key, where it was read from one beside the database. */
  readonly walletKeyFile: string | undefined
  /** Whether the explorer is served. */
  readonly explorer: boolean
}

/**
 * One line of JSON.
 *
 * @category formatting
 */
export const line = (ready: Ready): string => JSON.stringify(ready)

const width = (texts: ReadonlyArray<string>): number => Math.max(0, ...texts.map((text) => text.length))

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => width(rows.map((row) => row[column] ?? "")))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()}`)
}

/** The services that are served, as the variables of the environment call them. */
const served = ["HISTORY", "TOKENS", "WALLET", "RESOURCE", "NODE"]

/**
 * Address, credential, accounts, and the variables of the environment to copy.
 *
 * @category formatting
 */
export const page = (ready: Ready, { database, explorer, walletKeyFile }: Running): string => {
  const { accounts, presets, url } = ready
  return [
    `The sandbox listens on ${url}`,
    `  chains 8217 and 1001; ${database === undefined ? "in memory, gone when it stops" : `kept in ${database}`}`,
    ...(walletKeyFile === undefined
      ? []
      : [`  private keys of the wallet are sealed with the key in ${walletKeyFile}`]),
    `  pools of the wallet: krn:1001:wallet:${ready.accountId}:account-pool:default and so on`,
    "",
    "Accounts of chains 8217 and 1001, with their keys. Never use these keys on a real chain.",
    ...table(accounts.map((one) => [one.name, one.address, one.privateKey])),
    ...(presets.length === 0
      ? []
      : ["", "Presets", ...table(presets.map((one) => [`${one.id}`, `chain ${one.chain}`, one.name]))]),
    "",
    "For the clients, to copy:",
    "  export KLAYTN_CHAIN_ID=1001",
    `  export KLAYTN_ACCESS_KEY_ID=${ready.accessKeyId}`,
    `  export KLAYTN_SECRET_ACCESS_KEY=${ready.secretAccessKey}`,
    ...served.map((service) => `  export KLAYTN_${service}_URL=${url}`),
    `  export KLAYTN_FEE_PAYER_STYLE=${ready.feePayerStyle}`,
    "",
    ...(explorer ? [`Explorer: ${url}/   (blocks, transactions, tokens, accounts and requests, in a browser)`] : []),
    `Control: ${url}/_sandbox/health   Stop: Ctrl+C`
  ].join("\n")
}
