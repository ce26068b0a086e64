/** The rights, pools and limits of a caller, as a row keeps them. */
import { type Limits, type Right, rights } from "@effect-klaytn/custody/WalletCaller"
import * as StoredJson from "@effect-klaytn/store/StoredJson"
import { type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { GatewayError } from "../GatewayError.js"
import * as refusals from "./startRefusals.js"

/** What a caller may do. */
export interface CallerOptions {
  readonly rights?: ReadonlyArray<Right> | undefined
  readonly pools?: ReadonlyArray<string> | undefined
  readonly limits?: Limits | undefined
}

const address = Schema.String.pipe(
  Schema.filter((text): text is Hex => /^0x[0-9a-f]{40}$/.test(text))
)

/** The limits of a caller. Amounts are in peb, as text. */
export const LimitsFields = Schema.Struct({
  largestValue: Schema.optional(Schema.BigInt),
  dailySum: Schema.optional(Schema.BigInt),
  largestFee: Schema.optional(Schema.BigInt),
  receivers: Schema.optional(Schema.Array(address)),
  contractCalls: Schema.optional(Schema.Boolean),
  blindSigning: Schema.optional(Schema.Boolean)
})

const StoredLimits = StoredJson.schema({ name: "the limits of a caller", version: 1, fields: LimitsFields })

const decodeLimits = Schema.decodeSync(StoredLimits, { onExcessProperty: "error" })

/**
 * Throws for text of another form or of a newer version, also for a limit that a newer program knows: a row that can't be read lets nobody
 * in.
 */
export const readLimits = (text: string): Limits => decodeLimits(text)

export const writeLimits: (limits: Limits) => string = Schema.encodeSync(StoredLimits)

const names = (text: string): ReadonlyArray<string> => text.split(",").filter((one) => one !== "")

const known = (text: string): ReadonlyArray<Right> =>
  names(text).flatMap((name) => rights.find((right) => right === name) ?? [])

/** Throws for a right that this program does not know: what it allows may depend on the others. */
export const readRights = (text: string): ReadonlyArray<Right> => {
  const found = known(text)
  if (found.length < names(text).length) {
    throw new TypeError(`the stored rights of a caller are not of ${rights.join(", ")}`)
  }
  return found
}

export const readPools = (text: string | undefined): ReadonlyArray<string> | undefined =>
  text === undefined ? undefined : names(text)

const isPool = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)

/** Why names can't be those of pools; undefined if they can. */
export const whyNoPools = (names: ReadonlyArray<string>): string | undefined => {
  const bad = names.find((name) => !isPool(name))
  return bad === undefined ? undefined : `${JSON.stringify(bad.slice(0, 80))} can't name a pool`
}

const amounts = ["largestValue", "dailySum", "largestFee"] as const

/** Checks what a caller is given, and gives the limits in the form in which they are kept. */
export const check = ({ limits = {}, pools, rights: given = ["read"] }: CallerOptions): Effect.Effect<
  Limits,
  GatewayError
> =>
  Effect.gen(function*() {
    if (given.length === 0 || !given.every((right) => rights.includes(right))) {
      return yield* refusals.caller(`the rights of a caller are one or more of ${rights.join(", ")}`)
    }
    const bad = whyNoPools(pools?.length === 0 ? [""] : pools ?? [])
    if (bad !== undefined) return yield* refusals.caller(bad)
    const isLimited = pools !== undefined || Object.values(limits).some((limit) => limit !== undefined)
    if (isLimited && !given.includes("wallet")) {
      return yield* refusals.caller("pools and limits are for callers with the right wallet")
    }
    const negative = amounts.find((name) => (limits[name] ?? 0n) < 0n)
    if (negative !== undefined) return yield* refusals.caller(`${negative} can't be negative`)
    const receivers = limits.receivers?.map(lowerCase)
    const wrong = receivers?.find((one) => !/^0x[0-9a-f]{40}$/.test(one))
    if (wrong !== undefined) return yield* refusals.caller(`${JSON.stringify(wrong.slice(0, 80))} is no address`)
    return { ...limits, receivers }
  })

/** The columns of callers, in the index and in the wallet's database. */
export const columns = "name, access_key_id, hash, created, rights, pools, limits"

/** A caller as it is kept. */
export interface Row {
  readonly name: string
  readonly access_key_id: string
  /** SHA-256 of ID, colon and secret, in Base64. */
  readonly hash: string
  /** Unix seconds; Postgres gives text. */
  readonly created: string | number
  /** With commas between them. */
  readonly rights: string
  readonly pools: string | null
  /** JSON. */
  readonly limits: string
}

/** A caller, as it may be shown. */
export interface StoredCaller {
  readonly name: string
  readonly accessKeyId: string
  readonly createdAt: number
  readonly rights: ReadonlyArray<Right>
  readonly pools: ReadonlyArray<string> | undefined
  readonly limits: Limits
}

/** A caller of a row. Throws for limits of another form: such a row lets nobody in. */
export const toCaller = ({ access_key_id, created, limits, name, pools, rights }: Row): StoredCaller => ({
  name,
  accessKeyId: access_key_id,
  createdAt: Number(created),
  rights: readRights(rights),
  pools: readPools(pools ?? undefined),
  limits: readLimits(limits)
})

/** The rights that the index gives. */
export const ofIndex = (text: string): ReadonlyArray<Right> => known(text).filter((right) => right === "read")

/** The rights that the wallet's database gives. */
export const ofWallet = (text: string): ReadonlyArray<Right> => known(text).filter((right) => right !== "read")
