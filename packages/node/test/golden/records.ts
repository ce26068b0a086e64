/** Blocks, transactions and receipts as a node writes them, and what they mean. */
import { alice, blockHash, bloom, bob, hash, other, payer, token } from "./row.js"

const signatures = [{ V: "0x7f5", R: "0xf3d0", S: "0x6748" }]
const signaturesMeaning = [{ v: 2037n, r: 0xf3d0n, s: 0x6748n }]

const common = {
  senderTxHash: hash,
  from: alice,
  nonce: "0x4d2",
  gas: "0xf4240",
  gasPrice: "0x5d21dba00",
  signatures,
  blockHash,
  blockNumber: "0x1b4",
  transactionIndex: "0x3"
}

const commonMeaning = {
  senderTxHash: hash,
  from: alice,
  nonce: 1234n,
  gas: 1_000_000n,
  gasPrice: 25_000_000_000n,
  signatures: signaturesMeaning,
  blockHash,
  blockNumber: 436n,
  transactionIndex: 3n
}

const delegated = { feePayer: payer, feePayerSignatures: signatures }
const delegatedMeaning = { feePayer: payer, feePayerSignatures: signaturesMeaning }

const accessList = [{ address: token, storageKeys: [other] }]
const authorization = { chainId: "0x3e9", address: bob, nonce: "0x1", yParity: "0x0", r: "0x2", s: "0x3" }
const authorizationMeaning = { chainId: 1001n, address: bob, nonce: 1n, yParity: 0n, r: 2n, s: 3n }

const market = {
  to: bob,
  value: "0xa",
  input: "0x",
  chainId: "0x3e9",
  accessList,
  maxFeePerGas: "0x2",
  maxPriorityFeePerGas: "0x1"
}
const marketMeaning = {
  to: bob,
  value: 10n,
  input: "0x",
  chainId: 1001n,
  accessList,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n
}

const anchored = { blockHash, blockNumber: 5 }

interface Kind {
  readonly name: string
  readonly typeInt: number
  readonly wire: object
  readonly meaning: object
}

const single = (name: string, typeInt: number, wire: object, meaning: object): ReadonlyArray<Kind> => [
  { name, typeInt, wire, meaning }
]

const family = (name: string, typeInt: number, wire: object, meaning: object): ReadonlyArray<Kind> => [
  { name, typeInt, wire, meaning },
  {
    name: `FeeDelegated${name}`,
    typeInt: typeInt + 1,
    wire: { ...wire, ...delegated },
    meaning: { ...meaning, ...delegatedMeaning }
  },
  {
    name: `FeeDelegated${name}WithRatio`,
    typeInt: typeInt + 2,
    wire: { ...wire, ...delegated, feeRatio: "0x1e" },
    meaning: { ...meaning, ...delegatedMeaning, feeRatio: 30 }
  }
]

/** Every type, with its own fields. */
export const kinds: ReadonlyArray<Kind> = [
  ...single("LegacyTransaction", 0, { to: null, value: "0x0", input: "0x60" }, { value: 0n, input: "0x60" }),
  ...family("ValueTransfer", 8, { to: bob, value: "0xa" }, { to: bob, value: 10n }),
  ...family("ValueTransferMemo", 16, { to: bob, value: "0xa", input: "0x68690a" }, {
    to: bob,
    value: 10n,
    input: "0x68690a"
  }),
  ...family("AccountUpdate", 32, { key: "0x01c0" }, { key: "0x01c0" }),
  ...family(
    "SmartContractDeploy",
    40,
    { to: null, value: "0x0", input: "0x6080", humanReadable: false, codeFormat: "0x0" },
    { value: 0n, input: "0x6080", humanReadable: false, codeFormat: 0 }
  ),
  ...family("SmartContractExecution", 48, { to: token, value: "0x1", input: "0xa9059cbb" }, {
    to: token,
    value: 1n,
    input: "0xa9059cbb"
  }),
  ...family("Cancel", 56, {}, {}),
  ...family("ChainDataAnchoring", 72, { input: "0xf8", inputJSON: anchored }, { input: "0xf8", inputJSON: anchored }),
  ...single(
    "EthereumAccessList",
    30721,
    { to: bob, value: "0xa", input: "0x", chainId: "0x3e9", accessList },
    { to: bob, value: 10n, input: "0x", chainId: 1001n, accessList }
  ),
  ...single("EthereumDynamicFee", 30722, market, marketMeaning),
  ...single(
    "EthereumBlob",
    30723,
    { ...market, maxFeePerBlobGas: "0x5", blobVersionedHashes: [other] },
    { ...marketMeaning, maxFeePerBlobGas: 5n, blobVersionedHashes: [other] }
  ),
  ...single(
    "EthereumSetCode",
    30724,
    { ...market, authorizationList: [authorization] },
    { ...marketMeaning, authorizationList: [authorizationMeaning] }
  )
]

