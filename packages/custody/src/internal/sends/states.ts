import type { SendState } from "../../SendStore.js"

/** The states of sends by the numbers that the column has: 0, 1, 2 and 3. */
export const states: ReadonlyArray<SendState> = ["open", "mined", "replaced", "refused"]

/** The number of a state. */
export const numberOf = (state: SendState): number => states.indexOf(state)

/** A condition of SQL: the column has one of some states. */
export const isOneOf = (...some: ReadonlyArray<SendState>): string => `state IN (${some.map(numberOf).join()})`

/** A condition of SQL: the column has another one. */
export const isNoneOf = (...some: ReadonlyArray<SendState>): string => `state NOT IN (${some.map(numberOf).join()})`
