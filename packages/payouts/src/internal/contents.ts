/** The content of a payout: read from the input, planned, and compared with the content that is stored under its key. */
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Content } from "../Payout.js"
import { type Difference, KeyConflict } from "../PayoutError.js"
import type { PayInput } from "../Payouts.js"
import type { Context } from "./context.js"
import { fromContent } from "./moves.js"

/** What a reader doesn't see, or takes for a blank or a break: two keys with and without it look the same. */
const unseen = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]/u

const Key = Schema.String.pipe(
  Schema.filter((key) => key.length > 0 && key.length <= 200 && !unseen.test(key), {
    message: () => "a key has 1 to 200 characters, and none that can't be seen"
  })
)

/** The wallet reads the rest. */
const readKey = Input.decode(
  "payouts.pay",
  Schema.Struct({ key: Key }, { key: Schema.String, value: Schema.Unknown })
)

const isPayable = Schema.is(Content.fields.request)

/** A key and a content that may be stored. */
export const read = ({ transactions, wallet }: Pick<Context, "transactions" | "wallet">, input: PayInput) =>
  Effect.gen(function*() {
    const { key } = yield* readKey(input)
    const { key: _, ...asked } = input
    const plan = yield* "request" in asked ? transactions.plan(asked) : wallet.plan(asked)
    const { chain, feeRatio, gasLimit, payer, pool, request } = plan
    if (!isPayable(request)) {
      return yield* InvalidInput.at("payouts.pay", ["request"], "a payout is a Value or an Execute request")
    }
    if (request._tag === "Value" && request.value === 0n && request.to === request.from) {
      return yield* InvalidInput.at("payouts.pay", ["value"], "a payment of 0 from an account to itself moves nothing")
    }
    return { key, content: { chain, request, payer, pool, gasLimit, feeRatio } }
  })

/** A key as a person sees it: its letters in one form, and no blanks around it. */
const plain = (key: string): string => key.normalize("NFC").trim()

const shown = (text: string): string => JSON.stringify(text)

/**
 * Fails for a new key that looks like another one: whoever reads it would take both for one payment. Those that an earlier version has
 * stored stay what they are.
 */
export const distinct = <E>(
  find: (key: string) => Effect.Effect<Option.Option<unknown>, E>,
  key: string
): Effect.Effect<void, E | InvalidInput | KeyConflict> =>
  Effect.gen(function*() {
    const seen = plain(key)
    const others = [seen, seen.normalize("NFD")].filter((one, at, all) => one !== key && all.indexOf(one) === at)
    if (others.length === 0 || Option.isSome(yield* find(key))) return
    for (const other of others) {
      if (Option.isNone(yield* find(other))) continue
      return yield* new KeyConflict({ key, differences: [{ field: "key", stored: shown(other), asked: shown(key) }] })
    }
    if (key === seen) return
    const problem = `write the key as ${shown(seen)}: without blanks around it, and its letters in the form NFC`
    return yield* InvalidInput.at("payouts.pay", ["key"], problem)
  })

const encode = Schema.encodeSync(Content)

/** The leaves of a value, by path. */
const leaves = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> => {
  if (value === undefined) return []
  if (typeof value !== "object" || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, part]) => leaves(part, path === "" ? name : `${path}.${name}`))
}

/** The fields of a content by path. The call of a token's `transfer` is told by what it moves. */
const fieldsOf = (content: Content): ReadonlyMap<string, string> => {
  const fields = new Map(leaves(encode(content)))
  Option.map(fromContent(content), ({ amount, to }) => {
    fields.delete("request.input")
    fields.set("transfer.to", to).set("transfer.amount", String(amount))
  })
  return fields
}

const differencesOf = (stored: Content, asked: Content): ReadonlyArray<Difference> => {
  const left = fieldsOf(stored)
  const right = fieldsOf(asked)
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((field) => left.get(field) !== right.get(field))
    .map((field) => ({ field, stored: left.get(field), asked: right.get(field) }))
}

/** Fails if the payout that is stored under the key has another content. */
export const compare = (key: string, stored: Content, asked: Content): Effect.Effect<void, KeyConflict> => {
  const differences = differencesOf(stored, asked)
  return differences.length > 0 ? new KeyConflict({ key, differences }) : Effect.void
}
