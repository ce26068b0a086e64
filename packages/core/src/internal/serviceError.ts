import type { Spent } from "../Attempt.js"
import type { AnyError } from "../ServiceError.js"

interface Told {
  readonly operation: string
  readonly status?: number | undefined
  readonly code?: number | undefined
  readonly serviceMessage?: string | undefined
  readonly requestId?: string | undefined
  readonly hint?: string | undefined
}

/** Formats a path as in `items[3].value`, or returns `whole` if it is empty. */
export const pathText = (path: ReadonlyArray<string | number>, whole: string): string =>
  path.length === 0
    ? whole
    : path.map((part, i) => typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`).join("")

/** Formats where the time of a call went, in parentheses. */
export const spentText = ({ spent }: { readonly spent: Spent }): string =>
  ` (attempts ${spent.attemptsMillis} ms, waits before retries ${spent.retryWaitsMillis} ms, ` +
  `rate limit ${spent.rateLimitMillis} ms)`

export const limiterText = {
  service: "the service limits the rate",
  client: "the configured rate limit is exhausted"
} as const

export const stalledText = {
  "repeated-cursor": "the service handed out a cursor it had handed out before",
  "empty-pages": "the service keeps sending empty pages that carry a cursor"
} as const

/** The one-line message of an error: the operation, what happened, and the service's own message. */
export const sentence = (error: Told, what: string): string => {
  const facts = [
    error.status === undefined ? [] : [`HTTP ${error.status}`],
    error.code === undefined ? [] : [`code ${error.code}`],
    error.serviceMessage === undefined ? [] : [`"${error.serviceMessage}"`],
    error.requestId === undefined ? [] : [`request ${error.requestId}`]
  ].flat()
  const hint = error.hint === undefined ? "" : `; ${error.hint}`
  return `${error.operation}: ${what}${facts.length === 0 ? "" : ` [${facts.join(", ")}]`}${hint}`
}

export const format = (error: AnyError): string =>
  [
    `${error._tag} (${error.category}): ${error.message}`,
    ...error.attempts.map((attempt, i) =>
      `  attempt ${i + 1}: ${attempt.reason}${attempt.waitMillis > 0 ? `, then waited ${attempt.waitMillis} ms` : ""}`
    ),
    `  calling again is ${error.retrySafe ? "safe" : "NOT safe: it could happen twice"}`
  ].join("\n")
