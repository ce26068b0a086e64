/**
 * Allocates nonces for accounts that many fibers send from. Each nonce is handed out once, returned if it was not used,
 * and tracked until it is known to be taken.
 *
 * **Details**
 *
 * The chain executes the transactions of an account in the order of their nonces, without gaps. {@link withNonce}
 * reserves a nonce for a send and settles it by the send's outcome:
 *
 * | The send | The nonce |
 * |---|---|
 * | was sent, or waits for signatures | confirmed |
 * | was signed only | stays open: the signed transaction holds it |
 * | was not sent | released, and the next send gets it |
 * | was not sent because a block gives the nonce to another transaction | the account is read again from the chain |
 * | is not known, was interrupted or died | stays open and unresolved: {@link Service.report} shows it |
 *
 * {@link layer} keeps its books (`NonceBook`) in this process. `SqlNonces` of `@effect-klaytn/payouts` keeps them in
 * SQLite or Postgres, where they outlive the process and many processes share them. When a process first uses an
 * account, a `TransactionLookup` reads its next nonce.
 *
 * **Gotchas**
 *
 * The service interprets nonce 0 as "choose one", so the nonce does not protect the first transaction of an account.
 * While nonce 0 is open, no other send gets a nonce of that account: other sends wait at most 30 seconds, and fail with
 * `NonceUnavailable` after that, or as soon as the outcome of nonce 0 becomes unknown.
 *
 * A nonce that can't be settled because its book can't be stored stays open, and a warning is logged: it is never handed out
 * again, but all sends above it wait on the chain if it was not used.
 *
 * **Example** (many payments at once)
 *
 * ```ts
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 * import * as Effect from "effect/Effect"
 *
 * const from = "0x1111111111111111111111111111111111111111"
 *
 * export const payouts = (receivers: ReadonlyArray<string>) =>
 *   Effect.gen(function*() {
 *     const wallet = yield* Wallet.Wallet
 *     return yield* Effect.forEach(receivers, (to) =>
 *       NonceSource.withNonce(from, (nonce) =>
 *         wallet.sendValue({ from, to, value: 1n, payer: FeeDelegation.service, nonce })), { concurrency: 10 })
 *   })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { FeePayerInput } from "./FeeDelegation.js"
import * as NonceBook from "./NonceBook.js"
import type { LookupFailed, NotSent, SendUnknown, Submission } from "./SendOutcome.js"
import * as SendOutcome from "./SendOutcome.js"
import * as TransactionLookup from "./TransactionLookup.js"
import * as Transactions from "./Transactions.js"

/**
 * No nonce became available in time because nonce 0 of the account is open, see the gotcha of this module. Nothing was
 * sent.
 *
 * @category errors
 */
export class NonceUnavailable extends Schema.TaggedError<NonceUnavailable>("@effect-klaytn/wallet/NonceUnavailable")(
  "NonceUnavailable",
  { address: Address.Address, problem: Schema.String }
) {
  override get message(): string {
    return `no nonce of ${this.address}: ${this.problem}`
  }
}

/**
 * The book of an account could not be read or written. A write that failed may or may not have happened.
 *
 * @category errors
 */
export class StoreFailed extends Schema.TaggedError<StoreFailed>("@effect-klaytn/wallet/StoreFailed")("StoreFailed", {
  address: Address.Address,
  problem: Schema.String
}) {
  override get message(): string {
    return `the nonces of ${this.address}: ${this.problem}`
  }
}

/**
 * Where the books of accounts are kept, a value for each account.
 *
 * @category models
 */
export interface Books {
  /**
   * Whether other processes may use them at the same time. What an earlier process left open is unresolved if not, and stays
   * open if so, since another process may still have it.
   */
  readonly isShared: boolean
  readonly get: (address: Address.Address) => Effect.Effect<Option.Option<NonceBook.NonceBook>, StoreFailed>
  /**
   * Locks the book of an account for everyone, even if there is none yet, runs `change` with it, stores the book that it
   * returns (none leaves it as it is), and unlocks. `change` is pure and may be run again.
   */
  readonly modify: <A>(
    address: Address.Address,
    change: (book: Option.Option<NonceBook.NonceBook>) => readonly [A, Option.Option<NonceBook.NonceBook>]
  ) => Effect.Effect<A, StoreFailed>
}

