/** The HTTP interface: what is asked for and answered, who may ask, and which status each error has. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as PayoutState from "@effect-klaytn/payouts/PayoutState"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as Schema from "effect/Schema"

/** What is asked for: `key` is the caller's name for the order, `amount` a decimal number of KLAY such as `"1.5"`. */
const NewOrder = Schema.Struct({
  key: Schema.String,
  to: Schema.String,
  amount: Amount.FromKlay,
  memo: Schema.optional(Schema.String)
})

/** An order and where it stands. The states are those of `PayoutState`; `ended` says that it never changes again. */
export const Order = Schema.Struct({
  key: Schema.String,
  to: Schema.String,
  amount: Schema.String,
  state: PayoutState.Tag,
  ended: Schema.Boolean,
  /** Why it waits, is in doubt, or was not paid. */
  problem: Schema.optional(Schema.String),
  transactionHash: Schema.optional(Schema.String),
  block: Schema.optional(Schema.Int)
})

/** An order with everything that happened to it, oldest first. */
const OrderWithHistory = Schema.Struct({
  ...Order.fields,
  history: Schema.Array(Schema.Struct({ at: Schema.DateFromNumber, event: Schema.String, state: PayoutState.Tag }))
})

/** Newest first. `cursor` asks for the next page. */
const Orders = Schema.Struct({ orders: Schema.Array(Order), cursor: Schema.optional(Schema.String) })

/** What an operator's dashboard shows. Alarms belong on `unknown`, `stuck` and `oldestSeconds`, not on the status. */
const Health = Schema.Struct({
  runners: Schema.Int,
  open: Schema.Record({ key: Schema.String, value: Schema.Int }),
  unknown: Schema.Int,
  stuck: Schema.Int,
  waitingForApproval: Schema.Int,
  oldestSeconds: Schema.Number
})

export class InvalidOrder extends Schema.TaggedError<InvalidOrder>()(
  "InvalidOrder",
  { problem: Schema.String },
  HttpApiSchema.annotations({ status: 400 })
) {}

export class Unauthorized
  extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}, HttpApiSchema.annotations({ status: 401 }))
{}

export class NoSuchOrder extends Schema.TaggedError<NoSuchOrder>()(
  "NoSuchOrder",
  { key: Schema.String },
  HttpApiSchema.annotations({ status: 404 })
) {}

/** The key belongs to an order with another content: each field that differs is named. */
export class KeyTaken extends Schema.TaggedError<KeyTaken>()("KeyTaken", {
  key: Schema.String,
  differences: Schema.Array(
    Schema.Struct({
      field: Schema.String,
      stored: Schema.optional(Schema.String),
      asked: Schema.optional(Schema.String)
    })
  )
}, HttpApiSchema.annotations({ status: 409 })) {}

export class InvalidTransition extends Schema.TaggedError<InvalidTransition>()("InvalidTransition", {
  key: Schema.String,
  state: PayoutState.Tag,
  problem: Schema.String
}, HttpApiSchema.annotations({ status: 409 })) {}

/** Ask again, with the same key: what was asked for may be stored already, and is paid once either way. */
export class Unavailable
  extends Schema.TaggedError<Unavailable>()("Unavailable", {}, HttpApiSchema.annotations({ status: 503 }))
{}

/** Whoever may place and read orders. */
export class Caller extends HttpApiMiddleware.Tag<Caller>()("payments/Caller", {
  failure: Unauthorized,
  security: { bearer: HttpApiSecurity.bearer }
}) {}

/** Whoever may say yes or no to large ones: another token than that of the callers. */
export class Approver extends HttpApiMiddleware.Tag<Approver>()("payments/Approver", {
  failure: Unauthorized,
  security: { bearer: HttpApiSecurity.bearer }
}) {}

const key = HttpApiSchema.param("key", Schema.String)

const orders = HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("place", "/orders")
      .setPayload(NewOrder)
      .addSuccess(Order, { status: 202 })
      .addError(InvalidOrder)
      .addError(KeyTaken)
  )
  .add(HttpApiEndpoint.get("get")`/orders/${key}`.addSuccess(OrderWithHistory).addError(NoSuchOrder))
  .add(
    HttpApiEndpoint.get("list", "/orders")
      .setUrlParams(Schema.Struct({
        state: Schema.optional(PayoutState.Tag),
        size: Schema.optional(Schema.NumberFromString),
        cursor: Schema.optional(Schema.String)
      }))
      .addSuccess(Orders)
      .addError(InvalidOrder)
  )
  .addError(Unavailable)
  .middleware(Caller)

const approvals = HttpApiGroup.make("approvals")
  .add(HttpApiEndpoint.post("approve")`/orders/${key}/approve`.addSuccess(Order))
  .add(HttpApiEndpoint.post("cancel")`/orders/${key}/cancel`.addSuccess(Order))
  .addError(NoSuchOrder)
  .addError(InvalidTransition)
  .addError(Unavailable)
  .middleware(Approver)

const operations = HttpApiGroup.make("operations")
  .add(HttpApiEndpoint.get("health", "/health").addSuccess(Health).addError(Unavailable))

export class PaymentsApi extends HttpApi.make("payments").add(orders).add(approvals).add(operations) {}
