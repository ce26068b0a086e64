/** Recovers from some of the errors, selected by their data. */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import type { Answered, AnyError, Category, OfCategory } from "../ServiceError.js"

type IsServiceError = (u: unknown) => u is AnyError

const isAnswered = (error: AnyError): error is Answered => "code" in error

const isOf = <C extends Category>(error: AnyError, category: C): error is OfCategory<C> => error.category === category

export const code = (isServiceError: IsServiceError): {
  <A2, E2, R2>(
    code: number,
    recover: (error: Answered) => Effect.Effect<A2, E2, R2>
  ): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, E | E2, R | R2>
  <A, E, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: number,
    recover: (error: Answered) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E | E2, R | R2>
} =>
  dual(3, <A, E, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: number,
    recover: (error: Answered) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E | E2, R | R2> =>
    Effect.catchAll(self, (error): Effect.Effect<A2, E | E2, R2> =>
      isServiceError(error) && isAnswered(error) && error.code === code ? recover(error) : Effect.fail(error)))

export const category = (isServiceError: IsServiceError): {
  <C extends Category, A2, E2, R2>(
    category: C,
    recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
  ): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, Exclude<E, OfCategory<C>> | E2, R | R2>
  <A, E, R, C extends Category, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    category: C,
    recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, Exclude<E, OfCategory<C>> | E2, R | R2>
} =>
  dual(3, <A, E, R, C extends Category, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    category: C,
    recover: (error: OfCategory<C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, Exclude<E, OfCategory<C>> | E2, R | R2> =>
    Effect.catchAll(self, (error): Effect.Effect<A2, Exclude<E, OfCategory<C>> | E2, R2> =>
      isServiceError(error) && isOf(error, category)
        ? recover(error)
        // Errors of the category were handled above; a generic error type does not narrow.
        : Effect.fail(error as Exclude<E, OfCategory<C>>)))
