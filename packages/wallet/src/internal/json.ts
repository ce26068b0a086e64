/** A value as errors show it in JSON: amounts as decimal text, since JSON has no form for them. */
export const safe = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? part.toString() : part) ?? "null")
