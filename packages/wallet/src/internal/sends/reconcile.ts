/** Finds the outcome of a send on the chain. */
import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountNonces, SendRecord } from "../../SendRecord.js"
import { type FoundTransaction, LookupFailed, SendVerdict } from "../../TransactionResult.js"
import { compare, hashToFind, make, type TransactionIntent } from "../plans/transactionIntent.js"
import type { Lookup } from "./lookup.js"

/** One send. Two sends with the same content are different objects. */
export interface Owner {
  readonly intent: TransactionIntent
  /** The nonce that it is bound to; `undefined` if the service chose it. */
  readonly nonce: number | undefined
}

/** The most accounts that a client keeps, and the most nonces of each. The oldest are dropped first. */
export const maxAccounts = 10_000
const maxNonces = 1000

const keep = <K, V>(map: Map<K, V>, key: K, value: V, most: number): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size > most) map.delete(oldest)
}

/** What is known of the transaction with a nonce. */
interface Claim {
  readonly owner: Owner
  /** Its hash, as the answer to the send says. */
  readonly hash: Hash | undefined
  /** Whether a block has the transaction with that hash. */
  isProven: boolean
}

/**
 * Which transactions of an account belong to which sends of one client, as their answers say. A send without a nonce
 * is recognised by its content alone, so a transaction of an identical send must not be taken for its own.
 */
export class Claims {
  readonly #claimed = new Map<Address, Map<number, Claim>>()
  readonly #pending = new Map<Address, Map<number, Set<Owner>>>()

