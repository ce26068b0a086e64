import * as Amount from "@effect-klaytn/core/Amount"
import type { BadRequest, InternalError } from "@effect-klaytn/core/ErrorBody"
import { deepestBody, isDeeper } from "@effect-klaytn/service/Bodies"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ChainWallet } from "../../ChainWallet.js"
import type { CustodyFailure, TransactionRejected } from "../../CustodyError.js"
import type { Pool, PoolType, WalletAccount } from "../../WalletRecord.js"
import type { WalletSettings } from "../../WalletSettings.js"
import { type BodyOf, readBody, refusalOf } from "./bodies.js"
import { refusalText, type WalletRefusals } from "./WalletRefusals.js"

/** The failures of a handler. */
export type Failure = BadRequest | InternalError | CustodyFailure | TransactionRejected

/** The header that names pools. */
export interface PoolHeaders {
  readonly "x-krn"?: string | undefined
}

/** The query of a deletion. */
export interface Deletion {
  readonly withCoin?: boolean | undefined
}

/** The pools of a request: the ones that it names, and the default pools of the other types. */
export type Pools = Readonly<Record<PoolType, Pool>>

/** A request to the wallet of a chain. Its methods read the body, and find pools and accounts that the request names. */
export class WalletRequest {
  constructor(readonly wallet: ChainWallet, readonly refusals: WalletRefusals, readonly settings: WalletSettings) {}

  /** Decodes the body; a missing one is an empty object. */
  body<A, I>(schema: Schema.Schema<A, I>): Effect.Effect<A, BadRequest, HttpServerRequest.HttpServerRequest> {
    return Effect.flatMap(this.json, (json) => this.decode(schema, json))
  }

  /** The same for the body of a transaction, of which all fields are checked before an error is chosen. */
  transactionBody<Payload>(endpoint: BodyOf<Payload>, prepare = (json: unknown) => json) {
    return Effect.flatMap(this.json, (json) => readBody(this.refusals, endpoint, prepare(json)))
  }

  /** The body as JSON. */
  readonly json: Effect.Effect<unknown, BadRequest, HttpServerRequest.HttpServerRequest> = Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      request.text.pipe(
        Effect.filterOrFail((text) => !isDeeper(text, deepestBody)),
        Effect.flatMap((text) => Effect.try((): unknown => text.trim() === "" ? {} : JSON.parse(text))),
        Effect.mapError(() => this.refusals.of("empty", `body, which is no JSON of at most ${deepestBody} levels`))
      )
  )

  /** Decodes JSON that is the body, or was made of it. */
  decode<A, I>(schema: Schema.Schema<A, I>, json: unknown): Effect.Effect<A, BadRequest> {
    return Effect.mapError(
      Schema.decodeUnknown(schema)(json),
      (error) => refusalOf(this.refusals, ParseResult.ArrayFormatter.formatErrorSync(error)[0], json)
    )
  }

  /**
   * The pools of a request, for an operation that works in pools of the `needed` types. The request may name pools of other
   * types as well, but not alone. The error for a pool that is missing or has the wrong type names the pool (inferred).
   */
  pools(headers: PoolHeaders, needed: ReadonlyArray<PoolType> = ["account-pool"]): Effect.Effect<Pools, Failure> {
    return Effect.gen(this, function*() {
      const { wallet } = this
      const named = new Map<PoolType, Pool>()
      const krns = (headers["x-krn"] ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "")
      for (const krn of krns) {
        const pool = yield* wallet.poolOf(krn)
        if (pool === undefined) return yield* this.refusals.fail("noData", krn)
        named.set(pool.type, pool)
      }
      const [first] = krns
      const [similar] = [...named.values()].map(({ name }) => name)
      const poolOf = (type: PoolType) => {
        const pool = named.get(type)
        return pool === undefined ? wallet.pool(type, "default", similar) : Effect.succeed(pool)
      }
      if (first !== undefined && !needed.some((type) => named.has(type))) {
        return yield* this.refusals.fail("noData", first)
      }
      return {
        "account-pool": yield* poolOf("account-pool"),
        "feepayer-pool": yield* poolOf("feepayer-pool"),
        "key-pool": yield* poolOf("key-pool")
      }
    })
  }

  /** The pool of a type that a request names. */
  pool(headers: PoolHeaders, type: PoolType): Effect.Effect<Pool, Failure> {
    return Effect.map(this.pools(headers, [type]), (pools) => pools[type])
  }

  /** An account of a pool, with any status. */
  account(pool: Pool, address: string): Effect.Effect<WalletAccount, Failure> {
    return Effect.filterOrElse(
      this.wallet.account(pool, address),
      Predicate.isNotUndefined,
      () => this.refusals.fail("noData")
    )
  }

  /**
   * Refuses a deletion that would leave one of these accounts with coin and without what signs for it, unless the request says that
   * they may have coin. The refusal names no account: the caller may not see the one that uses a key.
   */
  leavesCoin({ withCoin = false }: Deletion, addresses: ReadonlyArray<Hex>): Effect.Effect<void, Failure> {
    return this.settings.keepsCoin && !withCoin
      ? Effect.forEach(addresses, (address) =>
        Effect.flatMap(
          this.wallet.chain.account(address),
          Option.match({
            onNone: () => Effect.void,
            onSome: ({ balance }) =>
              balance === 0n
                ? Effect.void
                : this.refusals.fail("hasCoin", `it has ${Amount.format(balance)}`)
          })
        ), { discard: true })
      : Effect.void
  }

  /** An account of a pool that can sign. */
  usableAccount(pool: Pool, address: string): Effect.Effect<WalletAccount, Failure> {
    return Effect.gen(this, function*() {
      const account = yield* this.wallet.account(pool, address)
      const status = account === undefined ? "disabled" : yield* this.wallet.status(account)
      if (account !== undefined && status === "enabled") return account
      const why = refusalText(status === "corrupted" ? "corruptedAccount" : "noData")
      return yield* this.refusals.fail("unusableAccount", why)
    })
  }
}
