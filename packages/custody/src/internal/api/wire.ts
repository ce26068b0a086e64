import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { Chain } from "@effect-klaytn/core/Chain"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import * as Signature from "@effect-klaytn/transaction/Signature"
import { isFeeDelegatedTransaction, type Transaction } from "@effect-klaytn/transaction/Transaction"
import { typeInt, wireName } from "@effect-klaytn/transaction/TransactionType"
import type { Account, FeePayerAccount } from "@effect-klaytn/wallet/Account"
import type { ChargedFee } from "@effect-klaytn/wallet/FeesApi"
import type { PendingTransaction, SigningStatus } from "@effect-klaytn/wallet/MultisigApi"
import type { Receipt, TransactionResult } from "@effect-klaytn/wallet/TransactionResult"
import * as Schema from "effect/Schema"
import type { ChainWallet } from "../../ChainWallet.js"
import { encodedKey, logOf, priceOf, zeroHash } from "../../TransactionFields.js"
import type { Log, MinedTransaction, PaidFee } from "../../WalletChain.js"
import type { Pending, WalletAccount } from "../../WalletRecord.js"
import type { Rates } from "../../WalletSettings.js"
import { type CoSigner, weightOf } from "../wallet/Multisig.js"

/** What became of a transaction. */
export type Ending =
  | {
    readonly kind: "sent"
    readonly rlp: Hex
    readonly hash: Hex
    /** The transaction of the account that has to run first, and does not. */
    readonly waitsFor?: { readonly hash: Hex; readonly nonce: bigint } | undefined
  }
  | { readonly kind: "signed"; readonly rlp: Hex }
  | { readonly kind: "pending"; readonly id: Hex }

/** What a transaction is about: the fields that only some types have. */
const contentsOf = (transaction: Transaction) => ({
  ...("to" in transaction && transaction.to !== undefined && { to: transaction.to }),
  ...("value" in transaction && { value: quantity(transaction.value) }),
  ...("input" in transaction && { input: transaction.input })
})

/** What a record and a waiting transaction both show. */
const summaryOf = (transaction: Transaction, from: Hex) => ({
  from,
  gas: Number(transaction.gas),
  gasPrice: quantity(priceOf(transaction)),
  nonce: Number(transaction.nonce),
  typeInt: typeInt(transaction.type),
  ...contentsOf(transaction)
})

/** A transaction that has to run before another one. */
export const wireWaitsFor = ({ hash, nonce }: { readonly hash: Hex; readonly nonce: bigint }) => ({
  transactionHash: hash,
  nonce: Number(nonce)
})

/** The record of a transaction that the wallet made. */
export const wireTransactionResult = (
  transaction: Transaction,
  from: Hex,
  ending: Ending
): typeof TransactionResult.Encoded => ({
  ...summaryOf(transaction, from),
  ...("key" in transaction && { accountKey: encodedKey(transaction.key) }),
  ...("feePayer" in transaction && transaction.feePayer !== undefined && { feePayer: transaction.feePayer }),
  ...("feeRatio" in transaction && { feeRatio: transaction.feeRatio }),
  ...(ending.kind === "pending"
    ? { status: "Pending", transactionId: ending.id }
    : { rlp: ending.rlp, signatures: transaction.signatures.map(Signature.toQuantities) }),
  ...(ending.kind === "sent" && {
    status: ending.waitsFor === undefined ? "Submitted" : "Pending",
    transactionHash: ending.hash,
    ...(ending.waitsFor !== undefined && { waitsFor: wireWaitsFor(ending.waitsFor) })
  })
})

const addressOf = Schema.decodeSync(Address.FromWire)

/** An address in checksum case, as the wallet's own records have it. */
export const checksum = (address: string): string => Address.checksum(addressOf(address))

/** A fee payer, or an account without what only those of several keys have. */
export const wireFeePayer = (wallet: ChainWallet, account: WalletAccount): typeof FeePayerAccount.Encoded => ({
  address: checksum(account.address),
  chainId: wallet.chain.chainId,
  createdAt: account.createdAt,
  keyId: wallet.keyId(account.key, account.pool),
  krn: wallet.krn(account.pool),
  publicKey: account.key.publicKey,
  updatedAt: account.updatedAt
})

/** An account. */
export const wireAccount = (wallet: ChainWallet, account: WalletAccount): typeof Account.Encoded => ({
  ...wireFeePayer(wallet, account),
  ...(account.multiSig !== undefined &&
    { multiSigKeys: account.multiSig.keys, threshold: account.multiSig.threshold })
})

