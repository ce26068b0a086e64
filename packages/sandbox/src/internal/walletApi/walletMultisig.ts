import { attempt } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Signature from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { addSignatures, type MultiSigAccount, updateMultiSig } from "@effect-klaytn/wallet/MultisigApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Pending } from "../store/WalletRecord.js"
import { severalKeysOf } from "../wallet/accountKeyOf.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import * as Multisig from "../wallet/Multisig.js"
import * as signing from "../wallet/signing.js"
import { readBody } from "./bodies.js"
import { defaultGas } from "./draftBody.js"
import { finish, payerOf, runAlone } from "./sending.js"
import { boundsOf, type ListQuery, servePage } from "./walletPage.js"
import { hashIn } from "./walletReads.js"
import { type Failure, type PoolHeaders, type WalletRequest, WalletServiceApi } from "./WalletRequest.js"
import { checksum, type Held, wirePending, wireSigning } from "./wire.js"

const heldOf = (wallet: ChainWallet, pending: Pending) =>
  Effect.all({
    pending: Effect.succeed(pending),
    transaction: signing.decodeStored("pending", pending.raw),
    signers: Multisig.coSigners(wallet, pending.multiSig)
  })

/** One that still waits. */
const waitingOf = ({ refusals }: WalletRequest, wallet: ChainWallet, id: Hex) =>
  Effect.gen(function*() {
    const pending = yield* attempt("pending", () => wallet.pending.get(id))
    if (pending === undefined) return yield* refusals.fail("noData")
    if (pending.hash !== undefined) return yield* refusals.fail("alreadySubmitted", pending.hash)
    return yield* heldOf(wallet, pending)
  })

/** What an account of the wallet is asked to sign. */
interface Asked {
  readonly headers: PoolHeaders
  readonly path: { readonly address: string; readonly transactionId: Hex }
}

/** The signatures of the account that is asked to sign. */
const signedBy = (request: WalletRequest, wallet: ChainWallet, { headers, path }: Asked, held: Held) =>
  Effect.gen(function*() {
    const pools = yield* request.pools(wallet, headers)
    // An account of another customer is refused like one that does not exist.
    yield* request.account(wallet, pools["account-pool"], path.address)
    const account = yield* request.usableAccount(wallet, pools["account-pool"], path.address)
    const signer = yield* wallet.signer(account)
    if (held.signers.every(({ publicKey }) => publicKey !== signer.publicKey)) {
      return yield* request.refusals.fail("notASigner", checksum(account.address))
    }
    return (yield* signing.signAsSender(wallet, signer, { ...held.transaction, signatures: [] })).signatures
  })

/** Adds signatures; once their weights are enough, the transaction is sent. One that is refused is not signed. */
const add = (
  request: WalletRequest,
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
    const accountOf = (address: Hex) => attempt("account", () => wallet.store.account(address))
    const payer = yield* payerOf(request, wallet, pending.payer, accountOf)
    const complete = yield* signing.signAsFeePayer(wallet, payer, next)
    const raw = yield* signing.encode(complete)
    // The signatures differ each time: written first, so that a sandbox that ends here finds what it has sent.
    yield* Multisig.saveSignatures(wallet, pending, raw)
    const hash = yield* Effect.tapErrorTag(
      signing.submitOnce(wallet, complete, raw),
      "TransactionRejected",
      () => Multisig.saveSignatures(wallet, pending, pending.raw)
    )
    yield* Multisig.markSent(wallet, pending, { raw, hash })
    yield* Multisig.recordUpdate(wallet, pending.account, complete)
    return wireSigning(held, { signed, added, hash })
  })

/** Reads what waits, and changes it, one request at a time. */
const change = (
  request: WalletRequest,
  wallet: ChainWallet,
  id: Hex,
  signaturesOf: (held: Held) => Effect.Effect<ReadonlyArray<Signature.Signature>, Failure>
) =>
  Effect.flatMap(waitingOf(request, wallet, id), ({ pending }) =>
    runAlone(
      wallet,
      pending.account,
      Effect.flatMap(
        waitingOf(request, wallet, id),
        (held) => Effect.flatMap(signaturesOf(held), (signatures) => add(request, wallet, held, signatures))
      )
    ))

