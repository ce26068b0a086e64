/**
 * The nonces of one account, as data: which are open, which are free, which comes next. Every change is a plain function
 * from a book to a book, so that a book can be kept anywhere; `NonceSource` keeps one for each account.
 *
 * **Details**
 *
 * A nonce is handed out by {@link reserve}, and is then _open_ until it is settled by {@link confirm} (it is taken for
 * good) or {@link release} (it certainly was not used). {@link suspect} marks an open one as _unresolved_: it is not
 * known whether it was used. {@link advance} records the account's next nonce on the chain.
 *
 * A nonce is never handed out while it is open, nor after it was confirmed.
 *
 * **Gotchas**
 *
 * The service interprets nonce 0 as "choose one", so while nonce 0 is open, no other nonce is handed out.
 */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"

const Nonces = Schema.Array(Schema.NonNegativeInt)

/**
 * The nonces of one account. All lists are in ascending order.
 *
 * **Details**
 *
 * `next` is the next nonce that was never handed out, apart from open ones above it, which are out of reach of the chain. `open` are those that were handed out and are not settled, and
 * `unresolved` those of them whose send has an unknown outcome: find it out, then confirm or release them. `gaps` are
 * unused nonces below a used one: every transaction above the lowest gap waits for it. The next sends fill the gaps; if
 * there are none, fill them with cancellations, see `NonceSource.fillGaps`. A book without a `version` has version 1; a book of
 * a newer version is refused.
 *
 * @category schemas
 */
export const NonceBook = Schema.Struct({
  version: Schema.optional(Schema.Literal(1)),
  next: Schema.NonNegativeInt,
  open: Nonces,
  unresolved: Nonces,
  gaps: Nonces
}).annotations({ identifier: "NonceBook" })

/**
 * The nonces of one account.
 *
 * @category models
 */
export type NonceBook = typeof NonceBook.Type

/**
 * The book of an account that has sent `next` transactions.
 *
 * @category constructors
 */
export const make = (next: number): NonceBook => ({ next, open: [], unresolved: [], gaps: [] })

const add = (nonces: ReadonlyArray<number>, nonce: number): ReadonlyArray<number> =>
  nonces.includes(nonce) ? nonces : Arr.sort([...nonces, nonce], Order.number)

const remove = (nonces: ReadonlyArray<number>, nonce: number): ReadonlyArray<number> =>
  nonces.filter((one) => one !== nonce)

/** Further above the next nonce of an account than this, no block can have a nonce for now: so many of one account wait at no node. */
const reach = 1000

/**
 * Whether a nonce is so far above the next one of its account that no block can have it until the account has sent more than 1000 other
 * transactions.
 *
 * @category guards
 */
export const isOutOfReach = (next: number, nonce: number): boolean => nonce > next + reach

/** The numbers from one to before another. */
const range = (from: number, to: number): ReadonlyArray<number> => from < to ? Arr.range(from, to - 1) : []

/** The numbers from the next one to before another that are not open; none if there are more than can wait: the chain is far ahead. */
const unused = ({ next, open }: Pick<NonceBook, "next" | "open">, nonce: number): ReadonlyArray<number> =>
  isOutOfReach(next, nonce) ? [] : range(next, nonce).filter((one) => !open.includes(one))

/** Drops gaps at the upper end, as if they had never been handed out. */
const shrink = ({ gaps, next, ...book }: NonceBook): NonceBook => {
  const kept = [...gaps]
  let end = next
  while (kept.at(-1) === end - 1) {
    kept.pop()
    end--
  }
  return { ...book, next: end, gaps: kept }
}

/**
 * Hands out the lowest free nonce that is not in `except`: a gap if there is one, or else the next, in which case skipped
 * nonces become gaps. None while nonce 0 is open.
 *
 * @category transitions
 */
