/**
 * What a refusal of the node means for a send that is stored: one table of the node's texts.
 *
 * **Details**
 *
 * The texts are those of Kaia nodes (`blockchain/error.go` and `tx_pool.go`), and of nodes of the version before. A kind says how
 * long a send is tried before its nonce is cancelled:
 *
 * | Kind | Meaning | Cancelled |
 * | --- | --- | --- |
 * | `passing` | the pool is full, a copy of the node is behind, the node or the way to it fails | never |
 * | `price` | the price is below the base fee: the payment is signed again at a higher price | never |
 * | `limit` | the largest fee of its caller forbids the price of now: it is raised once the base fee or the limit lets it | never |
 * | `forbidden` | another limit of its caller forbids the raise, or the wallet can't sign all of it any more: tried every ten minutes | never |
 * | `gap` | the node has taken it, and no transaction has the nonce before it: it waits until another payment of the account takes that | never |
 * | `taken` | the nonce is used, or another transaction waits with it: only a block tells which one has run | never |
 * | `funds` | the sender or its fee payer has too little, as two reads of the balance agree | after 2 minutes |
 * | `lasting` | the key or the fee payer's key does not fit | after 2 minutes |
 * | `unknown` | the table does not have the text | after 10 minutes |
 * | `never` | no block can have these bytes: gas, type, receiver, size, chain | at once |
 *
 * The time counts from the first refusal of a kind in a row.
 */

/**
 * All kinds of refusals.
 *
 * @category constants
 */
export const refusalKinds = [
  "passing",
  "price",
  "limit",
  "forbidden",
  "gap",
  "taken",
  "funds",
  "lasting",
  "unknown",
  "never"
] as const

/**
 * What a refusal means.
 *
 * @category models
 */
export type RefusalKind = typeof refusalKinds[number]

/**
 * The refusal of a stored send that came last, as the first one of its kind in a row began.
 *
 * @category models
 */
export interface Refusal {
  readonly kind: RefusalKind
  /** The node's text, or what the wallet found. */
  readonly text: string
  /** Unix seconds of the first refusal of this kind in a row. */
  readonly since: number
}

const table: ReadonlyArray<readonly [kind: RefusalKind, texts: ReadonlyArray<string>]> = [
  ["taken", ["nonce too low", "there is another tx which has the same nonce", "replacement transaction underpriced"]],
  ["price", [
    "transaction underpriced",
    "gas price below minimum",
    "invalid unit price",
    "must be set to value greater than or equal to basefee",
    "must be set to the same value as gas unit price",
    "max fee per gas less than block base fee"
  ]],
  ["passing", [
    "txpool is full",
    "nonce too high",
    "in-flight transaction limit reached",
    "gapped-nonce tx from delegated accounts",
    "authority already reserved",
    "future transaction tries to replace pending",
    "gas limit reached",
    "missing trie node",
    "known transaction",
    "already known"
  ]],
  ["funds", ["insufficient funds", "insufficient balance"]],
  ["lasting", [
    "invalid sender",
    "invalid fee payer",
    "invalid account key",
    "legacy account key",
    "not a legacy account"
  ]],
  ["never", [
    "invalid transaction v, r, s values",
    "invalid chain id",
    "intrinsic gas too low",
    "exceeds block gas limit",
    "gas limit exceeds the upper limit",
    "insufficient gas for floor data",
    "negative value",
    "oversized data",
    "content length too large",
    "max initcode size exceeded",
    "transaction type not supported",
    "undefined tx type",
    "locally anchoring chaindata tx is not allowed",
    "not allowed for anchoring",
    "nonce has max value",
    "max fee per gas higher than",
    "max priority fee per gas higher than",
    "empty auth list",
    "at least one authorization tuple",
    "cannot be used to create contract",
    "sender must be an eoa",
    "recipient must be an eoa",
    "not a program account",
    "cannot be sent to contract addresses",
    "cannot be sent to nil",
    "reserved for pre-compiled contracts",
    "humanreadable address is not supported",
    "human-readable address is not supported",
    "fee ratio is out of range",
    "key is not serializable",
    "rlp:"
  ]]
]

/**
 * What a text of the node means.
 *
 * @category reading
 */
export const kindOf = (text: string): RefusalKind => {
  const lower = text.toLowerCase()
  return table.find(([, texts]) => texts.some((known) => lower.includes(known)))?.[0] ?? "unknown"
}

/**
 * What an answer by HTTP alone means: a door of the node that lets these bytes not through is no verdict about the chain, but it may
 * be about the bytes. Undefined is silence.
 *
 * @category reading
 */
export const kindOfStatus = (status: number | undefined): RefusalKind => {
  if (status === 413) return "never"
  const isOfTheBytes = status !== undefined && status >= 400 && status < 500 && !passingStatuses.has(status)
  return isOfTheBytes ? "unknown" : "passing"
}

/** Not let in, too early, too often. */
const passingStatuses: ReadonlySet<number> = new Set([401, 407, 408, 425, 429])

/**
 * How long a refusal of a kind is borne, in seconds.
 *
 * @category models
 */
export interface Patience {
  readonly lasting: number
  readonly unknown: number
}

/**
 * Whether a refusal has lasted for so long that the nonce is cancelled.
 *
 * @category reading
 */
export const isOver = ({ kind, since }: Refusal, patience: Patience, now: number): boolean => {
  switch (kind) {
    case "never":
      return true
    case "funds":
    case "lasting":
      return now - since >= patience.lasting
    case "unknown":
      return now - since >= patience.unknown
    default:
      return false
  }
}

/**
 * The refusal after another one: the first in a row says since when.
 *
 * @category constructors
 */
export const follow = (
  before: Refusal | undefined,
  { kind, text }: Pick<Refusal, "kind" | "text">,
  now: number
): Refusal => ({ kind, text, since: before?.kind === kind ? before.since : now })
