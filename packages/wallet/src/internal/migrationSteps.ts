/** The three steps of a migration, for one group of accounts after another. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Account, maxKeysInOneCall } from "../Account.js"
import { getAccount } from "../AccountsApi.js"
import type * as Migration from "../Migration.js"
import * as Journal from "../MigrationJournal.js"
import { MigrationProgress } from "../MigrationProgress.js"
import * as OldKey from "../OldKey.js"
import type { RegistrationResult } from "../Registration.js"
import { LookupFailed } from "../SendOutcome.js"
import type * as TransactionLookup from "../TransactionLookup.js"
import * as Wallet from "../Wallet.js"
import { codes } from "../WalletCode.js"
import { mayHappen, poolHeader, type WalletClient } from "./client.js"
import * as codec from "./codec.js"
import * as fields from "./fields.js"
import * as Nodes from "./node.js"
import * as sending from "./sending.js"

const operation = "wallet.migrateAccounts"

// The docs of these fields are those of the public inputs made of them.

export const account = {
  ...fields.accountAddress,
  /** The nonce of the account update. Defaults to the one that the node reports. */
  nonce: Schema.optional(fields.Nonce)
}

export const updateOptions = {
  /** In peb per unit of gas. Defaults to the node's `klay_gasPrice`. */
  gasPrice: Schema.optional(Amount.Peb),
  /** The gas limit of one account update. Defaults to 1000000, as in public clients. */
  gasLimit: Schema.optional(fields.Gas)
}

const decodeAccount = Schema.decodeUnknownEither(Schema.Struct(account))

const readOptions = Input.decode(operation, Schema.Struct(updateOptions))

interface Wanted {
  readonly address: Address.Address
  readonly oldKey: OldKey.OldKey
  readonly signers: ReadonlyArray<Signer>
  readonly nonce: number | undefined
}

/** Decodes everything before anything is sent. Errors about a private key never include it. */
const readAccounts = (
  accounts: ReadonlyArray<Migration.AccountInput>
): Effect.Effect<ReadonlyArray<Wanted>, InvalidInput> =>
  Effect.gen(function*() {
    const seen = new Set<string>()
    return yield* Effect.forEach(accounts, ({ address, nonce, oldKey }, index) =>
      Effect.gen(function*() {
        const read = yield* Either.mapLeft(
          decodeAccount({ address, nonce }),
          (error) => Input.refuse(operation, error, [index])
        )
        if (seen.has(read.address)) {
          return yield* InvalidInput.at(operation, [index, "address"], "an account can be listed only once")
        }
        seen.add(read.address)
        const problem = OldKey.problem(oldKey)
        if (problem !== undefined) {
          return yield* InvalidInput.at(operation, [index, "oldKey"], problem)
        }
        const signers = yield* Either.mapLeft(
          codec.signersOf(oldKey),
          (problem) => InvalidInput.at(operation, [index, "oldKey"], problem)
        )
        return { ...read, nonce: read.nonce, oldKey, signers }
      }))
  })

/** An account that can be migrated. */
interface Ready extends Wanted {
  readonly nonce: number
  readonly entry: Option.Option<Journal.Entry>
  readonly accepted: boolean | undefined
  /** Whether the new key is already on the chain. */
  readonly updated: boolean
}

/** An account that has its new key. */
interface WithKey {
  readonly account: Ready
  readonly entry: Journal.Entry
}

/** What every account update has. */
interface Settings {
  readonly gasPrice: bigint
  readonly gasLimit: number
}

type Checked =
  | { readonly _tag: "Done"; readonly account: Account }
  | { readonly _tag: "Bad"; readonly address: Address.Address; readonly problem: string }
  | { readonly _tag: "Ready"; readonly ready: Ready }

interface Context {
  readonly client: WalletClient
  readonly host: string
  readonly lookup: TransactionLookup.Service
  readonly wallet: Wallet.Service
  readonly chain: Chain.Chain
  readonly node: Option.Option<Nodes.Node>
  readonly journal: Journal.Service
}

