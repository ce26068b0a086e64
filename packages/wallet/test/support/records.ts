/** Literal records of the wallet, as they were seen. */
import * as Krn from "@effect-klaytn/core/Krn"
import * as Either from "effect/Either"

export const alice = "0x71c7656ec7ab88b098defb751b7401b5f6d8976f"
export const aliceChecksum = "0x71C7656EC7ab88b098defB751B7401B5f6d8976F"
export const bob = "0x2222222222222222222222222222222222222222"
export const payer = "0x3333333333333333333333333333333333333333"

/** Of the bytes of {@link result}. */
export const hash = "0xb615b4d2f3b540c2a0b465d9ca5beda6d76a4caf4bf1505aba0968c09c2b3360"
export const otherHash = `0x${"cd".repeat(32)}`

export const poolText = "krn:1001:wallet:local:account-pool:payouts"
export const pool = Either.getOrThrow(Krn.make(poolText))
export const feePayerPoolText = "krn:1001:wallet:local:feepayer-pool:fees"
export const feePayerPool = Either.getOrThrow(Krn.make(feePayerPoolText))
export const mainnetPool = Either.getOrThrow(Krn.make("krn:8217:wallet:local:account-pool:payouts"))

export const publicKey =
  "0x04dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8906d7170ba349c86879fb8006134cbf57bda9db9214a90b607b6b4ab57fc026e"

export const account = {
  address: aliceChecksum,
  chainId: 1001,
  createdAt: 1600000000,
  keyId: `krn:1001:wallet:local:account-pool:default:0x${"12".repeat(32)}`,
  krn: "krn:1001:wallet:local:account-pool:default",
  publicKey,
  updatedAt: 1600000001
}

export const multiSigAccount = {
  ...account,
  multiSigKeys: [{ publicKey, weight: 2 }],
  threshold: 2
}

export const feePayer = {
  ...account,
  keyId: `krn:1001:wallet:local:feepayer-pool:default:0x${"12".repeat(32)}`,
  krn: "krn:1001:wallet:local:feepayer-pool:default"
}

export const key = (index = 0) => ({
  blob: "0x00ff",
  keyId: `krn:1001:wallet:local:key-pool:default:0x${index.toString(16).padStart(64, "0")}`,
  krn: "krn:1001:wallet:local:key-pool:default",
  publicKey
})

export const resource = {
  accountId: "local",
  chainId: 1001,
  createdAt: 1600000000,
  default: true,
  krn: poolText,
  resourceId: "payouts",
  resourceType: "account-pool",
  serviceId: "wallet"
}

/** The answer to a value transfer that was sent. */
export const result = {
  from: alice,
  gas: 1000000,
  gasPrice: "0xae9f7bcc00",
  nonce: 7,
  rlp: "0x08f8",
  signatures: [{ R: "0x1", S: "0x2", V: "0x7f5" }],
  status: "Submitted",
  to: bob,
  transactionHash: hash,
  typeInt: 8,
  value: "0xde0b6b3a7640000"
}

/** The receipt of a contract's creation that waits for a block. */
export const receipt = {
  blockHash: `0x${"00".repeat(32)}`,
  blockNumber: "0x0",
  contractAddress: "",
  from: alice,
  gas: "0xf4240",
  gasPrice: "0x5d21dba00",
  hash,
  input: "0x",
  nonce: "0x7",
  senderTxHash: hash,
  signatures: [{ R: "0x1", S: "0x2", V: "0x7f5" }],
  status: "Submitted",
  to: null,
  transactionIndex: "0x0",
  type: "TxTypeSmartContractDeploy",
  typeInt: 40,
  value: "0x0",
  codeFormat: "0x0",
  humanReadable: false
}

const { rlp: _rlp, signatures: _signatures, transactionHash: _hash, ...rest } = result

export const pending = { ...rest, status: "Pending", transactionId: otherHash }

const { status: _status, transactionHash: _, ...signed } = result

export const signedOnly = signed
