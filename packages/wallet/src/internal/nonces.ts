/** The in-memory nonce source. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { constFalse, identity } from "effect/Function"

/** The records of one account. Each change is synchronous, so that no other fiber runs in between. */
interface Book {
  next: number
  readonly open: Set<number>
  readonly unresolved: Set<number>
  readonly free: Set<number>
  /** Completed when nonce 0, which the service reads as "choose one", is no longer open. */
  first: Deferred.Deferred<boolean> | undefined
}

const ascending = (nonces: Iterable<number>): ReadonlyArray<number> => [...nonces].sort((a, b) => a - b)

const patience = Duration.seconds(30)

/** Drops free nonces at the upper end, as if they had never been handed out. */
const shrink = (book: Book): void => {
  while (book.free.delete(book.next - 1)) book.next--
}

const moveTo = (book: Book, next: number): void => {
  for (const nonce of book.free) if (nonce < next) book.free.delete(nonce)
  for (const nonce of book.unresolved) {
    if (nonce < next) {
      book.unresolved.delete(nonce)
      book.open.delete(nonce)
    }
  }
  book.next = Math.max(book.next, next)
}

export const make = <Unavailable, Failed>(
  nextNonce: (address: Address) => Effect.Effect<number, Failed>,
  unavailable: (address: Address, problem: string) => Unavailable
) =>
  Effect.map(Effect.makeSemaphore(1), (semaphore) => {
    const books = new Map<Address, Book>()

    /** The first use of an account reads the chain; concurrent ones wait for it. */
    const bookOf = (address: Address): Effect.Effect<Book, Failed> =>
      Effect.suspend(() => {
        const known = books.get(address)
        if (known !== undefined) return Effect.succeed(known)
        return semaphore.withPermits(1)(Effect.suspend(() => {
          const meanwhile = books.get(address)
          return meanwhile !== undefined ? Effect.succeed(meanwhile) : Effect.map(nextNonce(address), (next) => {
            const book: Book = { next, open: new Set(), unresolved: new Set(), free: new Set(), first: undefined }
            books.set(address, book)
            return book
          })
        }))
      })

    const take = (book: Book): number => {
      const [lowest = book.next] = ascending(book.free)
      if (!book.free.delete(lowest)) book.next = lowest + 1
      book.open.add(lowest)
      if (lowest === 0) book.first = Deferred.unsafeMake(FiberId.none)
      return lowest
    }

    const reserve = (address: Address): Effect.Effect<number, Failed | Unavailable> =>
      Effect.flatMap(bookOf(address), (book) =>
        Effect.suspend((): Effect.Effect<number, Failed | Unavailable> => {
          if (book.first === undefined) return Effect.succeed(take(book))
          return Deferred.await(book.first).pipe(
            Effect.timeoutTo({ duration: patience, onSuccess: identity, onTimeout: constFalse }),
            Effect.flatMap((settled) =>
              settled
                ? reserve(address)
                : Effect.fail(
                  unavailable(address, "its nonce 0 is open and not settled, so no other can be handed out")
                )
            )
          )
        }))

    /** Releases the waiters for nonce 0 once it is settled, or once its outcome is unknown. */
    const change = (address: Address, f: (book: Book) => void): Effect.Effect<void> =>
      Effect.suspend(() => {
        const book = books.get(address)
        if (book === undefined) return Effect.void
        f(book)
        const { first, open, unresolved } = book
        const settled = !open.has(0)
        if (first === undefined || !(settled || unresolved.has(0))) return Effect.void
        if (settled) book.first = undefined
        return Effect.asVoid(Deferred.succeed(first, settled))
      })

    return {
      reserve,
      confirm: (address: Address, nonce: number) =>
        change(address, (book) => {
          book.open.delete(nonce)
          book.unresolved.delete(nonce)
          book.free.delete(nonce)
          for (let skipped = book.next; skipped < nonce; skipped++) book.free.add(skipped)
          book.next = Math.max(book.next, nonce + 1)
        }),
      release: (address: Address, nonce: number) =>
        change(address, (book) => {
          if (!book.open.delete(nonce)) return
          book.unresolved.delete(nonce)
          book.free.add(nonce)
          shrink(book)
        }),
      suspect: (address: Address, nonce: number) =>
        change(address, (book) => {
          if (book.open.has(nonce)) book.unresolved.add(nonce)
        }),
      resync: (address: Address) =>
        Effect.flatMap(nextNonce(address), (next) => change(address, (book) => moveTo(book, next))),
      report: (address: Address) =>
        Effect.sync(() => {
          const book = books.get(address)
          return {
            next: book?.next ?? 0,
            open: ascending(book?.open ?? []),
            unresolved: ascending(book?.unresolved ?? []),
            gaps: ascending(book?.free ?? [])
          }
        })
    }
  })
