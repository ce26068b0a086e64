/** From the inputs of the additions to the requests of their contract. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as Input from "@effect-klaytn/core/Input"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import type * as Operation from "@effect-klaytn/core/Operation"
import type * as Operations from "@effect-klaytn/core/Operations"
import * as Paged from "@effect-klaytn/core/Paged"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Signature } from "../TransactionResult.js"
import type { MakeOptions } from "../Wallet.js"
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

const address = { address: Address.FromInput }
const keyId = { keyId: Schema.Union(Schema.typeSchema(KeyId.KeyId), KeyId.FromString) }
const transactionHash = { transactionHash: Hash.FromWire }
const transactionId = { transactionId: Hash.FromWire }

const multiSigKeys = {
  ...address,
  threshold: positive("a threshold is a whole number, 1 or more"),
  weightedKeys: Input.atLeastOne(
    Schema.Struct({ publicKey: Uncompressed, weight: positive("a weight is a whole number, 1 or more") }),
    "give at least one key"
  )
}

const contractCall = {
  to: Address.FromInput,
  method: Schema.NonEmptyString,
  arguments: Schema.Array(Schema.Struct({ type: Schema.NonEmptyString, value: Schema.Unknown })),
  from: Schema.optional(Address.FromInput),
  value: Schema.optional(Amount.Peb),
  gas: Schema.optional(Gas)
}

const signatures = {
  ...transactionId,
  signatures: Input.atLeastOne(Schema.typeSchema(Signature), "give at least one signature")
}

const { accounts, feePayers, keys, multiSig, reads } = Api

/** What may move more than can be seen. */
const opaque = () => ({ opaque: true })

/** What moves nothing. */
const harmless = () => ({ opaque: false })

/** What an account may come to move. */
const ofAccount = ({ address }: { readonly address: Address.Address }) => ({ from: address, opaque: true })

export const make = (options: MakeOptions) =>
  Effect.gen(function*() {
    const sender = yield* parts.make(options)
    const { list, one, settings } = sender.client

    /** The header with the pool in force. */
    const header = (operation: { readonly name: string }) =>
      Effect.map(pools.account(settings, operation.name, true), pools.header)

    /** A call that changes nothing. */
    const read = <O extends Operation.Any, F extends Operation.Fields>(
      operation: O,
      fields: F,
      request: (
        input: Schema.Struct.Type<F>,
        headers: { readonly "x-krn"?: string }
      ) => Operation.Request<O>
    ) =>
      one(operation, fields, (input, call: Operations.Call<O>) =>
        Effect.flatMap(header(operation), (headers) =>
          call(request(input, headers))))

    /** A call that changes something: the policy is asked first. */
    const change = <O extends Operation.Any, F extends Operation.Fields>(
      operation: O,
      fields: F,
      changeOf: (input: Schema.Struct.Type<F>) => parts.Change,
      request: (
        input: Schema.Struct.Type<F>,
        headers: { readonly "x-krn"?: string }
      ) => Operation.Request<O>
    ) =>
      one(operation, fields, (input, call: Operations.Call<O>) =>
        Effect.flatMap(header(operation), (headers) =>
          parts.guarded(sender, operation, changeOf(input))(call(request(input, headers)))))

    const sign = change(keys.sign, { ...keyId, data: Digest }, opaque, ({ data, keyId }) => ({
      path: { keyId },
      payload: { data }
    }))
    const createFeePayer = change(
      feePayers.createFeePayer,
      { withoutAccountUpdate: Schema.optional(Schema.Boolean) },
      harmless,
      (payload, headers) => ({ headers, payload })
    )
    const accountsByPublicKey = read(
      accounts.getAccountsByPublicKey,
      { publicKey: Uncompressed },
      (path, headers) => ({ path, headers })
    )

    return {
      getAccount: read(accounts.getAccount, address, (path, headers) => ({ path, headers })),
      deleteAccount: change(accounts.deleteAccount, address, opaque, (path, headers) => ({ path, headers })),
      disableAccount: change(accounts.disableAccount, address, harmless, (path, headers) => ({ path, headers })),
      enableAccount: change(accounts.enableAccount, address, harmless, (path, headers) => ({ path, headers })),
      updateMultiSig: change(
        accounts.updateMultiSig,
        multiSigKeys,
        (input) => ({ ...ofAccount(input), fee: subject.feeOf() }),
        ({ address, ...payload }, headers) => ({ path: { address }, headers, payload })
      ),
      getAccountsByPublicKey: (input: Parameters<typeof accountsByPublicKey>[0]) =>
        Effect.map(accountsByPublicKey(input), ({ items }) =>
          items),
      createFeePayer: (input: Parameters<typeof createFeePayer>[0] = {}) =>
        createFeePayer(input),
      getFeePayer: read(feePayers.getFeePayer, address, (path, headers) => ({ path, headers })),
      deleteFeePayer: change(feePayers.deleteFeePayer, address, opaque, (path, headers) => ({ path, headers })),
      getKeys: list(
        keys.getKeys,
        { pool: Schema.typeSchema(Krn.Krn), ...Paged.fields },
        ({ pool, ...input }, call) =>
          lists.orEmpty(call({ urlParams: { krn: pool, ...input } }))
      ),
      getKey: read(keys.getKey, keyId, (path) => ({ path })),
      deleteKey: change(keys.deleteKey, keyId, opaque, (path) => ({ path })),
      sign: (input: Parameters<typeof sign>[0]) =>
        Effect.map(sign(input), ({ signedData }) =>
          signedData),
      getTransaction: read(Api.getTransaction, transactionHash, ({ transactionHash }) => ({
        path: { hash: transactionHash }
      })),
      callContract: read(reads.callContract, contractCall, ({ arguments: values, method, ...payload }, headers) => ({
        headers,
        payload: { ...payload, data: { methodName: method, arguments: values } }
      })),
      getPendingTransactions: list(
        multiSig.getPendingTransactions,
        { ...address, ...lists.fields },
        ({ address, ...input }, call) =>
          lists.orEmpty(call({ path: { address }, urlParams: lists.parameters(input) }))
      ),
      signPending: change(multiSig.signPending, { ...address, ...transactionId }, ofAccount, (path, headers) => ({
        path,
        headers
      })),
      addSignatures: change(
        multiSig.addSignatures,
        signatures,
        opaque,
        ({ signatures, transactionId }) => ({ path: { transactionId }, payload: { signatures } })
      ),
      getSignature: change(multiSig.getSignature, { ...address, ...transactionId }, ofAccount, (path, headers) => ({
        path,
        headers
      })),
      countAccounts: read(reads.countAccounts, {}, () => ({}))({}),
      countAccountsInPool: read(reads.countAccountsInPool, {}, (_, headers) => ({ headers }))({}),
      getChargedFees: list(
        reads.getChargedFees,
        { from: Schema.optional(Address.FromInput), ...Paged.fields },
        (urlParams, call) =>
          lists.orEmpty(call({ urlParams }))
      ),
      getChargedFee: read(reads.getChargedFee, transactionHash, ({ transactionHash }) => ({
        path: { hash: transactionHash }
      }))
    }
  })
