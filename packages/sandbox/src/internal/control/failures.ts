import * as Address from "@effect-klaytn/core/Address"
import type { CustodyFailure } from "@effect-klaytn/custody/CustodyError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { SendFailure } from "../../Chain.js"
import { ControlFault, InvalidControl, NotFound, TransactionFailed } from "../../ControlError.js"
import { formatIssues } from "../formatIssues.js"

/** An error of the control interface with the message of a failure. */
export const asFault = ({ message }: { readonly message: string }) => new ControlFault({ message })
export const asInvalid = ({ message }: { readonly message: string }) => new InvalidControl({ message })

/** Maps the failure of a transaction to an error of the control interface. */
export const mapSendFailure = <A>(
  effect: Effect.Effect<A, SendFailure>
): Effect.Effect<A, ControlFault | InvalidControl | TransactionFailed> =>
  Effect.catchTags(effect, {
    StoreFailure: asFault,
    InvalidRequest: asInvalid,
    TransactionRejected: ({ message, reason }) => new TransactionFailed({ message, reason }),
    ExecutionFailed: ({ _tag, message, transactionHash }) =>
      new TransactionFailed({ message, reason: _tag, transactionHash })
  })

/** The same where only the database or a node can fail. */
export const mapStoreFailure = <A>(effect: Effect.Effect<A, CustodyFailure>): Effect.Effect<A, ControlFault> =>
  Effect.mapError(effect, asFault)

/** The input, if its schema accepts it. HTTP has checked it before; a call inside the program has not. */
export const checkInput = <A, I>(schema: Schema.Schema<A, I>, input: A): Effect.Effect<A, InvalidControl> =>
  Effect.mapError(
    Schema.validate(schema)(input),
    (error) => new InvalidControl({ message: formatIssues(ParseResult.ArrayFormatter.formatErrorSync(error)) })
  )

/** An address in any letter case. */
export const readAddress = (text: string): Either.Either<Hex, InvalidControl> =>
  Either.mapLeft(
    Address.make(text),
    () => new InvalidControl({ message: `${JSON.stringify(text)} is no address: 0x and 40 hex digits` })
  )

/** Fails if there was nothing to remove. */
export const unlessMissing = (existed: boolean, message: string): Effect.Effect<void, NotFound> =>
  existed ? Effect.void : new NotFound({ message })
