/** The environment variables that the commands read, and what they are for: a test finds one that is missing here. */
import * as Endpoints from "@effect-klaytn/core/Endpoints"

export const variables: Readonly<Record<string, string>> = {
  KLAYTN_CHAIN_ID: "8217 (mainnet) or 1001 (testnet)",
  KLAYTN_ACCESS_KEY_ID: "the ID of the credential",
  KLAYTN_SECRET_ACCESS_KEY: "its secret",
  KLAYTN_AUTHORIZATION: "instead of both: the complete header value, Basic ...",
  ...Object.fromEntries(
    Endpoints.services.map((service) => [Endpoints.variable(service), `the base address of ${service}`])
  ),
  KLAYTN_POOL: "the account pool of wallet calls",
  KLAYTN_FEE_PAYER_STYLE: "how the wallet reads who pays for a value transfer: document (default) or paths",
  KLAYTN_EXPORT_OUT: "instead of --out, for an address with a password",
  KLAYTN_PAYOUTS_DB: "instead of --db of pay and payouts, for an address with a password",
  KLAYTN_OWN_NODE_URL: "gateway, doctor, call: the address of a node of your own, instead of --node",
  KLAYTN_OWN_NODE_AUTHORIZATION: "the Authorization header for that node, if it wants one, such as Bearer ...",
  KLAYTN_WALLET_KEY: "gateway: the master key of the wallet, instead of --wallet-key-file",
  KLAYTN_SANDBOX_ACCESS_KEY_ID: "sandbox: the ID of the credential that it asks for",
  KLAYTN_SANDBOX_SECRET_ACCESS_KEY: "sandbox: its secret",
  KLAYTN_SANDBOX_WALLET_KEY: "sandbox: the key that seals private keys in --db"
}
