import type { BadRequest } from "@effect-klaytn/core/ErrorBody"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { WalletRefusals } from "./WalletRefusals.js"

/** An operation of the contract that has a body. */
export interface BodyOf<Payload> {
  readonly request: { readonly payload: Schema.Schema<Payload, unknown> }
}

/** Null counts as absent. */
const withoutNulls = (json: unknown): unknown =>
  Predicate.isRecord(json)
    ? Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null))
    : json

/** An input with an odd number of digits counts as none. */
export const withEvenInput = (json: unknown): unknown =>
  Predicate.isRecord(json) && typeof json["input"] === "string" &&
    /^0x(?:[0-9a-f]{2})*[0-9a-f]$/i.test(json["input"])
    ? { ...json, input: "0x" }
    : json

/** Decodes a body by the contract. An error in `to` is reported first, the others in the contract's order. */
export const readBody = <Payload>(refusals: WalletRefusals, { request }: BodyOf<Payload>, json: unknown) => {
  const body = withoutNulls(json)
  return Effect.mapError(Schema.decodeUnknown(request.payload, { errors: "all" })(body), (error) => {
    const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
    const issue = issues.find(({ path }) => path[0] === "to") ?? issues[0]
    const field = issue?.path[0]
    const isThere = field !== undefined && Predicate.hasProperty(body, field)
    if (isThere && field === "feeRatio") return refusals.of("feeRatioOutOfRange")
    return isThere && field === "accountKey"
      ? refusals.of("badAccountKey", issue?.message ?? "")
      : refusalOf(refusals, issue, body)
  })
}

/** The place of an error in an input. */
interface Issue {
  readonly path: ReadonlyArray<PropertyKey>
}

/** Names of the contract's path parameters as the service writes them. */
const parameters: Readonly<Record<string, string>> = {
  transactionId: "transaction-id",
  hash: "transaction-hash",
  publicKey: "public-key"
}

const addresses: ReadonlySet<string> = new Set(["from", "to", "feePayer", "fee_payer", "address"])

const hexadecimal: ReadonlySet<string> = new Set([
  "input",
  "value",
  "rlp",
  "data",
  "publicKey",
  "hash",
  "transactionHash",
  "transactionId",
  "R",
  "S",
  "V"
])

/** Whether a field is hexadecimal by the contract, which has no case: text that looks so is text. */
export const isHexadecimal = (field: string): boolean =>
  // An account key has its public key in `key`.
  addresses.has(field) || hexadecimal.has(field) || field === "key"

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "" || value === 0

/** The innermost field on the way to an issue that the input has, or lacks, and its value. */
const fieldAt = (input: unknown, path: ReadonlyArray<PropertyKey>) => {
  let value = input
  let field: string | undefined
  for (const key of path) {
    if (typeof value !== "object" || value === null) break
    value = Reflect.get(value, key)
    if (typeof key === "string") field = key
  }
  return { field, value }
}

/** The wallet's refusal for the first error in an input. */
export const refusalOf = (
  refusals: WalletRefusals,
  issue: Issue | undefined,
  input: unknown,
  where: "body" | "parameters" = "body"
): BadRequest => {
  const { field, value } = fieldAt(input, issue?.path ?? [])
  if (field === undefined) return refusals.of("empty", "body")
  const name = where === "parameters" ? parameters[field] ?? field : field
  if (isEmpty(value)) return refusals.of("empty", name)
  if (addresses.has(field)) return refusals.of("notAnAddress", name)
  // A text that is not a key ID is answered like an unknown key.
  if (field === "keyId" && typeof value === "string") return refusals.of("noData", value)
  return hexadecimal.has(field) && typeof value === "string" && !/^0x[0-9a-fA-F]+$/.test(value)
    ? refusals.of("notHex", name)
    : refusals.of("outOfRange", name)
}
