import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Signature } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type { StoreFailure, TransactionRejected } from "../../ChainError.js"
import { attempt } from "../chain/reads.js"
import { refuse } from "../chain/validation.js"
import { deriveKey } from "../derive.js"
import { blob, toHex } from "../store/Column.js"
import type { MultiSig, Pending, PendingPayer } from "../store/WalletRecord.js"
import type { ChainWallet } from "./ChainWallet.js"

/** States of a multisig transaction. Only that of a waiting one was seen. */
export const waiting = 2
const sent = 3

/** One of those who may sign, as an account of the wallet where it is one. */
export interface CoSigner {
  readonly address: Hex
  /** Compressed. */
  readonly publicKey: Hex
  readonly weight: number
}

/** The keys of an account on the chain, where it has several. */
export const multiSigOf = (key: AccountKey.AccountKey): MultiSig | undefined => {
  if (key.type !== "AccountKeyWeightedMultiSig") return undefined
  const keys = key.keys.flatMap(({ publicKey, weight }) => {
    const uncompressed = PublicKey.uncompress(publicKey)
    return uncompressed.ok ? [{ publicKey: uncompressed.value, weight }] : []
  })
  return { threshold: key.threshold, keys }
}

/**
 * Whether an account with several keys can sign a transaction. The oldest form carries one signature of the account's
 * first key: it would wait for ever, and hold its nonce.
 */
export const mayShare = ({ type }: Transaction.Transaction): Effect.Effect<void, TransactionRejected> =>
  type === "LegacyTransaction"
    ? Effect.fail(refuse("LegacyKeyRequired"))
    : Effect.void

/** Those who may sign, in the order of the keys. */
export const coSigners = (
  wallet: ChainWallet,
  { keys }: MultiSig
): Effect.Effect<ReadonlyArray<CoSigner>, StoreFailure> =>
  attempt("signers", () =>
    keys.map(({ publicKey, weight }) => ({
      address: wallet.store.accountsOfKey(publicKey).at(-1)?.address ?? PublicKey.addressOf(blob(publicKey)),
      publicKey: PublicKey.compressedOf(blob(publicKey)),
      weight
    })))

/** The transaction of a record, with the signatures so far. */
export const transactionOfPending = ({ raw }: Pending): Effect.Effect<Transaction.Transaction, StoreFailure> =>
  attempt("pending", () => {
    const decoded = Transaction.decode(raw)
    if (!decoded.ok) throw decoded.error
    return decoded.value
  })

/** The public keys, compressed, of those who have signed, in the order of the signatures. */
const signersOf = (
  { chain, curve }: ChainWallet,
  transaction: Transaction.Transaction
): ReadonlyArray<string> => {
  const signers = Transaction.recoverSenders(transaction, { chainId: chain.chainId, curve })
  return signers.ok ? signers.value.map(({ publicKey }) => publicKey) : []
}

/** The public keys, compressed, of those who have signed. */
export const findSigners = (wallet: ChainWallet, transaction: Transaction.Transaction): ReadonlySet<string> =>
  new Set(signersOf(wallet, transaction))

/** The transaction with further signatures. Of one signer one counts. */
export const withSignatures = (
  wallet: ChainWallet,
  transaction: Transaction.Transaction,
  signatures: ReadonlyArray<Signature>
): Transaction.Transaction => {
  const known = new Set(signersOf(wallet, transaction))
  const signers = signersOf(wallet, { ...transaction, signatures })
  const fresh = signatures.filter((_, index) => {
    const signer = signers[index]
    if (signer === undefined || known.has(signer)) return false
    known.add(signer)
    return true
  })
  return { ...transaction, signatures: [...transaction.signatures, ...fresh] }
}

/** Sum of the weights of those who have signed. */
export const weightOf = (signers: ReadonlyArray<CoSigner>, keys: ReadonlySet<string>): number =>
  signers.reduce((sum, { publicKey, weight }) => keys.has(publicKey) ? sum + weight : sum, 0)

/** Keeps a transaction until enough have signed it. Its ID is 32 bytes that say nothing. */
export const holdTransaction = (
  wallet: ChainWallet,
  transaction: { readonly account: Hex; readonly raw: Hex; readonly payer: PendingPayer; readonly multiSig: MultiSig }
): Effect.Effect<Hex, StoreFailure> =>
  Effect.flatMap(wallet.chain.now, (now) =>
    attempt("hold", () => {
      // Two that are alike differ in what was held before.
      for (let count = 0;; count++) {
        const transactionId = toHex(
          deriveKey(transaction.raw, `multisig ${wallet.chain.chainId} ${transaction.account} ${count}`)
        )
        if (wallet.pending.get(transactionId) !== undefined) continue
        wallet.pending.add({ ...transaction, transactionId, status: waiting }, now)
        return transactionId
      }
    }))

/** The next nonce of an account that nothing waiting has: neither for a block nor for signatures. */
export const freeNonce = (wallet: ChainWallet, account: Hex): Effect.Effect<bigint, StoreFailure> =>
  Effect.gen(function*() {
    const held = yield* attempt(
      "held",
      () => wallet.pending.list(waiting, (one) => one.account === account, { limit: Number.MAX_SAFE_INTEGER })
    )
    const taken = new Set<bigint>()
    for (const one of held) taken.add((yield* transactionOfPending(one)).nonce)
    let nonce = yield* wallet.chain.pendingNonce(account)
    while (taken.has(nonce)) nonce++
    return nonce
  })

/** Writes the signatures of a transaction that goes on waiting. */
export const saveSignatures = (wallet: ChainWallet, pending: Pending, raw: Hex): Effect.Effect<void, StoreFailure> =>
  Effect.flatMap(
    wallet.chain.now,
    (now) => attempt("keep", () => wallet.pending.update(pending, { raw, status: waiting, hash: undefined }, now))
  )

/** Writes that a transaction was sent. */
export const markSent = (
  wallet: ChainWallet,
  pending: Pending,
  { hash, raw }: { readonly raw: Hex; readonly hash: Hex }
): Effect.Effect<void, StoreFailure> =>
  Effect.flatMap(
    wallet.chain.now,
    (now) => attempt("settle", () => wallet.pending.update(pending, { raw, status: sent, hash }, now))
  )
