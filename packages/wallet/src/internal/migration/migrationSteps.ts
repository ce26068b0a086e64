/** The three steps of a migration, for one group of accounts after another. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput, type ServiceError } from "@effect-klaytn/core/ServiceError"
import { isSatisfiedBy } from "@effect-klaytn/transaction/AccountKey"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { maxKeysInOneCall } from "../../Account.js"
import { getAccount } from "../../AccountsApi.js"
import * as Journal from "../../MigrationJournal.js"
import { MigrationProgress } from "../../MigrationProgress.js"
import * as OldKey from "../../OldKey.js"
import type { RegistrationResult } from "../../Registration.js"
import { LookupFailed } from "../../SendOutcome.js"
import type { SpendRefused } from "../../SpendPolicy.js"
import * as Wallet from "../../Wallet.js"
import { codes } from "../../WalletCode.js"
import { mayHappen } from "../client/client.js"
import * as codec from "../contract/codec.js"
import * as fields from "../contract/fields.js"
import { makeNode } from "../sends/lookup.js"
import * as sending from "../sends/sending.js"

const operation = "wallet.migrateAccounts"

// The docs of these fields are those of the public inputs made of them.

/** Its errors never include the private keys. */
const OldKeyFromSelf = Schema.declare(
  (value: unknown): value is OldKey.OldKey => OldKey.problem(value) === undefined,
  { message: ({ actual }) => ({ message: OldKey.problem(actual) ?? "", override: true }) }
)

export const account = {
  ...fields.accountAddress,
  /** The keys that control it now. */
  oldKey: OldKeyFromSelf,
  /** The nonce of the account update. Defaults to the one that the node reports. */
  nonce: Schema.optional(fields.Nonce)
}

export const updateOptions = {
  /** In peb per unit of gas. Defaults to the node's `klay_gasPrice`. */
  gasPrice: Schema.optional(Amount.Peb),
  /** The gas limit of one account update. Defaults to 1000000, as in public clients. */
  gasLimit: Schema.optional(fields.Gas)
}

type AccountInput = Input.Of<typeof account>

type UpdateOptions = Input.Of<typeof updateOptions>

/** The failures that end a migration. */
type MigrationError = ServiceError | SpendRefused | LookupFailed | Journal.JournalFailed

const decodeAccounts = Input.decode(operation, fields.accounts(Schema.Struct(account)))

const decodeOptions = Input.decode(operation, Schema.Struct(updateOptions))

/** Decodes everything before anything is sent. */
const readAccounts = (accounts: ReadonlyArray<AccountInput>) =>
  Effect.flatMap(
    decodeAccounts(accounts),
    Effect.forEach((account, index) =>
      Effect.mapBoth(codec.signersOf(account.oldKey), {
        onFailure: (problem) => InvalidInput.at(operation, [index, "oldKey"], problem),
        onSuccess: (signers) => ({ ...account, signers })
      })
    )
  )

type Candidate = Effect.Effect.Success<ReturnType<typeof readAccounts>>[number]

