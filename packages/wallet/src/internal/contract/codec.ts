/** The codec as this package uses it: its results in Effect, a node's account keys, and the update of a migration. */
import * as Address from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { OldKey } from "../../OldKey.js"

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

const publicKey = ({ x, y }: typeof Point.Type) => `0x04${coordinate(x)}${coordinate(y)}`

/** The key in the codec's form, not checked. */
const roleKey = (body: typeof NodeRoleKey.Type) => {
  switch (body.keyType) {
    case 0:
      return AccountKey.nil
    case 1:
      return AccountKey.legacy
    case 2:
      return { type: "AccountKeyPublic", publicKey: publicKey(body.key) }
    case 3:
      return { type: "AccountKeyFail" }
    case 4:
      return {
        type: "AccountKeyWeightedMultiSig",
        threshold: body.key.threshold,
        keys: body.key.keys.map(({ key, weight }) => ({ weight, publicKey: publicKey(key) }))
      }
  }
}

/** The key, if it is one of the known kinds. */
export const readAccountKey = (body: typeof NodeAccountKey.Type): Option.Option<AccountKey.AccountKey> => {
  if (body === null) return Option.some(AccountKey.legacy)
  const key = body.keyType === 5 ? { type: "AccountKeyRoleBased", keys: body.key.map(roleKey) } : roleKey(body)
  return Option.getRight(toEither(AccountKey.validate(key)))
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
export const signersOf = ({ signers }: OldKey) =>
  Either.all(signers.map((key) =>
    message(Either.gen(function*() {
      const publicKey = yield* toEither(PrivateKey.toPublicKey(yield* raw(key)))
      return { publicKey, address: yield* Address.make(yield* toEither(PublicKey.toAddress(publicKey))) }
    }))
  ))

/** Whether a key on the chain is the created one. */
export const isCreated = (key: AccountKey.AccountKey, publicKey: Hex): boolean => {
  const created = AccountKey.fromPublicKey(publicKey)
  return created.ok && key.type === "AccountKeyPublic" && key.publicKey === created.value.publicKey
}

/** A throwaway key for a dry run. */
export const placeholderKey = () => message(toEither(PrivateKey.toPublicKey(PrivateKey.generate())))

/** Builds and signs the update; the fee payer is left empty, as registration requires. */
export const signUpdate = (input: {
  readonly chain: Chain
  readonly address: Address.Address
  readonly publicKey: Hex
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
      key: yield* toEither(AccountKey.fromPublicKey(input.publicKey))
    }))
    for (const key of input.oldKey.signers) {
      update = yield* toEither(Transaction.signAsSender(update, { chainId: input.chain, privateKey: yield* raw(key) }))
    }
    return {
      rlp: yield* HexEncoding.makeData(yield* toEither(Transaction.encode(update))),
      senderTxHash: yield* Hash.make(yield* toEither(Transaction.senderHash(update)))
    }
  }))
