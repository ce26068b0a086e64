import type { Hex } from "@effect-klaytn/transaction/Hex"
import { zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { ethSend, type SendArguments } from "../rpc/CallArguments.js"
import { type Failure, fromResult, invalidParams, method, type Methods } from "../rpc/Method.js"
import { data, type Decoded, fail, make, optional } from "../rpc/ParamDecoder.js"
import { count } from "./devRpcParams.js"

/** A transaction for a new block: signed bytes, or the fields of one to sign; and the place of its block, from 0. */
interface Pair {
  readonly content: Hex | SendArguments
  readonly block: number
}

const pairs = make((value): Decoded<ReadonlyArray<Pair>> => {
  if (!Array.isArray(value)) {
    return fail("a list of pairs is expected: a transaction, and the number of its block from 0")
  }
  return Either.all(value.map((one: unknown): Decoded<Pair> => {
    if (!Array.isArray(one) || one.length !== 2) {
      return fail("a pair is a transaction, and the number of its block from 0")
    }
    const [content, block] = one
    return Either.all({
      content: typeof content === "string" ? data.decode(content) : ethSend.decode(content),
      block: count.decode(block)
    })
  }))
})

type Content = { readonly transaction: Transaction.Transaction; readonly from?: Hex | undefined }

/** Signs a transaction of a nonce for its sender, or takes the sender for granted. */
type Sign = (chain: Chain, args: SendArguments & { readonly nonce: bigint }) => Effect.Effect<Content, Failure>

/** The transactions of each new block. */
const contentOf = (chain: Chain, depth: number, list: ReadonlyArray<Pair>, sign: Sign) =>
  Effect.gen(function*() {
    const { number } = yield* chain.head
    const nonces = new Map<Hex, bigint>()
    const blocks = Array.from({ length: Math.min(depth, number) }, (): Array<Content> => [])
    for (const { block, content } of list.toSorted((one, other) => one.block - other.block)) {
      const place = blocks[block]
      if (place === undefined) return yield* invalidParams(`there is no block ${block} in a reorganisation of ${depth}`)
      if (typeof content === "string") {
        const { chainId } = chain
        place.push({
          transaction: yield* fromResult(Transaction.decode(content, { chainId, unprotected: true }), invalidParams)
        })
        continue
      }
      const { from = zeroAddress } = content
      const before = Option.getOrUndefined(yield* chain.account(from, number - depth))
      const nonce = content.nonce ?? nonces.get(from) ?? before?.nonce ?? 0n
      nonces.set(from, nonce + 1n)
      place.push(yield* sign(chain, { ...content, nonce }))
    }
    return blocks
  })

/** The method of anvil that takes blocks back and puts others in their place. What was in them is gone, as there. */
export const reorgMethods = (sign: Sign): Methods => ({
  anvil_reorg: method([count, optional(pairs)], (chain, depth, list = []) =>
    Effect.gen(function*() {
      const blocks = yield* contentOf(chain, depth, list, sign)
      yield* chain.reorg(depth, { transactions: "drop", blocks })
      return null
    }).pipe(Effect.catchTag("InvalidRequest", ({ message }) => Effect.fail(invalidParams(message)))))
})
