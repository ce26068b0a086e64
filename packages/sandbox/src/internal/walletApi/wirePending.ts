import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import { typeInt } from "@effect-klaytn/transaction/TransactionType"
import type { PendingTransaction, SigningStatus } from "@effect-klaytn/wallet/MultisigApi"
import type { ChainId } from "../../Chain.js"
import type { Pending } from "../store/WalletRecord.js"
import { type CoSigner, weightOf } from "../wallet/Multisig.js"
import { checksum } from "./wireAccount.js"
import { contentsOf, gasPriceOf, quantity } from "./wireTransactionResult.js"

/** A multisig transaction, and those who may sign it. */
export interface Held {
  readonly pending: Pending
  readonly transaction: Transaction
  readonly signers: ReadonlyArray<CoSigner>
}

/** A transaction that waits for signatures. */
export const wirePending = (
  chainId: ChainId,
  { pending, signers, transaction }: Held
): typeof PendingTransaction.Encoded => ({
  address: checksum(pending.account),
  chainId,
  createdAt: pending.createdAt,
  multiSigKeys: signers.map(({ address, weight }) => ({ address: checksum(address), weight })),
  status: pending.status,
  threshold: pending.multiSig.threshold,
  transactionId: pending.transactionId,
  txData: {
    from: pending.account,
    gas: Number(transaction.gas),
    gasPrice: quantity(gasPriceOf(transaction)),
    nonce: Number(transaction.nonce),
    typeInt: typeInt(transaction.type),
    ...contentsOf(transaction)
  },
  type: "TX",
  updatedAt: pending.updatedAt
})

/** What a signature came to. `hash` is there when it was the last one that was needed. */
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
