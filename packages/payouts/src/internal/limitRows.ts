/** The limits of this process, and those of payouts: stored once for all payouts that have them. */
import { Address } from "@effect-klaytn/core/Address"
import { Chain } from "@effect-klaytn/core/Chain"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as StoredJson from "@effect-klaytn/store/StoredJson"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as stored from "./stored.js"
import type { Values } from "./values.js"

/** In peb, as decimal digits where it is stored. */
const Peb = Schema.BigInt

export const Limits = Schema.Struct({
  /** A payout that moves more than this, in peb, waits for approval. */
  approveAbove: Schema.NullOr(Peb),
  /** The rules of the policy. Without a policy, everything is allowed on testnet and nothing on mainnet. */
  policy: Schema.NullOr(Schema.Struct({
    chains: Schema.NullOr(Schema.Array(Chain)),
    maxPerTransaction: Schema.NullOr(Peb),
    maxFeePerTransaction: Peb,
    /** `millis` is `null` for a window that never passes. */
    window: Schema.NullOr(Schema.Struct({
      max: Peb,
      maxFees: Schema.NullOr(Peb),
      millis: Schema.NullOr(Schema.Positive)
    })),
    recipients: Schema.NullOr(Schema.Array(Address)),
    opaque: Schema.Literal("allow", "refuse")
  }))
}).annotations({ identifier: "Limits" })

type Limits = typeof Limits.Type

/** The options of a process from which its limits follow. */
export interface Options {
  readonly policy?: SpendPolicy.Rules | undefined
  readonly approveAbove?: bigint | undefined
}

// The ID of limits is made of their text, so those of version 1 keep the text that they had before there was a number.
const Json = StoredJson.schema({ name: "the limits of payouts", version: 1, fields: Limits, writesFirst: false })

// A limit that a newer program knows is not passed over.
const decode = Schema.decodeSync(Json, { onExcessProperty: "error" })
const write = Schema.encodeSync(Json)

/** Limits as they are stored: `text` under `id`, which is made of the text. */
export interface Recorded {
  readonly id: string
  readonly text: string
}

const recorded = (limits: Limits): Recorded => {
  const text = write(limits)
  return { id: createHash("sha256").update(text).digest("hex"), text }
}

const sorted = <A extends string | number>(all: ReadonlyArray<A> | undefined): ReadonlyArray<A> | null =>
  all === undefined ? null : [...new Set(all)].sort((one, other) => one < other ? -1 : 1)

/** The limits of a process. Equal ones have equal texts. */
export const of = ({ approveAbove, policy }: Options): Effect.Effect<Recorded, InvalidInput> =>
  Effect.gen(function*() {
    if (policy === undefined) return recorded({ approveAbove: approveAbove ?? null, policy: null })
    const { chains, maxFeePerTransaction, maxPerTransaction = null, opaque, recipients, window } = yield* SpendPolicy
      .applied(policy)
    return recorded({
      approveAbove: approveAbove ?? null,
      policy: {
        chains: sorted(chains),
        maxPerTransaction,
        maxFeePerTransaction,
        window: window === undefined ? null : {
          max: window.max,
          maxFees: window.maxFees ?? null,
          millis: Number.isFinite(window.millis) ? window.millis : null
        },
        recipients: sorted(recipients),
        opaque
      }
    })
  })

/** The limits of a process without a policy. */
export const none: Recorded = recorded({ approveAbove: null, policy: null })

/** The limits in the database. `put` belongs in a transaction, or before anything refers to them. */
export const rows = (values: Values) => {
  const keyOf = (id: string) => `limits ${id}`
  return {
    get: (id: string): Effect.Effect<Option.Option<Limits>, SqlError> =>
      Effect.flatMap(
        values.get(keyOf(id)),
        Effect.transposeMapOption((text) => stored.read(`limits ${id}`, () => decode(text)))
      ),
    put: ({ id, text }: Recorded): Effect.Effect<void, SqlError> => values.add(keyOf(id), text)
  }
}
