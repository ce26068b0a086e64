/** What the OpenAPI document says of itself, of its groups, and of the forms that all contracts share. */

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
  "token directory":
    "Token contracts that the service has labelled, and what an account holds. Not in the API document.",
  wallet: "Accounts whose keys the service holds, keys, fee payers, value transfers, and migration.",
  accounts: "Single accounts and fee payers, and their counts. Not in the API document.",
  keys: "Keys, and signing with them. Not in the API document.",
  multisig: "Accounts with several keys, and transactions that wait for signatures. Not in the API document.",
  transactions:
    "All other transactions, receipts and contract reads, with three kinds of payers. Not in the API document.",
  fees: "Fees that the global fee payer paid. Not in the API document.",
  resources: "The customer's pools. Not in the API document.",
  node: "The JSON-RPC methods of a Klaytn node."
} as const

/**
 * The schemas below the records, by identifier, with names for readers of JSON. Their docstrings are about what a program
 * gets, and those of Effect about TypeScript.
 */
export const shared: Readonly<
  Record<string, { readonly name: string; readonly schema: object; readonly description: string }>
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
      "The name of a resource: `krn:{chain-id}:{service-name}:{account-id}:{resource-type}:{resource-id}` (the API document).",
    schema: { examples: ["krn:1001:wallet:f9ae7ee9-7c46-4a21-a5e9-0f5f02bb6bc1:account-pool:default"] }
  },
  KeyIdFromString: {
    name: "KeyId",
    description: "The name of a key's pool, a colon and the hash of the key in hexadecimal (the API document).",
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
      "latest block. At most six months (the API document).",
    schema: { examples: ["1704067200,1706745600", "0x1,0x20", "1704067200,"] }
  },
  Chain: {
    name: "Chain",
    description: "A chain: 8217 is mainnet, 1001 is testnet.",
    schema: { type: "integer", examples: [1001] }
  },
  BigInt: {
    name: "DecimalInteger",
    description: "A whole number in decimal digits.",
    schema: { examples: ["525000"] }
  },
  NumberFromString: { name: "DecimalNumber", description: "A number in decimal digits.", schema: { examples: ["30"] } }
}
