import type { BadRequest } from "@effect-klaytn/core/ErrorBody"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { refusalOf } from "./walletIssues.js"
import type { WalletRefusals } from "./WalletRefusals.js"

/** An operation of the contract whose body is read. */
export interface BodyOf<Payload> {
  readonly request: { readonly payload: Schema.Schema<Payload, unknown> }
}

/** A field that is null is as good as absent. */
const withoutNulls = (json: unknown): unknown =>
  typeof json === "object" && json !== null && !Array.isArray(json)
    ? Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null))
    : json

/** An input with an odd number of digits is taken as none. */
export const withEvenInput = (json: unknown): unknown =>
  typeof json === "object" && json !== null && "input" in json && typeof json.input === "string" &&
    /^0x(?:[0-9a-f]{2})*[0-9a-f]$/i.test(json.input)
    ? { ...json, input: "0x" }
    : json

/** Reads a body by the contract. Of several things that are wrong `to` comes first, the others in the contract's order. */
export const readBody = <Payload>(
  refusals: WalletRefusals,
  { request }: BodyOf<Payload>,
  json: unknown
): Effect.Effect<Payload, BadRequest> => {
  const body = withoutNulls(json)
  return Effect.mapError(Schema.decodeUnknown(request.payload, { errors: "all" })(body), (error) => {
    const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
    const issue = issues.find(({ path }) => path[0] === "to") ?? issues[0]
    const field = issue?.path[0]
    const isThere = field !== undefined && typeof body === "object" && body !== null && field in body
    if (isThere && field === "feeRatio") return refusals.feeRatioOutOfRange()
    return isThere && field === "accountKey"
      ? refusals.badAccountKey(issue?.message ?? "")
      : refusalOf(refusals, issue, body)
  })
}
