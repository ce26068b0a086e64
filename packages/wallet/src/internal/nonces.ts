/** The nonce source over the books of its accounts. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as NonceBook from "../NonceBook.js"
import type { Books, StoreFailed } from "../NonceSource.js"
import type { LookupFailed } from "../SendOutcome.js"

/** How long, in milliseconds, a reservation waits for nonce 0 to be settled. */
const maxWait = 30_000

/** How often a nonce 0 that another process may settle is read again. */
const pollInterval = 500

/** Nonce 0, which the service reads as "choose one", is open, and it is known who has it. */
const isWaitedFor = ({ open, unresolved }: NonceBook.NonceBook): boolean => open.includes(0) && !unresolved.includes(0)

type Reserved =
  | { readonly _tag: "Reserved"; readonly nonce: number }
  | { readonly _tag: "Blocked"; readonly isWaitedFor: boolean }
  | { readonly _tag: "Absent" }

interface State<Unavailable> {
  readonly books: Books
  readonly nextNonce: (address: Address) => Effect.Effect<number, LookupFailed>
  readonly unavailable: (address: Address, problem: string) => Unavailable
  /** Held while an account is read from the chain. */
  readonly syncing: Effect.Semaphore
  /** The accounts whose books this process has compared with the chain. */
  readonly synced: Set<Address>
  /** Completed when nonce 0 of an account is no longer waited for. */
  readonly waits: Map<Address, Deferred.Deferred<void>>
}

type Book = Option.Option<NonceBook.NonceBook>

/** The holders of nonces that an earlier process left open are gone, unless it shares the books with this one. */
const adopt = <U>({ books, synced }: State<U>, address: Address, book: NonceBook.NonceBook): NonceBook.NonceBook =>
  books.isShared || synced.has(address) ? book : NonceBook.suspectAll(book)

const modify = <A, U>(
  { books, waits }: State<U>,
  address: Address,
  change: (book: Book) => readonly [A, Book]
): Effect.Effect<A, StoreFailed> =>
  Effect.flatMap(
    books.modify(address, (book) => {
      const [answer, next] = change(book)
      return [[answer, next] as const, next]
    }),
    ([answer, next]) => {
      const wait = waits.get(address)
      if (wait === undefined || Option.isNone(next) || isWaitedFor(next.value)) return Effect.succeed(answer)
      waits.delete(address)
      return Effect.as(Deferred.succeed(wait, undefined), answer)
    }
  )

/** The first use of an account reads the chain; concurrent ones wait for it. */
const sync = <U>(state: State<U>, address: Address) =>
  state.syncing.withPermits(1)(
    Effect.suspend(() =>
      state.synced.has(address) ? Effect.void : Effect.flatMap(state.nextNonce(address), (next) =>
        Effect.tap(
          modify(state, address, (book) => [
            undefined,
            Option.some(Option.match(book, {
              onNone: () => NonceBook.make(next),
              onSome: (book) => NonceBook.advance(adopt(state, address, book), next)
            }))
          ]),
          () => state.synced.add(address)
        ))
    )
  )

const take = (current: Book): readonly [Reserved, Book] => {
  if (Option.isNone(current)) return [{ _tag: "Absent" }, current]
  const book = current.value
  return Option.match(NonceBook.reserve(book), {
    onNone: () => [{ _tag: "Blocked", isWaitedFor: isWaitedFor(book) }, Option.none()] as const,
    onSome: ([nonce, next]) => [{ _tag: "Reserved", nonce }, Option.some(next)] as const
  })
}

const waitOf = ({ waits }: State<unknown>, address: Address): Deferred.Deferred<void> => {
  const wait = waits.get(address) ?? Deferred.unsafeMake<void>(FiberId.none)
  waits.set(address, wait)
  return wait
}

const reserve = <U>(state: State<U>, address: Address) =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const until = Deadline.now(clock) + maxWait
    if (!state.synced.has(address)) yield* sync(state, address)
    while (true) {
      // Made before the book is read, so that no change is missed in between.
      const wait = waitOf(state, address)
      const reserved = yield* modify(state, address, take)
      if (reserved._tag === "Reserved") return reserved.nonce
      if (reserved._tag === "Absent") {
        state.synced.delete(address)
        return yield* Effect.fail(state.unavailable(address, "its record is gone from the store; try again"))
      }
      const left = until - Deadline.now(clock)
      if (!reserved.isWaitedFor || left <= 0) {
        return yield* Effect.fail(
          state.unavailable(address, "its nonce 0 is open and not settled, so no other can be handed out")
        )
      }
      yield* Effect.timeoutOption(Deferred.await(wait), state.books.isShared ? Math.min(left, pollInterval) : left)
    }
  })

export const make = <Unavailable>(
  books: Books,
  nextNonce: State<Unavailable>["nextNonce"],
  unavailable: State<Unavailable>["unavailable"]
) =>
  Effect.map(Effect.makeSemaphore(1), (syncing) => {
    const state: State<Unavailable> = { books, nextNonce, unavailable, syncing, synced: new Set(), waits: new Map() }
    const change =
      (f: (book: NonceBook.NonceBook, nonce: number) => NonceBook.NonceBook) => (address: Address, nonce: number) =>
        modify(state, address, (book) => [undefined, Option.map(book, (book) => f(book, nonce))])
    return {
      reserve: (address: Address) => reserve(state, address),
      reserveGap: (address: Address, nonce: number) =>
        modify(state, address, (book) => {
          const next = Option.flatMap(book, (book) => NonceBook.reserveGap(book, nonce))
          return [Option.isSome(next), next]
        }),
      confirm: change(NonceBook.confirm),
      release: change(NonceBook.release),
      suspect: change(NonceBook.suspect),
      resync: (address: Address) =>
        Effect.flatMap(nextNonce(address), (next) =>
          change((book, next) => NonceBook.advance(adopt(state, address, book), next))(address, next)),
      report: (address: Address) =>
        Effect.map(
          books.get(address),
          Option.match({
            onNone: () =>
              NonceBook.make(0),
            onSome: (book) => adopt(state, address, book)
          })
        )
    }
  })
