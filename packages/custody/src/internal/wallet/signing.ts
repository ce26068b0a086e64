import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import { nobleWithEntropy } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { ChainWallet } from "../../ChainWallet.js"
import { type CustodyFailure, StoreFailure, TransactionRejected, type WalletRefused } from "../../CustodyError.js"
import { priceOf } from "../../TransactionFields.js"
import {
  gkei,
  type MinedTransaction,
  overPriced,
  type WaitingTransaction,
  type WalletChain
} from "../../WalletChain.js"
import { digestOf, type Signature } from "../../WalletGuard.js"
import type { SigningAccount } from "../../WalletRecord.js"
import { authenticate, checkLimits } from "./authentic.js"

/** Fails like a node if a transaction can't be built. */
export const acceptResult = <A>(result: Result<A>): Effect.Effect<A, TransactionRejected> =>
  result.ok
    ? Effect.succeed(result.value)
    : Effect.fail(new TransactionRejected({ reason: "Undecodable", message: result.error.message }))

const optionsOf = ({ chain, curve }: ChainWallet, { privateKey }: SigningAccount) => ({
  chainId: chain.chainId,
  curve,
  privateKey: Redacted.value(privateKey)
})

/** What a signature is for. */
interface Asked {
  readonly role: "sender" | "feePayer"
  readonly transaction: Transaction.Transaction
  /** The transaction that it takes the place of, at the same nonce. */
  readonly replaces?: Transaction.Transaction | undefined
  /** Whether a keyed request that comes again signs the same bytes again: they count once, and are one line of the audit log. */
  readonly isRepeatable?: boolean | undefined
}

type Options = Pick<Asked, "replaces" | "isRepeatable">

/** Fails for a price above the wallet's bound. */
export const checkPrice = (
  chain: Pick<WalletChain, "maxPrice">,
  transaction: Transaction.Transaction
): Effect.Effect<void, WalletRefused> => {
  const price = priceOf(transaction)
  return chain.maxPrice !== undefined && price > chain.maxPrice
    ? overPriced(`the price ${gkei(price)}`, chain.maxPrice)
    : Effect.void
}

/** Asks the bound of the price and the guard of the wallet, if there are such, whether an account may sign a transaction. */
const ask = (
  { chain, guard, store }: ChainWallet,
  { address, pool }: SigningAccount,
  { isRepeatable = false, replaces, role, transaction }: Asked
): Effect.Effect<void, CustodyFailure> =>
  Effect.suspend(() => {
    if (guard === undefined) return Effect.void
    const signature = signatureOf(chain, { address, pool }, { role, transaction, replaces })
    return isRepeatable ? askOnce(store, guard, signature) : guard.sign(signature)
  }).pipe((guarded) => Effect.zipRight(checkPrice(chain, transaction), guarded))

const signatureOf = (
  chain: WalletChain,
  { address, pool }: Pick<SigningAccount, "address" | "pool">,
  { replaces, role, transaction }: Asked
) => ({
  role,
  pool,
  address,
  subject: address,
  transaction,
  replaces,
  digest: digestOf(transaction, role, chain.chainId),
  codeOfReceiver: "to" in transaction && transaction.to !== undefined ? chain.hasCode(transaction.to) : undefined
})

/**
 * Fails for a transaction that would be refused after its sender has signed it, and before anything is sent: by what its fee payer may
 * sign, or for a nonce that another transaction has. What is refused here counts against no limit.
 */
export const checkRest = (
  { chain, guard, sends }: ChainWallet,
  from: Hex,
  payer: Pick<SigningAccount, "address" | "pool"> | undefined,
  { hasNextNonce, submit, transaction }: {
    readonly transaction: Transaction.Transaction
    readonly submit: boolean
    /** Whether its nonce is the one that the wallet has just chosen for it. Default: false. */
    readonly hasNextNonce?: boolean
  }
): Effect.Effect<void, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    if (guard !== undefined && payer !== undefined && Transaction.isFeeDelegatedTransaction(transaction)) {
      const payable = { ...transaction, feePayer: payer.address }
      yield* guard.check(signatureOf(chain, payer, { role: "feePayer", transaction: payable }))
    }
    if (submit) yield* sends.mayTake?.(from, transaction, { hasNextNonce }) ?? Effect.void
  })

/**
 * Refuses a transaction that its caller may not have signed, or that no node takes, before it waits for the signatures of others.
 * Nothing is counted.
 */
export const checkHeld = (
  wallet: ChainWallet,
  sender: Pick<SigningAccount, "address" | "pool">,
  payer: Pick<SigningAccount, "address" | "pool"> | undefined,
  { raw, transaction }: { readonly transaction: Transaction.Transaction; readonly raw: Hex }
): Effect.Effect<void, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const { chain, guard } = wallet
    yield* checkLimits(transaction, raw.length / 2 - 1)
    yield* checkPrice(chain, transaction)
    yield* guard?.check(signatureOf(chain, sender, { role: "sender", transaction })) ?? Effect.void
    yield* checkRest(wallet, sender.address, payer, { transaction, submit: false })
  })