/** An account that can be migrated. */
interface Ready extends Candidate {
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

const makeContext = Effect.fnUntraced(function*(options: Wallet.Options) {
  const { client, host, lookup } = yield* sending.makeContext(options)
  return {
    client,
    host,
    lookup,
    wallet: yield* Wallet.make({ lookup, policy: client.policy }),
    chain: client.settings.chain,
    node: yield* makeNode(client.settings),
    journal: yield* Effect.orElse(
      Effect.serviceOptional(Journal.MigrationJournal),
      () => Effect.provide(Journal.MigrationJournal, Journal.layerMemory)
    )
  }
})

type Context = Effect.Effect.Success<ReturnType<typeof makeContext>>

const find = ({ client }: Context, address: Address.Address) =>
  // The pool of the keys and the registration: if the account exists, it is there.
  client.accountPool(operation, false).pipe(
    Effect.flatMap((pool) => client.call(getAccount, { path: { address }, headers: fields.poolHeader(pool) })),
    Effect.map(Option.some),
    Effect.catchTag("NotFound", (error) => error.code === codes.noData ? Effect.succeedNone : Effect.fail(error))
  )

const gasPriceOf = ({ client, node }: Context): Effect.Effect<bigint, LookupFailed> =>
  client.settings.endpoints.node === undefined
    ? new LookupFailed({ problem: "the gas price comes from the node: set endpoints.node, or pass gasPrice" })
    : node.call("klay_gasPrice", [], HexEncoding.BigIntFromQuantity)

const keyOnChain = ({ node }: Context, address: Address.Address) =>
  node.call("klay_getAccountKey", [address, "latest"], codec.NodeAccountKey).pipe(
    Effect.map(codec.readAccountKey),
    // If the check can't be made, continue: the chain checks again.
    Effect.orElseSucceed(Option.none)
  )

type Checked = Either.Either<Ready, Extract<MigrationProgress, { readonly _tag: "AlreadyMigrated" | "Failed" }>>

const failed = (address: Address.Address, problem: string): Checked =>
  Either.left({ _tag: "Failed", address, step: "check", problem, result: undefined })

const checkOne = (context: Context, wanted: Candidate): Effect.Effect<Checked, MigrationError> =>
  Effect.gen(function*(): Effect.fn.Return<Checked, MigrationError> {
    const { address, signers } = wanted
    const { chain, host, journal, lookup } = context
    const known = yield* find(context, address)
    if (Option.isSome(known)) return Either.left({ _tag: "AlreadyMigrated", address, account: known.value })
    const entry = yield* journal.get({ chain, host, address })
    const key = yield* keyOnChain(context, address)
    const updated = Option.exists(Option.all([key, entry]), ([key, { publicKey }]) => codec.isCreated(key, publicKey))
    const accepted = Option.getOrUndefined(
      Option.map(key, (key) => isSatisfiedBy(key, { role: "accountUpdate", address, signers }))
    )
    if (accepted === false && !updated) {
      return failed(address, "the old keys do not control this account: the chain would refuse the update")
    }
    const nonce = wanted.nonce ?? (yield* lookup.nextNonce(address))
    return Either.right({ ...wanted, nonce, entry, accepted, updated })
  }).pipe(
    // The account exists but can't be used: a failure of this account only.
    Effect.catchTag("Rejected", ({ message }) => Effect.succeed(failed(wanted.address, message)))
  )

const check = (context: Context, group: ReadonlyArray<Candidate>) =>
  Effect.forEach(group, (wanted) => checkOne(context, wanted), { concurrency: 8 })

const progressOf = (
  context: Context,
  result: RegistrationResult,
  entry: Journal.Entry
): Effect.Effect<MigrationProgress, MigrationError> => {
  const { address, keyId } = entry
  const registered = (confirmed: boolean): Effect.Effect<MigrationProgress, Journal.JournalFailed> =>
    Effect.as(
      context.journal.put(new Journal.Entry({ ...entry, stage: "registered" })),
      MigrationProgress.Registered({ address, keyId, confirmed })
    )
  if (result._tag === "Registered") return registered(false)
  const problem = result._tag === "NotRegistered" ? result.message : result.error?.message
  const otherwise: MigrationProgress = result._tag === "Unclear" || problem === undefined
    ? MigrationProgress.Unclear({ address, keyId, result })
    : MigrationProgress.Failed({ address, step: "register", problem, result })
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
): Stream.Stream<MigrationProgress, MigrationError> => {
  const steps: Array<MigrationProgress> = []
  const registrations: Array<Wallet.RegistrationInput> = []
  for (const { account, entry: { keyId, publicKey } } of ready) {
    const { address, nonce } = account
    const update = account.updated
      ? Either.right(undefined)
      : codec.signUpdate({ ...account, ...settings, chain: context.chain, publicKey })
    if (Either.isLeft(update)) {
      steps.push(MigrationProgress.Failed({ address, step: "sign", problem: update.left, result: undefined }))
    } else {
      const { rlp, senderTxHash } = update.right ?? {}
      steps.push(MigrationProgress.Signed({ address, nonce, rlp, senderTxHash }))
      registrations.push({ keyId, address, rlp })
    }
  }
  const entries = new Map(ready.map(({ entry }) => [entry.address, entry]))
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
): Stream.Stream<MigrationProgress, MigrationError> =>
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
  wanted: ReadonlyArray<Candidate>,
  settings: Settings
): Stream.Stream<MigrationProgress, MigrationError> =>
  Stream.unwrap(Effect.map(check(context, wanted), (checked) => {
    const [ended, ready] = Arr.separate(checked)
    const withKey = ready.flatMap((account) =>
      Option.match(account.entry, { onNone: () => [], onSome: (entry) => [{ account, entry }] })
    )
    const resumed = withKey.map(({ entry: { address, keyId, publicKey } }) =>
      MigrationProgress.KeyAssigned({ address, keyId, publicKey, resumed: true })
    )
    const created: Array<WithKey> = []
    return Stream.fromIterable([...ended, ...resumed]).pipe(
      Stream.concat(assignKeys(context, ready.filter(({ entry }) => Option.isNone(entry)), created)),
      Stream.concat(Stream.suspend(() => finish(context, [...withKey, ...created], settings)))
    )
  }))

