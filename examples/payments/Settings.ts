/** What the service is told by its environment, besides the `KLAYTN_*` variables of the SDK and the engine. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const klay = (name: string, description: string) =>
  Schema.Config(name, Amount.FromKlay).pipe(Config.withDescription(`${description}, in KLAY`))

/** Limits have no default: whoever runs this says how much it may move. */
const settings = Config.all({
  account: Schema.Config("PAYMENTS_ACCOUNT", Address.FromInput).pipe(
    Config.withDescription("the account of the wallet that pays")
  ),
  max: klay("PAYMENTS_MAX", "the most that one order may move"),
  maxDay: klay("PAYMENTS_MAX_DAY", "the most that all orders may move in 24 hours"),
  approveAbove: klay("PAYMENTS_APPROVE_ABOVE", "above this, an order waits for a person"),
  token: Config.redacted("PAYMENTS_TOKEN").pipe(Config.withDescription("the bearer token of those who order")),
  approvalToken: Config.redacted("PAYMENTS_APPROVAL_TOKEN").pipe(
    Config.withDescription("the bearer token of those who approve")
  )
})

export class Settings extends Context.Tag("payments/Settings")<Settings, Config.Config.Success<typeof settings>>() {}

export const layer = Layer.effect(Settings, settings)
