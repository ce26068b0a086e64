import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { blockNumber, type NumberSelector, stateHeight } from "./BlockSelector.js"
import { failure, method, type Methods, type RpcFailure, type Run } from "./Method.js"
import { address, data } from "./ParamDecoder.js"

/** The key of an account at a block. An account that does not exist yet has the legacy key. */
const keyAt = (chain: Chain, owner: Hex, height: number | undefined) =>
  Effect.map(
    chain.account(owner, height),
    Option.match({ onNone: () => AccountKey.legacy, onSome: ({ key }) => key })
  )

const invalidSignature = failure("invalid transaction v, r, s values")

const toRpcFailure = (error: TransactionError): RpcFailure => {
  if (error.reason === "WrongChain") return failure("invalid chain id for signer")
  if (error.reason === "UnknownType") return failure("undefined tx type")
  return /^(?:feePayerS|s)ignatures/.test(error.path) ? invalidSignature : failure(error.message)
}

/** Whether everybody has signed: a node takes no other transaction. */
const isSigned = (transaction: Transaction.Transaction): boolean =>
  transaction.signatures.length > 0 &&
  (!Transaction.isFeeDelegatedTransaction(transaction) || transaction.feePayerSignatures.length > 0)

/** The sender, if the signers satisfy its key at the block. Fee payers are not checked. */
const fromTransaction = (chain: Chain, raw: Hex, selector: NumberSelector): Run =>
  Effect.gen(function*() {
    if (raw === "0x") return yield* failure("Empty input")
    const decoded = Transaction.decode(raw, { unprotected: true })
    if (!decoded.ok) {
      return yield* (/^0x0[1-4]$/.test(raw)
        ? failure("EOF")
        : raw.startsWith("0x00")
        ? failure("rlp: expected input list for types.TxInternalDataLegacy")
        : toRpcFailure(decoded.error))
    }
    const transaction = decoded.value
    if (!isSigned(transaction)) return yield* invalidSignature
    const height = yield* stateHeight(chain, selector)
    const recovered = Transaction.recoverSenders(transaction, { chainId: chain.chainId, unprotected: true })
    if (!recovered.ok) return yield* toRpcFailure(recovered.error)
    const signers = recovered.value
    const sender = "from" in transaction ? transaction.from : signers[0]?.address
    if (sender === undefined) return yield* invalidSignature
    const key = yield* keyAt(chain, sender, height)
    if (!("from" in transaction)) {
      return key.type === "AccountKeyLegacy"
        ? sender
        : yield* failure("a legacy transaction must be with a legacy account key")
    }
    const role = Transaction.senderRole(transaction)
    return AccountKey.isSatisfiedBy(key, { role, address: sender, signers })
      ? sender
      : yield* failure("invalid account key")
  })

const signatureBytes = 65

const digestOf = (chainName: string, message: Uint8Array): Uint8Array =>
  keccak_256(Buffer.concat([Buffer.from(`\x19${chainName} Signed Message:\n${message.length}`), message]))

const signerOf = (digest: Uint8Array, signature: Uint8Array): Signer | undefined => {
  try {
    const key = noble.recover(digest, { rs: signature.subarray(0, 64), recovery: (signature[64] ?? 0) - 27 })
    return key && { address: PublicKey.addressOf(key), publicKey: PublicKey.compressedOf(key) }
  } catch {
    return undefined
  }
}

/** Whether a signer's key is one of an account's keys, whatever their weights and roles. */
const isMember = (key: AccountKey.AccountKey, owner: Hex, signer: Signer): boolean => {
  switch (key.type) {
    case "AccountKeyLegacy":
      return signer.address === owner
    case "AccountKeyPublic":
      return signer.publicKey === key.publicKey
    case "AccountKeyWeightedMultiSig":
      return key.keys.some(({ publicKey }) => publicKey === signer.publicKey)
    case "AccountKeyRoleBased":
      return key.keys.some((role) => role !== undefined && isMember(role, owner, signer))
    default:
      return false
  }
}

/**
 * The address of the key that signed, if it is one of the account's keys at the block; one is enough, whatever the
 * threshold. The message may be signed in the form of either chain, Klaytn (KIP-97) or Ethereum (EIP-191).
 */
const fromMessage = (
  chain: Chain,
  owner: Hex,
  message: Uint8Array,
  signature: Uint8Array,
  selector: NumberSelector
): Run => {
  if (signature.length !== signatureBytes) return failure("signature must be 65 bytes long")
  const v = signature[64]
  if (v !== 27 && v !== 28) return failure("invalid signature (V is not 27 or 28)")
  return Effect.gen(function*() {
    const height = yield* stateHeight(chain, selector)
    const key = yield* keyAt(chain, owner, height)
    const signers = ["Klaytn", "Ethereum"].map((name) => signerOf(digestOf(name, message), signature))
    const member = signers.find((signer) => signer !== undefined && isMember(key, owner, signer))
    if (member !== undefined) return member.address
    return yield* Effect.fail(failure(signers.includes(undefined) ? "recovery failed" : "Invalid signature"))
  })
}

/**
 * Recovery of signers. Messages, and what counts as a key of an account, follow the node's code, except for bytes
 * that can't be decoded: their messages are the sandbox's.
 */
export const recoveryMethods: Methods = {
  recoverFromTransaction: method([data, blockNumber], fromTransaction),
  recoverFromMessage: method(
    [address, data, data, blockNumber],
    (chain, owner, message, signature, selector) =>
      fromMessage(chain, owner, bytesOf(message), bytesOf(signature), selector)
  )
}
