import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Stream from "effect/Stream"

/** Makes one call for each distinct key. */
export const many = <Item, A, E>(items: Iterable<Item>, options: {
  readonly key: (item: Item) => string
  readonly get: (item: Item) => Effect.Effect<A, E>
  readonly concurrency: number | undefined
}): Stream.Stream<readonly [Item, Either.Either<A, E>]> =>
  Stream.unwrap(Effect.gen(function*() {
    const answers = new Map<string, Effect.Effect<Either.Either<A, E>>>()
    const asked: Array<readonly [Item, Effect.Effect<Either.Either<A, E>>]> = []
    for (const item of items) {
      const key = options.key(item)
      const answer = answers.get(key) ?? (yield* Effect.cached(Effect.either(options.get(item))))
      answers.set(key, answer)
      asked.push([item, answer])
    }
    return Stream.fromIterable(asked).pipe(
      Stream.rechunk(1),
      Stream.mapEffect(([item, answer]) => Effect.map(answer, (result) => [item, result] as const), {
        concurrency: Math.max(1, Math.floor(options.concurrency ?? 16) || 1)
      })
    )
  }))
