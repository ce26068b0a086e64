import type { Hex } from "@effect-klaytn/transaction/Hex"
import { flatMap } from "@effect-klaytn/transaction/Result"
import {
  delegate,
  type FeeDelegatedTransaction,
  isFeeDelegatedTransaction,
  type Transaction
} from "@effect-klaytn/transaction/Transaction"
import type { TransactionResult } from "@effect-klaytn/wallet/TransactionResult"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
import { IsRepeated } from "../../CurrentRequest.js"
import type { CustodyFailure, TransactionRejected } from "../../CustodyError.js"
import type { Sent } from "../../Sends.js"
import type { Payer, SigningAccount, WalletAccount } from "../../WalletRecord.js"
import * as Multisig from "../wallet/Multisig.js"
import * as signing from "../wallet/signing.js"
import type { Draft } from "./drafts.js"
import type { Failure, Pools, WalletRequest } from "./WalletRequest.js"
import { wireTransactionResult } from "./wire.js"

/** A transaction's record on the wire. */
export type Result = typeof TransactionResult.Encoded

/** The fee payer with its secret; undefined if the sender pays. `accountOf` finds a fee payer of the customer. */
export const payerOf = (
  { refusals, wallet }: WalletRequest,
  payer: Payer,
  accountOf: (address: Hex) => Effect.Effect<WalletAccount | undefined, CustodyFailure>
): Effect.Effect<SigningAccount | undefined, Failure> =>
  Effect.gen(function*() {
    if (payer === "sender") return undefined
    if (payer === "global") return yield* wallet.payer
    const account = yield* accountOf(payer)
    return account !== undefined && (yield* wallet.status(account)) === "enabled"
      ? yield* wallet.signer(account)
      : yield* refusals.fail("unknownFeePayer")
  })

/** The fee payer that a request names, with its secret. */
export const requestedPayer = (request: WalletRequest, pools: Pools, payer: Payer) =>
  payerOf(request, payer, (address) => request.wallet.account(pools["feepayer-pool"], address))

/** Runs one effect at a time for an account, uninterruptibly: a client that disconnects leaves no half-finished change. */
export const runAlone = <A>(
  wallet: ChainWallet,
  address: Hex,
  effect: Effect.Effect<A, Failure>
): Effect.Effect<A, Failure> => wallet.exclusively(address)(Effect.uninterruptible(effect))

/** The record of a transaction that was sent. */
const sentResult = (
  wallet: ChainWallet,
  from: Hex,
  { hash, raw, waitsFor }: Sent
): Effect.Effect<Result, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const transaction = yield* signing.decode(raw)
    yield* Multisig.recordUpdate(wallet, from, transaction)
    return wireTransactionResult(transaction, from, { kind: "sent", rlp: raw, hash, waitsFor })
  })

/** The record of a transaction that waits for signatures, or was sent when it had them. */
const heldResult = (wallet: ChainWallet, id: Hex, from: Hex) =>
  Effect.gen(function*() {
    const made = yield* wallet.store.pending(id)
    if (made === undefined) return undefined
    const pending = made.status === Multisig.outpriced ? (yield* Multisig.successor(wallet, made)) ?? made : made
    const transaction = yield* signing.decodeStored("pending", pending.raw)
    const { hash, transactionId } = pending
    return wireTransactionResult(
      transaction,
      from,
      hash === undefined ? { kind: "pending", id: transactionId } : { kind: "sent", rlp: pending.raw, hash }
    )
  })

/** What a request with a key has sent or held for an account before; undefined if nothing. Nothing is signed or counted. */
export const done = (wallet: ChainWallet, from: Hex): Effect.Effect<Result | undefined, Failure> =>
  Effect.flatMap(IsRepeated, (isRepeated) =>
    isRepeated
      ? runAlone(
        wallet,
        from,
        Effect.gen(function*() {
          const sent = yield* wallet.sends.prior(from)
          if (sent !== undefined) return yield* sentResult(wallet, from, sent)
          const [held] = yield* wallet.store.effects("pending")
          return held === undefined ? undefined : yield* heldResult(wallet, held, from)
        })
      )
      : Effect.succeed(undefined))

/** Whether the fee payer of a transaction has signed it. */
const hasPaid = (transaction: Transaction): transaction is FeeDelegatedTransaction =>
  isFeeDelegatedTransaction(transaction) && transaction.feePayerSignatures.length > 0

/** A transaction that its sender has signed. */
export interface SignedTransaction {
  readonly from: Hex
  readonly transaction: Transaction
  readonly submit: boolean
  /** Whether the wallet chose its price, and may choose a higher one. Default: false. */
  readonly isRaisable?: boolean | undefined
}