/** A fee that the global fee payer has paid. */
export const wireChargedFee = (
  { chain: { chainId }, globalFeePayer }: ChainWallet,
  { krwPerMille, usdPerMille }: Rates,
  { charged, record }: PaidFee
): typeof ChargedFee.Encoded => ({
  chainId,
  chargedByKlay: Amount.toDecimal(charged, 18),
  chargedByKrw: Amount.toDecimal(charged * krwPerMille, 21),
  chargedByPeb: charged.toString(),
  chargedByUsd: Amount.toDecimal(charged * usdPerMille, 21),
  feePayer: globalFeePayer.address,
  ...(record.feeRatio !== undefined && { feeRatio: record.feeRatio.toString() }),
  from: record.from,
  gasPrice: quantity(record.gasPrice),
  gasUsed: quantity(record.gasUsed),
  krw: Number(krwPerMille) / 1000,
  status: quantity(record.status),
  timestamp: record.timestamp,
  ...(record.to !== undefined && { to: record.to }),
  transactionHash: record.hash,
  typeInt: record.typeInt,
  usd: Number(usdPerMille) / 1000
})

/** A multisig transaction, and those who may sign it. */
export interface Held {
  readonly pending: Pending
  readonly transaction: Transaction
  readonly signers: ReadonlyArray<CoSigner>
}

/** A transaction that waits for signatures. */
export const wirePending = (
  chainId: Chain,
  { pending, signers, transaction }: Held
): typeof PendingTransaction.Encoded => ({
  address: checksum(pending.account),
  chainId,
  createdAt: pending.createdAt,
  multiSigKeys: signers.map(({ address, weight }) => ({ address: checksum(address), weight })),
  status: pending.status,
  threshold: pending.multiSig.threshold,
  transactionId: pending.transactionId,
  txData: summaryOf(transaction, pending.account),
  type: "TX",
  updatedAt: pending.updatedAt
})

/** The result of a signature. `hash` is there when it was the last one that was needed. */
export const wireSigning = (
  { pending, signers }: Held,
  now: { readonly signed: ReadonlySet<string>; readonly added: ReadonlySet<string>; readonly hash: string | undefined }
): typeof SigningStatus.Encoded => ({
  signedWeight: weightOf(signers, now.signed),
  status: now.hash === undefined ? "Signed" : "Submitted",
  threshold: pending.multiSig.threshold,
  transactionId: pending.transactionId,
  weight: weightOf(signers, now.added),
  ...(now.hash === undefined
    ? {
      reminders: signers.filter(({ publicKey }) => !now.signed.has(publicKey)).map(({ address }) => checksum(address))
    }
    : { transactionHash: now.hash })
})

/** A transaction by its hash. */
export interface Known extends Pick<MinedTransaction, "hash" | "senderTxHash" | "from"> {
  readonly transaction: Transaction
}

/** What the transaction itself says. A deployment has no receiver: it is null. */
const transactionFields = ({ from, hash, senderTxHash, transaction }: Known) => ({
  from,
  gas: quantity(transaction.gas),
  hash,
  nonce: quantity(transaction.nonce),
  senderTxHash,
  signatures: transaction.signatures.map(Signature.toQuantities),
  type: wireName(transaction.type),
  typeInt: typeInt(transaction.type),
  ...(("codeFormat" in transaction || "accessList" in transaction || transaction.type === "LegacyTransaction") &&
    { to: null }),
  ...contentsOf(transaction),
  ...("codeFormat" in transaction && {
    codeFormat: quantity(transaction.codeFormat),
    humanReadable: transaction.humanReadable
  }),
  ...("key" in transaction && { key: encodedKey(transaction.key) }),
  ...(isFeeDelegatedTransaction(transaction) && {
    ...(transaction.feePayer !== undefined && { feePayer: transaction.feePayer }),
    feePayerSignatures: transaction.feePayerSignatures.map(Signature.toQuantities)
  }),
  ...("feeRatio" in transaction && { feeRatio: transaction.feeRatio })
})

/** The receipt of a transaction that is in a block. */
export const wireReceipt = (
  transaction: Transaction,
  record: MinedTransaction,
  { logs, logsBloom }: { readonly logs: ReadonlyArray<Log>; readonly logsBloom: Hex }
): typeof Receipt.Encoded => ({
  ...transactionFields({ transaction, ...record }),
  blockHash: record.blockHash,
  blockNumber: quantity(record.blockNumber),
  contractAddress: record.contractAddress ?? null,
  gasPrice: quantity(record.gasPrice),
  gasUsed: quantity(record.gasUsed),
  logs: logs.map(logOf),
  logsBloom,
  status: record.status === 1 ? "Committed" : "CommitError",
  transactionHash: record.hash,
  transactionIndex: quantity(record.transactionIndex)
})

/** The receipt of one that still waits for its block. */
export const wireWaiting = (known: Known): typeof Receipt.Encoded => ({
  ...transactionFields(known),
  blockHash: zeroHash,
  blockNumber: "0x0",
  contractAddress: null,
  gasPrice: quantity(priceOf(known.transaction)),
  status: "Submitted",
  transactionIndex: "0x0"
})
