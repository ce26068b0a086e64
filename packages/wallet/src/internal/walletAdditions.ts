/** From the inputs of the additions to the requests of their contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as Input from "@effect-klaytn/core/Input"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Paged from "@effect-klaytn/core/Paged"
import type { InvalidInput, ReadError } from "@effect-klaytn/core/ServiceError"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { ChargedFee } from "../ChargedFee.js"
import type { PendingTransaction } from "../PendingTransaction.js"
import type { SpendRefused } from "../SpendPolicy.js"
import { Signature } from "../TransactionResult.js"
import type { MakeOptions } from "../Wallet.js"
import type * as WalletAdditions from "../WalletAdditions.js"
import * as Api from "../WalletAdditionsApi.js"
import { Gas } from "./limits.js"
import * as lists from "./lists.js"
import * as parts from "./parts.js"
import * as pools from "./pools.js"
import * as subject from "./subject.js"

/** A public key in either form, as the service wants it: uncompressed. */
const Uncompressed: Schema.Schema<Hex.HexData, string> = Schema.transformOrFail(
  Hex.HexDataFromWire,
  Schema.typeSchema(Hex.HexData),
  {
    strict: true,
    decode: (data, _, ast) => {
      const key = PublicKey.uncompress(data)
      return key.ok
        ? Either.mapLeft(Hex.makeData(key.value), (error) => error.issue)
        : ParseResult.fail(new ParseResult.Type(ast, undefined, `expected a public key: ${key.error.message}`))
    },
    encode: (data) => ParseResult.succeed(data)
  }
)

const Digest = Hex.HexDataFromWire.pipe(
  Schema.filter((data) => data.length === 66, { message: () => "expected 32 bytes, as 0x and 64 hexadecimal digits" })
)

const positive = (problem: string) => Schema.Int.pipe(Schema.filter((value) => value >= 1, { message: () => problem }))

const atLeastOne = <A, I>(item: Schema.Schema<A, I>, problem: string) =>
  Schema.Array(item).pipe(Schema.filter((items) => items.length > 0, { message: () => problem }))

const address = { address: Address.FromInput }
const keyId = { keyId: Schema.Union(Schema.typeSchema(KeyId.KeyId), KeyId.FromString) }
const pendingId = { transactionId: Hash.FromWire }
const paging = { size: lists.fields.size, cursor: lists.fields.cursor }

const inputs = {
  address: Schema.Struct(address),
  multiSig: Schema.Struct({
    ...address,
    threshold: positive("a threshold is a whole number, 1 or more"),
    weightedKeys: atLeastOne(
      Schema.Struct({ publicKey: Uncompressed, weight: positive("a weight is a whole number, 1 or more") }),
      "give at least one key"
    )
  }),
  publicKey: Schema.Struct({ publicKey: Uncompressed }),
  createFeePayer: Schema.Struct({ withoutAccountUpdate: Schema.optional(Schema.Boolean) }),
  keys: Schema.Struct({ pool: Schema.typeSchema(Krn.Krn), ...paging }),
  key: Schema.Struct(keyId),
  sign: Schema.Struct({ ...keyId, data: Digest }),
  hash: Schema.Struct({ transactionHash: Hash.FromWire }),
  call: Schema.Struct({
    to: Address.FromInput,
    method: Schema.NonEmptyString,
    arguments: Schema.Array(Schema.Struct({ type: Schema.NonEmptyString, value: Schema.Unknown })),
    from: Schema.optional(Address.FromInput),
    value: Schema.optional(Amount.Peb),
    gas: Schema.optional(Gas)
  }),
  pending: Schema.Struct({ ...address, ...pendingId }),
  pendingList: Schema.Struct({ ...address, ...lists.fields }),
  signatures: Schema.Struct({
    ...pendingId,
    signatures: atLeastOne(Schema.typeSchema(Signature), "give at least one signature")
  }),
  chargedFees: Schema.Struct({ from: Schema.optional(Address.FromInput), ...paging })
}

