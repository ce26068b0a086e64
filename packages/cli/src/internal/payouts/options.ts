/** The options and arguments of `klaytn pay` and `klaytn payouts`. */
import * as shared from "../frame/shared.js"
import type { Input } from "../frame/Subcommand.js"
import * as Word from "../frame/Word.js"

const { flag, goingWith, text, whole } = Word

/** Where payouts are stored, and what may be spent. */
const storage = {
  db: text(
    "--db PLACE",
    "Database of the payouts: a SQLite file, or postgres://...; KLAYTN_PAYOUTS_DB in the environment hides a password."
  ),
  limit: text("--limit KLAY", "Limit of one payment. Mainnet needs this limit or --limit-day."),
  limitDay: text("--limit-day KLAY", "Limit of all payments of this database in 24 hours."),
  approveAbove: text(
    "--approve-above KLAY",
    "A payment above this, and each of a token, waits for klaytn payouts approve."
  ),
  unlimitedTokens: flag("--unlimited-tokens", "Pay tokens, for which --limit and --limit-day do not hold.")
}

export const paying = {
  key: text("--key KEY", "Your name for the payment, such as that of an order."),
  from: text("--from ACCOUNT", "The account of the wallet that pays."),
  to: text("--to ACCOUNT", "Who is paid."),
  amount: text("--amount AMOUNT", "In KLAY, or in whole tokens with --token: a decimal number."),
  token: text("--token CONTRACT", "Pay this KIP-7 token."),
  memo: text("--memo TEXT", "A text for the transaction. Not with --token."),
  payer: text("--payer WHO", "Who pays the fee: service, sender, or the address of a fee payer."),
  file: text("--file FILE", "Pay the lines of this CSV file."),
  dryRun: flag("--dry-run", "Check and show everything, and send nothing."),
  yes: flag("--yes", "Pay. Without it, nothing is sent."),
  perSecond: whole("--per-second N", "Payments that are begun in a second, at most."),
  ...storage,
  ...shared.options
}

/** The actions that concern one payment. */
const ofOne = ["show", "approve", "cancel", "reconcile", "resolve"] as const

/** Those that begin payments, or give limits to them. */
const withLimits = ["adopt", "work"] as const

export const managing = {
  state: goingWith(
    ["list"],
    text("--state STATES", "For list: only payments in these states, with commas between them.")
  ),
  from: goingWith(
    ["list", "nonces"],
    text("--from ACCOUNT", "For list: only payments of this account. For nonces: the account.")
  ),
  to: goingWith(["list"], text("--to ACCOUNT", "For list: only payments to this account.")),
  since: goingWith(["list"], text("--since TIME", "For list: only payments submitted at this time or later.")),
  until: goingWith(["list"], text("--until TIME", "For list: only payments submitted at this time or before.")),
  csv: goingWith(
    ["list", "report"],
    flag(
      "--csv",
      "For list and report: write CSV. A text that a spreadsheet would take for a formula gets an apostrophe."
    )
  ),
  day: goingWith(["report"], text("--day DAY", "For report: a day of UTC, such as 2026-11-23.")),
  reader: goingWith(
    ["watch"],
    text("--reader NAME", "For watch: continue where this reader stopped. The database stores its cursor.")
  ),
  after: goingWith(["watch"], text("--after CURSOR", "For watch: begin after the change with this cursor.")),
  once: goingWith(["watch"], flag("--once", "For watch: end after the last change, instead of waiting for more.")),
  reset: goingWith(["nonces"], flag("--reset", "For nonces: free those that neither the chain nor a payment knows.")),
  notSent: goingWith(
    ["resolve"],
    flag("--not-sent", "For resolve: the payment was not sent, and no copy of its request can still arrive.")
  ),
  sent: goingWith(["resolve"], text("--sent HASH", "For resolve: the transaction that paid it.")),
  yes: goingWith(
    ["adopt", "nonces", "resolve"],
    flag("--yes", "For adopt and resolve: record it. For nonces: reset them.")
  ),
  db: storage.db,
  limit: goingWith(withLimits, storage.limit),
  limitDay: goingWith(withLimits, storage.limitDay),
  approveAbove: goingWith(withLimits, storage.approveAbove),
  unlimitedTokens: goingWith(withLimits, storage.unlimitedTokens),
  ...shared.options,
  action: Word.action(
    ["list", "show", "watch", "report", "work", "approve", "cancel", "adopt", "nonces", "reconcile", "resolve"],
    "What to do."
  ),
  key: goingWith(
    ["show", "approve", "cancel", "adopt", "reconcile", "resolve"],
    text("KEY", "For show, approve, cancel, adopt, reconcile and resolve: the key of a payment."),
    ofOne
  )
}

export type StorageInput = Input<typeof storage & typeof shared.options>
export type PayInput = Input<typeof paying>
export type PayoutsInput = Input<typeof managing>