/**
 * A source of nonces. An implementation may keep its records anywhere; it must never hand out a nonce that is open or
 * confirmed.
 *
 * @category models
 */
export interface Service {
  /** Reserves the lowest free nonce: a released one if there is one, or else the next. */
  readonly reserve: (
    address: Address.Address
  ) => Effect.Effect<number, NonceUnavailable | LookupFailed | StoreFailed>
  /** Reserves one of the account's gaps; false if the nonce is no longer a gap. */
  readonly reserveGap: (address: Address.Address, nonce: number) => Effect.Effect<boolean, StoreFailed>
  /** Marks a nonce as taken for good. */
  readonly confirm: (address: Address.Address, nonce: number) => Effect.Effect<void, StoreFailed>
  /** Returns a nonce that certainly was not used. Releasing one that is not open changes nothing. */
  readonly release: (address: Address.Address, nonce: number) => Effect.Effect<void, StoreFailed>
  /** Keeps a nonce open and marks it as unresolved: it is not known whether it was used. */
  readonly suspect: (address: Address.Address, nonce: number) => Effect.Effect<void, StoreFailed>
  /** Reads the account's next nonce from the chain: every nonce below it is taken, whoever took it. */
  readonly resync: (address: Address.Address) => Effect.Effect<void, LookupFailed | StoreFailed>
  /** The nonces of an account. */
  readonly report: (address: Address.Address) => Effect.Effect<NonceBook.NonceBook, StoreFailed>
}

/**
 * The source as a service.
 *
 * @category services
 */
export class NonceSource extends Context.Tag("@effect-klaytn/wallet/NonceSource")<NonceSource, Service>() {}

/** Reads the next nonce of an account from the chain. */
type NextNonce = (address: Address.Address) => Effect.Effect<number, LookupFailed>

const inMemory: Effect.Effect<Books> = Effect.sync(() => {
  const books = new Map<Address.Address, NonceBook.NonceBook>()
  const get = (address: Address.Address) => Option.fromNullable(books.get(address))
  return {
    isShared: false,
    get: (address) => Effect.sync(() => get(address)),
    modify: (address, change) =>
      Effect.sync(() => {
        const [answer, next] = change(get(address))
        if (Option.isSome(next)) books.set(address, next.value)
        return answer
      })
  }
})

/** How long, in milliseconds, a reservation waits for nonce 0 to be settled. */
const maxWait = 30_000

/** How often a nonce 0 that another process may settle is read again. */
const pollInterval = 500

/** Nonce 0, which the service reads as "choose one", is open, and it is known who has it. */
const isWaitedFor = ({ open, unresolved }: NonceBook.NonceBook): boolean => open.includes(0) && !unresolved.includes(0)

interface State {
  readonly books: Books
  readonly nextNonce: NextNonce
  /** Held while an account is read from the chain. */
  readonly syncing: Effect.Semaphore
  /** The accounts whose books this process has compared with the chain. */
  readonly synced: Set<Address.Address>
  /** Completed when nonce 0 of an account is no longer waited for. */
  readonly waits: Map<Address.Address, Deferred.Deferred<void>>
}

type Book = Option.Option<NonceBook.NonceBook>

/** The holders of nonces that an earlier process left open are gone, unless it shares the books with this one. */
const adopt = ({ books, synced }: State, address: Address.Address, book: NonceBook.NonceBook): NonceBook.NonceBook =>
  books.isShared || synced.has(address) ? book : NonceBook.suspectAll(book)

