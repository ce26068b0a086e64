import type { Hex } from "@effect-klaytn/transaction/Hex"
import {
  type FeeDelegatedTransaction,
  isFeeDelegatedTransaction,
  type Transaction
} from "@effect-klaytn/transaction/Transaction"
import type { TransactionResult } from "@effect-klaytn/wallet/TransactionResult"
import * as Effect from "effect/Effect"
import type { StoreFailure, TransactionRejected } from "../../ChainError.js"
import type { DevAccount } from "../../DevAccount.js"
import type { MultiSig, PendingPayer, WalletAccount } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { type Draft, type Payer, transactionOf } from "../wallet/Draft.js"
import { freeNonce, holdTransaction, mayShare, multiSigOf, recordUpdate } from "../wallet/Multisig.js"
import * as signing from "../wallet/signing.js"
import type { Pools, Refused, WalletRequest } from "./WalletRequest.js"
import { wireTransactionResult } from "./wire.js"

/** A transaction's record on the wire. */
export type Result = typeof TransactionResult.Encoded

/** A transaction that its sender has signed. */
export interface SignedTransaction {
  readonly from: Hex
  readonly transaction: Transaction
  readonly submit: boolean
}

/** Whether the fee payer of a transaction has signed it. */
const hasPaid = (transaction: Transaction): transaction is FeeDelegatedTransaction =>
  isFeeDelegatedTransaction(transaction) && transaction.feePayerSignatures.length > 0

/** Completes, signs and sends transactions for accounts of the wallet. */
export class TransactionSender {
  readonly request: WalletRequest

  constructor(request: WalletRequest) {
    this.request = request
  }

  /** Maps refusals of the node and failures of the database to the service's errors. */
  mapFailure<A>(effect: Effect.Effect<A, TransactionRejected | StoreFailure | Refused>): Effect.Effect<A, Refused> {
    return Effect.catchTags(effect, {
      TransactionRejected: ({ message }) => Effect.fail(this.request.refusals.nodeRefused(message)),
      StoreFailure: (failure) => this.request.mapStoreFailure(Effect.fail(failure))
    })
  }

  /** The fee payer with its secret; undefined when the sender pays. */
  payer(wallet: ChainWallet, pools: Pools, payer: Payer): Effect.Effect<DevAccount | undefined, Refused> {
    const { request } = this
    switch (payer.kind) {
      case "sender":
        return Effect.succeed(undefined)
      case "service":
        return request.mapStoreFailure(wallet.payer)
      case "user":
        return Effect.flatMap(
          request.mapStoreFailure(wallet.account(pools["feepayer-pool"], payer.address)),
          (account) => this.feePayer(wallet, account)
        )
    }
  }

  /** A fee payer of the customer that can sign, with its secret. */
  feePayer(wallet: ChainWallet, account: WalletAccount | undefined): Effect.Effect<DevAccount, Refused> {
    const { request } = this
    return Effect.gen(function*() {
      const isUsable = account !== undefined && (yield* request.mapStoreFailure(wallet.status(account))) === "enabled"
      return isUsable ? yield* request.signer(wallet, account) : yield* Effect.fail(request.refusals.unknownFeePayer())
    })
  }

  /** Completes a draft, signs it, and sends it if asked to; one at a time for each account. */
  send(wallet: ChainWallet, pools: Pools, draft: Draft): Effect.Effect<Result, Refused> {
    const { request } = this
    return Effect.gen(this, function*() {
      const account = yield* request.usableAccount(wallet, pools["account-pool"], draft.from)
      const payer = yield* this.payer(wallet, pools, draft.payer)
      const fill = (nonce: bigint) =>
        transactionOf(draft, { nonce, gasPrice: wallet.chain.unitPrice, feePayer: payer?.address })
      return yield* this.runAlone(
        wallet,
        account,
        Effect.gen(this, function*() {
          const multiSig = multiSigOf(yield* wallet.accountKey(account.address))
          if (multiSig !== undefined) {
            const made = fill(draft.nonce ?? (yield* freeNonce(wallet, account.address)))
            if (made.ok) yield* mayShare(made.value)
            const raw = yield* signing.encodeMade(made)
            return yield* this.hold(wallet, account, { raw, multiSig, payer: pendingPayer(draft.payer) })
          }
          const made = fill(draft.nonce ?? (yield* wallet.chain.pendingNonce(account.address)))
          const signed = yield* signing.signAsSender(wallet, yield* wallet.signer(account), made)
          return yield* this.finish(wallet, payer, {
            from: account.address,
            transaction: signed,
            submit: draft.submit
          })
        })
      )
    })
  }

  /** Runs one effect at a time for an account, uninterruptibly: a client that goes away leaves nothing half done. */
  runAlone<A>(
    wallet: ChainWallet,
    { address }: Pick<WalletAccount, "address">,
    effect: Effect.Effect<A, TransactionRejected | StoreFailure | Refused>
  ): Effect.Effect<A, Refused> {
    return wallet.exclusively(address)(Effect.uninterruptible(this.mapFailure(effect)))
  }

  /** Stores a transaction until a multisig account has signed it. */
  hold(
    wallet: ChainWallet,
    { address }: Pick<WalletAccount, "address">,
    transaction: { readonly raw: Hex; readonly multiSig: MultiSig; readonly payer: PendingPayer }
  ): Effect.Effect<Result, TransactionRejected | StoreFailure> {
    return Effect.gen(function*() {
      const id = yield* holdTransaction(wallet, { account: address, ...transaction })
      return wireTransactionResult(yield* signing.decode(transaction.raw), address, { kind: "pending", id })
    })
  }

  /** Adds the fee payer's signature to a transaction that its sender has signed, and sends it if asked to. */
  finish(
    wallet: ChainWallet,
    payer: DevAccount | undefined,
    { from, submit, transaction }: SignedTransaction
  ): Effect.Effect<Result, TransactionRejected | StoreFailure> {
    const { signsAnew } = this.request.fees
    return Effect.gen(function*() {
      const complete = payer === undefined || !hasPaid(transaction)
        ? yield* signing.signAsFeePayer(wallet, payer, transaction)
        : signsAnew
        ? yield* signing.signAnewAsFeePayer(wallet, payer, transaction)
        : transaction
      const rlp = yield* signing.encode(complete)
      if (!submit) return wireTransactionResult(complete, from, { kind: "signed", rlp })
      const hash = yield* signing.submit(wallet, rlp)
      yield* recordUpdate(wallet, from, complete)
      return wireTransactionResult(complete, from, { kind: "sent", rlp, hash })
    })
  }
}

/** The payer as stored with a transaction that waits for signatures. */
export const pendingPayer = (payer: Payer): PendingPayer =>
  payer.kind === "user" ? payer.address : payer.kind === "service" ? "global" : "sender"
