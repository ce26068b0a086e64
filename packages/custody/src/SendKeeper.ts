/**
 * Keeps open sends going: the same bytes again until a block decides, the same payment at a higher price while its own is below the
 * base fee, and a cancellation for a nonce that nothing can fill.
 *
 * **Details**
 *
 * What is done is decided by `SendLife` from what is stored of a send and from what the chain shows; the keeper executes it, and has
 * the repair of the nonce for itself meanwhile. Everything that it signs is stored before it is sent.
 */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { ChainWallet } from "./ChainWallet.js"
import { type CustodyFailure, type TransactionRejected, WalletRefused } from "./CustodyError.js"
import { give, type StoredOrigin } from "./internal/sends/giving.js"
import * as records from "./internal/sends/record.js"
import * as signingAgain from "./internal/sends/signingAgain.js"
import { winnerOf } from "./internal/sends/winning.js"
import * as SendLife from "./SendLife.js"
import { follow, type Refusal } from "./SendRefusal.js"
import type { StoredSend } from "./SendStore.js"
import { CurrentCaller, unlimited, type WalletCaller, wasRevoked } from "./WalletCaller.js"
import * as WalletPolicy from "./WalletPolicy.js"
import type { WalletAccount } from "./WalletRecord.js"

/**
 * The parts of a keeper.
 *
 * @category models
 */
export interface Parts extends records.Parts {
  readonly wallet: ChainWallet
  /** How long it rests between two rounds. Default: a second. */
  readonly every?: Duration.DurationInput | undefined
}

type Failure = TransactionRejected | CustodyFailure

/** Accounts of one round are looked at by as many fibers. */
const concurrency = 16

/** Nonces of one account are looked up by as many. */
const noncesAtOnce = 4

/**
 * What one round looks at, so that nobody's sends wait for those of others: so many nonces of an account, and so many accounts of a
 * caller, those that were not looked at for the longest time. A nonce that an earlier one keeps from running waits anyway.
 */
const noncesOfAccount = 32
const accountsOfCaller = 512

/** How long a repair has its nonce for itself if its process dies, in seconds. */
const leaseSeconds = 30

/** The open rows of a nonce, in the order in which they were stored. At least one. */
type Rows = readonly [StoredSend, ...ReadonlyArray<StoredSend>]

/** Whose payment the rows of a nonce are. */
const originOf = (rows: Rows): StoredOrigin => {
  const [first] = rows
  const { caller, credential } = rows.findLast((row) => row.caller !== undefined) ?? first
  return { caller, credential, createdAt: first.createdAt }
}

/** Writes what a block says of one of the rows; whether a block says something. */
const settled = ({ chain, store }: Parts, rows: Rows): Effect.Effect<boolean, CustodyFailure> =>
  Effect.gen(function*() {
    for (const row of rows.toReversed()) {
      const verdict = yield* chain.verdict(row)
      if (verdict._tag === "open") continue
      const now = yield* UnixTime.now
      const winner = verdict._tag === "mined" ? row : yield* winnerOf(store, rows, verdict)
      if (winner !== undefined) {
        yield* store.settle(winner, "mined", now)
      } else if (verdict._tag === "replaced") {
        for (const one of rows) yield* store.settle(one, "replaced", now, { winner: verdict.by })
        yield* Effect.logWarning(
          `${row.hash} can't run any more: a block has ${verdict.by} with its nonce ${row.nonce} of ${row.account}; if none of your ` +
            "programs has sent that one, somebody else has the key of the account: klaytn gateway wallet freeze"
        )
      }
      return true
    }
    return false
  })

/** Whether a repair has come to its end. One that has changed nothing keeps its nonce for the time of a lease: nothing is signed again at once. */
type Done = "done" | "held"

/** Bytes that the repair of a nonce has signed, as they are stored. */
type Addition = signingAgain.Made & Pick<StoredSend, "cancels" | "price"> & Partial<StoredSend>

/**
 * Stores signed bytes, then sends them: only what is stored is sent. `repairs` is not open any more if a block or the owner has ended it
 * meanwhile, and another process may have stored its own first. Bytes that were stored and refused before are open again.
 */
const add = (
  parts: Parts,
  rows: Rows,
  { account, nonce, ...repairs }: StoredSend,
  { transaction: _, ...made }: Addition
): Effect.Effect<Done, CustodyFailure> =>
  Effect.gen(function*() {
    const { store } = parts
    const now = yield* UnixTime.now
    const leasedUntil = now + leaseSeconds
    const row = yield* store.take(
      { request: undefined, isRaisable: true, ...made, account, nonce, leasedUntil, repairs },
      now
    )
    const before = row === undefined ? yield* store.byHash(made.hash) : undefined
    const isOpen = before !== undefined && (yield* store.retake(before, now, leasedUntil))
    const stored = row ?? (isOpen ? before : undefined)
    if (stored === undefined) return "held"
    yield* give(parts, stored, { origin: originOf(rows) })
    return "done"
  })

