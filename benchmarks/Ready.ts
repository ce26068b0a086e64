import * as Schema from "effect/Schema"

/** The most calls in a request to `limitedUrl`. */
export const limit = 100

/** What the server process reports when it is ready. */
export const Ready = Schema.Struct({
  url: Schema.String,
  /** The same answers, but at most `limit` calls in a request. */
  limitedUrl: Schema.String,
  accessKeyId: Schema.String,
  secretAccessKey: Schema.String,
  /** An account with thousands of transfers. */
  account: Schema.String,
  /** A contract with thousands of non-fungible tokens. */
  collection: Schema.String,
  /** A transaction of that account. */
  transactionHash: Schema.String,
  /** One transaction of that account for each concurrent caller. */
  transactionHashes: Schema.Array(Schema.String)
})

export type Ready = typeof Ready.Type
