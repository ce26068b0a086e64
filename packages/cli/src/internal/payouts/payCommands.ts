/** `klaytn pay` and `klaytn payouts`: their pages. */
import * as Subcommand from "../frame/Subcommand.js"
import { managing, paying } from "./options.js"

export const pay = Subcommand.make(
  {
    name: "pay",
    finishesUnread: true,
    summary: "pay once for a key, or a file of payments",
    description: [
      "Pays an amount of KLAY (KAIA), or of a KIP-7 token, exactly once per key, even across crashes: the same command, run " +
      "again, continues. With --file, the command pays the lines of a CSV file. Its first line names the columns key, to and " +
      "amount, and optionally from, token and memo.",
      "Everything is checked and shown before the first payment. Nothing is sent without --yes, or stored if a check fails.",
      "Exit code 0: all payments are made, or a --dry-run found nothing wrong. 2: the options or the file can't be used, or " +
      "--yes is missing. 3: a check failed, or a payment was refused, cancelled, or waits for approval."
    ],
    examples: {
      [
        "klaytn pay --key order-4711 --from 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed " +
        "--to 0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359 --amount 1.5 --payer service --db payouts.db --yes"
      ]: "make one payment",
      "klaytn pay --file payouts.csv --from 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --payer service --db payouts.db --dry-run":
        "check a file and show what it comes to",
      "klaytn pay --sandbox --key try-1 --to 0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359 --amount 1.5 --payer service --yes":
        "try it offline, from an account of the sandbox"
    }
  },
  paying,
  async (input) => (await import("./runPay.js")).pay(input)
)

export const payouts = Subcommand.make(
  {
    name: "payouts",
    finishesUnread: true,
    summary: "list, show, watch, report, work off, approve, cancel, adopt, reconcile or resolve payments, show nonces",
    description: [
      "Manages the payments that klaytn pay, or a program, stores in a database. ACTION is list, show, watch, report, work, " +
      "approve, cancel, adopt, nonces, reconcile or resolve; all but list, watch, report, work, adopt and nonces need the KEY of a " +
      "payment.",
      "Only work pays anything: it works on the payments that are stored with exactly its --limit, --limit-day and " +
      "--approve-above, on all that have begun, and ends when nothing is left to do. Every other action returns at once.",
      "watch writes every change of every payment, in the order of the commits, and waits for more. With --reader NAME, watch " +
      "continues where that reader stopped, and misses nothing across restarts. If your program stopped before it processed a " +
      "line, pass the cursor of the last processed line with --after to get the next lines again.",
      "report adds up a day of UTC by token and state, with the fees, and compares the database with the chain. The report names " +
      "each difference, and the exit code is then 3. A payment counts on the day of its block.",
      "approve releases a payment that waits for approval. cancel ends a payment; if a request may have left, it ends when a " +
      "cancellation is in a block, which work sends. reconcile looks a payment up on the chain now, and sends nothing.",
      "adopt gives a payment the limits of the command line: one that an older version stored without limits, or one whose limits " +
      "no process has any more. Without a KEY it takes all that wait for that. It shows them, and changes nothing without --yes.",
      "A KEY that begins with two dashes stands behind --, after all options: klaytn payouts show --db payouts.db -- --order.",
      "nonces shows the nonces of the account --from, as the chain counts them and as the database has them. If the database is ahead of " +
      "the chain, the exit code is 3, and --reset --yes frees what neither the chain nor a payment knows.",
      "resolve ends a payment when the chain does not show the outcome and you know it: --not-sent says that the payment was not " +
      "made, --sent HASH names the transaction that paid. The command asks the chain and the node's pool first, and refuses an " +
      "answer that they contradict. As long as a transaction of the payment may still get into a block, --not-sent is refused: " +
      "cancel the payment instead. Without --yes, nothing changes."
    ],
    examples: {
      "klaytn payouts list --db payouts.db": "all payments, newest first",
      "klaytn payouts show order-4711 --db payouts.db": "one payment, with all that happened to it",
      "klaytn payouts approve order-4711 --db payouts.db": "release what waits for approval",
      "klaytn payouts work --limit 100 --approve-above 50 --db payouts.db": "pay what is stored with these limits",
      "klaytn payouts list --state Unknown --db payouts.db --json": "what is in doubt, for a program",
      "klaytn payouts list --since 2024-06-01 --until 2024-06-30 --csv --db payouts.db": "a month, for a spreadsheet",
      "klaytn payouts report --day 2024-06-30 --db payouts.db": "a day, compared with the chain",
      "klaytn payouts watch --reader ledger --json --db payouts.db": "every change, for a program",
      "klaytn payouts nonces --from 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed --db payouts.db":
        "what the chain and the database count",
      "klaytn payouts resolve order-4711 --not-sent --db payouts.db --yes": "end one of which nothing was sent"
    }
  },
  managing,
  async (input) => (await import("./runPayouts.js")).payouts(input)
)