/** Adds the fee payer's signature to a transaction that its sender has signed, and sends it if asked to. */
export const finish = (
  { settings: { signsAnew }, wallet }: WalletRequest,
  payer: SigningAccount | undefined,
  { from, isRaisable, submit, transaction }: SignedTransaction
): Effect.Effect<Result, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const options = { isRepeatable: !submit }
    const complete = payer === undefined || !hasPaid(transaction)
      ? yield* signing.signAsFeePayer(wallet, payer, transaction, options)
      : signsAnew
      ? yield* signing.signAnewAsFeePayer(wallet, payer, transaction, options)
      : transaction
    const rlp = yield* signing.encode(complete)
    if (!submit) return wireTransactionResult(complete, from, { kind: "signed", rlp })
    const sent = yield* wallet.sends.submit({ from, transaction: complete, raw: rlp, isRaisable })
    // A repeated request has sent its transaction before, with another signature.
    const actual = sent.raw === rlp ? complete : yield* signing.decode(sent.raw)
    yield* Multisig.recordUpdate(wallet, from, actual)
    return wireTransactionResult(actual, from, {
      kind: "sent",
      rlp: sent.raw,
      hash: sent.hash,
      waitsFor: sent.waitsFor
    })
  })

/** A transaction that an account is to sign. */
export interface Unsigned {
  /** Makes the transaction; its nonce and its price are the given ones unless it has its own. */
  readonly make: (
    nextNonce: Effect.Effect<bigint, CustodyFailure>,
    price: Effect.Effect<bigint, CustodyFailure>
  ) => Effect.Effect<Transaction, TransactionRejected | CustodyFailure>
  readonly payer: Payer
  readonly submit: boolean
  readonly isRaisable: boolean
}

/** What a request that sends nothing signs: the same when it comes again with its key, whatever nonce and price would be the next now. */
const madeOnce = <E, R>(
  { store }: ChainWallet,
  make: Effect.Effect<Transaction, E, R>
): Effect.Effect<Transaction, E | TransactionRejected | CustodyFailure, R> =>
  Effect.gen(function*() {
    const [before] = yield* store.effects("made")
    if (before !== undefined) return yield* signing.decode(before)
    const made = yield* make
    yield* store.mark("made", yield* signing.encode(made))
    return made
  })

/** Signs a transaction for an account and finishes it. If the account has several keys, it is held until they have signed. */
export const signAndFinish = (
  request: WalletRequest,
  account: WalletAccount,
  feePayer: SigningAccount | undefined,
  { isRaisable, make, payer, submit }: Unsigned
): Effect.Effect<Result, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const { wallet } = request
    const from = account.address
    const multiSig = Multisig.multiSigOf(yield* wallet.accountKey(from))
    if (multiSig === undefined) {
      let next: bigint | undefined
      const nextNonce = Effect.tap(wallet.sends.nextNonce(from), (nonce) => Effect.sync(() => next = nonce))
      const making = make(nextNonce, wallet.chain.unitPrice)
      const made = yield* submit ? making : madeOnce(wallet, making)
      const signer = yield* wallet.signer(account)
      yield* signing.checkRest(wallet, from, feePayer, {
        transaction: made,
        submit,
        hasNextNonce: made.nonce === next
      })
      const transaction = yield* signing.signAsSender(wallet, signer, made, { isRepeatable: !submit })
      return yield* finish(request, feePayer, { from, transaction, submit, isRaisable })
    }
    const made = yield* make(Multisig.freeNonce(wallet, from), Multisig.heldPrice(wallet))
    yield* Multisig.mayShare(made)
    const raw = yield* signing.encode(made)
    const sender = { address: from, pool: account.pool.name }
    yield* signing.checkHeld(wallet, sender, feePayer, { transaction: made, raw })
    const id = yield* Multisig.holdTransaction(wallet, { account: from, nonce: made.nonce, raw, multiSig, payer })
    return wireTransactionResult(yield* signing.decode(raw), from, { kind: "pending", id })
  })

/** Completes a draft, signs it, and sends it if asked to; one at a time for each account. */
export const send = (
  request: WalletRequest,
  pools: Pools,
  { feeRatio, from, gas, nonce, payer, plain, submit }: Draft
): Effect.Effect<Result, Failure> =>
  Effect.gen(function*() {
    const { wallet } = request
    const before = yield* done(wallet, from)
    if (before !== undefined) return before
    const account = yield* request.usableAccount(pools["account-pool"], from)
    const feePayer = yield* requestedPayer(request, pools, payer)
    const make: Unsigned["make"] = (nextNonce, price) =>
      Effect.gen(function*() {
        // The price of now: the account may have had others to send first.
        const gasPrice = yield* price
        const made = plain({ from, nonce: nonce ?? (yield* nextNonce), gas, gasPrice })
        if (feePayer === undefined) return yield* signing.acceptResult(made)
        const fees = { feePayer: feePayer.address, ...(feeRatio !== undefined && { feeRatio }) }
        return yield* signing.acceptResult(flatMap(made, (basic) => delegate(basic, fees)))
      })
    return yield* runAlone(
      wallet,
      account.address,
      signAndFinish(request, account, feePayer, { make, payer, submit, isRaisable: true })
    )
  })
