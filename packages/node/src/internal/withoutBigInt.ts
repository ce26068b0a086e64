/** What an error shows of itself, with each `bigint` as the text of its digits: it can be written as JSON. */
export const withoutBigInt = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? inner.toString() : inner))
