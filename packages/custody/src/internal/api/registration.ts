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
  corrupted: refusalText("corruptedAccount")
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

/** Registers one account, or says why not. */
const register = (candidate: Candidate, wallet: ChainWallet): Effect.Effect<void, CustodyFailure | string> =>
  Effect.gen(function*() {
    const { address, rlp } = candidate
    const known = yield* wallet.anyAccount(address)
    const status = known === undefined ? undefined : yield* wallet.status(known)
    if (known !== undefined && status !== "corrupted") {
      // The same registration again, for example after a lost answer, changes nothing.
      return yield* known.key.id === candidate.key.id ? Effect.void : Effect.fail(texts.taken)
    }
    const key = yield* wallet.accountKey(address)
    if (rlp !== undefined) {
      const update = yield* read(rlp, candidate, wallet.chain.chainId)
      // An update that has run before cannot run again, and need not.
      // Whether the account's key signed the update, the node says: a copy that is behind would show an older key.
      if (!isSame(key, update.key)) yield* send(update, wallet)
    } else if (
      !AccountKey.isSatisfiedBy(key, wallet.signing(address, candidate.key)) && (yield* wallet.isOnChain(address))
    ) {
      return yield* Effect.fail(texts.corrupted)
    }
    if (known?.key.id === candidate.key.id) return
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
      failures[checksum(candidate.address)] = result
      failed++
    }
    if (failed === 0) return { status: "ok" }
    return { status: failed === candidates.length ? "all failed" : "partially failed", failures }
  })
