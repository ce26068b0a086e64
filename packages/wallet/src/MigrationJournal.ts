/**
 * Records which created key belongs to which account, so that a stopped migration can resume without creating keys
 * twice. It holds no private keys.
 *
 * **Details**
 *
 * An entry is written as soon as its key is created, before anything is signed. To resume after a restart, provide
 * {@link layerKeyValueStore} over a persistent store, such as `KeyValueStore.layerFileSystem` of `@effect/platform`.
 * Without a journal, `Migration` keeps one in memory.
 *
 * **Gotchas**
 *
 * If the program stops between the service's answer and the first write, up to 100 created keys are not recorded. They
 * stay unused and do no harm. Don't run two migrations of the same accounts at once.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Chain from "@effect-klaytn/core/Chain"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * The entry of an account. `stage` is `key` once its key is created and `registered` at the end.
 *
 * @category models
 */
export class Entry extends Schema.Class<Entry>("@effect-klaytn/wallet/MigrationJournal/Entry")({
  version: Schema.Literal(1),
  chain: Chain.Chain,
  host: Schema.String,
  address: Address.Address,
  keyId: KeyId.FromString,
  publicKey: HexEncoding.HexData,
  stage: Schema.Literal("key", "registered")
}) {}

/**
 * The journal could not be read or written. Nothing was sent for an entry that could not be written.
 *
 * @category errors
 */
export class JournalFailed extends Schema.TaggedError<JournalFailed>("@effect-klaytn/wallet/JournalFailed")(
  "JournalFailed",
  { problem: Schema.String }
) {
  override get message(): string {
    return `the journal of the migration: ${this.problem}`
  }
}

/**
 * Identifies an entry: its service, chain and account.
 *
 * @category models
 */
export type EntryId = Pick<Entry, "chain" | "host" | "address">

/**
 * A journal.
 *
 * @category models
 */
export interface Service {
  readonly get: (id: EntryId) => Effect.Effect<Option.Option<Entry>, JournalFailed>
  readonly put: (entry: Entry) => Effect.Effect<void, JournalFailed>
}

/**
 * The journal as a service.
 *
 * @category services
 */
export class MigrationJournal extends Context.Tag("@effect-klaytn/wallet/MigrationJournal")<
  MigrationJournal,
  Service
>() {}

const keyOf = ({ address, chain, host }: EntryId): string => `migration ${chain} ${host} ${address}`

/**
 * A journal in a key-value store of `@effect/platform`.
 *
 * @category constructors
 */
export const make = (store: KeyValueStore.KeyValueStore): Service => {
  const entries = store.forSchema(Entry)
  const fail = (doing: string) => () => new JournalFailed({ problem: `${doing} failed` })
  return {
    get: (id) => Effect.mapError(entries.get(keyOf(id)), fail("reading an entry")),
    put: (entry) => Effect.mapError(entries.set(keyOf(entry), entry), fail("writing an entry"))
  }
}

/**
 * A journal in the `KeyValueStore` of the program.
 *
 * @category layers
 */
export const layerKeyValueStore: Layer.Layer<MigrationJournal, never, KeyValueStore.KeyValueStore> = Layer.effect(
  MigrationJournal,
  Effect.map(KeyValueStore.KeyValueStore, make)
)

/**
 * A journal that lasts as long as the process.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<MigrationJournal> = Layer.provide(layerKeyValueStore, KeyValueStore.layerMemory)