/** The most that a limit of the fee lets a payment pay for a unit of gas; undefined without such a limit. */
const limitPriceOf = (caller: WalletCaller | undefined, rows: Rows) => {
  const payment = rows.findLast(({ cancels }) => cancels === "none")
  if (caller === undefined || payment === undefined || WalletPolicy.largestFeeOf(caller.limits) === undefined) {
    return undefined
  }
  const read = Transaction.decode(payment.raw)
  return read.ok ? WalletPolicy.dearestPrice(caller.limits, read.value) : undefined
}

const isOfLimit = (error: Failure): error is WalletRefused => error._tag === "WalletRefused" && error.reason === "limit"

/** The same payment at a higher price. */
const raise = (parts: Parts, rows: Rows, own: WalletAccount, price: bigint, caller: WalletCaller | undefined) =>
  Effect.gen(function*() {
    const { store, wallet } = parts
    const payment = rows.findLast(({ cancels }) => cancels === "none")
    if (payment === undefined) return "done"
    const now = yield* UnixTime.now
    const cannot = (refusal: Pick<Refusal, "kind" | "text">) =>
      Effect.as(store.note(payment, follow(payment.refusal, refusal, now), now), "done" as const)
    const made = yield* signingAgain.raised(wallet, own, payment, price).pipe(
      Effect.provideService(CurrentCaller, caller && { caller, operation: repair, requestId: payment.hash }),
      Effect.catchIf(isOfLimit, Effect.succeed)
    )
    if (made instanceof WalletRefused) return yield* cannot({ kind: "forbidden", text: made.message })
    if (made === undefined) {
      const text =
        "its price is too low, and the wallet can't sign all of it now: its signers or its fee payer have changed"
      return yield* cannot({ kind: "forbidden", text })
    }
    const { attempt, caller: name, credential, payment: id } = payment
    yield* Effect.logInfo(`${payment.hash} is sent again at ${price} peb a unit of gas, as ${made.hash}`)
    return yield* add(parts, rows, payment, {
      ...made,
      cancels: "none",
      price,
      payment: id,
      attempt: attempt + 1,
      caller: name,
      credential
    })
  })

type Cancel = Extract<SendLife.Step, { readonly _tag: "Cancel" }>

const cancel = (parts: Parts, rows: Rows, own: WalletAccount, { payer, price, why }: Cancel) =>
  Effect.gen(function*() {
    const payment = rows.findLast(({ cancels }) => cancels === "none")
    const before = rows.findLast(({ cancels }) => cancels !== "none")
    const like = payment ?? before ?? rows[0]
    const made = yield* signingAgain.cancelled(parts.wallet, own, like, { payer, price })
    const reason = why === "" ? before?.why : why
    yield* Effect.logWarning(
      `nonce ${like.nonce} of ${like.account} is cancelled by ${made.hash}${
        reason === undefined ? "" : `: ${reason}`
      }` +
        "; to pay after all takes a new Idempotency-Key"
    )
    return yield* add(parts, rows, like, { ...made, cancels: payer, price, why: reason })
  })

/** The name of the keeper's operation, for the audit log. */
const repair = "wallet.repair"

/** Executes a step that signs; the account is the wallet's. */
const execute = (
  parts: Parts,
  rows: Rows,
  step: SendLife.Step,
  own: WalletAccount | undefined,
  caller: WalletCaller | undefined
): Effect.Effect<Done, Failure> =>
  Effect.gen(function*() {
    const { store } = parts
    if (step._tag === "GiveUp") {
      const now = yield* UnixTime.now
      yield* Effect.forEach(rows, (row) => store.settle(row, "refused", now, { why: step.why }), { discard: true })
    } else if (step._tag === "Submit") {
      const row = rows.find(({ hash }) => hash === step.attempt.hash)
      if (row !== undefined) yield* give(parts, row, { noted: step.noted, origin: originOf(rows) })
    } else if (own !== undefined && step._tag !== "Wait") {
      return yield* step._tag === "Raise" ? raise(parts, rows, own, step.price, caller) : cancel(parts, rows, own, step)
    }
    return "done"
  })

/** So old a send is, in seconds, when it is looked whether the nonces before its own are used. */
const gapAfter = 30

/** Copies of the node that lag behind show fewer: two reads have to agree. */
const gapReads = 2

