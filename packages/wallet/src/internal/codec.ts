/** The codec as this package uses it: its results in Effect, a node's account keys, and the update of a migration. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Addresses from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Result } from "@effect-klaytn/transaction/Result"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { OldKey } from "../OldKey.js"

/** A result of the codec, which uses no Effect. */
export const toEither = <A>(result: Result<A>): Either.Either<A, TransactionError> =>
  result.ok ? Either.right(result.value) : Either.left(result.error)

// The key of an account, as a node returns it.

const Point = Schema.Struct({ x: Schema.String, y: Schema.String })

const NodeRoleKey = Schema.Union(
  Schema.Struct({ keyType: Schema.Literal(2), key: Point }),
  Schema.Struct({
    keyType: Schema.Literal(4),
    key: Schema.Struct({
      threshold: Schema.Int,
      keys: Schema.Array(Schema.Struct({ weight: Schema.Int, key: Point }))
    })
  }),
  Schema.Struct({ keyType: Schema.Literal(0, 1, 3) })
)

/** Null for an account that does not exist yet: its key is that of its address. */
export const NodeAccountKey = Schema.NullOr(Schema.Union(
  NodeRoleKey,
  Schema.Struct({ keyType: Schema.Literal(5), key: Schema.Array(NodeRoleKey) })
))

const coordinate = (text: string): string => text.replace(/^0x/, "").padStart(64, "0")

const publicKey = ({ x, y }: typeof Point.Type) =>
  Option.getRight(toEither(PublicKey.compress(`0x04${coordinate(x)}${coordinate(y)}`)))

const plain: Readonly<Record<0 | 1 | 3, AccountKey.RoleKey>> = {
  0: AccountKey.nil,
  1: AccountKey.legacy,
  3: { type: "AccountKeyFail" }
}

const roleKey = (body: typeof NodeRoleKey.Type): Option.Option<AccountKey.RoleKey> => {
  if (body.keyType === 2) {
    return Option.map(publicKey(body.key), (publicKey) => ({ type: "AccountKeyPublic", publicKey }))
  }
  if (body.keyType !== 4) return Option.some(plain[body.keyType])
  const { keys, threshold } = body.key
  return Option.map(
    Option.all(keys.map(({ key, weight }) => Option.map(publicKey(key), (publicKey) => ({ publicKey, weight })))),
    (keys) => ({ type: "AccountKeyWeightedMultiSig", threshold, keys })
  )
}

/** The key, if it is one of the known kinds. */
export const readAccountKey = (body: typeof NodeAccountKey.Type): Option.Option<AccountKey.AccountKey> => {
  if (body === null) return Option.some(AccountKey.legacy)
  if (body.keyType !== 5) return roleKey(body)
  return Option.flatMap(Option.all(body.key.map(roleKey)), ([transaction, accountUpdate, feePayer]) => {
    if (transaction === undefined) return Option.none()
    const keys = feePayer !== undefined && accountUpdate !== undefined
      ? [transaction, accountUpdate, feePayer] as const
      : accountUpdate !== undefined
      ? [transaction, accountUpdate] as const
      : [transaction] as const
    return Option.some({ type: "AccountKeyRoleBased", keys })
  })
}

// The account update that gives an account its new key, signed with the old ones.

/** A key that was wiped, or is no text, can't be read. The error that is thrown for it is left out. */
const raw = (key: Redacted.Redacted<string>) =>
  Either.try({
    try: (): `0x${string}` => `0x${Redacted.value(key).replace(/^0x/, "")}`,
    catch: () => ({ message: "a private key can't be read: it was wiped, or is no text" })
  })

const message = <A>(either: Either.Either<A, { readonly message: string }>): Either.Either<A, string> =>
  Either.mapLeft(either, (error) => error.message)

/** The signers of the old keys, or what is wrong with one of them, without revealing the key. */
export const signersOf = (oldKey: OldKey): Either.Either<ReadonlyArray<Signer>, string> =>
  Either.all(oldKey.signers.map((key) =>
    message(Either.gen(function*() {
      const publicKey = yield* toEither(PrivateKey.toPublicKey(yield* raw(key)))
      return { publicKey, address: yield* toEither(PublicKey.toAddress(publicKey)) }
    }))
  ))

/** The addresses of signers. */
export const addressesOf = (signers: ReadonlyArray<Signer>): ReadonlyArray<Address> =>
  Arr.getRights(signers.map(({ address }) => Addresses.make(address)))

/** Whether a key on the chain accepts these signers for an account update. */
export const accepts = (key: AccountKey.AccountKey, address: Address, signers: ReadonlyArray<Signer>): boolean =>
  AccountKey.isSatisfiedBy(key, { role: "accountUpdate", address, signers })

/** Whether a key on the chain is the created one. */
export const isCreated = (key: AccountKey.AccountKey, publicKey: string): boolean => {
  const compressed = Either.getOrUndefined(toEither(PublicKey.compress(`0x${publicKey.slice(2)}`)))
  return key.type === "AccountKeyPublic" && key.publicKey === compressed
}

/** A throwaway key for a dry run. */
export const placeholderKey = (): Either.Either<string, string> =>
  message(toEither(PrivateKey.toPublicKey(PrivateKey.generate())))

/** Builds and signs the update; the fee payer is left empty, as registration requires. */
export const signUpdate = (input: {
  readonly chain: Chain
  readonly address: Address
  readonly publicKey: string
  readonly nonce: number
  readonly gasPrice: bigint
  readonly gasLimit: number
  readonly oldKey: OldKey
}) =>
  message(Either.gen(function*() {
    let update = yield* toEither(Transaction.make({
      type: "FeeDelegatedAccountUpdate",
      from: input.address,
      nonce: BigInt(input.nonce),
      gas: BigInt(input.gasLimit),
      gasPrice: input.gasPrice,
      key: yield* toEither(AccountKey.fromPublicKey(`0x${input.publicKey.slice(2)}`))
    }))
    for (const key of input.oldKey.signers) {
      update = yield* toEither(Transaction.signAsSender(update, { chainId: input.chain, privateKey: yield* raw(key) }))
    }
    return {
      rlp: yield* HexEncoding.makeData(yield* toEither(Transaction.encode(update))),
      senderTxHash: yield* Hash.make(yield* toEither(Transaction.senderHash(update)))
    }
  }))
