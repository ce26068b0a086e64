/** Creates any number of keys in calls of bounded size. */
import { MalformedResponse } from "@effect-klaytn/core/ServiceError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Key } from "../Key.js"
import { mostInOneCall } from "../Key.js"

const short = (operation: string, asked: number): MalformedResponse =>
  new MalformedResponse({
    operation,
    retrySafe: true,
    attempts: [],
    status: 200,
    path: ["items"],
    expected: `${asked} keys`,
    actual: "none"
  })

/** Calls until all keys are created; an answer without a key ends the loop, so that it always terminates. */
export const create = <E>(
  operation: string,
  count: number,
  call: (size: number) => Effect.Effect<ReadonlyArray<Key>, E>
): Stream.Stream<Key, E | MalformedResponse> =>
  Stream.paginateChunkEffect(count, (left) => {
    if (left === 0) return Effect.succeed([Chunk.empty<Key>(), Option.none<number>()])
    const size = Math.min(left, mostInOneCall)
    return Effect.flatMap(
      call(size),
      (keys): Effect.Effect<readonly [Chunk.Chunk<Key>, Option.Option<number>], MalformedResponse> => {
        if (keys.length === 0) return Effect.fail(short(operation, size))
        const rest = Math.max(0, left - keys.length)
        return Effect.succeed([Chunk.fromIterable(keys), rest === 0 ? Option.none() : Option.some(rest)])
      }
    )
  })
