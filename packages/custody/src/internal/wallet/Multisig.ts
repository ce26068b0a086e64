import { deriveKey } from "@effect-klaytn/service/Derive"
import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Signature } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
import { type CustodyFailure, type StoreFailure, TransactionRejected, type WalletRefused } from "../../CustodyError.js"
import type { Sent } from "../../Sends.js"
import { priceOf } from "../../TransactionFields.js"
import { currentOrigin, wasRevoked } from "../../WalletCaller.js"
import { gkei, payable } from "../../WalletChain.js"
import { type MultiSig, type Payer, type Pending, pendingStatuses, type WalletAccount } from "../../WalletRecord.js"
import { checkRoom } from "./room.js"
import { decodeStored, encode } from "./signing.js"

export const { ended, outpriced } = pendingStatuses
const { sent, waiting } = pendingStatuses

/** One of the signers; its address is that of the wallet's account, if it has one. */
export interface CoSigner {
  readonly address: Hex
  /** Compressed. */
  readonly publicKey: Hex
  readonly weight: number
}

/** The multisig keys of an account on the chain, if it has such. */
export const multiSigOf = (key: AccountKey.AccountKey): MultiSig | undefined => {
  if (key.type !== "AccountKeyWeightedMultiSig") return undefined
  const keys = key.keys.flatMap(({ publicKey, weight }) => {
    const uncompressed = PublicKey.uncompress(publicKey)
    return uncompressed.ok ? [{ publicKey: uncompressed.value, weight }] : []
  })
  return { threshold: key.threshold, keys }
}

/**
 * Fails for a transaction that a multisig account can't sign: the legacy type carries one signature, of the account's
 * first key, and would wait forever and keep its nonce.
 */
export const mayShare = ({ type }: Transaction.Transaction): Effect.Effect<void, TransactionRejected> =>
  type === "LegacyTransaction"
    ? new TransactionRejected({
      reason: "LegacyKeyRequired",
      message: "invalid sender: a legacy transaction must be with a legacy account key"
    })
    : Effect.void

/** The address of a signer: that of the wallet's account with the key, if it has one. */
const signerOf = (publicKey: Hex, accounts: ReadonlyArray<WalletAccount>): Hex =>
  accounts.at(-1)?.address ?? PublicKey.addressOf(bytesOf(publicKey))

/** The signers, in the order of the keys. */
export const coSigners = (wallet: ChainWallet, { keys }: MultiSig) =>
  Effect.forEach(keys, ({ publicKey, weight }) =>
    Effect.map(wallet.store.accountsOfKey(publicKey), (accounts) => ({
      address: signerOf(publicKey, accounts),
      publicKey: PublicKey.compressedOf(bytesOf(publicKey)),
      weight
    })))

/** The public keys of the signer that has an address: those of its account, and those that have the address by themselves. */
export const keysOf = (wallet: ChainWallet, address: Hex): Effect.Effect<ReadonlyArray<Hex>, StoreFailure> =>
  Effect.gen(function*() {
    const account = yield* wallet.store.account(address)
    const own = account === undefined ? [] : [account.key.publicKey]
    const awaited = [...(yield* wallet.store.awaitedKeys)]
    const strangers = awaited.filter((publicKey) => PublicKey.addressOf(bytesOf(publicKey)) === address)
    return yield* Effect.filter(
      new Set([...own, ...strangers]),
      (publicKey) =>
        Effect.map(wallet.store.accountsOfKey(publicKey), (accounts) => signerOf(publicKey, accounts) === address)
    )
  })

/** The public keys, compressed, of those who have signed, in the order of the signatures. */
const signersOf = ({ chain, curve }: ChainWallet, transaction: Transaction.Transaction) => {
  const signers = Transaction.recoverSenders(transaction, { chainId: chain.chainId, curve })
  return signers.ok ? signers.value.map(({ publicKey }) => publicKey) : []
}

/** The public keys, compressed, of those who have signed. */
export const findSigners = (wallet: ChainWallet, transaction: Transaction.Transaction): ReadonlySet<string> =>
  new Set(signersOf(wallet, transaction))

/** The transaction with further signatures, one for each signer. */
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

/** A transaction that is to wait for signatures. */
interface NewPending {
  readonly account: Hex
  readonly nonce: bigint
  readonly raw: Hex
  readonly payer: Payer
  readonly multiSig: MultiSig
}