const makeContext = (options: Wallet.Options) =>
  Effect.gen(function*() {
    const { client, host, lookup } = yield* sending.makeContext(options)
    const { chain, endpoints } = client.settings
    const provided = yield* Effect.serviceOption(Journal.MigrationJournal)
    const context: Context = {
      client,
      host,
      lookup,
      wallet: yield* Wallet.make({ lookup, policy: client.policy }),
      chain,
      node: endpoints.node === undefined
        ? Option.none()
        : Option.some(Nodes.make(yield* ServiceClient.make("node"))),
      journal: Option.isSome(provided)
        ? provided.value
        : Journal.make(yield* Effect.provide(KeyValueStore.KeyValueStore, KeyValueStore.layerMemory))
    }
    return context
  })

const find = ({ client }: Context, address: Address.Address) =>
  Effect.gen(function*() {
    // The pool of the keys and the registration: if the account exists, it is there.
    const pool = yield* client.accountPool(operation, false)
    return yield* client.call(getAccount, {
      path: { address },
      headers: poolHeader(pool)
    })
  }).pipe(
    Effect.map(Option.some),
    Effect.catchTag("NotFound", (error) => error.code === codes.noData ? Effect.succeedNone : Effect.fail(error))
  )

const gasPriceOf = ({ node }: Context, gasPrice: bigint | undefined) =>
  gasPrice !== undefined ? Effect.succeed(gasPrice) : Option.match(node, {
    onNone: () =>
      new LookupFailed({ problem: "the gas price comes from the node: set endpoints.node, or pass gasPrice" }),
    onSome: (one) => one.call("klay_gasPrice", [], HexEncoding.BigIntFromQuantity)
  })

const keyOnChain = ({ node }: Context, address: Address.Address) =>
  Option.match(node, {
    onNone: () => Effect.succeedNone,
    onSome: (one) =>
      one.call("klay_getAccountKey", [address, "latest"], codec.NodeAccountKey).pipe(
        Effect.map(codec.readAccountKey),
        // If the check can't be made, continue: the chain checks again.
        Effect.orElseSucceed(Option.none)
      )
  })

const checkOne = (context: Context, wanted: Wanted): Effect.Effect<Checked, Migration.MigrationError> =>
  Effect.gen(function*() {
    const { address, signers } = wanted
    const { chain, host, journal, lookup } = context
    const known = yield* Effect.either(find(context, address))
    if (Either.isLeft(known)) {
      // The account exists but can't be used: a failure of this account only.
      return known.left._tag === "Rejected"
        ? { _tag: "Bad", address, problem: known.left.message }
        : yield* Effect.fail(known.left)
    }
    if (Option.isSome(known.right)) return { _tag: "Done", account: known.right.value }
    const entry = yield* journal.get({ chain, host, address })
    const key = yield* keyOnChain(context, address)
    const updated = Option.exists(
      Option.all([key, entry]),
      ([key, { publicKey }]) => codec.isCreated(key, publicKey)
    )
    const accepted = Option.getOrUndefined(Option.map(key, (key) => codec.accepts(key, address, signers)))
    if (accepted === false && !updated) {
      return {
        _tag: "Bad",
        address,
        problem: "the old keys do not control this account: the chain would refuse the update"
      }
    }
    const nonce = wanted.nonce ?? (yield* lookup.nextNonce(address))
    return { _tag: "Ready", ready: { ...wanted, nonce, entry, accepted, updated } }
  })

const check = (context: Context, group: ReadonlyArray<Wanted>) =>
  Effect.forEach(group, (wanted) => checkOne(context, wanted), { concurrency: 8 })

const progressOf = (
  context: Context,
  result: RegistrationResult,
  entry: Journal.Entry
): Effect.Effect<MigrationProgress, Migration.MigrationError> => {
  const { address, keyId } = entry
  const registered = (confirmed: boolean): Effect.Effect<MigrationProgress, Journal.JournalFailed> =>
    Effect.as(
      context.journal.put(new Journal.Entry({ ...entry, stage: "registered" })),
      MigrationProgress.Registered({ address, keyId, confirmed })
    )
  const otherwise: MigrationProgress = result._tag === "NotRegistered" || result._tag === "Refused"
    ? MigrationProgress.Failed({
      address,
      step: "register",
      problem: result._tag === "NotRegistered" ? result.message : result.error.message,
      result
    })
    : MigrationProgress.Unclear({ address, keyId, result })
  if (result._tag === "Registered") return registered(false)
  // A refusal is no proof unless every copy of the request must be refused: another one may have registered it.
  if (result._tag === "Refused" && !mayHappen(result.error)) return Effect.succeed(otherwise)
  return Effect.matchEffect(find(context, address), {
    // Nothing is lost: a later run finds the key in the journal and goes on.
    onFailure: () => Effect.succeed(otherwise),
    onSuccess: (found) =>
      Option.exists(found, (account) => account.keyId.hash === keyId.hash)
        ? registered(true)
        : Effect.succeed(otherwise)
  })
}

