import { attempt } from "@effect-klaytn/local-chain/ChainError"
import * as Signature from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { addSignatures, type MultiSigAccount, updateMultiSig } from "@effect-klaytn/wallet/MultisigApi"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Pending, WalletAccount } from "../store/WalletRecord.js"
import { severalKeysOf } from "../wallet/accountKeyOf.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { transactionOf } from "../wallet/Draft.js"
import * as Multisig from "../wallet/Multisig.js"
import { recordUpdate } from "../wallet/Multisig.js"
import * as signing from "../wallet/signing.js"
import { readBody } from "./bodies.js"
import { defaultGas, hexOf } from "./draftBody.js"
import { TransactionSender } from "./TransactionSender.js"
import { boundsOf, type ListQuery, servePage } from "./walletPage.js"
import type { PoolHeaders, Refused, WalletRequest } from "./WalletRequest.js"
import { checksum, type Held, wirePending, wireSigning } from "./wire.js"

const heldOf = (sender: TransactionSender, wallet: ChainWallet, pending: Pending): Effect.Effect<Held, Refused> =>
  sender.request.mapStoreFailure(
    Effect.all({
      pending: Effect.succeed(pending),
      transaction: Multisig.transactionOfPending(pending),
      signers: Multisig.coSigners(wallet, pending.multiSig)
    })
  )

/** One that still waits. */
const waitingOf = (sender: TransactionSender, wallet: ChainWallet, id: string): Effect.Effect<Held, Refused> =>
  Effect.flatMap(
    sender.request.mapStoreFailure(attempt("pending", () => wallet.pending.get(hexOf(id)))),
    (pending) =>
      pending === undefined
        ? Effect.fail(sender.request.refusals.noData())
        : pending.hash === undefined
        ? heldOf(sender, wallet, pending)
        : Effect.fail(sender.request.refusals.alreadySubmitted(pending.hash))
  )

/** The account that is asked to sign, with what it signs. */
const signedBy = (sender: TransactionSender, wallet: ChainWallet, headers: PoolHeaders, address: string, held: Held) =>
  Effect.gen(function*() {
    const pools = yield* sender.request.pools(wallet, headers)
    // An account of another customer is refused like one that does not exist.
    yield* sender.request.account(wallet, pools["account-pool"], address)
    const account = yield* sender.request.usableAccount(wallet, pools["account-pool"], address)
    const signer = yield* sender.request.signer(wallet, account)
    return held.signers.some(({ publicKey }) => publicKey === signer.publicKey)
      ? yield* sender.mapFailure(
        signing.signAsSender(wallet, signer, { ok: true, value: { ...held.transaction, signatures: [] } })
      )
      : yield* Effect.fail(sender.request.refusals.notASigner(checksum(account.address)))
  })

const payerOf = (sender: TransactionSender, wallet: ChainWallet, { payer }: Pending) => {
  if (payer === "sender") return Effect.succeed(undefined)
  if (payer === "global") return sender.request.mapStoreFailure(wallet.payer)
  return Effect.flatMap(
    sender.request.mapStoreFailure(attempt<WalletAccount | undefined>("account", () => wallet.store.account(payer))),
    (account) => sender.feePayer(wallet, account)
  )
}

/** Adds signatures; once their weights are enough, the transaction is sent. One that is refused is not signed. */
const add = (
  sender: TransactionSender,
  wallet: ChainWallet,
  held: Held,
  signatures: ReadonlyArray<Signature.Signature>
) =>
  Effect.gen(function*() {
    const { pending, transaction } = held
    const added = Multisig.findSigners(wallet, { ...transaction, signatures })
    const next = Multisig.withSignatures(wallet, transaction, signatures)
    const signed = Multisig.findSigners(wallet, next)
    if (Multisig.weightOf(held.signers, signed) < pending.multiSig.threshold) {
      yield* Multisig.saveSignatures(wallet, pending, yield* signing.encode(next))
      return wireSigning(held, { signed, added, hash: undefined })
    }
    const complete = yield* signing.signAsFeePayer(wallet, yield* payerOf(sender, wallet, pending), next)
    const raw = yield* signing.encode(complete)
    // The signatures differ each time: written first, so that a sandbox that ends here finds what it has sent.
    yield* Multisig.saveSignatures(wallet, pending, raw)
    const hash = yield* Effect.tapErrorTag(
      signing.submitOnce(wallet, complete, raw),
      "TransactionRejected",
      () => Multisig.saveSignatures(wallet, pending, pending.raw)
    )
    yield* Multisig.markSent(wallet, pending, { raw, hash })
    yield* recordUpdate(wallet, pending.account, complete)
    return wireSigning(held, { signed, added, hash })
  })

/** Reads what waits, and changes it, one request at a time. */
const change = (
  sender: TransactionSender,
  wallet: ChainWallet,
  id: string,
  signaturesOf: (held: Held) => Effect.Effect<ReadonlyArray<Signature.Signature>, Refused>
) =>
  Effect.gen(function*() {
    const { pending } = yield* waitingOf(sender, wallet, id)
    const status = yield* sender.runAlone(
      wallet,
      { address: pending.account },
      Effect.flatMap(waitingOf(sender, wallet, id), (held) =>
        Effect.flatMap(signaturesOf(held), (signatures) => add(sender, wallet, held, signatures)))
    )
    return HttpServerResponse.unsafeJson(status)
  })

