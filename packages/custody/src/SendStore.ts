/**
 * The rows of a wallet's sends: each with the bytes that were signed, stored before anything is sent.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "./CustodyError.js"
import type { Refusal } from "./SendRefusal.js"
import type { Origin } from "./WalletCaller.js"
import type { VerdictQuery } from "./WalletChain.js"
import type { Counts } from "./WalletStore.js"

/**
 * `open`: sent or about to be sent, and no block has decided. `mined`: in a block. `replaced`: a block has another transaction with
 * its nonce, so it can never run. `refused`: the node refused it, and its nonce is free again.
 *
 * @category models
 */
export type SendState = "open" | "mined" | "replaced" | "refused"

/**
 * The states that a send may leave for another one: `mined` is the last word, but for the owner's, and only what was refused can be open again.
 *
 * @category constants
 */
export const statesBefore: Readonly<Record<SendState, ReadonlyArray<SendState>>> = {
  open: ["refused"],
  mined: ["open", "replaced", "refused"],
  replaced: ["open", "replaced", "refused"],
  refused: ["open"]
}

/**
 * Why a send was ended that its owner has ended: nothing is signed or sent for it any more.
 *
 * @category constants
 */
export const endedByOwner = "ended by the owner"

/**
 * Signed bytes at a nonce: an attempt of a payment, or a cancellation.
 *
 * @category models
 */
