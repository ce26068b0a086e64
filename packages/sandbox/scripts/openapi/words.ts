/** What the OpenAPI document says of things that no docstring names: fields by name, parameters, headers, groups. */

/** The document as a whole. */
export const about = `The whole service: transfer history, token data, the wallet, and node access by JSON-RPC.

**Credential.** Every call carries an access key as HTTP Basic and the chain as the header \`x-chain-id\`. An access key
has all rights over all accounts: keep it on a server.

**Units.** Amounts of the native coin are hexadecimal strings in peb; 1 KLAY is 10^18 peb. Times are Unix seconds. Token
IDs and token amounts are hexadecimal strings of up to 256 bits; they do not fit into a number of JSON.

**Paging.** A list takes \`size\` (1 to 1000, 100 by default) and \`cursor\`. An answer whose \`cursor\` is not empty is
continued by the same request with that cursor; a page may be shorter than \`size\` and not be the last.

**Errors.** \`code\` has seven digits and is the same in all languages; \`message\` is for people. The wallet answers
"not found", and an empty list too, with HTTP 400.

**Unknown things.** The service may add fields, kinds and states: a client should pass over what it does not know.

**Sources.** Some of this is in the service's documentation. What is marked "seen" was seen in public clients of the
service, and what is marked "inferred" follows from neither: the service may do otherwise.`

/** The groups of operations. */
export const tags = {
  history: "Transfers of coin and tokens by account, by transaction, and of presets.",
  tokens: "Tokens by contract, owner and ID.",
  "token directory": "Token contracts that the service has labelled, and what an account holds. Beyond the document.",
  wallet: "Accounts whose keys the service holds, keys, fee payers, value transfers, and migration.",
  accounts: "Single accounts and fee payers, and their counts. Beyond the document.",
  keys: "Keys, and signing with them. Beyond the document.",
  multisig: "Accounts with several keys, and transactions that wait for signatures. Beyond the document.",
  transactions: "All other transactions, receipts and contract reads, with three kinds of payers. Beyond the document.",
  fees: "Fees that the global fee payer paid. Beyond the document.",
  resources: "The customer's pools. Beyond the document.",
  node: "The JSON-RPC methods of a Klaytn node."
} as const

/** The transactions of the groups `basic`, `fd` and `fdUser`, by their names there, and who pays in each group. */
export const transactions: Readonly<Record<string, string>> = {
  value: "Sends value",
  legacy: "Sends a transaction of the oldest form; without `to` it creates a contract",
  deploy: "Creates a contract from the code in `input`",
  execute: "Calls the contract at `to` with the call data in `input`",
  cancel: "Replaces a waiting transaction, given by its `nonce` or its `transactionHash`",
  anchor: "Anchors the data in `input`",
  accountUpdate: "Gives the account another key; the wallet can't use the account after that (seen)",
  rlp: "Sends a transaction that was built elsewhere, unsigned or signed"
}
export const payers: Readonly<Record<string, string>> = {
  basic: "the sender pays the fee",
  fd: "the service's global fee payer pays the fee, or shares it",
  fdUser: "a fee payer of the customer pays the fee, or shares it"
}

/** The components under names for readers of JSON, and what their contracts do not say of them. */
export const components: Readonly<
  Record<string, { readonly name: string; readonly schema?: object; readonly description?: string }>
