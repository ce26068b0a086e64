/** The nonces of accounts: which one a payout gets, how it is settled, and the rows that hold them. */
import type * as Chain from "@effect-klaytn/core/Chain"
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as stored from "./stored.js"
import type { Values } from "./values.js"

/**
 * Hands out the lowest free nonce that is not in `except`. None if no block holds a transaction of the account: payouts
 * never use nonce 0, and nothing above it before its block is there.
 */
export const reserve = (
  book: NonceBook.NonceBook,
  except: ReadonlySet<number>
): Option.Option<readonly [nonce: number, book: NonceBook.NonceBook]> =>
  book.next === 0 || book.open.includes(0) ? Option.none() : NonceBook.reserve(book, except)

/** Settles a nonce: a block holds a transaction with it, or the next payment may use it. */
export const settle = (
  book: NonceBook.NonceBook,
  { fate, nonce }: { readonly nonce: number; readonly fate: "confirmed" | "released" }
): NonceBook.NonceBook => fate === "confirmed" ? NonceBook.confirm(book, nonce) : NonceBook.release(book, nonce)

/** Whether a nonce can be handed out: it was handed back, or never counted as taken. */
export const isFree = (book: NonceBook.NonceBook, nonce: number): boolean =>
  nonce >= book.next && !isHeld(book, nonce) || book.gaps.includes(nonce)

/**
 * Whether a payout or another send of this database holds a nonce. One that is neither held nor free is in a block, or was
 * counted as another program's, or a send that used it was accepted.
 */
export const isHeld = (book: NonceBook.NonceBook, nonce: number): boolean => book.open.includes(nonce)

const Json = Schema.parseJson(NonceBook.NonceBook)

const decode = Schema.decodeSync(Json)
const read = Effect.transposeMapOption((text: string) => stored.read("the nonces of an account", () => decode(text)))

/** The books of accounts in the database. `lock`, `set` and `change` belong in a transaction. */
export const rows = (values: Values) => {
  const keyOf = (chain: Chain.Chain, address: string) => `nonces ${chain} ${address}`
  const lock = (chain: Chain.Chain, address: string) => Effect.flatMap(values.lock(keyOf(chain, address)), read)
  const set = (chain: Chain.Chain, address: string, book: NonceBook.NonceBook) =>
    values.set(keyOf(chain, address), Schema.encodeSync(Json)(book))
  return {
    lock,
    set,
    get: (chain: Chain.Chain, address: string) => Effect.flatMap(values.get(keyOf(chain, address)), read),

    /** Changes the book of an account that is known. */
    change: (chain: Chain.Chain, address: string, f: (book: NonceBook.NonceBook) => NonceBook.NonceBook) =>
      Effect.flatMap(lock(chain, address), Effect.transposeMapOption((book) => set(chain, address, f(book))))
  }
}
