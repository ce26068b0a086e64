/** The nonce source over a store of books. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as AtomicStore from "../AtomicStore.js"
import * as NonceBook from "../NonceBook.js"

const Stored = Schema.parseJson(NonceBook.NonceBook)

/** How long, in milliseconds, a reservation waits for nonce 0 to be settled. */
const maxWait = 30_000

/** How often it asks the store about a nonce 0 that another process may settle. */
const pollInterval = 500

/** Nonce 0, which the service reads as "choose one", is open, and it is known who has it. */
const isWaitedFor = ({ open, unresolved }: NonceBook.NonceBook): boolean => open.includes(0) && !unresolved.includes(0)

type Reserved =
  | { readonly _tag: "Reserved"; readonly nonce: number }
  | { readonly _tag: "Blocked"; readonly isWaitedFor: boolean }
  | { readonly _tag: "Absent" }

export const make = <Unavailable, Failed>(
  store: AtomicStore.Service,
  keyOf: (address: Address) => string,
  nextNonce: (address: Address) => Effect.Effect<number, Failed>,
  unavailable: (address: Address, problem: string) => Unavailable
) =>
  Effect.map(Effect.makeSemaphore(1), (semaphore) => {
    /** The accounts whose books this process has compared with the chain. */
    const synced = new Set<Address>()
    /** Completed when nonce 0 of an account is no longer waited for. */
    const waits = new Map<Address, Deferred.Deferred<void>>()

    /** In a store that is not shared, the holders of nonces that an earlier process left open are gone. */
    const adopt = (address: Address, book: NonceBook.NonceBook): NonceBook.NonceBook =>
      store.isShared || synced.has(address) ? book : NonceBook.suspectAll(book)

    const modify = <A>(
      address: Address,
      change: (book: Option.Option<NonceBook.NonceBook>) => readonly [A, Option.Option<NonceBook.NonceBook>]
    ): Effect.Effect<A, AtomicStore.StoreFailed> =>
      Effect.flatMap(
        store.modify(keyOf(address), Stored, (book) => {
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

    const change = (address: Address, f: (book: NonceBook.NonceBook) => NonceBook.NonceBook) =>
      modify(address, (book) => [undefined, Option.map(book, f)])

    /** The first use of an account reads the chain; concurrent ones wait for it. */
    const sync = (address: Address) =>
      semaphore.withPermits(1)(Effect.suspend(() =>
        synced.has(address) ? Effect.void : Effect.flatMap(nextNonce(address), (next) =>
          Effect.tap(
            modify(address, (book) => [
              undefined,
              Option.some(Option.match(book, {
                onNone: () => NonceBook.make(next),
                onSome: (book) => NonceBook.advance(adopt(address, book), next)
              }))
            ]),
            () => synced.add(address)
          ))
      ))

    const waitOf = (address: Address): Deferred.Deferred<void> => {
      const wait = waits.get(address) ?? Deferred.unsafeMake<void>(FiberId.none)
      waits.set(address, wait)
      return wait
    }

    const take = (address: Address): Effect.Effect<Reserved, AtomicStore.StoreFailed> =>
      modify(address, (current): readonly [Reserved, Option.Option<NonceBook.NonceBook>] => {
        if (Option.isNone(current)) {
          return [{ _tag: "Absent" }, Option.none()]
        }
        const book = current.value
        return Option.match(NonceBook.reserve(book), {
          onNone: () =>
            [{ _tag: "Blocked", isWaitedFor: isWaitedFor(book) }, Option.none()] as const,
          onSome: ([nonce, next]) => [{ _tag: "Reserved", nonce }, Option.some(next)] as const
        })
      })

    const reserve = (address: Address) =>
      Effect.gen(function*() {
        const clock = yield* Effect.clock
        const until = Deadline.now(clock) + maxWait
        if (!synced.has(address)) yield* sync(address)
        while (true) {
          // Made before the book is read, so that no change is missed in between.
          const wait = waitOf(address)
          const reserved = yield* take(address)
          if (reserved._tag === "Reserved") return reserved.nonce
          if (reserved._tag === "Absent") {
            synced.delete(address)
            return yield* Effect.fail(unavailable(address, "its record is gone from the store; try again"))
          }
          const left = until - Deadline.now(clock)
          if (!reserved.isWaitedFor || left <= 0) {
            return yield* Effect.fail(
              unavailable(address, "its nonce 0 is open and not settled, so no other can be handed out")
            )
          }
          yield* Effect.timeoutOption(Deferred.await(wait), store.isShared ? Math.min(left, pollInterval) : left)
        }
      })

    return {
      reserve,
      reserveGap: (address: Address, nonce: number) =>
        modify(address, (book) => {
          const next = Option.flatMap(book, (book) => NonceBook.reserveGap(book, nonce))
          return [Option.isSome(next), next]
        }),
      confirm: (address: Address, nonce: number) => change(address, (book) => NonceBook.confirm(book, nonce)),
      release: (address: Address, nonce: number) => change(address, (book) => NonceBook.release(book, nonce)),
      suspect: (address: Address, nonce: number) => change(address, (book) => NonceBook.suspect(book, nonce)),
      resync: (address: Address) =>
        Effect.flatMap(nextNonce(address), (next) =>
          change(address, (book) =>
            NonceBook.advance(adopt(address, book), next))),
      report: (address: Address) =>
        Effect.map(
          store.get(keyOf(address), Stored),
          Option.match({
            onNone: () =>
              NonceBook.make(0),
            onSome: (book) => adopt(address, book)
          })
        )
    }
  })