/** Steps 2 and 3, for accounts that have their keys. */
const finish = (
  context: Context,
  ready: ReadonlyArray<WithKey>,
  settings: Settings
): Stream.Stream<MigrationProgress, Migration.MigrationError> => {
  const signed = ready.map(({ account, entry }) => ({
    account,
    entry,
    update: account.updated
      ? Either.right(undefined)
      : codec.signUpdate({ ...account, ...settings, chain: context.chain, publicKey: entry.publicKey })
  }))
  const steps = signed.map(({ account: { address, nonce }, update }) =>
    Either.match(update, {
      onLeft: (problem) => MigrationProgress.Failed({ address, step: "sign", problem, result: undefined }),
      onRight: (update) =>
        MigrationProgress.Signed({ address, nonce, rlp: update?.rlp, senderTxHash: update?.senderTxHash })
    })
  )
  const entries = new Map(ready.map(({ entry }) => [entry.address, entry]))
  const registrations = signed.flatMap(({ entry, update }) =>
    Either.isLeft(update) ? [] : [{ keyId: entry.keyId, address: entry.address, rlp: update.right?.rlp }]
  )
  return Stream.concat(
    Stream.fromIterable(steps),
    context.wallet.registerAccounts(registrations).pipe(Stream.mapEffect((result) => {
      const entry = entries.get(result.address)
      return entry === undefined
        ? new LookupFailed({ problem: `the service answered for ${result.address}, which was not asked for` })
        : progressOf(context, result, entry)
    }))
  )
}

/** Creates the keys of accounts, and records each in the journal before anything else; they are added to `created`. */
const assignKeys = (
  { chain, host, journal, wallet }: Context,
  accounts: ReadonlyArray<Ready>,
  created: Array<WithKey>
): Stream.Stream<MigrationProgress, Migration.MigrationError> =>
  // All keys of a call are recorded before the first is emitted: a consumer that stops loses none.
  wallet.createKeys(accounts.length).pipe(Stream.mapChunksEffect((keys) =>
    Effect.uninterruptible(
      Effect.forEach(Arr.zip(Chunk.toReadonlyArray(keys), accounts.slice(created.length)), ([key, account]) =>
        Effect.gen(function*() {
          const { address } = account
          const { keyId, publicKey } = key
          const entry = new Journal.Entry({ version: 1, chain, host, address, keyId, publicKey, stage: "key" })
          yield* journal.put(entry)
          created.push({ account, entry })
          return MigrationProgress.KeyAssigned({ address, keyId, publicKey, resumed: false })
        }))
    ).pipe(Effect.map(Chunk.fromIterable))
  ))

/** Processes one group: creates the keys first. */
const group = (
  context: Context,
  wanted: ReadonlyArray<Wanted>,
  settings: Settings
): Stream.Stream<MigrationProgress, Migration.MigrationError> =>
  Stream.unwrap(Effect.map(check(context, wanted), (checked) => {
    const outcomes = checked.flatMap((one): ReadonlyArray<MigrationProgress> =>
      one._tag === "Done"
        ? [MigrationProgress.AlreadyMigrated({ address: one.account.address, account: one.account })]
        : one._tag === "Bad"
        ? [MigrationProgress.Failed({ address: one.address, step: "check", problem: one.problem, result: undefined })]
        : []
    )
    const ready = checked.flatMap((one) => one._tag === "Ready" ? [one.ready] : [])
    const withKey = ready.flatMap((account) =>
      Option.match(account.entry, { onNone: () => [], onSome: (entry) => [{ account, entry }] })
    )
    const resumed = withKey.map(({ entry: { address, keyId, publicKey } }) =>
      MigrationProgress.KeyAssigned({ address, keyId, publicKey, resumed: true })
    )
    const created: Array<WithKey> = []
    return Stream.fromIterable([...outcomes, ...resumed]).pipe(
      Stream.concat(assignKeys(context, ready.filter(({ entry }) => Option.isNone(entry)), created)),
      Stream.concat(Stream.suspend(() => finish(context, [...withKey, ...created], settings)))
    )
  }))

