/** `klaytn pay` and `klaytn payouts`: their options and their pages. */
import * as Effect from "effect/Effect"
import * as shared from "../frame/shared.js"
import * as Subcommand from "../frame/Subcommand.js"

const runPay = Effect.promise(() => import("./runPay.js"))
const runPayouts = Effect.promise(() => import("./runPayouts.js"))

const { count, flag, text } = shared

/** Where payouts are stored, and what may be spent. */
const storage = {
  db: text(
    "db",
    "PLACE",
    "Database of the payouts: a SQLite file, or postgres://...; KLAYTN_PAYOUTS_DB in the environment hides a password."
  ),
  limit: text("limit", "KLAY", "Limit of one payment. Mainnet needs this limit or --limit-day."),
  limitDay: text("limit-day", "KLAY", "Limit of all payments of this database in 24 hours."),
  approveAbove: text("approve-above", "KLAY", "A payment above this waits for klaytn payouts approve.")
}

const paying = {
  key: text("key", "KEY", "Your name for the payment, such as that of an order."),
  from: text("from", "ACCOUNT", "The account of the wallet that pays."),
  to: text("to", "ACCOUNT", "Who is paid."),
  amount: text("amount", "AMOUNT", "In KLAY, or in whole tokens with --token: a decimal number."),
  token: text("token", "CONTRACT", "Pay this KIP-7 token."),
  memo: text("memo", "TEXT", "A text for the transaction. Not with --token."),
  payer: text("payer", "WHO", "Who pays the fee: service, sender, or the address of a fee payer."),
  file: text("file", "FILE", "Pay the lines of this CSV file."),
  dryRun: flag("dry-run", "Check and show everything, and send nothing."),
  yes: flag("yes", "Pay. Without it, nothing is sent."),
  perSecond: count("per-second", "Payments that are begun in a second, at most."),
  ...storage,
  ...shared.options
}

const managing = {
  state: text("state", "STATES", "For list: only payments in these states, with commas between them."),
  from: text("from", "ACCOUNT", "For list: only payments of this account."),
  to: text("to", "ACCOUNT", "For list: only payments to this account."),
  since: text("since", "TIME", "For list: only payments submitted at this time or later."),
  until: text("until", "TIME", "For list: only payments submitted at this time or before."),
  csv: flag(
    "csv",
    "For list and report: write CSV. A text that a spreadsheet would take for a formula gets an apostrophe."
  ),
  day: text("day", "DAY", "For report: a day of UTC, such as 2026-11-23."),
  reader: text("reader", "NAME", "For watch: continue where this reader stopped. The database stores its cursor."),
  after: text("after", "CURSOR", "For watch: begin after the change with this cursor."),
  once: flag("once", "For watch: end after the last change, instead of waiting for more."),
  notSent: flag("not-sent", "For resolve: the payment was not sent, and no copy of its request can still arrive."),
  sent: text("sent", "HASH", "For resolve: the transaction that paid it."),
  yes: flag("yes", "For resolve: record it."),
  ...storage,
  ...shared.options,
  action: shared.action(
    ["list", "show", "watch", "report", "approve", "cancel", "reconcile", "resolve"],
    "What to do."
  ),
  key: shared.argument("KEY", "The key of a payment.")
}

export type StorageInput = Subcommand.Input<typeof storage & typeof shared.options>
export type PayInput = Subcommand.Input<typeof paying>
export type PayoutsInput = Subcommand.Input<typeof managing>

export const pay = Subcommand.make(
  {
    name: "pay",
    finishesUnread: true,
    summary: "pay once for a key, or a file of payments",
    description: [
      "Pays an amount of KLAY (KAIA), or of a KIP-7 token, exactly once per key, even across crashes: the same command, run " +
      "again, continues. With --file, the command pays the lines of a CSV file. Its first line names the columns key, to and " +
      "amount, and optionally from, token and memo.",
      "Everything is checked and shown before the first payment. Nothing is sent without --yes. The exit code is 3 if a " +
      "check fails, or a payment was refused, cancelled, or waits for approval."
    ],
    examples: [
      [
        "klaytn pay --key order-4711 --from 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed " +
        "--to 0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359 --amount 1.5 --payer service --db payouts.db --yes",
        "make one payment"
      ],
      [
        "klaytn pay --file payouts.csv --from 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --payer service --db payouts.db " +
        "--dry-run",
        "check a file and show what it comes to"
      ],
      [
        "klaytn pay --sandbox --key try-1 --to 0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359 --amount 1.5 --payer service --yes",
        "try it offline, from an account of the sandbox"
      ]
    ]
  },
  paying,
  (input) => Effect.flatMap(runPay, ({ pay }) => pay(input))
)

export const payouts = Subcommand.make(
  {
    name: "payouts",
    finishesUnread: true,
    summary: "list, show, watch, report, approve, cancel, reconcile or resolve payments",
    description: [
      "Manages the payments that klaytn pay, or a program, stores in a database. ACTION is list, show, watch, report, " +
      "approve, cancel, reconcile or resolve; all but list, watch and report take the KEY of a payment.",
      "watch writes every change of every payment, in the order of the commits, and waits for more. With --reader NAME, watch " +
      "continues where that reader stopped, and misses nothing across restarts. If your program stopped before it processed a " +
      "line, pass the cursor of the last processed line with --after to get the next lines again.",
      "report adds up a day of UTC by token and state, with the fees, and compares the database with the chain. The report names " +
      "each difference, and the exit code is then 3. A payment counts on the day of its block.",
      "approve releases a payment that waits for approval. cancel ends a payment; if a request may have left, cancel sends a " +
      "cancellation. reconcile looks a payment up on the chain now, and sends nothing.",
      "resolve ends a payment when the chain does not show the outcome and you know it: --not-sent says that the payment was not " +
      "made, --sent HASH names the transaction that paid. The command asks the chain first, and refuses an answer that the chain " +
      "contradicts. Without --yes, nothing changes."
    ],
    examples: [
      ["klaytn payouts list --db payouts.db", "all payments, newest first"],
      ["klaytn payouts show order-4711 --db payouts.db", "one payment, with all that happened to it"],
      ["klaytn payouts approve order-4711 --db payouts.db", "pay what waited for approval"],
      ["klaytn payouts list --state Unknown --db payouts.db --json", "what is in doubt, for a program"],
      ["klaytn payouts list --since 2024-06-01 --until 2024-06-30 --csv --db payouts.db", "a month, for a spreadsheet"],
      ["klaytn payouts report --day 2024-06-30 --db payouts.db", "a day, compared with the chain"],
      ["klaytn payouts watch --reader ledger --json --db payouts.db", "every change, for a program"],
      ["klaytn payouts resolve order-4711 --not-sent --db payouts.db --yes", "end one of which nothing was sent"]
    ]
  },
  managing,
  (input) => Effect.flatMap(runPayouts, ({ payouts }) => payouts(input))
)