/**
 * Why the lowest open nonce of an account can't run, if no transaction has the nonce before it; undefined if that can't be known now. A
 * nonce before it that the wallet has seen in a block may be free again: the block was undone, or the node was wrong.
 */
const gapBefore = ({ chain, store }: Parts, [{ account, createdAt, nonce }]: Rows) =>
  Effect.gen(function*() {
    if ((yield* UnixTime.now) - createdAt < gapAfter) return undefined
    let unused = 0n
    for (let read = 0; read < gapReads && unused < nonce; read++) {
      const used = Option.match(yield* chain.account(account), { onNone: () => 0n, onSome: (state) => state.nonce })
      unused = used > unused ? used : unused
    }
    if (unused >= nonce) return undefined
    const toDo = unused < (yield* store.firstUnused(account))
      ? "though the wallet saw its send in a block: if none has it, end that send with `klaytn gateway wallet repair`"
      : "its next payment without a nonce takes it"
    return `no transaction of the account has the nonce ${unused}, which comes before: ${toDo}`
  }).pipe(Effect.orElseSucceed(() => undefined))

/** Writes why the newest bytes of a nonce can't run, once. */
const note = ({ store }: Parts, rows: Rows, noted: SendLife.Noted | undefined) =>
  Effect.gen(function*() {
    const front = rows.findLast(({ cancels }) => cancels !== "none") ?? rows.at(-1)
    if (noted === undefined || front === undefined || front.refusal?.kind === noted.kind) return
    const now = yield* UnixTime.now
    if (noted.kind === "gap") yield* Effect.logWarning(`${front.hash} of ${front.account} waits: ${noted.text}`)
    yield* store.note(front, { ...noted, since: now }, now)
  })

/** Does what is to be done about the open rows of a nonce of which no block has decided. */
const keep = (
  parts: Parts,
  rows: Rows,
  view: SendLife.View,
  callerNamed: NonNullable<Parts["callerNamed"]>,
  gap?: string
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { store, wallet } = parts
    const [first] = rows
    const origin = originOf(rows)
    const { caller: name } = origin
    const found = name === undefined ? undefined : yield* callerNamed(name)
    const isRevoked = found !== undefined && wasRevoked(found, origin)
    const caller = found === undefined || isRevoked ? undefined : found.caller ?? unlimited(name ?? "")
    const known = { canSign: true, gap, isRevoked, limitPrice: limitPriceOf(caller, rows) }
    const patience = records.patienceOf(parts)
    const decide = (now: number, canSign: boolean) =>
      SendLife.next(records.recordOf(rows, { ...known, canSign }), view, patience, now)
    const now = yield* UnixTime.now
    const wanted = decide(now, true)
    if (wanted._tag === "Wait" || wanted._tag === "Submit") yield* note(parts, rows, wanted.noted)
    if (wanted._tag === "Wait") return
    if (!(yield* store.lease(first, now, now + leaseSeconds))) return
    const own = wanted._tag === "Submit" ? undefined : yield* signingAgain.ownAccount(wallet, first.account)
    const step = wanted._tag === "Submit" ? wanted : decide(now, own !== undefined)
    yield* Effect.onExit(
      execute(parts, rows, step, own, caller),
      (exit) => Exit.isSuccess(exit) && exit.value === "held" ? Effect.void : Effect.ignoreLogged(store.release(first))
    )
  })

/** In whose name nothing is limited. */
const nobody = unlimited("")

const viewOf = (parts: Parts) =>
  Effect.catchAll(records.viewOf(parts), ({ message }) => Effect.as(Effect.logWarning(message), undefined))

const anybody: NonNullable<Parts["callerNamed"]> = () => Effect.succeed({ caller: nobody })

/**
 * Does what is to be done about one nonce of an account now, for the request that waits for it.
 *
 * @category running
 */
export const repairOne = (parts: Parts) => ({ account, nonce }: Pick<StoredSend, "account" | "nonce">) =>
  Effect.gen(function*() {
    const [first, ...more] = yield* parts.store.openAt(account, nonce)
    if (first === undefined || (yield* settled(parts, [first, ...more]))) return
    const view = yield* viewOf(parts)
    if (view !== undefined) yield* keep(parts, [first, ...more], view, parts.callerNamed ?? anybody)
  })

