/** Recovering from some members of the family, told apart by their data. */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import type { Answered, Category } from "../ServiceError.js"

const hasCode = <E>(error: E, code: number): error is Extract<E, Answered> =>
  Predicate.hasProperty(error, "code") && error.code === code

export const code: {
  <E, A2, E2, R2>(
    code: number,
    recover: (error: Extract<E, Answered>) => Effect.Effect<A2, E2, R2>
  ): <A, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, E | E2, R | R2>
  <A, E, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: number,
    recover: (error: Extract<E, Answered>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E | E2, R | R2>
} = dual(3, <A, E, R, A2, E2, R2>(
  self: Effect.Effect<A, E, R>,
  code: number,
  recover: (error: Extract<E, Answered>) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.catchIf(self, (error): error is Extract<E, Answered> => hasCode(error, code), recover))

export const category: {
  <E extends { readonly category: Category }, A2, E2, R2>(
    category: Category,
    recover: (error: E) => Effect.Effect<A2, E2, R2>
  ): <A, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, E | E2, R | R2>
  <A, E extends { readonly category: Category }, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    category: Category,
    recover: (error: E) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E | E2, R | R2>
} = dual(3, <A, E extends { readonly category: Category }, R, A2, E2, R2>(
  self: Effect.Effect<A, E, R>,
  category: Category,
  recover: (error: E) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> => Effect.catchIf(self, (error) => error.category === category, recover))