/** So many transactions of a caller may wait for signatures. */
const mostHeld = { all: 1000, ofAccount: 100 }

/** Stores a transaction until enough have signed it. Its ID is 32 opaque bytes. */
export const holdTransaction = (
  wallet: ChainWallet,
  transaction: NewPending
): Effect.Effect<Hex, StoreFailure | WalletRefused> =>
  Effect.gen(function*() {
    const origin = yield* currentOrigin
    const { countHeld: count } = wallet.store
    yield* checkRoom(transaction.account, { count, most: mostHeld, what: "wait for signatures" })
    const now = yield* wallet.chain.now
    // Identical ones get different counts.
    for (let count = 0;; count++) {
      const transactionId = fromBytes(
        deriveKey(transaction.raw, `multisig ${wallet.chain.chainId} ${transaction.account} ${count}`)
      )
      if (yield* wallet.store.hasPending(transactionId)) continue
      yield* wallet.store.addPending({ ...transaction, ...origin, transactionId, status: waiting }, now)
      return transactionId
    }
  })

/** The next nonce of an account that no transaction has that waits for a block or for signatures. */
export const freeNonce = (wallet: ChainWallet, account: Hex): Effect.Effect<bigint, CustodyFailure> =>
  Effect.gen(function*() {
    let nonce = yield* wallet.sends.nextNonce(account)
    const held = new Set(yield* wallet.store.heldFrom(account, nonce))
    while (held.has(nonce)) nonce++
    return nonce
  })

/** Saves the signatures of a transaction that still waits, and gives it; undefined if it does not, or has others by now. */
export const saveSignatures = (
  wallet: ChainWallet,
  pending: Pending,
  raw: Hex
): Effect.Effect<Pending | undefined, StoreFailure> =>
  Effect.flatMap(
    wallet.chain.now,
    (now) => wallet.store.updatePending(pending, { raw, status: waiting, hash: undefined }, now)
  )

/**
 * Ends a transaction that waits if its caller was revoked since: nobody is asked to sign what a right that is gone has asked for. Whether it
 * has to be read again: it was ended, or somebody has changed it meanwhile.
 */
export const endRevoked = (wallet: ChainWallet, pending: Pending): Effect.Effect<boolean, CustodyFailure> =>
  Effect.gen(function*() {
    const { account, caller, raw, status, transactionId } = pending
    if (status !== waiting || caller === undefined || wallet.callerNamed === undefined) return false
    if (!wasRevoked(yield* wallet.callerNamed(caller), pending)) return false
    const now = yield* wallet.chain.now
    if ((yield* wallet.store.updatePending(pending, { raw, status: ended, hash: undefined }, now)) === undefined) {
      return true
    }
    const what = "multisig transaction ended, whose caller was revoked"
    yield* wallet.guard?.note({ event: "changed", what, subject: transactionId }) ?? Effect.void
    yield* Effect.logWarning(
      `the multisig transaction ${transactionId} of ${account} waits no more: its caller ${caller} was revoked`
    )
    return true
  })

/** The ID of the transaction that takes the place of one whose price had fallen below the base fee. */
const placeOf = ({ transactionId }: Pending): Hex => fromBytes(deriveKey(transactionId, "multisig at another price"))

/** The transaction that takes the place of one, or of those that took its place; undefined if there is none. */
export const successor = (wallet: ChainWallet, pending: Pending): Effect.Effect<Pending | undefined, StoreFailure> =>
  Effect.flatMap(wallet.store.pending(placeOf(pending)), (next) =>
    next?.status === outpriced
      ? Effect.map(successor(wallet, next), (later) => later ?? next)
      : Effect.succeed(next))

/** The price of a transaction that waits until several have signed it. */
export const heldPrice = ({ chain: { prices, unitPrice } }: ChainWallet): Effect.Effect<bigint, CustodyFailure> =>
  prices === undefined
    ? unitPrice
    : Effect.flatMap(prices, ({ heldPrice, ...rest }) => payable({ ...rest, price: heldPrice }))

/**
 * Ends a transaction that all have signed if its price is below the base fee. It never runs beside the one that takes its place, which
 * has its nonce, a price of today and no signature: whoever signs sees the new price first.
 */
