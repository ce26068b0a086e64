/** A node without HTTP that answers from a table and records the calls. */
import * as Effect from "effect/Effect"
import * as KlaytnNode from "../../src/KlaytnNode.js"

export type Answers = Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>

/** An error as a node writes it. */
export class Said {
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
  constructor(code: number, message: string, data?: unknown) {
    this.error = { code, message, data }
  }
}

/** An unlisted method is not found. */
export const make = (answers: Answers) => {
  const asked: Array<readonly [method: string, ...params: ReadonlyArray<unknown>]> = []
  const layer = KlaytnNode.layerTest((method, params) =>
    Effect.suspend(() => {
      asked.push([method, ...params])
      const answer = answers[method]?.(params) ??
        new Said(-32601, `the method ${method} does not exist/is not available`)
      return answer instanceof Said ? Effect.fail(answer.error) : Effect.succeed(answer === none ? null : answer)
    })
  )
  const use = <A, E>(call: (node: KlaytnNode.Service) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.provide(Effect.flatMap(KlaytnNode.KlaytnNode, call), layer)
  return { layer, asked, use }
}

/** Null, as opposed to a missing answer. */
export const none = Symbol("null")