> = {
  AddressFromWire: {
    name: "Address",
    description: "An address: 20 bytes in hexadecimal, in any letter case in requests and lower case in answers.",
    schema: { examples: ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"] }
  },
  ChecksumAddress: {
    name: "ChecksumAddress",
    description: "An address: 20 bytes in hexadecimal, in any letter case in requests and checksum case in answers.",
    schema: { examples: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"] }
  },
  PebFromQuantity: {
    name: "Peb",
    description: "An amount of the native coin in peb, in hexadecimal, below 2^256. 1 KLAY is 10^18 peb.",
    schema: { examples: ["0xde0b6b3a7640000"] }
  },
  BigIntFromQuantity: {
    name: "Quantity",
    description: "A whole number in hexadecimal, below 2^256.",
    schema: { examples: ["0x2a"] }
  },
  TokenIdFromQuantity: {
    name: "TokenId",
    description: "The ID of a token: a whole number in hexadecimal, below 2^256.",
    schema: { examples: ["0x1"] }
  },
  HashFromWire: {
    name: "Hash",
    description: "32 bytes in hexadecimal: the hash of a transaction, a block or a topic.",
    schema: { examples: ["0x0e4ca4e8ecb1a9a4f3a3c4cff02ecb0c1f7fbc5b1cc3a3b4ff5a39ba4b2e8f0d"] }
  },
  HexDataFromWire: {
    name: "HexData",
    description: "Bytes in hexadecimal, two digits each; `0x` if there are none.",
    schema: { examples: ["0x6f6b"] }
  },
  KrnFromString: {
    name: "Krn",
    description:
      "The name of a resource: `krn:{chain-id}:{service-name}:{account-id}:{resource-type}:{resource-id}` (the document).",
    schema: { examples: ["krn:1001:wallet:f9ae7ee9-7c46-4a21-a5e9-0f5f02bb6bc1:account-pool:default"] }
  },
  KeyIdFromString: {
    name: "KeyId",
    description: "The name of a key's pool, a colon and the hash of the key in hexadecimal (the document).",
    schema: {
      examples: [
        "krn:1001:wallet:f9ae7ee9-7c46-4a21-a5e9-0f5f02bb6bc1:account-pool:default:0x8bc1ea2d1a3aabf1ec5ca93e13b0ff4dd3b3a2a2de9a3c9cb5c3cf1bd6b2f0a9"
      ]
    }
  },
  UnixTime: {
    name: "UnixTime",
    description: "A time in Unix seconds.",
    schema: { type: "integer", minimum: 0, examples: [1704067200] }
  },
  BlockNumber: {
    name: "BlockNumber",
    description: "The number of a block.",
    schema: { type: "integer", minimum: 0, examples: [7] }
  },
  RangeText: {
    name: "Range",
    description:
      "`{from},{to}`: both are Unix seconds, or both are block numbers in hexadecimal. An empty `{to}` means now, or the " +
      "latest block. At most six months (the document).",
    schema: { examples: ["1704067200,1706745600", "0x1,0x20", "1704067200,"] }
  },
  Chain: {
    name: "Chain",
    description: "A chain: 8217 is mainnet, 1001 is testnet.",
    schema: { type: "integer", examples: [1001] }
  },
  AccountStatus: { name: "AccountStatus", description: "Which accounts a list is limited to (seen)." },
  KlayTransfer: { name: "KlayTransfer", description: "A transfer of the native coin, under the name seen in answers." },
  CoinTransfer: {
    name: "CoinTransfer",
    description: "A transfer of the native coin, under the document's name of the kind. Otherwise like `KlayTransfer`."
  },
  UnknownTransfer: {
    name: "UnknownTransfer",
    description: "A record of another kind: the service may add some. `transferType` names the kind."
  },
  UnknownHolding: {
    name: "UnknownHolding",
    description: "A record of another kind: the service may add some. `kind` names the kind."
  },
  LabellingStatus: { name: "LabellingStatus", description: "How far the labelling of a contract has come (seen)." },
  FtContractExtras: { name: "FtContractExtras", description: "What is known of a fungible token's contract." },
  NftContractExtras: { name: "NftContractExtras", description: "What is known of an NFT contract." },
  MtContractExtras: {
    name: "MtContractExtras",
    description: "What is known of a multi-token contract: nothing so far."
  },
  FtTokenExtras: { name: "FtTokenExtras", description: "What is known of a fungible token." },
  NftTokenExtras: { name: "NftTokenExtras", description: "Which token of the contract it is." },
  MtTokenExtras: { name: "MtTokenExtras", description: "Which token of the contract it is." },
  LastTransfer: { name: "LastTransfer", description: "The last transfer that touched the holding." },
  NftOwnershipChange: {
    name: "NftOwnershipChange",
    description: "A change of an NFT's owner. `from` is the zero address for the mint."
  },
  PageableContractSummary: { name: "PageableContractSummary", description: "A page of contracts." },
  PageableFtContractDetails: { name: "PageableFtContractDetails", description: "A page of fungible-token contracts." },
  PageableNftContractDetails: { name: "PageableNftContractDetails", description: "A page of NFT contracts." },
  PageableMtContractDetails: { name: "PageableMtContractDetails", description: "A page of multi-token contracts." },
  PageableNftOwnershipChanges: { name: "PageableNftOwnershipChanges", description: "A page of ownership changes." },
  PageableTokenSummary: { name: "PageableTokenSummary", description: "A page of tokens." },
  BigInt: {
    name: "DecimalInteger",
    description: "A whole number in decimal digits.",
    schema: { examples: ["525000"] }
  },
  NumberFromString: { name: "DecimalNumber", description: "A number in decimal digits.", schema: { examples: ["30"] } }
}

/** Parameters of the query, where a URL needs less than the contract's text. */
export const queries: Readonly<
  Record<string, { readonly schema?: object; readonly more?: object; readonly description: string }>
> = {
  size: {
    schema: { type: "integer", minimum: 0, default: 100 },
    description: "How many records a page has: 1 to 1000; 0 counts as 100, more than 1000 as 1000 (the document)."
  },
  cursor: {
    schema: { type: "string" },
    description: "The cursor of the page before; without it the list starts. Keep the other parameters as they were."
  },
  presets: {
    schema: { type: "array", items: { type: "string" }, minItems: 1 },
    more: { style: "form", explode: false },
    description: "IDs of presets, which are made in the service's console: sets of accounts and contracts."
  },
  kind: {
    schema: { type: "array", items: { type: "string", enum: ["coin", "klay", "ft", "nft", "mt"] } },
    more: { style: "form", explode: false },
    description: "The kinds to search for; all by default. The native coin is `coin` (the document) or `klay` (seen)."
  },
  "kind:holdings": {
    schema: { type: "array", items: { type: "string", enum: ["ft", "nft", "mt"] } },
    more: { style: "form", explode: false },
    description: "The kinds to search for; all by default."
  },
  "ca-filters": {
    schema: { type: "array", items: { $ref: "#/components/schemas/AddressFromWire" } },
    more: { style: "form", explode: false },
    description: "Only tokens of these contracts."
  },
  range: { description: "The time or the blocks to search." },
  "ca-filter": { description: "Only token transfers of this contract." },
  "exclude-zero-klay": {
    schema: { type: "boolean" },
    description: "Leaves out transfers of coin with the value 0, which most calls of contracts are (seen)."
  },
  "from-only": { schema: { type: "boolean" }, description: "Only transfers from the account (seen)." },
  "to-only": { schema: { type: "boolean" }, description: "Only transfers to the account (seen)." },
  "from-timestamp": {
    schema: { $ref: "#/components/schemas/UnixTime" },
    description: "Only what was created at this time or later; 0 means no bound."
  },
  "to-timestamp": {
    schema: { $ref: "#/components/schemas/UnixTime" },
    description: "Only what was created at this time or earlier; 0 means no bound."
  },
  status: { description: "Limits the list to one state (seen)." },
  type: { description: "Only contracts of this standard." },
  krn: { description: "The pool whose keys are listed." },
  from: { description: "Only fees of transactions of this sender." },
  "resource-type": { description: "Only resources of this kind, such as `account-pool`." },
  "service-id": { description: "Only resources of this service, such as `wallet`." },
  "x-krn": {
    description:
      "The pool. Of a transaction that a fee payer of the customer pays for, the account pool and the fee-payer pool, " +
      "joined by a comma (seen). Without it the service uses the customer's default pool (seen)."
  }
}

/** Parameters of the path. */
export const paths: Readonly<Record<string, string>> = {
  address: "The address of the account.",
  hash: "The hash of the transaction.",
  contract: "The address of the token contract.",
  owner: "The address of the owner.",
  tokenId: "The ID of the token.",
  publicKey: "The public key, uncompressed: 65 bytes.",
  keyId: "The ID of the key.",
  transactionId: "The ID of the waiting transaction.",
  accountId: "The ID of the customer."
}

/** Fields by name, or by record and name where the name alone would mislead. */
export const fields: Readonly<Record<string, string>> = {
  items: "The records; absent if there are none.",
  cursor: "What to send as `cursor` for the next page; empty on the last.",
  transferType: "The kind of the transfer.",
  from: "The address of the sender.",
  to: "The address of the receiver, or of the contract that is called.",
  "TransactionResult.to": "The address of the receiver; absent, null or empty if there is none.",
  "Receipt.to": "The address of the receiver; absent, null or empty if there is none.",
  value: "The amount of coin, in peb.",
  "FtTransfer.value": "The amount, in the token's smallest unit.",
  "arguments.value": "The argument.",
  status: "How it ended.",
  "KlayTransfer.status": "1: the transaction succeeded; 0: it failed, and moved nothing but the fee.",
  "CoinTransfer.status": "1: the transaction succeeded; 0: it failed, and moved nothing but the fee.",
  "TransactionResult.status":
    "`Submitted` if it was sent, `Pending` if it waits for signatures, absent if it was only signed.",
  "Receipt.status": "`Committed` or `CommitError`; `Submitted` or `Pending` while it waits.",
  "RegistrationAnswer.status": "`ok` or `all failed` (the document), or `partially failed` (seen).",
  "Deleted.status": "`deleted`.",
  "SigningStatus.status":
    "`Signed`, or `Submitted` when there were enough signatures and the service sent the transaction.",
  "PendingTransaction.status": "2 means waiting: the only one seen.",
  "ChargedFee.status": "How the transaction ended.",
  transactionHash: "The hash of the transaction.",
  "TransactionResult.transactionHash": "The hash of the transaction, if it was sent.",
  "cancel.transactionHash": "The transaction to cancel, instead of its nonce.",
  transactionIndex: "The position of the transaction in its block, from 0.",
  blockNumber: "The number of the block.",
  blockHash: "The hash of the block.",
  typeInt:
    "The number of the transaction type: 8 value transfer, 48 contract execution, 49 the same with a fee payer, ...",
  timestamp: "When it happened.",
  contract: "The contract of the token.",
  transaction: "The transaction that moved the token.",
  formattedValue: "The amount as the service writes it in decimal.",
  address: "The address of the account or the contract.",
  name: "The name that the contract returns.",
  symbol: "The symbol that the contract returns.",
  decimals: "How many decimal places the token has.",
  tokenId: "The ID of the token.",
  ids: "The IDs of the tokens.",
  values: "How many units of each of `ids` moved.",
  code: "The number of the error, seven digits.",
  message: "What is wrong, for people. The part after `; ` often names the field.",
  requestId: "The ID of the request, for the service's support. Many errors of the wallet have none.",
  totalBalance: "What the owner holds of the contract altogether, not only on this page.",
  owner: "The address of the owner.",
  totalSupply: "How much there is of it altogether.",
  tokenUri: "The text that the contract returns for the token; not necessarily a URL.",
  balance: "How much of it the owner holds.",
  transferFrom: "The sender of the last transfer.",
  transferTo: "The receiver of the last transfer.",
  updatedAt: "When it last changed.",
  createdAt: "When it was made.",
  kind: "The kind of the token: `ft`, `nft` or `mt`.",
  contractAddress: "The address of the contract.",
  "Receipt.contractAddress": "The address of the contract that the transaction deployed, if it did.",
  extras: "What is known of it besides.",
  type: "The kind, by its name.",
  "arguments.type": "The type of the argument in the ABI, such as `address`.",
  deletedAt: "When its label was removed; absent or 0 if it was not.",
  link: "Where the project is found; only in older records.",
  website: "The web site of the project.",
  icon: "The address of a picture.",
  totalHolder: "How many accounts hold tokens of the contract.",
  lastTransfer: "The last transfer that touched the holding.",
  chainId: "The chain.",
  krn: "The pool that it belongs to.",
  keyId: "The ID of the key that signs for it.",
  "Key.keyId": "The ID of the key.",
  "ListedKey.keyId": "The ID of the key.",
  publicKey: "The public key, uncompressed: 65 bytes (seen).",
  multiSigKeys: "The keys of a multisig account; absent if it has one key.",
  threshold: "The weight that signatures need together.",
  weight: "How much a signature with this key counts.",
  "SigningStatus.weight": "The weight of this signature.",
  signedWeight: "The weight of all signatures so far.",
  blob: "The encrypted secret key: opaque.",
  rlp: "The transaction, encoded and signed.",
  "Registration.rlp": "The fee-delegated account update that gives the account the key, signed with the old key.",
  failures: "The addresses that failed, in checksum case, each with a message.",
  memo: "Text that is written into the transaction: its UTF-8 bytes, even if it looks like hexadecimal (seen).",
  nonce: "The nonce of the sender. If it is 0 or absent, the service uses the next (seen).",
  "TransactionResult.nonce": "The nonce of the sender.",
  "PendingTransaction.nonce": "The nonce of the sender.",
  "Receipt.nonce": "The nonce of the sender.",
  gas: "How much gas the transaction may use. If it is 0 or absent, the service chooses (seen).",
  "TransactionResult.gas": "How much gas the transaction may use.",
  "Receipt.gas": "How much gas the transaction may use.",
  gasLimit: "How much gas the transaction may use, under the document's name.",
  "ValueTransferBody.gas": "How much gas the transaction may use, under the name seen in public clients.",
  submit: "Whether the transaction is sent; otherwise it is only signed, and returned.",
  feePayer: "The address of the fee payer.",
  fee_payer: "The address of the fee payer, in the document's second spelling.",
  feeRatio: "The percentage of the fee that the fee payer pays, 1 to 99; without it, all.",
  gasPrice: "The price of a unit of gas, in peb.",
  gasUsed: "How much gas the transaction used.",
  input: "The data of the transaction: call data, code or what is anchored.",
  accountKey: "The key that the account gets.",
  "TransactionResult.accountKey": "The key that the account gets, encoded.",
  signatures: "The signatures of the sender.",
  feePayerSignatures: "The signatures of the fee payer.",
  transactionId: "The ID of a transaction that waits for signatures.",
  V: "The recovery number with the chain in it, in hexadecimal.",
  R: "The number r of the signature, in hexadecimal.",
  S: "The number s of the signature, in hexadecimal.",
  reminders: "The accounts that have not signed yet.",
  txData: "The transaction that is to be signed.",
  chargedByPeb: "What was charged, in peb: a decimal string.",
  chargedByKlay: "What was charged, in KLAY: a decimal string.",
  chargedByKrw: "What was charged, in won: a decimal string.",
  chargedByUsd: "What was charged, in dollars: a decimal string.",
  krw: "The price of a KLAY in won at that time.",
  usd: "The price of a KLAY in dollars at that time.",
  keyType: "The kind of the key: 1 legacy, 2 public, 3 fail, 4 weighted multisig, 5 by roles.",
  key: "The key, in the form of its kind.",
  "Receipt.key": "The key that the account got, encoded.",
  "fifth.key": "Three keys: for transactions, for account updates, and for paying fees.",
  weightedKeys: "The keys with their weights.",
  hash: "The hash that was asked for.",
  senderTxHash: "The hash of what the sender signed, without the fee payer's signatures.",
  logs: "The logs of the contracts that were called.",
  logsBloom: "The Bloom filter of the logs.",
  codeFormat: "The format of the code that was deployed.",
  humanReadable: "Whether the deployed contract has a name for its address.",
  topics: "The topics of the log.",
  data: "The bytes.",
  "Log.data": "The data of the log.",
  "callContract.data": "What is called.",
  "callContract.answer.data": "The call data that was sent.",
  "sign.data": "The 32 bytes to sign.",
  signedData: "The signature: r, s and v, 65 bytes.",
  logIndex: "The position of the log in its block, from 0.",
  removed: "Whether the block of the log has been replaced.",
  accountId: "The ID of the customer.",
  default: "Whether the customer chose it as the default.",
  resourceId: "The name of the resource.",
  resourceType: "The kind of the resource, such as `account-pool`.",
  serviceId: "The service that the resource belongs to.",
  size: "How many keys to make, 1 to 100.",
  withoutAccountUpdate: "Leaves the key of the fee payer as it is; otherwise it gets one that can only pay fees.",
  count: "How many there are.",
  methodName: "The name of the function.",
  arguments: "The arguments of the function.",
  result: "What the function returned, encoded."
}
