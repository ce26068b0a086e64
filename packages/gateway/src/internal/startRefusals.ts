/** Why a gateway does not start. */
import { DatabaseFileError } from "@effect-klaytn/store/DatabaseFile"
import * as Effect from "effect/Effect"
import { GatewayError } from "../GatewayError.js"

const ofReason = (reason: GatewayError["reason"]) => (message: string): GatewayError =>
  new GatewayError({ reason, message })

export const address = ofReason("Address")
export const caller = ofReason("Caller")
export const chain = ofReason("Chain")
export const host = ofReason("Host")
export const listen = ofReason("Listen")
export const node = ofReason("Node")
export const preset = ofReason("Preset")
export const start = ofReason("Start")
export const wallet = ofReason("Wallet")

/** An index that was begun with another answer to whether it has the coin that contracts move. */
export const otherTrace = (hasTraces: boolean): GatewayError =>
  start(
    `the index has ${hasTraces ? "the" : "no"} coin that contracts move. Start with the options that the index was ` +
      "created with, or with another database file"
  )

/** What a call of the database threw. */
export const database = (cause: unknown): GatewayError =>
  new GatewayError({
    reason: cause instanceof DatabaseFileError && cause.reason === "Locked" ? "Locked" : "Database",
    message: cause instanceof Error ? cause.message : "the database failed"
  })

/** A call of the database, and why it failed. */
export const attempt = <A>(use: () => A): Effect.Effect<A, GatewayError> => Effect.try({ try: use, catch: database })