export interface StoredSend extends VerdictQuery, Origin {
  readonly id: number
  readonly raw: Hex
  readonly state: SendState
  /** Whether it cancels the transaction with its nonce: `global`, at the cost of the global fee payer though the send is not. */
  readonly cancels: "none" | "own" | "global"
  /** The `id` of the first attempt of the payment. */
  readonly payment: number
  /** Which attempt of the payment it is, from 0. */
  readonly attempt: number
  /** The most that it pays for a unit of gas, in peb. */
  readonly price: bigint
  /** Whether the wallet made it, and may sign it again at another price. */
  readonly isRaisable: boolean
  /** How often it was given to the node again. */
  readonly attempts: number
  /** The request that it was made for, if the request has a key. */
  readonly request: string | undefined
  /** The last refusal, with the first of its kind in a row; undefined if the node has taken it since. */
  readonly refusal: Refusal | undefined
  /** Until when one owner repairs the send of its nonce, in Unix seconds. */
  readonly leasedUntil: number
  /** The transaction that a block has at its nonce, for one that was replaced. */
  readonly winner: Hex | undefined
  /** Why a cancellation was signed, or the wallet gave up. */
  readonly why: string | undefined
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * What a send is stored with.
 *
 * @category models
 */
export type NewSend =
  & Pick<
    StoredSend,
    "account" | "nonce" | "hash" | "senderHash" | "raw" | "price" | "cancels" | "request" | "isRaisable" | "leasedUntil"
  >
  & Partial<Pick<StoredSend, "attempt" | "payment" | "caller" | "credential" | "why">>
  & {
    /** The open row for which a repair has signed it: if that row is not open any more, nothing is stored. */
    readonly repairs?: Pick<StoredSend, "id"> | undefined
  }

/**
 * The open sends of an account.
 *
 * @category models
 */
export interface OpenSends {
  readonly account: Hex
  /** Nonces: the attempts of a payment count as one. */
  readonly count: number
  /** Unix seconds of the oldest. */
  readonly since: number
}

/**
 * Sends, and requests with a key.
 *
 * @category services
 */
export interface SendStore {
  /**
   * Stores a send, which takes its nonce; one with an `attempt` shares the nonce with the earlier attempts of its payment. Gives the row;
   * undefined if another live transaction of the account has the nonce, or a block has one.
   */
  readonly take: (send: NewSend, now: number) => Effect.Effect<StoredSend | undefined, StoreFailure>
  /** The newest live attempt of the payment at a nonce. */
  readonly live: (account: Hex, nonce: bigint) => Effect.Effect<StoredSend | undefined, StoreFailure>
  /** What is open at a nonce, in the order in which it was stored. */
  readonly openAt: (account: Hex, nonce: bigint) => Effect.Effect<ReadonlyArray<StoredSend>, StoreFailure>
  readonly byHash: (hash: Hex) => Effect.Effect<StoredSend | undefined, StoreFailure>
  /** The newest send of a request from an account; of any account if none is given. */
  readonly ofRequest: (request: string, account?: Hex) => Effect.Effect<StoredSend | undefined, StoreFailure>
  /** The nonces from one on that live transactions have, in order. */
  readonly takenFrom: (account: Hex, nonce: bigint) => Effect.Effect<ReadonlyArray<bigint>, StoreFailure>
  /** The nonce after the last one of an account whose transaction was found in a block; 0 if there is none. */
  readonly firstUnused: (account: Hex) => Effect.Effect<bigint, StoreFailure>
  /** Open sends, those with the lowest nonces first. */
  readonly open: Effect.Effect<ReadonlyArray<StoredSend>, StoreFailure>
  /** The accounts with open sends, and whose send has the lowest nonce there, the oldest rows first. */
  readonly openAccounts: Effect.Effect<ReadonlyArray<Pick<StoredSend, "account" | "caller">>, StoreFailure>
  /** The open sends of an account at its lowest nonces, so many at most, in the order of nonces. */
  readonly openOf: (account: Hex, nonces: number) => Effect.Effect<ReadonlyArray<StoredSend>, StoreFailure>
  /** How many payments of a caller are under way: in all, and from an account. */
  readonly countOf: (caller: string, account: Hex) => Effect.Effect<Counts, StoreFailure>
  /** The accounts with open sends, those with the oldest first. */
  readonly openByAccount: Effect.Effect<ReadonlyArray<OpenSends>, StoreFailure>
  /** The first open send of an account before a nonce that does not run: the node refuses it, or it is being cancelled. */
  readonly stuckBefore: (account: Hex, nonce: bigint) => Effect.Effect<StoredSend | undefined, StoreFailure>
  /** Takes the repair of a nonce until a second, unless somebody has it; whether it was free. */
  readonly lease: (
    send: Pick<StoredSend, "account" | "nonce">,
    now: number,
    until: number
  ) => Effect.Effect<boolean, StoreFailure>
  /** Gives the repair of a nonce back. */
  readonly release: (send: Pick<StoredSend, "account" | "nonce">) => Effect.Effect<void, StoreFailure>
  /** Writes that the bytes were given to the node, and the refusal; undefined if the node has taken them. */
  readonly given: (send: StoredSend, refusal: Refusal | undefined, now: number) => Effect.Effect<void, StoreFailure>
  /** Writes why a send does not run, which was not given to the node now. */
  readonly note: (send: StoredSend, refusal: Refusal, now: number) => Effect.Effect<void, StoreFailure>
  /**
   * Writes what was decided, unless its state is none of {@link statesBefore} by now. Once a send is in a block, the others with its nonce
   * that are not decided are `replaced` by it.
   */
  readonly settle: (
    send: StoredSend,
    state: SendState,
    now: number,
    ended?: { readonly winner?: Hex | undefined; readonly why?: string | undefined }
  ) => Effect.Effect<void, StoreFailure>
  /**
   * Writes that the node has refused the bytes of a request's send, whose nonce is free again: unless the bytes were given to the node
   * again since the row was read, or somebody else has the repair of the send, who may be about to. Whether it is written.
   */
  readonly refuse: (send: StoredSend, now: number, why: string) => Effect.Effect<boolean, StoreFailure>
  /**
   * Makes a refused send live again, for its request until a second; false if its nonce was taken meanwhile, or its owner has ended it.
   */
  readonly retake: (send: StoredSend, now: number, leasedUntil: number) => Effect.Effect<boolean, StoreFailure>
}

/**
 * A request with a key: what was asked, and the answer once there is one.
 *
 * @category models
 */
export interface KeyedRequest {
  /** SHA-256 of what is asked. */
  readonly digest: Hex
  readonly answer: { readonly status: number; readonly body: string } | undefined
  /** Whether the request was made before. */
  readonly isRepeated: boolean
}

/**
 * The requests that came with an `Idempotency-Key`.
 *
 * @category services
 */
export interface RequestStore {
  /**
   * Stores what is asked under a key, unless something is; gives what is stored. `former` is the ID that version 1 of the tables gave
   * to the same request. Gives why the key is refused, as text, if it is not stored and the store takes no new keys.
   */
  readonly begin: (
    id: string,
    digest: Hex,
    now: number,
    former?: string
  ) => Effect.Effect<KeyedRequest | string, StoreFailure>
  /** Why new keys are refused; undefined if they are not. */
  readonly refusal: Effect.Effect<string | undefined, StoreFailure>
  /** Refuses keys that are not stored, until {@link RequestStore.acceptNew}. The first reason stays. */
  readonly refuseNew: (why: string) => Effect.Effect<void, StoreFailure>
  /** Accepts keys that are not stored. */
  readonly acceptNew: Effect.Effect<void, StoreFailure>
  readonly answer: (
    id: string,
    answer: { readonly status: number; readonly body: string }
  ) => Effect.Effect<void, StoreFailure>
  /** Gives the key of a request back that was refused, if the request has sent, made, changed, counted and signed nothing. */
  readonly free: (id: string) => Effect.Effect<void, StoreFailure>
  /**
   * Puts away requests that began before a Unix second and whose sends are final, the oldest first, and gives how many. One that moved,
   * made or changed something is kept for good, without its answer. Any other is removed; its sends stay, and belong to no request.
   */
  readonly forget: (before: number, limit: number) => Effect.Effect<number, StoreFailure>
}
