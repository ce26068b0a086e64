/** What is told of payments that wait: which command works on them, and what they wait for. */
import * as Limits from "@effect-klaytn/payouts/Limits"
import type { Payout } from "@effect-klaytn/payouts/Payout"
import type * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as PayoutState from "@effect-klaytn/payouts/PayoutState"
import { codes } from "@effect-klaytn/wallet/WalletCode"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { jsonLine } from "../terminal/printed.js"
import { counted } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as limitOptions from "./limitOptions.js"

/** The limits of a payment in words. */
export const limitsOf = (service: Payouts.Service, { limits }: Pick<Payout, "limits">) =>
  limits === null
    ? Effect.succeed("none: an older version stored it, and it waits for klaytn payouts adopt")
    : Effect.map(service.limits(limits), Option.match({ onNone: () => limits, onSome: Limits.describe }))

/** The command that works on a payment, if one of this program does. */
const commandOf = Effect.fnUntraced(function*(service: Payouts.Service, { limits, state }: Payout) {
  if (!PayoutState.isUnbegun(state)) return "klaytn payouts work"
  if (limits === null) return "klaytn payouts adopt, and then klaytn payouts work"
  const stored = yield* service.limits(limits)
  const words = Option.isSome(stored) ? yield* limitOptions.wordsOf(limits, stored.value) : undefined
  return words === undefined ? "the program that stored it" : `klaytn payouts work${words}`
})

/** Says what works on a payment that is not ended, as the command that decided about it does not. */
export const tellWork = Effect.fnUntraced(function*(service: Payouts.Service, payout: Payout) {
  const { state } = payout
  if (PayoutState.isFinal(state) || state._tag === "WaitingForApproval") return
  const { error } = yield* Screen.Screen
  const command = yield* commandOf(service, payout)
  yield* error.write(`This command sends nothing. If no process works on the payment, this one does: ${command}\n`)
})

/** The wallet signs nothing now, frozen or full, until somebody does something about it. */
const signsNothing = new RegExp(`\\bcode (?:${[codes.frozen, codes.keyUnknown, codes.tooMany].join("|")})\\b`)

/** Says once of each of these payments that it waits for a wallet that signs nothing now, for as long as it is run. */
export const tellWallet = (
  service: Payouts.Service,
  keys: ReadonlySet<string>,
  tell: (text: string) => Effect.Effect<void>
) => {
  const told = new Set<string>()
  return Stream.runForEach(service.changes(), ({ key, state }) => {
    const problem = state._tag === "Unknown" ? state.problem : ""
    if (!keys.has(key) || told.has(key) || !signsNothing.test(problem)) return Effect.void
    told.add(key)
    return tell(
      `${Screen.clean(key)} waits for the wallet, which is asked again every two minutes: ${Screen.clean(problem)}\n`
    )
  })
}

/** Says what waits for a person, and whether anything does. */
export const tell = Effect.fnUntraced(function*(service: Payouts.Service, isJson: boolean) {
  const { error } = yield* Screen.Screen
  const { otherLimits, waitingForApproval } = yield* service.health
  if (otherLimits + waitingForApproval === 0) return false
  const texts = [
    ...(waitingForApproval === 0
      ? []
      : [`${counted(waitingForApproval, "payment")} waiting for klaytn payouts approve`]),
    ...(otherLimits === 0 ? [] : [
      `${
        counted(otherLimits, "payment")
      } with other limits than these, for klaytn payouts work with theirs, or for klaytn ` +
      "payouts adopt"
    ])
  ]
  yield* error.write(isJson ? jsonLine({ event: "Waiting", waitingForApproval, otherLimits }) : Screen.lines(texts))
  return true
})