/** What waits for an account, or for its signature. */
const listPending = (sender: TransactionSender, address: string, query: ListQuery) =>
  Effect.gen(function*() {
    const wallet = yield* sender.request.chainWallet
    const all = yield* sender.request.mapStoreFailure(attempt("pending", () =>
      wallet.pending.list(Multisig.waiting, () =>
        true, { ...boundsOf(query), limit: Number.MAX_SAFE_INTEGER })))
    const mine: Array<Held> = []
    for (const pending of all) {
      const held = yield* heldOf(sender, wallet, pending)
      if (
        pending.account === address || held.signers.some((signer) =>
          signer.address === address
        )
      ) mine.push(held)
    }
    return yield* servePage(sender.request, {
      query,
      rowOf: ({ TransactionId: id }) =>
        sender.request.mapStoreFailure(attempt("pending", () =>
          typeof id === "string" && /^0x[0-9a-f]{64}$/.test(id) ? wallet.pending.get(hexOf(id))?.id : undefined)),
      read: (before = Number.MAX_SAFE_INTEGER, limit) =>
        Effect.succeed(
          mine.filter(({ pending }) =>
            pending.id < before
          ).slice(0, limit)
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

/** Adds signatures that were made elsewhere, by the co-signers of the account. */
const addForeign = (sender: TransactionSender, id: string) =>
  Effect.gen(function*() {
    const wallet = yield* sender.request.chainWallet
    const { signatures } = yield* readBody(sender.request.refusals, addSignatures, yield* sender.request.json)
    if (signatures.length === 0) return yield* Effect.fail(sender.request.refusals.empty("signatures"))
    return yield* change(sender, wallet, id, (held) => {
      const added = signatures.map(({ R, S, V }) => ({ v: V, r: R, s: S }))
      const { chain, curve } = wallet
      const signers = Transaction.recoverSenders({ ...held.transaction, signatures: added }, {
        chainId: chain.chainId,
        curve
      })
      if (!signers.ok) return Effect.fail(sender.request.refusals.outOfRange("signatures"))
      const stranger = signers.value.find(({ publicKey }) => held.signers.every((one) => one.publicKey !== publicKey))
      return stranger === undefined
        ? Effect.succeed(added)
        : Effect.fail(sender.request.refusals.notASigner(checksum(stranger.address)))
    })
  })

/** Transactions of multisig accounts: those that wait, and their signatures. */
export const make = (request: WalletRequest) => {
  const sender = new TransactionSender(request)
  return {
    getPendingTransactions: (address: string, query: ListQuery) => listPending(sender, address, query),

    addSignatures: (id: string) => addForeign(sender, id),

    signPending: (headers: PoolHeaders, address: string, id: string) =>
      Effect.flatMap(
        sender.request.chainWallet,
        (wallet) =>
          change(sender, wallet, id, (held) =>
            Effect.map(signedBy(sender, wallet, headers, address, held), ({ signatures }) =>
              signatures))
      ),

    getSignature: (headers: PoolHeaders, address: string, id: string) =>
      Effect.gen(function*() {
        const wallet = yield* sender.request.chainWallet
        const held = yield* waitingOf(sender, wallet, id)
        const { signatures: [signature] } = yield* signedBy(sender, wallet, headers, address, held)
        return signature === undefined
          ? yield* Effect.fail(sender.request.refusals.noData())
          : HttpServerResponse.unsafeJson(Signature.toQuantities(signature))
      })
  }
}

/**
 * Gives an account several keys, all of them of accounts of the wallet, by a transaction that the account pays for. An
 * account with its first key can get them, and so can one that was migrated with a key of the wallet.
 */
export const makeUpdateMultiSig = (request: WalletRequest) => {
  const { refusals } = request
  const sender = new TransactionSender(request)
  return (headers: PoolHeaders, address: string) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const { threshold, weightedKeys } = yield* readBody(refusals, updateMultiSig, yield* request.json)
      const pools = yield* request.pools(wallet, headers)
      const account = yield* request.usableAccount(wallet, pools["account-pool"], address)
      const key = severalKeysOf(threshold, weightedKeys)
      const from = account.address
      const sent = yield* sender.runAlone(
        wallet,
        account,
        Effect.gen(function*() {
          const { type } = yield* wallet.accountKey(from)
          if (type !== "AccountKeyLegacy" && type !== "AccountKeyPublic") {
            return yield* Effect.fail(refusals.notLegacyAccount())
          }
          for (const { publicKey } of weightedKeys) {
            const owners = yield* wallet.accountsOfKey(publicKey)
            if (owners.length === 0) return yield* Effect.fail(refusals.noData())
          }
          if (!key.ok) return yield* Effect.fail(refusals.badAccountKey(key.error.message))
          const made = transactionOf(
            {
              from,
              nonce: undefined,
              gas: BigInt(defaultGas),
              submit: true,
              action: { kind: "update", key: key.value },
              payer: { kind: "sender" },
              feeRatio: undefined
            },
            {
              nonce: yield* wallet.chain.pendingNonce(from),
              gasPrice: wallet.chain.unitPrice,
              feePayer: undefined
            }
          )
          const transaction = yield* signing.signAsSender(wallet, yield* wallet.signer(account), made)
          return yield* sender.finish(wallet, undefined, { from, transaction, submit: true })
        })
      )
      const updated = yield* request.account(wallet, account.pool, address)
      const body: typeof MultiSigAccount.Encoded = {
        address: checksum(from),
        krn: wallet.krn(account.pool),
        multiSigKeys: weightedKeys,
        threshold,
        transactionHash: sent.transactionHash ?? "",
        updatedAt: updated.updatedAt
      }
      return HttpServerResponse.unsafeJson(body)
    })
}