export const refuseOutpriced = (
  wallet: ChainWallet,
  pending: Pending,
  transaction: Transaction.Transaction
): Effect.Effect<void, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const baseFee = (yield* wallet.chain.prices ?? Effect.succeed(undefined))?.baseFee
    const price = priceOf(transaction)
    if (baseFee === undefined || price >= baseFee) return
    const now = yield* wallet.chain.now
    const { account, caller, credential, multiSig, payer } = pending
    const isFree = (yield* wallet.sends.nextNonce(account)) <= transaction.nonce
    const isOurs = !Transaction.isFeeDelegatedTransaction(transaction) || transaction.feePayerSignatures.length === 0
    // Made first: a node that fails, or a price above the bound, ends nothing.
    const raw = isFree && isOurs && "gasPrice" in transaction
      ? yield* encode({ ...transaction, gasPrice: yield* heldPrice(wallet), signatures: [] })
      : undefined
    const change = { raw: pending.raw, status: outpriced, hash: undefined }
    // Somebody has changed it meanwhile, and decides.
    if ((yield* wallet.store.updatePending(pending, change, now)) === undefined) return
    const transactionId = placeOf(pending)
    if (raw !== undefined && !(yield* wallet.store.hasPending(transactionId))) {
      const next = { account, caller, credential, multiSig, payer, raw, transactionId, status: waiting }
      yield* wallet.store.addPending({ ...next, nonce: transaction.nonce }, now)
    }
    yield* Effect.logWarning(
      `the multisig transaction ${pending.transactionId} of ${account} was not sent: its price ${
        gkei(price)
      } is below the base fee${raw === undefined ? "" : "; its signers are asked anew, at a price of today"}`
    )
    return yield* rejectOutpriced(wallet, pending, transaction)
  })

/** Says why a transaction is not sent, and which one its signers are asked to sign. */
export const rejectOutpriced = (wallet: ChainWallet, pending: Pending, transaction: Transaction.Transaction) =>
  Effect.gen(function*() {
    const next = yield* successor(wallet, pending)
    const asked = next === undefined
      ? "make the request again"
      : `${next.transactionId} takes its place at ${
        gkei(priceOf(yield* decodeStored("pending", next.raw)))
      }: sign that one`
    return yield* new TransactionRejected({
      reason: "GasPriceTooLow",
      message: `the price ${gkei(priceOf(transaction))} fell below the base fee before all had signed; ${asked}`
    })
  })

/** Marks a transaction as sent. One that its owner has ended meanwhile stays so: its send is under way, and can be ended as that. */
export const markSent = (wallet: ChainWallet, pending: Pending, { hash, raw }: Pick<Sent, "hash" | "raw">) =>
  Effect.gen(function*() {
    const now = yield* wallet.chain.now
    if (pending.hash === hash || (yield* wallet.store.updatePending(pending, { hash, raw, status: sent }, now))) return
    const current = yield* wallet.store.pending(pending.transactionId)
    if (current?.status !== ended) return
    yield* Effect.logWarning(
      `the multisig transaction ${pending.transactionId} was ended while it was sent, as ${hash}: its send is under way`
    )
  })

/**
 * Records what a transaction changed, if it is an account update: the account has the new keys if all of them are
 * the wallet's, and is disabled by a key with which nobody can sign. With a foreign key it shows as corrupted by
 * itself.
 */
export const recordUpdate = (
  wallet: ChainWallet,
  from: Hex,
  transaction: Transaction.Transaction
): Effect.Effect<void, StoreFailure> => {
  if (!("key" in transaction)) return Effect.void
  const { key } = transaction
  return Effect.gen(function*() {
    const account = yield* wallet.store.account(from)
    if (account !== undefined) yield* note(wallet, account, key, yield* wallet.chain.now)
  })
}

const note = ({ store }: ChainWallet, account: WalletAccount, key: AccountKey.AccountKey, now: number) =>
  Effect.gen(function*() {
    if (key.type === "AccountKeyFail") return yield* store.setDisabled(account, true, now)
    const multiSig = multiSigOf(key)
    const owners = yield* Effect.forEach(
      multiSig?.keys ?? [],
      ({ publicKey }) => store.accountsOfKey(publicKey)
    )
    const areOwn = multiSig !== undefined && owners.every((accounts) => accounts.length > 0)
    return yield* store.setMultiSig(account, areOwn ? multiSig : undefined, now)
  })