export const transaction = ({ name, typeInt, wire }: Kind) => ({
  ...common,
  hash,
  type: `TxType${name}`,
  typeInt,
  ...wire
})

export const transactionMeaning = ({ meaning, name, typeInt }: Kind) => ({
  ...commonMeaning,
  _tag: name,
  hash,
  typeInt,
  ...meaning
})

export const log = {
  address: token,
  topics: [hash, other],
  data: "0x01",
  blockNumber: "0x1b4",
  blockHash,
  transactionHash: hash,
  transactionIndex: "0x3",
  logIndex: "0x0",
  removed: false
}

export const logMeaning = {
  address: token,
  topics: [hash, other],
  data: "0x01",
  blockNumber: 436n,
  blockHash,
  transactionHash: hash,
  transactionIndex: 3n,
  logIndex: 0n,
  removed: false
}

export const receipt = ({ name, typeInt, wire }: Kind) => ({
  ...common,
  transactionHash: hash,
  type: `TxType${name}`,
  typeInt,
  ...wire,
  status: "0x1",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x5d21dba00",
  logsBloom: bloom,
  logs: [log],
  contractAddress: null
})

export const receiptMeaning = ({ meaning, name, typeInt }: Kind) => ({
  ...commonMeaning,
  _tag: name,
  transactionHash: hash,
  typeInt,
  ...meaning,
  status: 1,
  gasUsed: 21_000n,
  effectiveGasPrice: 25_000_000_000n,
  logsBloom: bloom,
  logs: [logMeaning]
})

/** The type that most records of tests have. */
export const transfer: Kind = {
  name: "ValueTransfer",
  typeInt: 8,
  wire: { to: bob, value: "0xa" },
  meaning: { to: bob, value: 10n }
}

export const header = {
  number: "0x1b4",
  hash: blockHash,
  parentHash: other,
  logsBloom: bloom,
  transactionsRoot: hash,
  stateRoot: hash,
  receiptsRoot: hash,
  reward: payer,
  blockScore: "0x1",
  extraData: "0xd8",
  gasUsed: "0x5208",
  timestamp: "0x5ff7db81",
  timestampFoS: "0xf",
  governanceData: "0x",
  voteData: "0x",
  baseFeePerGas: "0x5d21dba00",
  randomReveal: "0x94",
  mixHash: other
}

export const headerMeaning = {
  number: 436n,
  hash: blockHash,
  parentHash: other,
  logsBloom: bloom,
  transactionsRoot: hash,
  stateRoot: hash,
  receiptsRoot: hash,
  reward: payer,
  blockScore: 1n,
  extraData: "0xd8",
  gasUsed: 21_000n,
  timestamp: 1_610_079_105,
  timestampFoS: 15,
  governanceData: "0x",
  voteData: "0x",
  baseFeePerGas: 25_000_000_000n,
  randomReveal: "0x94",
  mixHash: other
}