  /** Claims a nonce for a send; false if it belongs to another. Sends that give the same nonce count as one send. */
  claim(address: Address, nonce: number, owner: Owner, hash?: Hash): boolean {
    if (this.isOfAnother(address, nonce, owner)) return false
    const owners = this.#claimed.get(address) ?? new Map<number, Claim>()
    keep(owners, nonce, { owner, hash, isProven: false }, maxNonces)
    keep(this.#claimed, address, owners, maxAccounts)
    return true
  }

  /** Whether a nonce belongs to another send. */
  isOfAnother(address: Address, nonce: number, owner: Owner): boolean {
    const known = this.#claimed.get(address)?.get(nonce)?.owner
    return known !== undefined && known !== owner && (known.nonce === undefined || known.nonce !== owner.nonce)
  }

  /** Those of these nonces that belong to another send by the word of its answer alone. */
  unproven(address: Address, nonces: ReadonlyArray<number>, owner: Owner): ReadonlyArray<number> {
    return nonces.filter((nonce) => {
      const known = this.#claimed.get(address)?.get(nonce)
      return known?.hash !== undefined && !known.isProven && this.isOfAnother(address, nonce, owner)
    })
  }

  /**
   * Compares what a block has at a nonce with the answer that claimed it. A node can lose what it has accepted, and the nonce goes to
   * a later send: then the claim is given up, unless the transaction might be the one that was claimed.
   */
  prove(found: FoundTransaction): "claimed" | "free" | "unclear" {
    const owners = this.#claimed.get(found.from)
    const known = owners?.get(found.nonce)
    if (known === undefined) return "free"
    if (known.hash === undefined || known.hash === found.transactionHash) {
      known.isProven = true
      return "claimed"
    }
    if (compare(known.owner.intent, found) !== "different") return "unclear"
    owners?.delete(found.nonce)
    return "free"
  }

  /** Records that a send with this nonce is in progress or has an unknown outcome. */
  open(address: Address, nonce: number, owner: Owner): void {
    const nonces = this.#pending.get(address) ?? new Map<number, Set<Owner>>()
    keep(nonces, nonce, (nonces.get(nonce) ?? new Set()).add(owner), maxNonces)
    keep(this.#pending, address, nonces, maxAccounts)
  }

  /** Removes the record: the outcome of the send is known. */
  close(address: Address, nonce: number, owner: Owner): void {
    const owners = this.#pending.get(address)?.get(nonce)
    owners?.delete(owner)
    if (owners?.size === 0) this.#pending.get(address)?.delete(nonce)
  }

  /** Whether a transaction more likely belongs to another open send, which has its nonce and the same content. */
  fitsOpenSend(found: FoundTransaction, owner: Owner): boolean {
    const owners = this.#pending.get(found.from)?.get(found.nonce) ?? []
    return [...owners].some((one) => one !== owner && compare(one.intent, found) === "same")
  }

  /** The highest nonce that belongs to a send. */
  highest(address: Address): number {
    return Math.max(-1, ...this.#claimed.get(address)?.keys() ?? [])
  }
}

/** A send whose outcome is not known, and what helps to find it. */
export interface PendingSend {
  readonly owner: Owner
  /** The account's next nonce before the send, if the service chose the nonce. */
  readonly nonces: AccountNonces | undefined
  /** The hash that the service named. */
  readonly hash: Hash | undefined
  /** What belongs to other sends of this client. */
  readonly claims: Claims
}

const ambiguous = (why: string, ...transactions: ReadonlyArray<FoundTransaction>) =>
  SendVerdict.Ambiguous({ transactions, why })

/** The most transactions among which one with the same content is searched. */
const maxSearched = 16

/** Whether a transaction belongs to another send, as far as its answer and a block can tell. */
const isAnothers = (claims: Claims, found: FoundTransaction, owner: Owner): boolean =>
  claims.isOfAnother(found.from, found.nonce, owner) && claims.prove(found) !== "free"

const reconcileByNonce = Effect.fnUntraced(function*(
  lookup: Lookup,
  { claims, hash, owner }: PendingSend,
  address: Address,
  nonce: number
) {
  const known = hash === undefined
    ? undefined
    : Option.getOrUndefined(yield* Effect.orElseSucceed(lookup.byHash(hash), Option.none<FoundTransaction>))
  if (
    known?.nonce === nonce && compare(owner.intent, known) === "same" &&
    (known.block === undefined ? !claims.isOfAnother(address, nonce, owner) : !isAnothers(claims, known, owner))
  ) {
    return known.state === "waiting"
      ? SendVerdict.Waiting({ transaction: known })
      : SendVerdict.Executed({ transaction: known, certainty: "nonce" })
  }
  const taken = yield* lookup.byNonce(address, nonce)
  if (Option.isNone(taken)) {
    return SendVerdict.NotExecuted({
      nextNonce: yield* Effect.orElseSucceed(lookup.nextNonce(address), () => undefined)
    })
  }
  const transaction = taken.value
  switch (compare(owner.intent, transaction)) {
    case "same":
      return isAnothers(claims, transaction, owner)
        // Answers can be mixed up on the way, so a report to another send does not prove that this one was not made.
        ? ambiguous(
          "it looks the same, and the transaction was reported to another send of this client as its own",
          transaction
        )
        : SendVerdict.Executed({ transaction, certainty: "nonce" })
    case "different":
      return SendVerdict.Superseded({ transaction })
    case "unclear":
      return ambiguous("the nonce is taken, and it can't be told whether by this transaction", transaction)
  }
})

/** The failure for a node that lags behind what is known of an account: a transaction that it does not show may exist. */
export const nodeIsBehind = (next: number, highest: number): LookupFailed =>
  new LookupFailed({
    problem: `the node is behind: it has seen ${next} transactions of the account, and nonce ${highest} was sent`
  })

/**
 * The transactions at nonces that other sends were told of, where a block has something else than the answer said: those that nobody
 * claims any more, and those of which it can't be told.
 */
const misclaimed = Effect.fnUntraced(function*(
  lookup: Lookup,
  { claims, owner }: Pick<PendingSend, "claims" | "owner">,
  address: Address,
  nonces: ReadonlyArray<number>
) {
  const free: Array<FoundTransaction> = []
  const unclear: Array<FoundTransaction> = []
  for (const some of Arr.chunksOf(claims.unproven(address, nonces, owner), maxSearched)) {
    const found = yield* lookup.byNonces(address, some)
    if (found.length < some.length) {
      return yield* new LookupFailed({
        problem:
          `the node shows ${found.length} of ${some.length} transactions of the account that other sends were told of`
      })
    }
    for (const transaction of found) {
      const standing = claims.prove(transaction)
      if (standing === "claimed" || compare(owner.intent, transaction) === "different") continue
      if (standing === "free") free.push(transaction)
      else unclear.push(transaction)
    }
  }
  return { free, unclear }
})

const reconcileByContent = Effect.fnUntraced(function*(
  lookup: Lookup,
  { claims, owner }: PendingSend,
  address: Address,
  { afterWaiting, next: from }: AccountNonces
) {
  const next = yield* lookup.nextNonce(address)
  if (next < from) return yield* nodeIsBehind(next, from - 1)
  const since = Array.from({ length: Math.min(next - from, 10 * maxSearched) }, (_, index) => from + index)
  const unclaimed = since.filter((nonce) => !claims.isOfAnother(address, nonce, owner))
  if (next - from > 10 * maxSearched || unclaimed.length > maxSearched) {
    return ambiguous(`the account has sent ${next - from} transactions since`)
  }
  const found = unclaimed.length === 0 ? [] : yield* lookup.byNonces(address, unclaimed)
  if (found.length < unclaimed.length) {
    return yield* new LookupFailed({
      problem: `the node contradicts itself: it counts ${next} transactions of the account, and shows ` +
        `${found.length} of the ${unclaimed.length} that are looked for`
    })
  }
  const fits = (transaction: FoundTransaction) => !claims.fitsOpenSend(transaction, owner)
  const seen = Arr.groupBy(found, (transaction) => compare(owner.intent, transaction))
  const isFound = seen.same?.some(fits) === true
  // Before it is said that nothing was sent, the answers to other sends are compared with the chain.
  const lost = isFound ? { free: [], unclear: [] } : yield* misclaimed(lookup, { claims, owner }, address, since)
  const { same: freed = [], unclear: unsure = [] } = Arr.groupBy(lost.free, (one) => compare(owner.intent, one))
  const same = [...seen.same ?? [], ...freed].filter(fits)
  const unclear = [...seen.unclear ?? [], ...unsure, ...lost.unclear]
  if (unclear.length > 0) {
    return ambiguous("it can't be told whether these transactions are the one", ...same, ...unclear)
  }
  const [transaction, ...others] = same
  if (transaction === undefined) {
    const highest = claims.highest(address)
    return highest >= next ? yield* nodeIsBehind(next, highest) : SendVerdict.NotExecuted({ nextNonce: next })
  }
  if (others.length > 0) return ambiguous("several transactions of the account look the same", ...same)
  if (transaction.nonce < afterWaiting) {
    return ambiguous("the one that looks the same was waiting before the send", ...same)
  }
  return claims.claim(address, transaction.nonce, owner, transaction.transactionHash)
    ? SendVerdict.Executed({ transaction, certainty: "content" })
    : SendVerdict.NotExecuted({ nextNonce: next })
})

/** Finds the outcome of a send. */
export const reconcile = (
  lookup: Lookup,
  pending: PendingSend
): Effect.Effect<SendVerdict, LookupFailed> => {
  const { nonces, owner } = pending
  const address = owner.intent.from
  if (address === undefined) return Effect.succeed(ambiguous("the sender is not known"))
  if (owner.nonce !== undefined) return reconcileByNonce(lookup, pending, address, owner.nonce)
  return nonces === undefined
    ? Effect.succeed(ambiguous(
      "the service chose the nonce, and the nonces of the account before the send are not known: " +
        "configure the node's address, or name a nonce"
    ))
    : reconcileByContent(lookup, pending, address, nonces)
}

/** The send of a record, without the claims of the client that made it. */
export const pendingOf = ({ hash, nonces, plan }: SendRecord): PendingSend => {
  const intent = make(plan)
  return {
    owner: { intent, nonce: intent.isKeyed ? intent.nonce : undefined },
    nonces,
    hash: hashToFind(intent, hash),
    claims: new Claims()
  }
}

/** The look-up of each `SendUnknown` by the client that made it. It is no field of the error: fields are logged and stored. */
export const reconcilers = new WeakMap<object, Effect.Effect<SendVerdict, LookupFailed>>()