/** The open rows of an account by nonce: they come in the order of nonces. */
const byNonce = (open: ReadonlyArray<StoredSend>): ReadonlyArray<Rows> => {
  const groups: Array<[StoredSend, ...Array<StoredSend>]> = []
  for (const row of open) {
    const last = groups.at(-1)
    if (last !== undefined && last[0].nonce === row.nonce) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** A failure of the node or of the database is logged, and the next round tries again. */
const logged = ([{ account, nonce }]: Rows) => <A>(effect: Effect.Effect<A, Failure>) =>
  Effect.catchAll(
    effect,
    ({ message }) => Effect.as(Effect.logWarning(`nonce ${nonce} of ${account} waits: ${message}`), undefined)
  )

/**
 * Writes what blocks say of the lowest nonces of an account, and gives those of which they say nothing. Nonces run in their order: if
 * nothing is said of the first and of the last, the node is not asked for those between them.
 */
const undecided = (parts: Parts, groups: ReadonlyArray<Rows>) =>
  Effect.gen(function*() {
    const isOpen = (rows: Rows) => Effect.map(logged(rows)(settled(parts, rows)), (isSettled) => isSettled !== true)
    const [first] = groups
    const last = groups.at(-1)
    if (first === undefined || last === undefined) return []
    const isFirst = yield* isOpen(first)
    const isLast = last === first ? isFirst : yield* isOpen(last)
    const between = groups.slice(1, -1)
    const others = isFirst && isLast ? between : yield* Effect.filter(between, isOpen, { concurrency: noncesAtOnce })
    return [...(isFirst ? [first] : []), ...others, ...(isLast && last !== first ? [last] : [])]
  })

/** Works on the lowest nonces of an account; on the next ones, too, once blocks have decided those. */
const keepAccount = (
  parts: Parts,
  account: StoredSend["account"],
  view: SendLife.View | undefined,
  callers: NonNullable<Parts["callerNamed"]>
): Effect.Effect<void, CustodyFailure> =>
  Effect.gen(function*() {
    const groups = byNonce(yield* parts.store.openOf(account, noncesOfAccount))
    const left = yield* undecided(parts, groups)
    // Without a view nothing is decided.
    if (view !== undefined) {
      const [lowest] = left
      const gap = lowest === undefined || lowest !== groups[0] ? undefined : yield* gapBefore(parts, lowest)
      yield* Effect.forEach(
        left,
        (rows) => logged(rows)(keep(parts, rows, view, callers, rows === lowest ? gap : undefined)),
        { discard: true }
      )
    }
    if (left.length === 0 && groups.length === noncesOfAccount) yield* keepAccount(parts, account, view, callers)
  })

/** In which round an account was looked at. */
interface Looks {
  round: number
  readonly accounts: Map<StoredSend["account"], number>
}

const noLooks = (): Looks => ({ round: 0, accounts: new Map() })

/** The accounts of a round: of each caller those that were not looked at for the longest time, and of all callers by turns. */
const accountsOf = (open: ReadonlyArray<Pick<StoredSend, "account" | "caller">>, looks: Looks) => {
  const known = new Set(open.map(({ account }) => account))
  for (const account of looks.accounts.keys()) if (!known.has(account)) looks.accounts.delete(account)
  looks.round++
  const chosen = Object.values(Arr.groupBy(open, ({ caller = "" }) => caller)).flatMap((accounts) =>
    accounts
      .map(({ account }) => ({ account, look: looks.accounts.get(account) ?? 0 }))
      .toSorted((one, other) => one.look - other.look)
      .slice(0, accountsOfCaller)
      .map(({ account }, turn) => ({ account, turn }))
  ).toSorted((one, other) => one.turn - other.turn)
  for (const { account } of chosen) looks.accounts.set(account, looks.round)
  return chosen.map(({ account }) => account)
}

const roundAfter = (parts: Parts, looks: Looks): Effect.Effect<void> =>
  Effect.gen(function*() {
    const accounts = accountsOf(yield* parts.store.openAccounts, looks)
    if (accounts.length === 0) return
    const view = yield* viewOf(parts)
    const callers = yield* Effect.cachedFunction(parts.callerNamed ?? anybody)
    yield* Effect.forEach(
      accounts,
      (account) =>
        Effect.catchAll(
          keepAccount(parts, account, view, callers),
          ({ message }) => Effect.logWarning(`the sends of ${account} wait: ${message}`)
        ),
      { concurrency, discard: true }
    )
  }).pipe(Effect.catchAll(({ message }) => Effect.logError(message)))

/**
 * One round over the open sends: of each account those with the lowest nonces, and of each caller some hundreds of accounts. A failure of
 * the node or of the database is logged, and the next round tries again.
 *
 * @category running
 */
export const round = (parts: Parts): Effect.Effect<void> => roundAfter(parts, noLooks())

/**
 * Rounds without end. Each begins with the accounts that were not looked at for the longest time.
 *
 * @category running
 */
export const run = (parts: Parts): Effect.Effect<never> =>
  Effect.suspend(() => {
    const looks = noLooks()
    return Effect.forever(Effect.zipRight(roundAfter(parts, looks), Effect.sleep(parts.every ?? "1 second")))
  })
