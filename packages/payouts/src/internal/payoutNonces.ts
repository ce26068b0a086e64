/** Which nonce a payout gets, and what becomes of the nonce. */
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import * as Option from "effect/Option"

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

/** Whether nobody holds a nonce. Transactions above it wait for it. */
export const isFree = (book: NonceBook.NonceBook, nonce: number): boolean =>
  nonce >= book.next || book.gaps.includes(nonce)
