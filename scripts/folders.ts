/** The folders of the packages that have them, lowest first: a folder imports those before itself, and never one after itself. */
export interface Folder {
  /** Its name in `src/internal`. */
  readonly name: string
  /** The file whose first sentence says what the folder contains, in the folder or, if it is public, in `src`. */
  readonly main: string
  /** The public modules that belong to the folder. */
  readonly doors: ReadonlyArray<string>
}

/** By package. */
export const folders: Readonly<Record<string, ReadonlyArray<Folder>>> = {
  cli: [
    { name: "terminal", main: "Screen", doors: [] },
    { name: "frame", main: "main", doors: [] },
    { name: "service", main: "Connection", doors: [] },
    { name: "accounts", main: "accountCommands", doors: [] },
    { name: "call", main: "call", doors: [] },
    { name: "doctor", main: "doctor", doors: [] },
    { name: "explain", main: "explain", doors: [] },
    { name: "exports", main: "exportCommands", doors: [] },
    { name: "gateway", main: "gatewayCommands", doors: [] },
    { name: "payouts", main: "payCommands", doors: [] },
    { name: "sandbox", main: "sandboxCommands", doors: [] },
    { name: "snapshot", main: "snapshotCommands", doors: [] },
    { name: "command", main: "commands", doors: [] }
  ],
  core: [
    {
      name: "values",
      main: "encoding",
      doors: [
        "Address",
        "Amount",
        "Chain",
        "Cursor",
        "FeePayerStyle",
        "Hash",
        "HexEncoding",
        "KeyId",
        "Krn",
        "Sanitize",
        "UnixTime",
        "WireDialect"
      ]
    },
    {
      name: "errors",
      main: "ServiceError",
      doors: ["ErrorBody", "Input", "ServiceCode", "ServiceError"]
    },
    { name: "decoding", main: "Decoder", doors: ["Decoder"] },
    { name: "paging", main: "Paged", doors: ["Checkpoint", "Paged"] },
    {
      name: "config",
      main: "ClientConfig",
      doors: ["ClientConfig", "Credentials", "Deadline", "Endpoints", "OwnNode", "RateLimit", "RetryPolicy", "Testing"]
    },
    {
      name: "calls",
      main: "ServiceClient",
      doors: [
        "BatchLimits",
        "JsonRpc",
        "Operation",
        "OperationApi",
        "Operations",
        "Recording",
        "SeenBlocks",
        "IndexId",
        "ServiceTime",
        "ServiceClient",
        "Telemetry",
        "UndiciHttpClient"
      ]
    }
  ],
  node: [
    {
      name: "records",
      main: "schemas",
      doors: [
        "Account",
        "Block",
        "BlockSelector",
        "CallRequest",
        "Eth",
        "Governance",
        "Log",
        "Receipt",
        "Transaction",
        "TransactionSchemas"
      ]
    },
    { name: "errors", main: "classifyError", doors: ["RpcError"] },
    {
      name: "methods",
      main: "Method",
      doors: [
        "AccountMethods",
        "BlockMethods",
        "ChainMethods",
        "EthMethods",
        "GasMethods",
        "LogMethods",
        "Method",
        "Methods",
        "NetMethods",
        "Param",
        "TransactionMethods"
      ]
    },
    { name: "calls", main: "transport", doors: ["Batching", "Eip1193", "GasPrices", "KlaytnNode", "Testing"] },
    { name: "streams", main: "nextBlock", doors: ["BlockHeads", "BlockStream", "Confirmation", "LogRange"] },
    { name: "signing", main: "Signer", doors: ["Signer", "SignerError"] },
    { name: "contracts", main: "Contract", doors: ["Abi", "Contract", "ContractError"] },
    { name: "inspection", main: "nodeInspection", doors: ["NodeReport"] }
  ],
  wallet: [
    {
      name: "contract",
      main: "WalletApi",
      doors: [
        "Account",
        "AccountKeyBody",
        "AccountsApi",
        "FeeDelegation",
        "FeesApi",
        "KeysApi",
        "MultisigApi",
        "OldKey",
        "Pool",
        "Registration",
        "ResourcesApi",
        "TransactionRequest",
        "TransactionResult",
        "TransactionsApi",
        "WalletApi",
        "WalletCode"
      ]
    },
    { name: "plans", main: "plan", doors: ["SendPlan"] },
    { name: "client", main: "client", doors: ["SpendPolicy"] },
    {
      name: "sends",
      main: "sending",
      doors: ["SendOutcome", "SendRecord", "TransactionLookup", "Transactions"]
    },
    { name: "accounts", main: "Wallet", doors: ["Accounts", "Fees", "Keys", "Resources", "Wallet"] },
    { name: "multisig", main: "Multisig", doors: ["Multisig"] },
    { name: "nonces", main: "NonceSource", doors: ["NonceBook", "NonceSource"] },
    { name: "migration", main: "Migration", doors: ["Migration", "MigrationJournal", "MigrationProgress"] },
    { name: "hosted", main: "HostedSigner", doors: ["HostedSigner"] }
  ]
}

/** How many groups of files of a package may import each other in a circle; none in the packages that are not named. */
export const circlesLeft: Readonly<Record<string, number>> = {
  exports: 2,
  "local-chain": 1,
  payouts: 2,
  sandbox: 3,
  tokens: 1,
  transaction: 1
}

/** How many imports of a package may run against the order of its folders. */
export const mostUp = 0
