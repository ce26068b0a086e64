/** Signs what a repair of a send needs: the same payment at a higher price, or a cancellation of its nonce. */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { flatMap, type Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
import type { CustodyFailure, TransactionRejected } from "../../CustodyError.js"
import type { CancelPayer } from "../../SendLife.js"
import type { StoredSend } from "../../SendStore.js"
import type { SigningAccount, WalletAccount } from "../../WalletRecord.js"
import * as signing from "../wallet/signing.js"

const cancelGas = 1_000_000n

/** The account of a send, if the wallet alone signs for it. */
export const ownAccount = (
  wallet: ChainWallet,
  address: Hex
): Effect.Effect<WalletAccount | undefined, CustodyFailure> =>
  Effect.gen(function*() {
    const own = yield* wallet.anyAccount(address)
    return own === undefined || own.multiSig !== undefined || (yield* wallet.status(own)) !== "enabled"
      ? undefined
      : own
  })

/** A fee payer of the wallet by its address; undefined for one that is not the wallet's. */
const payerOf = (wallet: ChainWallet, address: Hex): Effect.Effect<SigningAccount | undefined, CustodyFailure> =>
  Effect.gen(function*() {
    if (address === wallet.globalFeePayer.address) return yield* wallet.payer
    const account = yield* wallet.anyAccount(address)
    return account !== undefined && (yield* wallet.status(account)) === "enabled"
      ? yield* wallet.signer(account)
      : undefined
  })

const feePayerOf = (transaction: Transaction.Transaction): Hex | undefined =>
  Transaction.isFeeDelegatedTransaction(transaction) ? transaction.feePayer : undefined

/** Signed bytes. */
export interface Made {
  readonly transaction: Transaction.Transaction
  readonly raw: Hex
  readonly hash: Hex
  readonly senderHash: Hex
}

const made = (transaction: Transaction.Transaction): Effect.Effect<Made, TransactionRejected> =>
  Effect.all({
    transaction: Effect.succeed(transaction),
    raw: signing.encode(transaction),
    hash: signing.acceptResult(Transaction.hash(transaction)),
    senderHash: signing.acceptResult(Transaction.senderHash(transaction))
  })

/** The same payment at a price; undefined if somebody else signed a part of it. */
export const raised = (
  wallet: ChainWallet,
  account: WalletAccount,
  { raw }: Pick<StoredSend, "raw">,
  gasPrice: bigint
): Effect.Effect<Made | undefined, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const before = yield* signing.decode(raw)
    if (!("gasPrice" in before)) return undefined
    const signer = yield* wallet.signer(account)
    const senders = Transaction.recoverSenders(before, { chainId: wallet.chain.chainId, curve: wallet.curve })
    if (!senders.ok || senders.value.some(({ publicKey }) => publicKey !== signer.publicKey)) return undefined
    const address = feePayerOf(before)
    const payer = address === undefined ? undefined : yield* payerOf(wallet, address)
    if (address !== undefined && payer === undefined) return undefined
    const unsigned = Transaction.isFeeDelegatedTransaction(before)
      ? { ...before, gasPrice, signatures: [], feePayerSignatures: [] }
      : { ...before, gasPrice, signatures: [] }
    const bySender = yield* signing.signAsSender(wallet, signer, unsigned, { replaces: before })
    return yield* made(yield* signing.signAsFeePayer(wallet, payer, bySender, { replaces: before }))
  })

/** A cancellation of a nonce. It is paid for as `like` is, or by the global fee payer. */
export const cancelled = (
  wallet: ChainWallet,
  account: WalletAccount,
  like: StoredSend,
  { payer: by, price: gasPrice }: { readonly payer: CancelPayer; readonly price: bigint }
): Effect.Effect<Made, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const paid = yield* signing.decode(like.raw)
    const address = feePayerOf(paid)
    const own = address === undefined ? undefined : yield* payerOf(wallet, address)
    const payer = by === "global" || address !== undefined && own === undefined ? yield* wallet.payer : own
    const fields = { nonce: like.nonce, gas: cancelGas, gasPrice, from: like.account }
    const ratio = "feeRatio" in paid && by === "own" ? { feeRatio: paid.feeRatio } : {}
    const unsigned = yield* signing.acceptResult(flatMap(
      Transaction.make({ type: "Cancel", ...fields }),
      (plain): Result<Transaction.Transaction> =>
        payer === undefined
          ? { ok: true, value: plain }
          : Transaction.delegate(plain, { feePayer: payer.address, ...ratio })
    ))
    const bySender = yield* signing.signAsSender(wallet, yield* wallet.signer(account), unsigned)
    return yield* made(yield* signing.signAsFeePayer(wallet, payer, bySender))
  })
