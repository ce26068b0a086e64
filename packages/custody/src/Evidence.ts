/**
 * What a node shows as evidence, checked where it can be: a node that lies must not make a wallet pay twice.
 *
 * **Details**
 *
 * A payment is signed again once a block has another transaction with its nonce. So the other one is believed only when its bytes have its
 * hash, its sender and its nonce, and a key that the wallet has for the account has signed them: nobody else can make such bytes, and the
 * wallet, or who has its key, has made them. For an account that the wallet does not hold, the key is the one that the node says; the wallet
 * signs nothing for such an account.
 */
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type { RemoteChain, VerdictQuery } from "./WalletChain.js"
import * as WalletMetrics from "./WalletMetrics.js"
import { compressedOf, type WalletAccount } from "./WalletRecord.js"
import type { WalletStore } from "./WalletStore.js"

/**
 * What evidence is checked with.
 *
 * @category models
 */
export interface Parts {
  /** The accounts of all pools. */
  readonly store: Pick<WalletStore, "account">
  readonly curve: Secp256k1
}

/** Whether signers are those of an account, by the keys that the wallet has for it. */
const areOwn = ({ key, multiSig }: WalletAccount, signers: ReadonlyArray<Signer>): boolean => {
  const own = compressedOf(key)
  if (signers.length === 1 && signers[0]?.publicKey === own) return true
  if (multiSig === undefined) return false
  const signed = new Set<string>(signers.map(({ publicKey }) => publicKey))
  const weight = multiSig.keys.reduce((sum, one) => signed.has(compressedOf(one)) ? sum + one.weight : sum, 0)
  return weight >= multiSig.threshold
}

/** Who signed the bytes of a transaction, if they have this hash and are of this account and nonce. */
const signersOf = (
  raw: Hex,
  by: Hex,
  { account, nonce }: VerdictQuery,
  options: { readonly chainId: number; readonly curve: Secp256k1 }
): { readonly transaction: Transaction.Transaction; readonly signers: ReadonlyArray<Signer> } | undefined => {
  const decoded = Transaction.decode(raw, { unprotected: true })
  if (!decoded.ok || decoded.value.nonce !== nonce) return undefined
  const transaction = decoded.value
  const hash = Transaction.hash(transaction)
  const recovered = Transaction.recoverSenders(transaction, { ...options, unprotected: true })
  if (!hash.ok || hash.value !== by || !recovered.ok) return undefined
  const from = "from" in transaction ? transaction.from : recovered.value[0]?.address
  return from === account ? { transaction, signers: recovered.value } : undefined
}

/** How many lies are remembered, so that each is told once. */
const mostTold = 1000

/**
 * A chain whose `replaced` is believed only with the signature of the account. Without it the send stays `open`; the log and the metric
 * `klaytn.wallet.impossible` tell.
 *
 * @category constructors
 */
export const verified = (chain: RemoteChain, { curve, store }: Parts): RemoteChain => {
  const told = new Set<string>()

  const isOfAccount = (send: VerdictQuery, raw: Hex, by: Hex) =>
    Effect.gen(function*() {
      const read = signersOf(raw, by, send, { chainId: chain.chainId, curve })
      if (read === undefined) return false
      const held = yield* store.account(send.account)
      if (held !== undefined) return areOwn(held, read.signers)
      const key = Option.match(yield* chain.account(send.account), {
        onNone: () => AccountKey.legacy,
        onSome: (state) => state.key
      })
      const role = Transaction.senderRole(read.transaction)
      return AccountKey.isSatisfiedBy(key, { role, address: send.account, signers: read.signers })
    })

  const tell = ({ account, hash, nonce }: VerdictQuery, by: Hex): Effect.Effect<void> => {
    if (told.has(`${hash} ${by}`)) return Effect.void
    if (told.size >= mostTold) told.clear()
    told.add(`${hash} ${by}`)
    return Effect.zipRight(
      Metric.update(WalletMetrics.impossible.pipe(Metric.tagged("operation", "verdict")), 1),
      Effect.logError(
        `the node shows ${by} with nonce ${nonce} of ${account}, in place of ${hash}, and no key that the wallet has for the ` +
          "account has signed it: it is not believed, and nothing is signed again. If the account's key was changed elsewhere, " +
          "end the send with `klaytn gateway wallet repair`"
      )
    )
  }

  return {
    ...chain,
    verdict: (send) =>
      Effect.gen(function*() {
        const verdict = yield* chain.verdict(send)
        if (verdict._tag !== "replaced") return verdict
        const raw = Option.map(yield* chain.pendingTransaction(verdict.by), (shown) => shown.raw).pipe(
          Option.getOrUndefined
        )
        if (raw !== undefined && (yield* isOfAccount(send, raw, verdict.by))) return { ...verdict, raw }
        yield* tell(send, verdict.by)
        return { _tag: "open" }
      })
  }
}