const { accounts, feePayers, keys, multiSig, reads } = Api

export const make = (options: MakeOptions) =>
  Effect.gen(function*() {
    const sender = yield* parts.make(options)
    const { client } = sender
    const { settings } = client
    const { call } = client

    /** An operation: its input is read, and its header made, before anything is sent. */
    const operation = <A, I, B, E>(
      endpoint: { readonly name: string },
      schema: Schema.Schema<A, I>,
      run: (input: A, headers: { readonly "x-krn"?: string }) => Effect.Effect<B, E>
    ): (given: I) => Effect.Effect<B, E | InvalidInput> => {
      const { name } = endpoint
      const read = Input.decode(name, schema)
      return (given) =>
        Effect.gen(function*() {
          const input = yield* read(given)
          const pool = yield* pools.account(settings, name, true)
          return yield* run(input, pools.header(pool))
        })
    }

    /** A call that changes something: the policy is asked first. */
    const guarded = <B, E extends { readonly _tag: string }>(
      endpoint: { readonly name: string },
      change: parts.Change,
      run: Effect.Effect<B, E>
    ): Effect.Effect<B, E | SpendRefused> => parts.guarded(sender, endpoint, change)(run)

    /** What may move more than can be seen. */
    const opaque = { opaque: true }

    const ofAccount = (input: { readonly address: Address.Address }) => ({ path: { address: input.address } })

    const readKeys = Input.decode(client.scope(keys.getKeys).operation, inputs.keys)
    const readPending = Input.decode(client.scope(multiSig.getPendingTransactions).operation, inputs.pendingList)
    const readFees = Input.decode(client.scope(reads.getChargedFees).operation, inputs.chargedFees)

    return {
      getAccount: operation(
        accounts.getAccount,
        inputs.address,
        (input, headers) => call(accounts.getAccount, { ...ofAccount(input), headers })
      ),
      deleteAccount: operation(
        accounts.deleteAccount,
        inputs.address,
        (input, headers) =>
          guarded(accounts.deleteAccount, opaque, call(accounts.deleteAccount, { ...ofAccount(input), headers }))
      ),
      disableAccount: operation(
        accounts.disableAccount,
        inputs.address,
        (input, headers) =>
          guarded(
            accounts.disableAccount,
            { opaque: false },
            call(accounts.disableAccount, { ...ofAccount(input), headers })
          )
      ),
      enableAccount: operation(
        accounts.enableAccount,
        inputs.address,
        (input, headers) =>
          guarded(
            accounts.enableAccount,
            { opaque: false },
            call(accounts.enableAccount, { ...ofAccount(input), headers })
          )
      ),
      updateMultiSig: operation(accounts.updateMultiSig, inputs.multiSig, (input, headers) =>
        guarded(
          accounts.updateMultiSig,
          { from: input.address, fee: subject.feeOf(), opaque: true },
          call(accounts.updateMultiSig, {
            ...ofAccount(input),
            headers,
            payload: { threshold: input.threshold, weightedKeys: input.weightedKeys }
          })
        )),
      getAccountsByPublicKey: operation(
        accounts.getAccountsByPublicKey,
        inputs.publicKey,
        (path, headers) =>
          Effect.map(call(accounts.getAccountsByPublicKey, { path, headers }), (answer) => answer.items)
      ),
      createFeePayer: (input: { readonly withoutAccountUpdate?: boolean | undefined } = {}) =>
        operation(
          feePayers.createFeePayer,
          inputs.createFeePayer,
          (payload, headers) =>
            guarded(feePayers.createFeePayer, { opaque: false }, call(feePayers.createFeePayer, { headers, payload }))
        )(input),
      getFeePayer: operation(
        feePayers.getFeePayer,
        inputs.address,
        (input, headers) => call(feePayers.getFeePayer, { ...ofAccount(input), headers })
      ),
      deleteFeePayer: operation(
        feePayers.deleteFeePayer,
        inputs.address,
        (input, headers) =>
          guarded(feePayers.deleteFeePayer, opaque, call(feePayers.deleteFeePayer, { ...ofAccount(input), headers }))
      ),
      keys: Paged.make<WalletAdditions.KeysInput, typeof Api.ListedKey.Type, ReadError>({
        scope: client.scope(keys.getKeys),
        page: (given) =>
          Effect.flatMap(
            readKeys(given),
            ({ pool, ...input }) =>
              lists.orEmpty(call(keys.getKeys, { urlParams: { krn: pool, ...lists.parameters(input) } }))
          )
      }),
      getKey: operation(keys.getKey, inputs.key, (path) => call(keys.getKey, { path })),
      deleteKey: operation(keys.deleteKey, inputs.key, (path) =>
        guarded(keys.deleteKey, opaque, call(keys.deleteKey, { path }))),
      sign: operation(keys.sign, inputs.sign, ({ data, keyId }) =>
        guarded(
          keys.sign,
          opaque,
          Effect.map(call(keys.sign, { path: { keyId }, payload: { data } }), (answer) =>
            answer.signedData)
        )),
      getTransaction: operation(
        Api.getTransaction,
        inputs.hash,
        ({ transactionHash }) => call(Api.getTransaction, { path: { hash: transactionHash } })
      ),
      callContract: operation(reads.callContract, inputs.call, (input, headers) =>
        call(reads.callContract, {
          headers,
          payload: {
            ...(input.from === undefined ? {} : { from: input.from }),
            to: input.to,
            ...(input.value === undefined ? {} : { value: input.value }),
            ...(input.gas === undefined ? {} : { gas: input.gas }),
            data: { methodName: input.method, arguments: input.arguments }
          }
        })),
      pendingTransactions: Paged.make<WalletAdditions.AddressInput & lists.ListInput, PendingTransaction, ReadError>({
        scope: client.scope(multiSig.getPendingTransactions),
        page: (given) =>
          Effect.flatMap(readPending(given), ({ address, ...input }) =>
            lists.orEmpty(
              call(multiSig.getPendingTransactions, { path: { address }, urlParams: lists.parameters(input) })
            ))
      }),
      signPending: operation(
        multiSig.signPending,
        inputs.pending,
        (path, headers) =>
          guarded(
            multiSig.signPending,
            { from: path.address, opaque: true },
            call(multiSig.signPending, { path, headers })
          )
      ),
      addSignatures: operation(multiSig.addSignatures, inputs.signatures, ({ signatures, transactionId }) =>
        guarded(
          multiSig.addSignatures,
          opaque,
          call(multiSig.addSignatures, { path: { transactionId }, payload: { signatures } })
        )),
      getSignature: operation(
        multiSig.getSignature,
        inputs.pending,
        (path, headers) =>
          guarded(
            multiSig.getSignature,
            { from: path.address, opaque: true },
            call(multiSig.getSignature, { path, headers })
          )
      ),
      countAccounts: call(reads.countAccounts, {}),
      countAccountsInPool: Effect.flatMap(
        pools.account(settings, reads.countAccountsInPool.name, true),
        (pool) => call(reads.countAccountsInPool, { headers: pools.header(pool) })
      ),
      chargedFees: Paged.make<typeof inputs.chargedFees.Encoded, ChargedFee, ReadError>({
        scope: client.scope(reads.getChargedFees),
        page: (given) =>
          Effect.flatMap(readFees(given), ({ from, ...input }) =>
            lists.orEmpty(call(reads.getChargedFees, {
              urlParams: { ...(from === undefined ? {} : { from }), ...lists.parameters(input) }
            })))
      }),
      getChargedFee: operation(
        reads.getChargedFee,
        inputs.hash,
        ({ transactionHash }) => call(reads.getChargedFee, { path: { hash: transactionHash } })
      )
    }
  })