/** What waits for an account, or for its signature. */
const listPending = (request: WalletRequest, address: string, query: ListQuery) =>
  Effect.gen(function*() {
    const wallet = yield* request.chainWallet
    const all = yield* attempt("pending", () => wallet.pending.list(Multisig.waiting, boundsOf(query)))
    const mine = (yield* Effect.forEach(all, (pending) => heldOf(wallet, pending))).filter(({ pending, signers }) =>
      pending.account === address || signers.some((signer) => signer.address === address)
    )
    return yield* servePage(request, {
      query,
      rowOf: ({ TransactionId }) =>
        attempt("pending", () => {
          const id = hashIn(TransactionId)
          return id && wallet.pending.get(id)?.id
        }),
      read: (before = Number.MAX_SAFE_INTEGER, limit) =>
        Effect.succeed(mine.filter(({ pending }) => pending.id < before).slice(0, limit)),
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
const addForeign = (request: WalletRequest, id: Hex) =>
  Effect.gen(function*() {
    const { refusals } = request
    const wallet = yield* request.chainWallet
    const { signatures } = yield* readBody(refusals, addSignatures, yield* request.json)
    if (signatures.length === 0) return yield* refusals.fail("empty", "signatures")
    return yield* change(request, wallet, id, (held) => {
      const added = signatures.map(({ R, S, V }) => ({ v: V, r: R, s: S }))
      const options = { chainId: wallet.chain.chainId, curve: wallet.curve }
      const signers = Transaction.recoverSenders({ ...held.transaction, signatures: added }, options)
      if (!signers.ok) return refusals.fail("outOfRange", "signatures")
      const stranger = signers.value.find(({ publicKey }) => held.signers.every((one) => one.publicKey !== publicKey))
      return stranger === undefined
        ? Effect.succeed(added)
        : refusals.fail("notASigner", checksum(stranger.address))
    })
  })

/**
 * Gives an account several keys, all of them of accounts of the wallet, by a transaction that the account pays for. An
 * account with its first key can get them, and so can one that was migrated with a key of the wallet.
 */
const update = (request: WalletRequest, headers: PoolHeaders, address: string) =>
  Effect.gen(function*() {
    const { refusals } = request
    const wallet = yield* request.chainWallet
    const { threshold, weightedKeys } = yield* readBody(refusals, updateMultiSig, yield* request.json)
    const pools = yield* request.pools(wallet, headers)
    const account = yield* request.usableAccount(wallet, pools["account-pool"], address)
    const key = severalKeysOf({ threshold, weightedKeys })
    const from = account.address
    const sent = yield* runAlone(
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
          nonce: yield* wallet.chain.pendingNonce(from),
          gasPrice: wallet.chain.unitPrice,
          gas: BigInt(defaultGas),
          from,
          key: key.right
        })
        const unsigned = yield* signing.acceptResult(made)
        const transaction = yield* signing.signAsSender(wallet, yield* wallet.signer(account), unsigned)
        return yield* finish(request, wallet, undefined, { from, transaction, submit: true })
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
    return body
  })

/** Multisig accounts: their keys, the transactions that wait, and their signatures. */
export const multisigLayer = (request: WalletRequest) => {
  const { chainWallet, serve } = request
  return HttpApiBuilder.group(WalletServiceApi, "multisig", (handlers) =>
    handlers
      .handleRaw("updateMultiSig", serve(({ headers, path }) => update(request, headers, path.address)))
      .handleRaw(
        "getPendingTransactions",
        serve(({ path, urlParams }) => listPending(request, path.address, urlParams))
      )
      .handleRaw(
        "signPending",
        serve((asked) =>
          Effect.flatMap(
            chainWallet,
            (wallet) =>
              change(request, wallet, asked.path.transactionId, (held) => signedBy(request, wallet, asked, held))
          )
        )
      )
      .handleRaw("addSignatures", serve(({ path }) => addForeign(request, path.transactionId)))
      .handleRaw(
        "getSignature",
        serve((asked) =>
          Effect.gen(function*() {
            const wallet = yield* chainWallet
            const held = yield* waitingOf(request, wallet, asked.path.transactionId)
            const [signature] = yield* signedBy(request, wallet, asked, held)
            return signature === undefined ? yield* request.refusals.fail("noData") : Signature.toQuantities(signature)
          })
        )
      ))
}
