import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as PersonalMessage from "ox/PersonalMessage"
import * as Secp256k1 from "ox/Secp256k1"
import * as Signature from "ox/Signature"
import { failure, inNamespaces, method, type Methods, type RpcFailure } from "../rpc/Method.js"
import { address, data, optional, text } from "../rpc/ParamDecoder.js"
import { chainSends } from "./chainSends.js"
import { count } from "./devRpcParams.js"
import { type DevRpcState, mostImported } from "./DevRpcState.js"
import { signDigest, wrongPassphrase } from "./signingKeys.js"

/** How long an account stays unlocked, in seconds, if its caller does not say. */
const defaultUnlock = 300

const add = (state: DevRpcState, account: DevAccount.DevAccount, passphrase: string): Effect.Effect<Hex, RpcFailure> =>
  Effect.suspend(() => {
    const added = state.import(account, passphrase)
    if (added === "known") return failure("account already exists")
    return added === "full"
      ? failure(`${mostImported} accounts are imported already, the most that may be`)
      : Effect.succeed(account.address)
  })

/** A key in the form of the chain's wallets: private key, type 00 and address, one after the other. */
const walletKey = /^([0-9a-f]{64})0x000x([0-9a-f]{40})$/i

const importKey = (state: DevRpcState, key: string, passphrase: string): Effect.Effect<Hex, RpcFailure> => {
  const [, ofWallet, owner] = walletKey.exec(key) ?? []
  const digits = ofWallet ?? key
  if (!/^[0-9a-f]*$/i.test(digits)) return failure("invalid hex data for private key")
  const bytes = PrivateKey.toKeyBytes(`0x${digits}`)
  if (digits.length !== 64) return failure("invalid length, need 256 bits")
  if (!bytes.ok || !PrivateKey.toAddress(bytes.value).ok) return failure("invalid private key")
  const account = DevAccount.fromPrivateKey(bytes.value)
  return add(state, owner === undefined ? account : { ...account, address: `0x${owner.toLowerCase()}` }, passphrase)
}

const unlock = (state: DevRpcState, owner: Hex, passphrase: string, seconds: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (!state.opens(owner, passphrase)) return wrongPassphrase
    return state.unlock(owner, seconds === 0 ? Infinity : now + 1000 * seconds)
      ? Effect.succeed(true)
      : failure("no key for given address or file")
  })

const recover = (message: Hex, signature: Hex): Effect.Effect<Hex, RpcFailure> => {
  if (signature.length !== 132) return failure("signature must be 65 bytes long")
  if (!/(?:1b|1c)$/.test(signature)) return failure("invalid Ethereum signature (V is not 27 or 28)")
  return Effect.try({
    try: (): Hex => {
      const payload = PersonalMessage.getSignPayload(message)
      const found = Secp256k1.recoverAddress({ payload, signature: Signature.fromHex(signature) })
      return `0x${found.slice(2).toLowerCase()}`
    },
    catch: () => failure("invalid signature")
  })
}

/**
 * Accounts with keys that callers bring, and the locks of all accounts. The development accounts have no passphrase: any opens
 * them.
 */
export const personalMethods = (state: DevRpcState): Methods =>
  inNamespaces(["personal"], {
    ...chainSends(state, true),
    listAccounts: method([], () => Effect.sync(() => state.allAccounts().map((account) => account.address))),
    newAccount: method(
      [text],
      (_, passphrase) =>
        Effect.suspend(() => {
          const key = PrivateKey.toKeyBytes(PrivateKey.generate())
          return key.ok ? add(state, DevAccount.fromPrivateKey(key.value), passphrase) : failure(key.error.message)
        })
    ),
    importRawKey: method([text, text], (_, key, passphrase) => importKey(state, key, passphrase)),
    unlockAccount: method(
      [address, text, optional(count)],
      (_, owner, passphrase, seconds = defaultUnlock) => unlock(state, owner, passphrase, seconds)
    ),
    lockAccount: method([address], (_, owner) => Effect.sync(() => state.unlock(owner, 0))),
    sign: method(
      [data, address, optional(text)],
      (chain, message, owner, passphrase) =>
        signDigest(chain, state, owner, PersonalMessage.getSignPayload(message), passphrase)
    ),
    ecRecover: method([data, data], (_, message, signature) => recover(message, signature))
  })