const prepare = (
  context: Context,
  accounts: ReadonlyArray<Migration.AccountInput>,
  options: Migration.UpdateOptions = {}
) =>
  Effect.gen(function*() {
    const wanted = yield* readAccounts(accounts)
    const { gasLimit = 1_000_000, gasPrice } = yield* readOptions(options)
    const settings: Settings = {
      gasPrice: wanted.length === 0 ? 0n : yield* gasPriceOf(context, gasPrice),
      gasLimit
    }
    return { wanted, settings }
  })

const previewOf = (
  { chain, host }: Context,
  account: Ready,
  { gasLimit, gasPrice }: Settings
): Either.Either<Migration.Preview, string> =>
  Either.gen(function*() {
    const { accepted, address, entry, nonce, oldKey, signers, updated } = account
    const publicKey = Option.isSome(entry) ? entry.value.publicKey : yield* codec.placeholderKey()
    yield* codec.signUpdate({ chain, address, publicKey, nonce, gasPrice, gasLimit, oldKey })
    const maxFee = updated ? 0n : gasPrice * BigInt(gasLimit)
    const onChain = updated
      ? "the new key is there already, and no update is sent"
      : accepted === undefined
      ? "not checked"
      : "these keys are accepted"
    const by = codec.addressesOf(signers)
    const text = [
      `Move ${Address.checksum(address)} into the wallet on ${Chain.label(chain)}`,
      `  service   ${host}`,
      `  nonce     ${nonce}`,
      `  signed by ${by.map(Address.checksum).join(", ")}`,
      `  on chain  ${onChain}`,
      `  key       ${Option.isSome(entry) ? "created by an earlier run" : "to be created"}`,
      `  fee       at most ${Amount.format(maxFee)} (${maxFee} peb), paid by the service`
    ].join("\n")
    const keyId = Option.getOrUndefined(Option.map(entry, (_) => _.keyId))
    return { address, nonce, gasPrice, gasLimit, maxFee, signers: by, accepted, keyId, text }
  })

const migrateAccounts = (
  context: Context,
  accounts: ReadonlyArray<Migration.AccountInput>,
  options?: Migration.UpdateOptions
) =>
  Stream.unwrap(
    Effect.map(prepare(context, accounts, options), ({ settings, wanted }) =>
      Stream.flatMap(Stream.fromIterable(Arr.chunksOf(wanted, maxKeysInOneCall)), (one) =>
        group(context, one, settings)))
  )

const dryRun = (
  context: Context,
  accounts: ReadonlyArray<Migration.AccountInput>,
  options?: Migration.UpdateOptions
) =>
  Effect.gen(function*() {
    const { settings, wanted } = yield* prepare(context, accounts, options)
    const checked = yield* check(context, wanted)
    const previews = checked.flatMap((one) =>
      one._tag === "Ready"
        ? [{ address: one.ready.address, made: previewOf(context, one.ready, settings) }]
        : []
    )
    return {
      previews: previews.flatMap(({ made }) => Either.isRight(made) ? [made.right] : []),
      alreadyMigrated: checked.flatMap((one) => one._tag === "Done" ? [one.account] : []),
      failures: [
        ...checked.flatMap((one) => one._tag === "Bad" ? [{ address: one.address, problem: one.problem }] : []),
        ...previews.flatMap(({ address, made }) => Either.isLeft(made) ? [{ address, problem: made.left }] : [])
      ]
    }
  })

export const make = (options: Wallet.Options) =>
  Effect.map(makeContext(options), (context) => ({
    migrateAccounts: (accounts: ReadonlyArray<Migration.AccountInput>, options?: Migration.UpdateOptions) =>
      migrateAccounts(context, accounts, options),
    dryRun: (accounts: ReadonlyArray<Migration.AccountInput>, options?: Migration.UpdateOptions) =>
      dryRun(context, accounts, options)
  }))