const modify = <A>(
  { books, waits }: State,
  address: Address.Address,
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
const sync = (state: State, address: Address.Address) =>
  state.syncing.withPermits(1)(Effect.gen(function*() {
    if (state.synced.has(address)) return
    const next = yield* state.nextNonce(address)
    yield* modify(state, address, (book) => [
      undefined,
      Option.some(Option.match(book, {
        onNone: () => NonceBook.make(next),
        onSome: (book) => NonceBook.advance(adopt(state, address, book), next)
      }))
    ])
    state.synced.add(address)
  }))

/** A nonce with the book that has it open, or else the book as it is, which stays so. */
const take = (current: Book): readonly [number | NonceBook.NonceBook | undefined, Book] =>
  Option.match(Option.flatMap(current, (book) => NonceBook.reserve(book)), {
    onNone: () => [Option.getOrUndefined(current), Option.none()] as const,
    onSome: ([nonce, book]) => [nonce, Option.some(book)] as const
  })

const waitOf = ({ waits }: State, address: Address.Address): Deferred.Deferred<void> => {
  const wait = waits.get(address) ?? Deferred.unsafeMake<void>(FiberId.none)
  waits.set(address, wait)
  return wait
}

const reserve = Effect.fnUntraced(function*(state: State, address: Address.Address) {
  const clock = yield* Effect.clock
  const until = Deadline.now(clock) + maxWait
  const unavailable = (problem: string) => new NonceUnavailable({ address, problem })
  if (!state.synced.has(address)) yield* sync(state, address)
  while (true) {
    // Made before the book is read, so that no change is missed in between.
    const wait = waitOf(state, address)
    const taken = yield* modify(state, address, take)
    if (typeof taken === "number") return taken
    if (taken === undefined) {
      state.synced.delete(address)
      return yield* unavailable("its record is gone from the store; try again")
    }
    const left = until - Deadline.now(clock)
    if (!isWaitedFor(taken) || left <= 0) {
      return yield* unavailable("its nonce 0 is open and not settled, so no other can be handed out")
    }
    yield* Effect.timeoutOption(Deferred.await(wait), state.books.isShared ? Math.min(left, pollInterval) : left)
  }
})

/**
 * Makes a source in memory, or over other books. `nextNonce` returns the next nonce of an account; it is called once per
 * account, and by `resync`.
 *
 * @category constructors
 */
export const make = (nextNonce: NextNonce, given?: Books): Effect.Effect<Service> =>
  Effect.gen(function*() {
    const books = given ?? (yield* inMemory)
    const syncing = yield* Effect.makeSemaphore(1)
    const state: State = { books, nextNonce, syncing, synced: new Set(), waits: new Map() }
    const change =
      (f: (book: NonceBook.NonceBook, nonce: number) => NonceBook.NonceBook): Service["confirm"] => (address, nonce) =>
        modify(state, address, (book) => [undefined, Option.map(book, (book) => f(book, nonce))])
    return {
      reserve: (address) => reserve(state, address),
      reserveGap: (address, nonce) =>
        modify(state, address, (book) => {
          const next = Option.flatMap(book, (book) => NonceBook.reserveGap(book, nonce))
          return [Option.isSome(next), next]
        }),
      confirm: change(NonceBook.confirm),
      release: change(NonceBook.release),
      suspect: change(NonceBook.suspect),
      resync: (address) =>
        Effect.flatMap(nextNonce(address), (next) =>
          change((book) => NonceBook.advance(adopt(state, address, book), next))(address, next)),
      report: (address) =>
        Effect.map(books.get(address), (book) =>
          Option.isNone(book) ? NonceBook.make(0) : adopt(state, address, book.value))
    }
  })

/**
 * Provides a source in memory as a layer. An account starts after everything that waits at the node.
 *
 * @category layers
 */
export const layer = (): Layer.Layer<NonceSource, never, TransactionLookup.TransactionLookup> =>
  Layer.effect(
    NonceSource,
    Effect.flatMap(TransactionLookup.TransactionLookup, (lookup) =>
      make((address) => Effect.map(TransactionLookup.count(lookup, address), ({ next }) => next)))
  )

const readSender = Input.decode("NonceSource.withNonce", Address.FromInput)
const readGaps = Input.decode("NonceSource.fillGaps", Address.FromInput)

/** Settles a nonce by how its send ended. */
const settle = <A extends Submission>(
  source: Service,
  address: Address.Address,
  nonce: number,
  exit: Exit.Exit<A, NotSent | SendUnknown>
): Effect.Effect<void> => {
  const settled = (): Effect.Effect<void, StoreFailed> => {
    if (Exit.isSuccess(exit)) {
      const { _tag, nonce: used } = exit.value
      if (_tag === "SignedOnly") return Effect.void
      return used === nonce
        ? source.confirm(address, nonce)
        // The service chose another nonce, as it may for 0: that one is taken, and this one is free.
        : source.confirm(address, used).pipe(
          Effect.zipRight(source.release(address, nonce)),
          Effect.zipRight(Effect.ignore(source.resync(address)))
        )
    }
    const failure = Cause.isInterrupted(exit.cause)
      ? undefined
      : Option.getOrUndefined(Cause.failureOption(exit.cause))
    if (failure?._tag !== "NotSent") return source.suspect(address, nonce)
    // Released after a refusal too: if a copy of the request still arrives, it and the next send have the same nonce, and
    // the chain executes one of them.
    return failure.proof === "block"
      ? Effect.zipRight(source.confirm(address, nonce), Effect.ignore(source.resync(address)))
      : source.release(address, nonce)
  }
  return Effect.catchAll(
    settled(),
    (failed) => Effect.logWarning(`nonce ${nonce} of ${address} could not be settled and stays open: ${failed.message}`)
  )
}

/**
 * Sends with a nonce from the source, and settles the nonce by the send's outcome.
 *
 * @category combinators
 */
export const withNonce = <A extends Submission, R>(
  from: string,
  send: (nonce: number) => Effect.Effect<A, NotSent | SendUnknown, R>
): Effect.Effect<
  A,
  NotSent | SendUnknown | NonceUnavailable | LookupFailed | StoreFailed | InvalidInput,
  NonceSource | R
> =>
  Effect.gen(function*() {
    const address = yield* readSender(from)
    const source = yield* NonceSource
    /**
     * Only the wait can be interrupted: a nonce that is reserved after that is always settled, whatever the source
     * does.
     */
    const reserved = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDaemon(source.reserve(address)), (fiber) =>
        Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
          Effect.flatMap(Fiber.join(fiber), (nonce) =>
            source.release(address, nonce)).pipe(
              Effect.ignore,
              Effect.forkDaemon
            )))
    )
    return yield* Effect.acquireUseRelease(Effect.interruptible(reserved), send, (nonce, exit) =>
      settle(source, address, nonce, exit))
  })

