/** What each endpoint does: a call of `Payouts`, and its errors as those of the interface. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { Engine } from "@effect-klaytn/engine/Engine"
import type { Payout } from "@effect-klaytn/payouts/Payout"
import type * as PayoutError from "@effect-klaytn/payouts/PayoutError"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as PayoutState from "@effect-klaytn/payouts/PayoutState"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Api from "./Api.js"
import { Settings } from "./Settings.js"

const toOrder = ({ content: { request }, key, state }: Payout): typeof Api.Order.Type => ({
  key,
  ...request._tag === "Value"
    ? { to: Address.checksum(request.to), amount: Amount.toKlay(request.value) }
    // Another program paid it from the same database.
    : { to: "", amount: "0" },
  state: state._tag,
  ended: PayoutState.isFinal(state),
  problem: "problem" in state ? state.problem : undefined,
  transactionHash: "transactionHash" in state ? state.transactionHash : undefined,
  block: "block" in state ? state.block : undefined
})

const invalid = ({ message: problem }: InvalidInput) => new Api.InvalidOrder({ problem })
const noSuch = ({ key }: PayoutError.NoSuchPayout) => new Api.NoSuchOrder({ key })
/** The reason is for the log: it may name hosts. */
const unavailable = (error: { readonly message: string }) =>
  Effect.zipRight(Effect.logError(error.message), new Api.Unavailable())

const OrdersLive = HttpApiBuilder.group(Api.PaymentsApi, "orders", (handlers) =>
  Effect.gen(function*() {
    const { account: from } = yield* Settings
    const payouts = yield* Payouts.Payouts
    return handlers
      // `submit` and not `pay`: once it is stored it will be paid, and no connection has to stay open for that.
      .handle("place", ({ payload: { amount: value, key, memo, to } }) =>
        payouts.submit({ key, from, to, value, memo, payer: FeeDelegation.service }).pipe(
          Effect.map(toOrder),
          Effect.catchTags({
            InvalidInput: invalid,
            KeyConflict: ({ differences, key }) =>
              new Api.KeyTaken({ key, differences }),
            DatabaseFailed: unavailable
          })
        ))
      .handle("get", ({ path: { key } }) =>
        payouts.get(key).pipe(
          Effect.map((payout) => ({
            ...toOrder(payout),
            history: payout.history.map(({ at, event, state }) => ({
              at: new Date(at),
              event: event._tag,
              state: state._tag
            }))
          })),
          Effect.catchTags({ NoSuchPayout: noSuch, DatabaseFailed: unavailable })
        ))
      .handle("list", ({ urlParams: { cursor, size, state } }) =>
        payouts.list({ cursor, size, states: state === undefined ? undefined : [state] }).pipe(
          Effect.map(({ cursor, items }) => ({ orders: items.map(toOrder), cursor: Option.getOrUndefined(cursor) })),
          Effect.catchTags({ InvalidInput: invalid, DatabaseFailed: unavailable })
        ))
  }))

const ApprovalsLive = HttpApiBuilder.group(Api.PaymentsApi, "approvals", (handlers) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const answered = (
      decided: Effect.Effect<
        Payout,
        PayoutError.NoSuchPayout | PayoutError.InvalidTransition | PayoutError.DatabaseFailed
      >
    ) =>
      decided.pipe(
        Effect.map(toOrder),
        Effect.catchTags({
          NoSuchPayout: noSuch,
          InvalidTransition: ({ key, problem, state }) => new Api.InvalidTransition({ key, problem, state }),
          DatabaseFailed: unavailable
        })
      )
    return handlers
      .handle("approve", ({ path: { key } }) => answered(payouts.approve(key)))
      .handle("cancel", ({ path: { key } }) => answered(payouts.cancel(key)))
  }))

const OperationsLive = HttpApiBuilder.group(Api.PaymentsApi, "operations", (handlers) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const engine = yield* Engine
    return handlers.handle("health", () =>
      Effect.gen(function*() {
        const { oldest, open, stuck, unknown, waitingForApproval } = yield* payouts.health
        const { runners } = yield* engine.health
        const oldestSeconds = Option.match(oldest, { onNone: () => 0, onSome: Duration.toSeconds })
        return { runners, open, unknown, stuck, waitingForApproval, oldestSeconds }
      }).pipe(
        Effect.catchTags({ DatabaseFailed: unavailable, EngineError: unavailable })
      ))
  }))

/** Compares in a time that does not depend on where two tokens differ. */
const isSame = (given: Redacted.Redacted, wanted: Redacted.Redacted): boolean => {
  const hash = (token: Redacted.Redacted) => createHash("sha256").update(Redacted.value(token)).digest()
  return timingSafeEqual(hash(given), hash(wanted))
}

const bearer = (wanted: Redacted.Redacted) => ({
  bearer: (given: Redacted.Redacted) => isSame(given, wanted) ? Effect.void : new Api.Unauthorized()
})

const CallerLive = Layer.effect(Api.Caller, Effect.map(Settings, ({ token }) => bearer(token)))
const ApproverLive = Layer.effect(Api.Approver, Effect.map(Settings, ({ approvalToken }) => bearer(approvalToken)))

/** The interface, on `Payouts` and `Settings`. */
export const layer = HttpApiBuilder.api(Api.PaymentsApi).pipe(
  Layer.provide([OrdersLive, ApprovalsLive, OperationsLive]),
  Layer.provide([CallerLive, ApproverLive])
)