/** Asks unless an earlier attempt of the keyed request was let sign the same, and counts only what none has counted. */
const askOnce = (
  store: ChainWallet["store"],
  guard: NonNullable<ChainWallet["guard"]>,
  signature: Extract<Signature, { readonly role: "sender" | "feePayer" }>
): Effect.Effect<void, CustodyFailure> =>
  Effect.gen(function*() {
    const { digest, replaces, transaction } = signature
    if ((yield* store.effects("signed")).includes(digest)) return
    const isCounted = (yield* store.effects("counted")).includes(digest)
    yield* guard.sign({
      ...signature,
      replaces: isCounted ? transaction : replaces,
      counted: store.mark("counted", digest)
    })
    yield* store.mark("signed", digest)
  })

/** The bytes of an input, which are most of those of a large transaction. */
const sizeOf = (transaction: Transaction.Transaction): number =>
  "input" in transaction && transaction.input !== undefined ? transaction.input.length / 2 - 1 : 0

/** Adds the sender's signature. What no node takes is refused before it is signed. */
export const signAsSender = (
  wallet: ChainWallet,
  signer: SigningAccount,
  transaction: Transaction.Transaction,
  options: Options = {}
): Effect.Effect<Transaction.Transaction, TransactionRejected | CustodyFailure> =>
  Effect.zipRight(
    Effect.zipRight(
      checkLimits(transaction, sizeOf(transaction)),
      ask(wallet, signer, { ...options, role: "sender", transaction })
    ),
    acceptResult(Transaction.signAsSender(transaction, optionsOf(wallet, signer)))
  )

/** Adds the fee payer's signature, if there is a fee payer. */
export const signAsFeePayer = (
  wallet: ChainWallet,
  payer: SigningAccount | undefined,
  transaction: Transaction.Transaction,
  options: Options = {}
): Effect.Effect<Transaction.Transaction, TransactionRejected | CustodyFailure> => {
  if (payer === undefined || !Transaction.isFeeDelegatedTransaction(transaction)) return Effect.succeed(transaction)
  const payable = { ...transaction, feePayer: payer.address }
  return Effect.zipRight(
    ask(wallet, payer, { ...options, role: "feePayer", transaction: payable }),
    acceptResult(
      Transaction.signAsFeePayer(transaction, { ...optionsOf(wallet, payer), feePayer: payer.address })
    )
  )
}

const areEqual = (left: Transaction.FeeDelegatedTransaction, right: Transaction.FeeDelegatedTransaction): boolean =>
  left.feePayerSignatures.every(({ r, s }, at) =>
    r === right.feePayerSignatures[at]?.r && s === right.feePayerSignatures[at]?.s
  )

/**
 * Replaces the signature of a fee payer that has signed already by another one. Where signatures are repeatable, the
 * second one is made with entropy from the transaction: it differs from the first, and is the same at every start.
 */
export const signAnewAsFeePayer = (
  wallet: ChainWallet,
  payer: SigningAccount,
  transaction: Transaction.FeeDelegatedTransaction,
  asked: Options = {}
): Effect.Effect<Transaction.Transaction, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    yield* ask(wallet, payer, { ...asked, role: "feePayer", transaction: { ...transaction, feePayer: payer.address } })
    const options = { ...optionsOf(wallet, payer), feePayer: payer.address }
    const unpaid = { ...transaction, feePayerSignatures: [] }
    const signed = yield* acceptResult(Transaction.signAsFeePayer<Transaction.FeeDelegatedTransaction>(unpaid, options))
    if (!areEqual(transaction, signed)) return signed
    const curve = nobleWithEntropy(keccak_256(bytesOf(yield* encode(transaction))))
    return yield* acceptResult(
      Transaction.signAsFeePayer<Transaction.FeeDelegatedTransaction>(unpaid, { ...options, curve })
    )
  })

/** Encodes a transaction. */
export const encode = (transaction: Transaction.Transaction): Effect.Effect<Hex, TransactionRejected> =>
  acceptResult(Transaction.encode(transaction))

/** Decodes a transaction, signed or not. */
export const decode = (raw: Hex): Effect.Effect<Transaction.Transaction, TransactionRejected> =>
  acceptResult(Transaction.decode(raw))

/** Decodes the bytes of a transaction that the store holds. Those of a block may name no chain. */
export const decodeStored = (operation: string, raw: Hex): Effect.Effect<Transaction.Transaction, StoreFailure> => {
  const decoded = Transaction.decode(raw, { unprotected: true })
  return decoded.ok ? Effect.succeed(decoded.value) : new StoreFailure({ operation, cause: decoded.error })
}

/** A transaction of a block, or one that waits for a block. */
export const findTransaction = (
  chain: Pick<WalletChain, "transaction" | "pendingTransaction">,
  hash: Hex
): Effect.Effect<Option.Option<MinedTransaction | WaitingTransaction>, CustodyFailure> =>
  Effect.flatMap(
    chain.transaction(hash),
    (mined) => Option.isSome(mined) ? Effect.succeed(mined) : chain.pendingTransaction(hash)
  )

/** Submits a raw transaction that the account's key on the chain has signed, unless the chain has it: a client may have sent it, or a program that then stopped. */
export const submitOnce = (
  wallet: ChainWallet,
  from: Hex,
  transaction: Transaction.Transaction,
  raw: Hex
) =>
  Effect.gen(function*() {
    const { chain, sends } = wallet
    const hash = yield* acceptResult(Transaction.hash(transaction))
    if (Option.isSome(yield* findTransaction(chain, hash))) return hash
    yield* authenticate(wallet, from, transaction)
    return (yield* sends.submit({ from, transaction, raw })).hash
  })
