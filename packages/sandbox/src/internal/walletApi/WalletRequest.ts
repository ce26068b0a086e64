import type { BadRequest, InternalError } from "@effect-klaytn/core/ErrorBody"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as OperationApi from "@effect-klaytn/core/OperationApi"
import { RequestChain } from "@effect-klaytn/core/OperationApi"
import * as AccountsApi from "@effect-klaytn/wallet/AccountsApi"
import * as FeesApi from "@effect-klaytn/wallet/FeesApi"
import * as KeysApi from "@effect-klaytn/wallet/KeysApi"
import * as MultisigApi from "@effect-klaytn/wallet/MultisigApi"
import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ChainId } from "../../Chain.js"
import type { StoreFailure, TransactionRejected } from "../../ChainError.js"
import { deepestBody, isDeeper } from "../gateway/Bodies.js"
import type { Pool, PoolType, WalletAccount } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import type { Wallet } from "../wallet/Wallet.js"
import { type Issue, refusalOf } from "./bodies.js"
import { nodeMessage, refusalText, type WalletRefusals } from "./WalletRefusals.js"

/** What goes wrong on the way to an answer. */
export type Failure = BadRequest | InternalError | StoreFailure | TransactionRejected

/** The header that names pools. */
export interface PoolHeaders {
  readonly "x-krn"?: string | undefined
}

/** The pools of a request: those that it names, and otherwise the default ones. */
export type Pools = Readonly<Record<PoolType, Pool>>

/** What the service does where another than the sender may pay. */
export interface FeeDelegation {
  readonly style: FeePayerStyle
  /** Whether a fee payer signs a raw transaction again that has a signature of it. */
  readonly signsAnew: boolean
}

/** What the wallet's handlers read from a request: its chain, pools, body and account. */
export class WalletRequest {
  constructor(readonly wallet: Wallet, readonly refusals: WalletRefusals, readonly fees: FeeDelegation) {}

  /** The wallet of the chain that the request names. */
  readonly chainWallet: Effect.Effect<ChainWallet, never, RequestChain> = Effect.map(
    RequestChain,
    (chainId: ChainId) => this.wallet.chain(chainId)
  )

  /**
   * A handler that answers with what `run` returns as JSON. Refusals of the node and failures of the database become the
   * service's errors.
   */
  readonly serve = <Input, R>(run: (input: Input) => Effect.Effect<unknown, Failure, R>) => (input: Input) =>
    run(input).pipe(
      Effect.map((body) => HttpServerResponse.unsafeJson(body)),
      Effect.catchTags({
        TransactionRejected: ({ message }) => this.refusals.fail("nodeRefused", nodeMessage(message)),
        StoreFailure: ({ message }) =>
          Effect.zipRight(Effect.logError(message), Effect.failSync(() => this.refusals.internal()))
      })
    )

  /** Decodes the body; a missing one is an empty object. */
  body<A, I>(schema: Schema.Schema<A, I>): Effect.Effect<A, BadRequest, HttpServerRequest.HttpServerRequest> {
    return Effect.flatMap(this.json, (json) => this.decode(schema, json))
  }

  /** The body as JSON. */
  readonly json: Effect.Effect<unknown, BadRequest, HttpServerRequest.HttpServerRequest> = Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      request.text.pipe(
        Effect.filterOrFail((text) => !isDeeper(text, deepestBody)),
        Effect.flatMap((text) => Effect.try((): unknown => text.trim() === "" ? {} : JSON.parse(text))),
        Effect.mapError(() => this.refusals.of("empty", "body"))
      )
  )

  /** Decodes a body that was changed before. */
  decode<A, I>(schema: Schema.Schema<A, I>, json: unknown): Effect.Effect<A, BadRequest> {
    return Effect.mapError(Schema.decodeUnknown(schema)(json), (error) => {
      const issue: Issue | undefined = ParseResult.ArrayFormatter.formatErrorSync(error)[0]
      return refusalOf(this.refusals, issue, json)
    })
  }

  /**
   * The pools of a request, for an operation that works in pools of the `needed` types. Pools of other types may be
   * named beside one of these, and not instead of it. The error for a missing pool, or one of the wrong type, names it
   * (inferred).
   */
  pools(
    wallet: ChainWallet,
    headers: PoolHeaders,
    needed: ReadonlyArray<PoolType> = ["account-pool"]
  ): Effect.Effect<Pools, Failure> {
    return Effect.gen(this, function*() {
      const named = new Map<PoolType, Pool>()
      const krns = (headers["x-krn"] ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "")
      for (const krn of krns) {
        const pool = yield* wallet.poolOf(krn)
        if (pool === undefined) return yield* this.refusals.fail("noData", krn)
        named.set(pool.type, pool)
      }
      const [first] = krns
      if (first !== undefined && !needed.some((type) => named.has(type))) {
        return yield* this.refusals.fail("noData", first)
      }
      return {
        "account-pool": named.get("account-pool") ?? (yield* wallet.pool("account-pool")),
        "feepayer-pool": named.get("feepayer-pool") ?? (yield* wallet.pool("feepayer-pool")),
        "key-pool": named.get("key-pool") ?? (yield* wallet.pool("key-pool"))
      }
    })
  }

  /** The pool of a type that a request names, and the wallet that it is in. */
  pool(headers: PoolHeaders, type: PoolType) {
    return Effect.flatMap(
      this.chainWallet,
      (wallet) => Effect.map(this.pools(wallet, headers, [type]), (pools) => ({ wallet, pool: pools[type] }))
    )
  }

  /** An account of a pool, whatever its status. */
  account(wallet: ChainWallet, pool: Pool, address: string): Effect.Effect<WalletAccount, Failure> {
    return Effect.filterOrElse(
      wallet.account(pool, address),
      Predicate.isNotUndefined,
      () => this.refusals.fail("noData")
    )
  }

  /** An account of a pool that can sign. */
  usableAccount(wallet: ChainWallet, pool: Pool, address: string): Effect.Effect<WalletAccount, Failure> {
    return Effect.gen(this, function*() {
      const account = yield* wallet.account(pool, address)
      const status = account === undefined ? "disabled" : yield* wallet.status(account)
      if (account !== undefined && status === "enabled") return account
      const why = refusalText(status === "corrupted" ? "corruptedAccount" : "noData")
      return yield* this.refusals.fail("unusableAccount", why)
    })
  }
}

/** The wallet's operations, and the list of resources. */
export class WalletServiceApi extends HttpApi.make("klaytn-wallet")
  .add(OperationApi.group("wallet", WalletApi))
  .add(OperationApi.group("accounts", AccountsApi))
  .add(OperationApi.group("keys", KeysApi))
  .add(OperationApi.group("multisig", MultisigApi))
  .add(OperationApi.group("fees", FeesApi))
  .add(OperationApi.group("transactions", TransactionsApi))
  .add(OperationApi.group("resource", ResourcesApi))
{}
