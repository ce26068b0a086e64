/** The account update that gives an account its new key, signed with the old ones. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Addresses from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Result from "@effect-klaytn/transaction/Result"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { OldKey } from "../OldKey.js"

const raw = (key: Redacted.Redacted<string>): `0x${string}` => `0x${Redacted.value(key).replace(/^0x/, "")}`

/** The signers of the old keys, or what is wrong with one of them, without revealing the key. */
export const signersOf = (oldKey: OldKey): Either.Either<ReadonlyArray<Signer>, string> => {
  const signers: Array<Signer> = []
  for (const key of oldKey.signers) {
    const publicKey = PrivateKey.toPublicKey(raw(key))
    const address = Result.flatMap(publicKey, PublicKey.toAddress)
    if (!publicKey.ok) return Either.left(publicKey.error.message)
    if (!address.ok) return Either.left(address.error.message)
    signers.push({ publicKey: publicKey.value, address: address.value })
  }
  return Either.right(signers)
}

/** The addresses of signers. */
export const addressesOf = (signers: ReadonlyArray<Signer>): ReadonlyArray<Address> =>
  signers.flatMap(({ address }) => Either.match(Addresses.make(address), { onLeft: () => [], onRight: (one) => [one] }))

/** Whether a key on the chain accepts these signers for an account update. */
export const accepts = (key: AccountKey.AccountKey, address: Address, signers: ReadonlyArray<Signer>): boolean =>
  AccountKey.isSatisfiedBy(key, { role: "accountUpdate", address, signers })

/** Whether a key on the chain is the created one. */
export const isCreated = (key: AccountKey.AccountKey, publicKey: string): boolean => {
  const compressed = PublicKey.compress(`0x${publicKey.slice(2)}`)
  return key.type === "AccountKeyPublic" && compressed.ok && key.publicKey === compressed.value
}

export interface Update {
  readonly rlp: Hex.HexData
  readonly senderTxHash: Hash.Hash
}

/** A throwaway key for a dry run. */
export const standIn = (): Either.Either<string, string> => {
  const key = PrivateKey.toPublicKey(PrivateKey.generate())
  return key.ok ? Either.right(key.value) : Either.left(key.error.message)
}

const checked = <A>(either: Either.Either<A, { readonly message: string }>): Either.Either<A, string> =>
  Either.mapLeft(either, (error) => error.message)

/** Builds and signs the update; the fee payer is left empty, as registration requires. */
export const sign = (input: {
  readonly chain: Chain
  readonly address: Address
  readonly publicKey: string
  readonly nonce: number
  readonly gasPrice: bigint
  readonly gasLimit: number
  readonly oldKey: OldKey
}): Either.Either<Update, string> => {
  const made = Result.flatMap(AccountKey.fromPublicKey(`0x${input.publicKey.slice(2)}`), (key) =>
    Transaction.make({
      type: "FeeDelegatedAccountUpdate",
      from: input.address,
      nonce: BigInt(input.nonce),
      gas: BigInt(input.gasLimit),
      gasPrice: input.gasPrice,
      key
    }))
  const signed = input.oldKey.signers.reduce(
    (update, key) =>
      Result.flatMap(update, (one) => Transaction.signAsSender(one, { chainId: input.chain, privateKey: raw(key) })),
    made
  )
  const rlp = Result.flatMap(signed, (one) => Transaction.encode(one))
  const senderTxHash = Result.flatMap(signed, Transaction.senderHash)
  if (!rlp.ok) return Either.left(rlp.error.message)
  if (!senderTxHash.ok) return Either.left(senderTxHash.error.message)
  return Either.all({ rlp: checked(Hex.makeData(rlp.value)), senderTxHash: checked(Hash.make(senderTxHash.value)) })
}
