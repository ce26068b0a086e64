/** The text of errors. */

/** The fields of an error that its message contains. */
export interface Facts {
  readonly status?: number | undefined
  readonly code?: number | undefined
  readonly serviceMessage?: string | undefined
  readonly requestId?: string | undefined
  readonly hint?: string | undefined
}

/** The one-line message of an error: the operation, what happened, and the service's own message. */
export const sentence = (error: Facts & { readonly operation: string }, what: string): string => {
  const facts = [
    error.status === undefined ? [] : [`HTTP ${error.status}`],
    error.code === undefined ? [] : [`code ${error.code}`],
    error.serviceMessage === undefined ? [] : [`"${error.serviceMessage}"`],
    error.requestId === undefined ? [] : [`request ${error.requestId}`]
  ].flat()
  const hint = error.hint === undefined ? "" : `; ${error.hint}`
  return `${error.operation}: ${what}${facts.length === 0 ? "" : ` [${facts.join(", ")}]`}${hint}`
}

/** Formats a path as in `items[3].value`, or returns `whole` if it is empty. */
export const pathText = (path: ReadonlyArray<string | number>, whole: string): string =>
  path.length === 0
    ? whole
    : path.map((part, i) => typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`).join("")
