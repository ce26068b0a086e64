import { type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as Signature from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { addSignatures, type MultiSigAccount, updateMultiSig } from "@effect-klaytn/wallet/MultisigApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ChainWallet } from "../../ChainWallet.js"
import { IsRepeated } from "../../CurrentRequest.js"
import type { CustodyFailure } from "../../CustodyError.js"
import type { PageRange, Pending, SigningAccount } from "../../WalletRecord.js"
import { severalKeysOf } from "../wallet/accountKeyOf.js"
import * as Multisig from "../wallet/Multisig.js"
import * as signing from "../wallet/signing.js"
import { defaultGas } from "./drafts.js"
import { done, finish, payerOf, runAlone } from "./sending.js"
import { boundsOf, type ListQuery, servePage } from "./walletPage.js"
import { hashIn } from "./walletReads.js"
import type { Failure, PoolHeaders, WalletRequest } from "./WalletRequest.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"
import { checksum, type Held, wirePending, wireSigning } from "./wire.js"

const heldOf = (wallet: ChainWallet, pending: Pending) =>
  Effect.all({
    pending: Effect.succeed(pending),
    transaction: signing.decodeStored("pending", pending.raw),
    signers: Multisig.coSigners(wallet, pending.multiSig)
  })

/** A transaction that still waits for signatures. */
const findWaiting = ({ refusals, wallet }: WalletRequest, id: Hex) =>
  Effect.gen(function*() {
    const pending = yield* wallet.store.pending(id)
    if (pending === undefined || pending.status === Multisig.ended) return yield* refusals.fail("noData")
    if (yield* Multisig.endRevoked(wallet, pending)) return yield* refusals.fail("noData")
    if (pending.hash !== undefined) return yield* refusals.fail("alreadySubmitted", pending.hash)
    const held = yield* heldOf(wallet, pending)
    if (pending.status === Multisig.outpriced) return yield* Multisig.rejectOutpriced(wallet, pending, held.transaction)
    return held
  })

/** A request for the signature of an account of the wallet. */
interface SignatureInput {
  readonly headers: PoolHeaders
  readonly path: { readonly address: string; readonly transactionId: Hex }
}

/** Whoever pays for a transaction that may be sent once enough have signed it; undefined if nobody but its sender does. */
interface Completion {
  readonly payer: SigningAccount | undefined
}

/** Signatures for a transaction. `completion`: it has been checked that it may be sent with them. */
interface Added {
  readonly signatures: ReadonlyArray<Signature.Signature>
  readonly completion?: Completion | undefined
}

/** The signatures of the account that the request names. `before` may refuse the signer, by its public key, before it signs. */
const signedBy = (
  request: WalletRequest,
  { headers, path }: SignatureInput,
  held: Held,
  before: (publicKey: Hex) => Effect.Effect<Completion | undefined, Failure> = () => Effect.succeed(undefined)
): Effect.Effect<Added, Failure> =>
  Effect.gen(function*() {
    const { refusals, wallet } = request
    const pool = yield* request.pool(headers, "account-pool")
    // An account of another customer is refused like one that does not exist.
    yield* request.account(pool, path.address)
    const account = yield* request.usableAccount(pool, path.address)
    const signer = yield* wallet.signer(account)
    if (held.signers.every(({ publicKey }) => publicKey !== signer.publicKey)) {
      return yield* refusals.fail("notASigner", checksum(account.address))
    }
    const completion = yield* before(signer.publicKey)
    const { signatures } = yield* signing.signAsSender(wallet, signer, { ...held.transaction, signatures: [] })
    return { signatures, completion }
  })

/** Adds signatures to what a transaction is by now, which somebody has changed since it was read. */
const addAnew = (
  request: WalletRequest,
  { pending }: Held,
  signatures: ReadonlyArray<Signature.Signature>
): ReturnType<typeof add> =>
  Effect.flatMap(findWaiting(request, pending.transactionId), (held) => add(request, held, { signatures }))

/** What the transaction is sent with, once enough have signed. */
const payerOfHeld = (request: WalletRequest, { payer }: Pending) =>
  payerOf(request, payer, (address) => request.wallet.store.account(address))

/** Fails for a transaction that enough have signed, or are about to sign, and that can't be sent. */
const complete = (
  request: WalletRequest,
  pending: Pending,
  transaction: Transaction.Transaction
): Effect.Effect<Completion, Failure> =>
  Effect.gen(function*() {
    const { wallet } = request
    yield* Multisig.refuseOutpriced(wallet, pending, transaction)
    const payer = yield* payerOfHeld(request, pending)
    yield* signing.checkRest(wallet, pending.account, payer, { transaction, submit: true })
    return { payer }
  })

/** Fails before a signature after which the transaction would be complete and could not be sent. */
const mayComplete = (request: WalletRequest, { pending, signers, transaction }: Held) => (publicKey: Hex) =>
  Effect.gen(function*() {
    const { wallet } = request
    const signed = new Set([...Multisig.findSigners(wallet, transaction), publicKey])
    return Multisig.weightOf(signers, signed) < pending.multiSig.threshold
      ? undefined
      : yield* complete(request, pending, transaction)
  })

/** Adds signatures, and sends the transaction once their weights suffice. A refused transaction keeps its old signatures. */
const add = (
  request: WalletRequest,
  held: Held,
  { completion, signatures }: Added
): Effect.Effect<ReturnType<typeof wireSigning>, Failure> =>
  Effect.gen(function*() {
    const { wallet } = request
    const { pending, transaction } = held
    const added = Multisig.findSigners(wallet, { ...transaction, signatures })
    const next = Multisig.withSignatures(wallet, transaction, signatures)
    const signed = Multisig.findSigners(wallet, next)
    if (Multisig.weightOf(held.signers, signed) < pending.multiSig.threshold) {
      const saved = yield* Multisig.saveSignatures(wallet, pending, yield* signing.encode(next))
      return saved === undefined
        ? yield* addAnew(request, held, signatures)
        : wireSigning(held, { signed, added, hash: undefined })
    }
    const { payer } = completion ?? (yield* complete(request, pending, next))
    const paid = yield* signing.signAsFeePayer(wallet, payer, next)
    const raw = yield* signing.encode(paid)
    // Signatures differ each time. They are saved first, so that a program that stops here can find what it has sent.
    const saved = yield* Multisig.saveSignatures(wallet, pending, raw)
    if (saved === undefined) return yield* addAnew(request, held, signatures)
    const hash = yield* Effect.tapErrorTag(
      signing.submitOnce(wallet, pending.account, paid, raw),
      "TransactionRejected",
      () => Multisig.saveSignatures(wallet, saved, pending.raw)
    )
    yield* Multisig.markSent(wallet, saved, { raw, hash })
    yield* Multisig.recordUpdate(wallet, pending.account, paid)
    return wireSigning(held, { signed, added, hash })
  })

/** The answer to a request with a key that has sent the transaction before; undefined if it has not. */
const signedBefore = ({ wallet }: WalletRequest, id: Hex) =>
  Effect.gen(function*() {
    const pending = (yield* IsRepeated) ? yield* wallet.store.pending(id) : undefined
    const sent = pending && (yield* wallet.sends.prior(pending.account))
    if (pending === undefined || sent === undefined) return undefined
    yield* Multisig.markSent(wallet, pending, sent)
    const held = yield* heldOf(wallet, { ...pending, raw: sent.raw })
    const signed = Multisig.findSigners(wallet, held.transaction)
    return wireSigning(held, { signed, added: signed, hash: sent.hash })
  })

/** Adds signatures to a waiting transaction, one request at a time for each account. */
const change = (
  request: WalletRequest,
  id: Hex,
  signaturesOf: (held: Held) => Effect.Effect<Added, Failure>
) =>
  Effect.flatMap(
    signedBefore(request, id),
    (before) => before === undefined ? changeNow(request, id, signaturesOf) : Effect.succeed(before)
  )

const changeNow = (
  request: WalletRequest,
  id: Hex,
  signaturesOf: (held: Held) => Effect.Effect<Added, Failure>
) =>
  Effect.flatMap(findWaiting(request, id), ({ pending }) =>
    runAlone(
      request.wallet,
      pending.account,
      Effect.gen(function*() {
        const held = yield* findWaiting(request, id)
        return yield* add(request, held, yield* signaturesOf(held))
      })
    ))

/** Those that wait, without those of callers that were revoked, which end. */
const waitingOf = (
  wallet: ChainWallet,
  of: Parameters<ChainWallet["store"]["waiting"]>[0],
  range: PageRange
): Effect.Effect<ReadonlyArray<Pending>, CustodyFailure> =>
  Effect.gen(function*() {
    const found = yield* wallet.store.waiting(of, range)
    const ended = yield* Effect.filter(found, (pending) => Multisig.endRevoked(wallet, pending))
    return ended.length === 0 ? found : yield* waitingOf(wallet, of, range)
  })

/** The transactions of an account that wait, and those that wait for its signature. */
const listPending = (request: WalletRequest, address: Hex, query: ListQuery) =>
  Effect.gen(function*() {
    const { wallet } = request
    const publicKeys = yield* Multisig.keysOf(wallet, address)
    return yield* servePage(request, {
      query,
      rowOf: ({ TransactionId }) => {
        const id = hashIn(TransactionId)
        return id === undefined
          ? Effect.succeed(undefined)
          : Effect.map(wallet.store.pending(id), (found) => found?.id)
      },
      read: (before, limit) =>
        Effect.flatMap(
          waitingOf(wallet, { account: address, publicKeys }, { ...boundsOf(query), before, limit }),
          Effect.forEach((pending) => heldOf(wallet, pending))
        ),
      place: ({ pending }) => ({
        Address: checksum(pending.account),
        TransactionId: pending.transactionId,
        Type: "TX",
        created_at: pending.createdAt
      }),
      write: (held) => wirePending(wallet.chain.chainId, held)
    })
  })

/** Adds signatures that the co-signers of the account have made elsewhere. */
const addForeign = (request: WalletRequest, id: Hex) =>
  Effect.gen(function*() {
    const { refusals, wallet } = request
    const { signatures } = yield* request.transactionBody(addSignatures)
    if (signatures.length === 0) return yield* refusals.fail("empty", "signatures")
    return yield* change(request, id, (held) => {
      const added = signatures.map(({ R, S, V }) => ({ v: V, r: R, s: S }))
      const options = { chainId: wallet.chain.chainId, curve: wallet.curve }
      const signers = Transaction.recoverSenders({ ...held.transaction, signatures: added }, options)
      if (!signers.ok) return refusals.fail("outOfRange", "signatures")
      const stranger = signers.value.find(({ publicKey }) => held.signers.every((one) => one.publicKey !== publicKey))
      return stranger === undefined
        ? Effect.succeed({ signatures: added })
        : refusals.fail("notASigner", checksum(stranger.address))
    })
  })

/**
 * Gives an account several keys, all of which belong to accounts of the wallet, by a transaction that the account pays for.
 * The account has its first key, or one key of the wallet with which it was migrated.
 */
const update = (request: WalletRequest, headers: PoolHeaders, address: string) =>
  Effect.gen(function*() {
    const { refusals, wallet } = request
    const { threshold, weightedKeys } = yield* request.transactionBody(updateMultiSig)
    const before = yield* done(wallet, lowerCase(address))
    const account = yield* request.usableAccount(yield* request.pool(headers, "account-pool"), address)
    const key = severalKeysOf({ threshold, weightedKeys })
    const from = account.address
    const sent = before ?? (yield* runAlone(
      wallet,
      from,
      Effect.gen(function*() {
        const { type } = yield* wallet.accountKey(from)
        if (type !== "AccountKeyLegacy" && type !== "AccountKeyPublic") return yield* refusals.fail("notLegacyAccount")
        for (const { publicKey } of weightedKeys) {
          const owners = yield* wallet.accountsOfKey(publicKey)
          if (owners.length === 0) return yield* refusals.fail("noData")
        }
        if (Either.isLeft(key)) return yield* refusals.fail("badAccountKey", key.left.message)
        const made = Transaction.make({
          type: "AccountUpdate",
          nonce: yield* wallet.sends.nextNonce(from),
          gasPrice: yield* wallet.chain.unitPrice,
          gas: BigInt(defaultGas),
          from,
          key: key.right
        })
        const unsigned = yield* signing.acceptResult(made)
        const transaction = yield* signing.signAsSender(wallet, yield* wallet.signer(account), unsigned)
        return yield* finish(request, undefined, { from, transaction, submit: true, isRaisable: true })
      })
    ))
    const updated = yield* request.account(account.pool, address)
    const body: typeof MultiSigAccount.Encoded = {
      address: checksum(from),
      krn: wallet.krn(account.pool),
      multiSigKeys: weightedKeys,
      threshold,
      transactionHash: sent.transactionHash ?? "",
      updatedAt: updated.updatedAt
    }
    return body
  })

/** The signature of one account for a waiting transaction, which does not change. */
const getSignature = (request: WalletRequest, input: SignatureInput) =>
  Effect.gen(function*() {
    const held = yield* findWaiting(request, input.path.transactionId)
    const [signature] = (yield* signedBy(request, input, held)).signatures
    return signature === undefined ? yield* request.refusals.fail("noData") : Signature.toQuantities(signature)
  })

/** Multisig accounts: their keys, the transactions that wait, and their signatures. */
export const multisigLayer = ({ serve }: WalletService) =>
  HttpApiBuilder.group(WalletServiceApi, "multisig", (handlers) =>
    handlers
      .handleRaw("updateMultiSig", serve((request, { headers, path }) => update(request, headers, path.address)))
      .handleRaw(
        "getPendingTransactions",
        serve((request, { path, urlParams }) => listPending(request, path.address, urlParams))
      )
      .handleRaw(
        "signPending",
        serve((request, input) =>
          change(
            request,
            input.path.transactionId,
            (held) => signedBy(request, input, held, mayComplete(request, held))
          )
        )
      )
      .handleRaw("addSignatures", serve((request, { path }) => addForeign(request, path.transactionId)))
      .handleRaw("getSignature", serve(getSignature)))