export const reserve = (
  book: NonceBook,
  except: ReadonlySet<number> = new Set()
): Option.Option<readonly [nonce: number, book: NonceBook]> => {
  if (book.open.includes(0)) return Option.none()
  const gap = book.gaps.find((one) => !except.has(one))
  let nonce = gap ?? book.next
  while (except.has(nonce) || book.open.includes(nonce)) nonce++
  return Option.some([nonce, {
    ...book,
    next: Math.max(book.next, nonce + 1),
    open: add(book.open, nonce),
    gaps: gap === undefined ? [...book.gaps, ...unused(book, nonce)] : remove(book.gaps, nonce)
  }])
}

/**
 * Hands out one gap. None if the nonce is no gap, or while nonce 0 is open.
 *
 * @category transitions
 */
export const reserveGap = (book: NonceBook, nonce: number): Option.Option<NonceBook> =>
  book.gaps.includes(nonce) && !book.open.includes(0)
    ? Option.some({ ...book, open: add(book.open, nonce), gaps: remove(book.gaps, nonce) })
    : Option.none()

/**
 * Marks a nonce as taken for good, whether it was handed out or not. Those below it that were never handed out become
 * gaps, or count as taken if they are more than 1000.
 *
 * @category transitions
 */
export const confirm = ({ gaps, next, open, unresolved }: NonceBook, nonce: number): NonceBook => ({
  next: Math.max(next, nonce + 1),
  open: remove(open, nonce),
  unresolved: remove(unresolved, nonce),
  gaps: [...remove(gaps, nonce), ...unused({ next, open }, nonce)]
})

/**
 * Frees an open nonce that certainly was not used. Releasing one that is not open changes nothing.
 *
 * @category transitions
 */
export const release = (book: NonceBook, nonce: number): NonceBook =>
  book.open.includes(nonce)
    ? shrink({
      next: book.next,
      open: remove(book.open, nonce),
      unresolved: remove(book.unresolved, nonce),
      gaps: nonce < book.next ? add(book.gaps, nonce) : book.gaps
    })
    : book

/**
 * Marks an open nonce as unresolved: it is not known whether it was used. One that is not open changes nothing.
 *
 * @category transitions
 */
export const suspect = (book: NonceBook, nonce: number): NonceBook =>
  book.open.includes(nonce) ? { ...book, unresolved: add(book.unresolved, nonce) } : book

/**
 * Marks all open nonces as unresolved, for when their holder is gone.
 *
 * @category transitions
 */
export const suspectAll = (book: NonceBook): NonceBook => ({ ...book, unresolved: book.open })

/**
 * Marks every nonce below `next` as taken, as the chain shows it, whoever took it. Open nonces that are not unresolved
 * stay open: their sends settle them.
 *
 * @category transitions
 */
export const advance = (book: NonceBook, next: number): NonceBook => {
  const unresolved = book.unresolved.filter((nonce) => nonce >= next)
  return {
    next: Math.max(book.next, next),
    open: book.open.filter((nonce) => unresolved.includes(nonce) || !book.unresolved.includes(nonce)),
    unresolved,
    gaps: book.gaps.filter((nonce) => nonce >= next)
  }
}

/**
 * Takes a count of the chain back that was too high: `next` is the account's next nonce in blocks and at the node, so those from it
 * on that were counted and neither are open nor in `except` are free. They become gaps, or are as if never handed out. An open one that is
 * out of reach stays open, above the next one of the book.
 *
 * @category transitions
 */
export const retreat = (book: NonceBook, next: number, except: ReadonlySet<number> = new Set()): NonceBook => {
  if (book.next <= next) return book
  const held = new Set([...book.open, ...except].filter((nonce) => nonce >= next && !isOutOfReach(next, nonce)))
  const end = Arr.reduce(held, next, (most, nonce) => Math.max(most, nonce + 1))
  return shrink({
    ...book,
    next: end,
    gaps: [
      ...book.gaps.filter((nonce) => nonce < next),
      ...range(next, end).filter((nonce) => !held.has(nonce))
    ]
  })
}
