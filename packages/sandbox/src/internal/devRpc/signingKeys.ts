import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Secp256k1 from "ox/Secp256k1"
import * as Signature from "ox/Signature"
import type { Chain } from "../../Chain.js"
import { type Failure, failure, fromResult, type RpcFailure } from "../rpc/Method.js"
import type { DevRpcState } from "./DevRpcState.js"

/** The refusal to act for an account whose keys are unknown. */
export const unknownAccount = (owner: Hex): RpcFailure =>
  failure(`unknown account ${owner}: the sandbox holds no key of it, and it is not impersonated`)

export const wrongPassphrase = failure("could not decrypt key with given passphrase")

const locked = failure("authentication needed: password or unlock")

const roles = ["transaction", "accountUpdate", "feePayer"] as const

/** The key that signs in a role. A role that an account key leaves out has the first one. */
const keyOfRole = (key: AccountKey.AccountKey, role: AccountKey.Role): AccountKey.RoleKey =>
  key.type === "AccountKeyRoleBased" ? key.keys[roles.indexOf(role)] ?? key.keys[0] : key

/** The fewest held keys, in the order of the account key, whose weights reach its threshold; all if they do not. */
const weighted = (
  { keys, threshold }: AccountKey.AccountKeyWeightedMultiSig,
  held: (publicKey: Hex) => DevAccount.DevAccount | undefined
): ReadonlyArray<DevAccount.DevAccount> => {
  const signers: Array<DevAccount.DevAccount> = []
  let weight = 0
  for (const key of keys) {
    const account = held(key.publicKey)
    if (account === undefined || weight >= threshold) continue
    signers.push(account)
    weight += key.weight
  }
  return signers
}

/** Fails for a locked account, and for a passphrase that is not the account's. */
const checkLock = (state: DevRpcState, owner: Hex, passphrase: string | undefined): Effect.Effect<void, RpcFailure> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (passphrase !== undefined) return state.opens(owner, passphrase) ? Effect.void : wrongPassphrase
    return state.isLocked(owner, now) ? locked : Effect.void
  })

/**
 * The held keys that sign for an account in a role, by the account's present key. Fails if none of them is held, and for a
 * locked account unless its passphrase is given.
 */
export const signersOf = (
  chain: Chain,
  state: DevRpcState,
  owner: Hex,
  role: AccountKey.Role,
  passphrase?: string
): Effect.Effect<readonly [DevAccount.DevAccount, ...ReadonlyArray<DevAccount.DevAccount>], Failure> =>
  Effect.gen(function*() {
    const account = Option.getOrUndefined(yield* chain.account(owner))
    const key = keyOfRole(account?.key ?? AccountKey.legacy, role)
    const all = state.allAccounts()
    const held = (publicKey: Hex) => all.find((one) => one.publicKey === publicKey)
    const found = key.type === "AccountKeyLegacy"
      ? all.filter(({ address }) => address === owner).slice(0, 1)
      : key.type === "AccountKeyPublic"
      ? [held(key.publicKey)].filter((one) => one !== undefined)
      : key.type === "AccountKeyWeightedMultiSig"
      ? weighted(key, held)
      : []
    const [first, ...more] = found
    if (first === undefined) return yield* unknownAccount(owner)
    yield* checkLock(state, owner, passphrase)
    return [first, ...more] as const
  })

const optionsOf = (chain: Chain, { privateKey }: DevAccount.DevAccount) => ({
  chainId: chain.chainId,
  privateKey: Redacted.value(privateKey)
})

/** Adds the signatures of a transaction's sender. */
export const signAsSender = (
  chain: Chain,
  transaction: Transaction.Transaction,
  signers: ReadonlyArray<DevAccount.DevAccount>
): Effect.Effect<Transaction.Transaction, RpcFailure> =>
  Effect.reduce(
    signers,
    transaction,
    (signed, signer) => fromResult(Transaction.signAsSender(signed, optionsOf(chain, signer)))
  )

/** Adds the signatures of a transaction's fee payer. */
export const signAsFeePayer = (
  chain: Chain,
  transaction: Transaction.FeeDelegatedTransaction,
  signers: ReadonlyArray<DevAccount.DevAccount>
): Effect.Effect<Transaction.FeeDelegatedTransaction, RpcFailure> =>
  Effect.reduce(
    signers,
    transaction,
    (signed, signer) => fromResult(Transaction.signAsFeePayer(signed, optionsOf(chain, signer)))
  )

/** Signs in place of an address whose key is unknown. The key differs by address, so that hashes do. */
export const standIn = (owner: Hex): DevAccount.DevAccount => DevAccount.derive("impersonated", owner)

/** Signs a digest with the first key of an account's transactions. */
export const signDigest = (
  chain: Chain,
  state: DevRpcState,
  owner: Hex,
  payload: Hex,
  passphrase?: string
): Effect.Effect<Hex, Failure> =>
  Effect.map(
    signersOf(chain, state, owner, "transaction", passphrase),
    ([{ privateKey }]) =>
      Signature.toHex(Secp256k1.sign({ payload, privateKey: fromBytes(Redacted.value(privateKey)) }))
  )
