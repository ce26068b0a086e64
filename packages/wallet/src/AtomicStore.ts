/**
 * A store of values by key with atomic changes, for nonces and spend windows that must outlive the process.
 *
 * **Details**
 *
 * | Store | Lasts | Who may use it at once |
 * |---|---|---|
 * | {@link layerMemory} | as long as the process | one process |
 * | {@link layerKeyValueStore} | as long as the `KeyValueStore` of `@effect/platform` | one process, which may restart |
 * | your own, made with {@link make} | up to you | many processes, if a change locks its key for all of them |
 *
 * **Gotchas**
 *
 * A `KeyValueStore` can't change a value atomically: {@link layerKeyValueStore} makes one change at a time within one
 * layer, so a second process (or a second layer over the same store) can overwrite what the first has written, and a
 * nonce can then be handed out twice. How much of a change survives a power cut is up to the store. A value that is
 * half written fails with {@link StoreFailed}; it is never taken for a missing one.
 */
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * A value could not be read or written. A write that failed may or may not have happened.
 *
 * @category errors
 */
export class StoreFailed extends Schema.TaggedError<StoreFailed>("@effect-klaytn/wallet/StoreFailed")("StoreFailed", {
  key: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `the store of "${this.key}": ${this.problem}`
  }
}

/**
 * A store of text, from which {@link make} makes a store of typed values.
 *
 * @category models
 */
export interface TextStore {
  /** Whether other processes may use it at the same time. */
  readonly isShared: boolean
  readonly get: (key: string) => Effect.Effect<Option.Option<string>, StoreFailed>
  /**
   * Locks the key for everyone, even if it has no value, runs `change` with the current value, writes what it returns
   * (nothing if that is none), and unlocks. `change` is pure and may be run again. If it fails, nothing is written.
   */
  readonly modify: <A>(
    key: string,
    change: (current: Option.Option<string>) => Either.Either<readonly [A, Option.Option<string>], StoreFailed>
  ) => Effect.Effect<A, StoreFailed>
}

/**
 * A store.
 *
 * @category models
 */
export interface Service {
  /** Whether other processes may use it at the same time. */
  readonly isShared: boolean
  /** The value of a key. The schema encodes to text, as `Schema.parseJson(NonceBook)` does. Make it once. */
  readonly get: <A>(key: string, schema: Schema.Schema<A, string>) => Effect.Effect<Option.Option<A>, StoreFailed>
  /**
   * Changes a value atomically. `change` returns an answer and the new value; none leaves the value as it is. It is
   * pure and may be run again.
   */
  readonly modify: <A, B>(
    key: string,
    schema: Schema.Schema<A, string>,
    change: (current: Option.Option<A>) => readonly [B, Option.Option<A>]
  ) => Effect.Effect<B, StoreFailed>
}

/**
 * The store as a service.
 *
 * @category services
 */
export class AtomicStore extends Context.Tag("@effect-klaytn/wallet/AtomicStore")<AtomicStore, Service>() {}

/**
 * Makes a store from a store of text. Values are stored as their schemas encode them.
 *
 * @category constructors
 */
export const make = (texts: TextStore): Service => {
  const reading = <A>(key: string, schema: Schema.Schema<A, string>) => {
    const decode = Schema.decodeEither(schema)
    return (text: Option.Option<string>): Either.Either<Option.Option<A>, StoreFailed> =>
      Option.isNone(text)
        ? Either.right(Option.none())
        : Either.mapBoth(decode(text.value), {
          onLeft: () => new StoreFailed({ key, problem: "the stored value can't be read" }),
          onRight: Option.some
        })
  }
  return {
    isShared: texts.isShared,
    get: (key, schema) => Effect.flatMap(texts.get(key), reading(key, schema)),
    modify: (key, schema, change) => {
      const read = reading(key, schema)
      const encode = Schema.encodeEither(schema)
      return texts.modify(key, (text) =>
        Either.flatMap(read(text), (current) => {
          const [answer, next] = change(current)
          if (Option.isNone(next)) return Either.right([answer, Option.none()])
          return Either.mapBoth(encode(next.value), {
            onLeft: () => new StoreFailed({ key, problem: "the new value does not fit its schema" }),
            onRight: (written) => [answer, Option.some(written)] as const
          })
        }))
    }
  }
}

/**
 * Makes a store of a `KeyValueStore` that only this process uses, and only through this store.
 *
 * @category constructors
 */
export const fromKeyValueStore = (store: KeyValueStore.KeyValueStore): Effect.Effect<Service> =>
  Effect.map(Effect.makeSemaphore(1), (semaphore) => {
    const failed = (key: string, doing: string) => () => new StoreFailed({ key, problem: `${doing} failed` })
    const get = (key: string) => Effect.mapError(store.get(key), failed(key, "reading"))
    return make({
      isShared: false,
      get,
      modify: (key, change) =>
        Effect.flatMap(get(key), (text) =>
          Effect.flatMap(change(text), ([answer, next]) =>
            Option.match(next, {
              onNone: () => Effect.succeed(answer),
              onSome: (written) => Effect.as(Effect.mapError(store.set(key, written), failed(key, "writing")), answer)
            }))).pipe(Effect.uninterruptible, semaphore.withPermits(1))
    })
  })

/**
 * Makes a store that lasts as long as the process.
 *
 * @category constructors
 */
export const memory: Effect.Effect<Service> = Effect.sync(() => {
  const values = new Map<string, string>()
  const get = (key: string) => Option.fromNullable(values.get(key))
  return make({
    isShared: false,
    get: (key) => Effect.sync(() => get(key)),
    modify: (key, change) =>
      Effect.suspend(() =>
        Either.map(change(get(key)), ([answer, next]) => {
          if (Option.isSome(next)) values.set(key, next.value)
          return answer
        })
      )
  })
})

/**
 * Provides a store that lasts as long as the process.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<AtomicStore> = Layer.effect(AtomicStore, memory)

/**
 * Provides a store in the `KeyValueStore` of the program, such as `KeyValueStore.layerFileSystem` of
 * `@effect/platform`.
 *
 * @category layers
 */
export const layerKeyValueStore: Layer.Layer<AtomicStore, never, KeyValueStore.KeyValueStore> = Layer.effect(
  AtomicStore,
  Effect.flatMap(KeyValueStore.KeyValueStore, fromKeyValueStore)
)
