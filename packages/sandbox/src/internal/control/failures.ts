import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { SendFailure } from "../../Chain.js"
import type { InvalidRequest, StoreFailure } from "../../ChainError.js"
import { ControlFault, InvalidControl, NotFound, TransactionFailed } from "../../ControlError.js"

const toControlError = (failure: SendFailure): ControlFault | InvalidControl | TransactionFailed => {
  const { message } = failure
  switch (failure._tag) {
    case "StoreFailure":
      return new ControlFault({ message })
    case "InvalidRequest":
      return new InvalidControl({ message })
    case "TransactionRejected":
      return new TransactionFailed({ message, reason: failure.reason })
    case "ExecutionFailed":
      return new TransactionFailed({ message, reason: failure._tag, transactionHash: failure.transactionHash })
  }
}

/** Maps a failure of a transaction to an error of the control interface. */
export const mapSendFailure = <A>(
  effect: Effect.Effect<A, SendFailure>
): Effect.Effect<A, ControlFault | InvalidControl | TransactionFailed> => Effect.mapError(effect, toControlError)

/** The same where the input can be wrong, but no transaction is sent. */
export const mapRequestFailure = <A>(
  effect: Effect.Effect<A, InvalidRequest | StoreFailure>
): Effect.Effect<A, ControlFault | InvalidControl> =>
  Effect.mapError(
    effect,
    ({ _tag, message }) => _tag === "InvalidRequest" ? new InvalidControl({ message }) : new ControlFault({ message })
  )

/** The same where only the database can fail. */
export const mapStoreFailure = <A>(effect: Effect.Effect<A, StoreFailure>): Effect.Effect<A, ControlFault> =>
  Effect.mapError(effect, ({ message }) => new ControlFault({ message }))

/** What is wrong with an input, one line for each field. */
export const formatIssues = (
  issues: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly message: string }>
) =>
  issues.map(({ message, path }) => path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`).join(
    "; "
  )

/** Runs with an input that its schema accepts; over HTTP it was checked already, inside the program it was not. */
export const withInput = <A, I, B, E>(
  schema: Schema.Schema<A, I>,
  run: (input: A) => Effect.Effect<B, E>
): (input: A) => Effect.Effect<B, E | InvalidControl> => {
  const validate = Schema.validate(schema)
  return (input) =>
    Effect.flatMap(
      Effect.mapError(validate(input), (error) =>
        new InvalidControl({ message: formatIssues(ParseResult.ArrayFormatter.formatErrorSync(error)) })),
      run
    )
}

/** Fails with what is missing where nothing was there to remove. */
export const unlessMissing = (existed: boolean, message: string): Effect.Effect<void, NotFound> =>
  existed ? Effect.void : new NotFound({ message })