/**
 * How the cancellation of a gap ended. If it was sent, the gap is filled as soon as it is in a block.
 *
 * @category models
 */
export interface FilledGap {
  readonly nonce: number
  readonly outcome: SendOutcome.SendOutcome
}

/**
 * Fills the gaps of an account: sends a cancellation, which moves nothing, with each unused nonce below a used one, so
 * that the transactions above are executed. The lowest gap is filled first.
 *
 * **When to use**
 *
 * If sends above a gap wait, and no further sends are coming that would fill it. See `report` for the gaps.
 *
 * **Gotchas**
 *
 * Each cancellation costs its fee, and the policy is consulted as for any send. Nonce 0 can't be cancelled by its
 * number, see the gotcha of this module: send anything instead.
 *
 * Only nonces that this source handed out are known as gaps. If another program's transaction was counted when the account
 * was first read, and the node lost that transaction, send a cancellation with its nonce.
 *
 * @category combinators
 */
export const fillGaps = (
  from: string,
  payer: FeePayerInput
): Effect.Effect<
  ReadonlyArray<FilledGap>,
  StoreFailed | InvalidInput,
  NonceSource | Transactions.Transactions
> =>
  Effect.gen(function*() {
    const address = yield* readGaps(from)
    const source = yield* NonceSource
    const transactions = yield* Transactions.Transactions
    const { gaps } = yield* source.report(address)
    const fill = (nonce: number): Effect.Effect<Option.Option<FilledGap>, StoreFailed> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          if (!(yield* source.reserveGap(address, nonce))) return Option.none()
          const send = transactions.send({ request: { _tag: "Cancel", from: address, nonce }, payer })
          const outcome = yield* SendOutcome.settle(
            restore(send).pipe(Effect.onExit((exit) => settle(source, address, nonce, exit)))
          )
          return Option.some({ nonce, outcome })
        })
      )
    return (yield* Effect.forEach(gaps, fill)).flatMap(Option.toArray)
  })
