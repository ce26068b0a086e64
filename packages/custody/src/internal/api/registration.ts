import * as KeyId from "@effect-klaytn/core/KeyId"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { Registration } from "@effect-klaytn/wallet/Registration"
import { registerAccounts } from "@effect-klaytn/wallet/WalletApi"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { ChainWallet } from "../../ChainWallet.js"
import type { CustodyFailure } from "../../CustodyError.js"
import type { Key } from "../../WalletRecord.js"
import { authenticate } from "../wallet/authentic.js"
import { encode, signAsFeePayer } from "../wallet/signing.js"
import { nodeMessage, refusalText } from "./WalletRefusals.js"
import type { WalletRequest } from "./WalletRequest.js"
import { checksum } from "./wire.js"

/** Why an account was not registered. The texts without a mark were seen, or are the node's. */
const texts = {
  withRatio: "partialFeeDelegation transaction do not supported. use feeDelegation transaction",
  /** Inferred, as all that follow. */
  undecodable: "failed to decode rlp",
  type: "it just allow FeeDelegatedAccountUpdate transaction type",
  address: "rlp value and request value are not same; address",
  taken: "account has been already registered",
  corrupted: refusalText("corruptedAccount"),
  /** Ours. */
  unproven:
    "the key is not that of the address: register with its account update, or let the owner of the wallet import it"
} as const

type Update = Transaction.Of<"FeeDelegatedAccountUpdate">

/** An account to register, and the key that it will use. */
interface Candidate {
  readonly address: Hex
  readonly key: Key
  readonly rlp: Hex | undefined
}

/**
 * The account update of a registration, or why the service refuses it. The new key isn't checked: as the API document
 * warns, a foreign key leaves the account unusable, and its status is `corrupted`.
 */
const read = (rlp: Hex, { address }: Candidate, chainId: number): Either.Either<Update, string> => {
  const decoded = Transaction.decode(rlp, { chainId })
  if (!decoded.ok) return Either.left(`${texts.undecodable}; ${decoded.error.message}`)
  const update = decoded.value
  if (update.type === "FeeDelegatedAccountUpdateWithRatio") return Either.left(texts.withRatio)
  if (update.type !== "FeeDelegatedAccountUpdate") return Either.left(texts.type)
  return update.from === address ? Either.right(update) : Either.left(texts.address)
}

const isSame = (one: AccountKey.AccountKey, other: AccountKey.AccountKey): boolean => {
  const [first, second] = [AccountKey.encode(one), AccountKey.encode(other)]
  return first.ok && second.ok && first.value === second.value
}

/** Sends the update with the service as its fee payer, in place of any other. */
const send = (update: Update, wallet: ChainWallet): Effect.Effect<void, CustodyFailure | string> =>
  Effect.gen(function*() {
    const payer = yield* wallet.payer
    const { feePayer: _, ...unpaid } = update
    const signed = yield* Effect.mapError(
      Effect.flatMap(
        signAsFeePayer(wallet, payer, { ...unpaid, feePayerSignatures: [] }),
        (transaction) => Effect.map(encode(transaction), (raw) => ({ from: update.from, transaction, raw }))
      ),
      ({ message }) => `${texts.undecodable}; ${message}`
    )
    yield* Effect.mapError(
      wallet.sends.submit(signed),
      (failure) =>
        failure._tag === "TransactionRejected" ? refusalText("nodeRefused", nodeMessage(failure.message)) : failure
    )
  })

/**
 * The update that is to be sent, if there is one, of a caller who may have an address: whoever could take any would keep its owner out. The key that the chain has for the address is the
 * caller's key, or has signed the update that makes it so.
 */
const prove = (
  candidate: Candidate,
  wallet: ChainWallet,
  isKnown: boolean
): Effect.Effect<Update | undefined, CustodyFailure | string> =>
  Effect.gen(function*() {
    const { address, rlp } = candidate
    const key = yield* wallet.accountKey(address)
    const isOwn = AccountKey.isSatisfiedBy(key, wallet.signing(address, candidate.key))
    if (rlp === undefined) {
      if (isOwn) return undefined
      return yield* Effect.fail((yield* wallet.isOnChain(address)) ? texts.corrupted : texts.unproven)
    }
    const update = yield* read(rlp, candidate, wallet.chain.chainId)
    // An update that has run before cannot run again, and need not. Its signatures are of the key before.
    if (isSame(key, update.key)) return isOwn || isKnown ? undefined : yield* Effect.fail(texts.corrupted)
    yield* Effect.catchTag(
      authenticate(wallet, address, update),
      "TransactionRejected",
      ({ message }) => Effect.fail(refusalText("nodeRefused", nodeMessage(message)))
    )
    return update
  })

/** Registers one account, or says why not. */
const register = (candidate: Candidate, wallet: ChainWallet): Effect.Effect<void, CustodyFailure | string> =>
  Effect.gen(function*() {
    const { address } = candidate
    const known = yield* wallet.anyAccount(address)
    const status = known === undefined ? undefined : yield* wallet.status(known)
    // An account of a pool that the caller does not see is taken, too.
    if (known === undefined && (yield* wallet.isHeld(address))) {
      // Who has not the key of an address is told nothing about it.
      yield* prove(candidate, wallet, false)
      return yield* Effect.fail(texts.taken)
    }
    if (known !== undefined && status !== "corrupted") {
      // The same registration again, for example after a lost answer, changes nothing.
      return yield* known.key.id === candidate.key.id ? Effect.void : Effect.fail(texts.taken)
    }
    const isSameKey = known?.key.id === candidate.key.id
    const update = yield* prove(candidate, wallet, isSameKey)
    if (update !== undefined) yield* send(update, wallet)
    if (isSameKey) return
    if (known !== undefined) yield* wallet.dropAccount(known)
    yield* wallet.register(yield* wallet.pool("account-pool", candidate.key.pool.name), address, candidate.key)
  })

/** Registers accounts that were moved in, one after the other; one that fails does not stop the others. */
export const registerAll = (request: WalletRequest) =>
  Effect.gen(function*() {
    const { refusals, wallet } = request
    const items = yield* request.body(registerAccounts.request.payload)
    if (items.length === 0) return yield* refusals.fail("empty", "body")
    const candidates = yield* Effect.forEach(items, ({ address, keyId, rlp }: Registration) =>
      Effect.gen(function*() {
        const key = (yield* wallet.keyOf(KeyId.format(keyId))) ?? (yield* refusals.fail("noData", KeyId.format(keyId)))
        return { address, key, rlp }
      }))
    const failures: Record<string, string> = {}
    let failed = 0
    for (const candidate of candidates) {
      const result = yield* register(candidate, wallet).pipe(
        wallet.exclusively(candidate.address),
        Effect.catchIf(Predicate.isString, Effect.succeed)
      )
      if (result === undefined) continue
      yield* wallet.guard?.note({
        event: "refused",
        what: "registration",
        subject: candidate.address,
        reason: result
      }) ??
        Effect.void
      failures[checksum(candidate.address)] = result
      failed++
    }
    if (failed === 0) return { status: "ok" }
    if (Object.values(failures).every((text) => text === texts.unproven) && failed === candidates.length) {
      return yield* refusals.fail("corruptedAccount", texts.unproven)
    }
    return { status: failed === candidates.length ? "all failed" : "partially failed", failures }
  })
