/** One line of the golden tables: a call, its request, and an answer with its meaning. */
import type * as Effect from "effect/Effect"
import type * as KlaytnNode from "../../src/KlaytnNode.js"

export type Row = readonly [
  method: string,
  call: (node: KlaytnNode.Service) => Effect.Effect<unknown, unknown>,
  /** Exactly as in the request. */
  params: string,
  /** As a node writes it. */
  result: string,
  expected: unknown
]

/** Readable in a table; as a node writes it otherwise. */
export const json = (value: unknown): string => JSON.stringify(value)

export const alice = "0x1111111111111111111111111111111111111111"
export const bob = "0x2222222222222222222222222222222222222222"
export const token = "0x3333333333333333333333333333333333333333"
export const payer = "0x4444444444444444444444444444444444444444"
export const hash = `0x${"aa".repeat(32)}` as const
export const other = `0x${"bb".repeat(32)}` as const
export const blockHash = `0x${"b1".repeat(32)}` as const
export const zeroHash = `0x${"00".repeat(32)}` as const
export const bloom = `0x${"00".repeat(256)}`