const prepare = Effect.fnUntraced(
  function*(context: Context, accounts: ReadonlyArray<AccountInput>, options: UpdateOptions = {}) {
    const wanted = yield* readAccounts(accounts)
    const { gasLimit = 1_000_000, gasPrice } = yield* decodeOptions(options)
    const settings: Settings = {
      gasPrice: gasPrice ?? (wanted.length === 0 ? 0n : yield* gasPriceOf(context)),
      gasLimit
    }
    return { wanted, settings }
  }
)

const previewOf = ({ chain, host }: Context, account: Ready, { gasLimit, gasPrice }: Settings) =>
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
    const by = signers.map(({ address }) => address)
    const text = [
      `Move ${Address.checksum(address)} into the wallet on ${Chain.label(chain)}`,
      `  service   ${host}`,
      `  nonce     ${nonce}`,
      `  signed by ${by.map(Address.checksum).join(", ")}`,
      `  on chain  ${onChain}`,
      `  key       ${Option.isSome(entry) ? "created by an earlier run" : "to be created"}`,
      `  fee       at most ${Amount.format(maxFee)} (${maxFee} peb), paid by the service`
    ].join("\n")
    const keyId = Option.getOrUndefined(entry)?.keyId
    return { address, nonce, gasPrice, gasLimit, maxFee, signers: by, accepted, keyId, text }
  })

export const make = (options: Wallet.Options) =>
  Effect.map(makeContext(options), (context) => ({
    migrateAccounts: (accounts: ReadonlyArray<AccountInput>, options?: UpdateOptions) =>
      Stream.fromIterableEffect(
        Effect.map(
          prepare(context, accounts, options),
          ({ settings, wanted }) =>
            Arr.map(Arr.chunksOf(wanted, maxKeysInOneCall), (one) => group(context, one, settings))
        )
      ).pipe(Stream.flatten()),
    dryRun: (accounts: ReadonlyArray<AccountInput>, options?: UpdateOptions) =>
      Effect.gen(function*() {
        const { settings, wanted } = yield* prepare(context, accounts, options)
        const [ended, ready] = Arr.separate(yield* check(context, wanted))
        const [failures, previews] = Arr.partitionMap(
          ready,
          (account) =>
            Either.mapLeft(previewOf(context, account, settings), (problem) => ({ address: account.address, problem }))
        )
        return {
          previews,
          alreadyMigrated: ended.flatMap((one) => one._tag === "AlreadyMigrated" ? [one.account] : []),
          failures: [
            ...ended.flatMap((one) => one._tag === "Failed" ? [{ address: one.address, problem: one.problem }] : []),
            ...failures
          ]
        }
      })
  }))
