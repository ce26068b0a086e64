import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Address from "ox/Address"
import type { Chain } from "../../Chain.js"
import { method, type Methods } from "../rpc/Method.js"
import { ethTransaction } from "../rpc/transactionForm.js"

type Waiting = ReturnType<typeof ethTransaction>

type BySender = { [from: Hex]: { [nonce: string]: Waiting } }

const waiting = (chain: Chain) =>
  Effect.map(
    Effect.flatMap(chain.pending, Effect.forEach((hash) => chain.pendingTransaction(hash))),
    (found) => found.flatMap(Option.toArray)
  )

/** The transactions that wait, by sender and nonce: those that can run, and the others. */
const contentOf = (chain: Chain) =>
  Effect.map(waiting(chain), (found) => {
    const pending: BySender = {}
    const queued: BySender = {}
    for (const known of found) {
      const one = ethTransaction(known)
      const list = known.isQueued ? queued : pending
      const own = list[one.from] ?? {}
      own[`${BigInt(one.nonce)}`] = one
      list[one.from] = own
    }
    return { pending, queued }
  })

const countOf = (list: BySender): number => Object.values(list).flatMap((waiting) => Object.keys(waiting)).length

const summary = ({ gas, gasPrice, to, value }: Waiting): string =>
  `${to === null ? "contract creation" : Address.checksum(to)}: ${BigInt(value)} kei + ${BigInt(gas)} gas × ${
    BigInt(gasPrice)
  } kei`

/** The same list with senders as a node writes them here. */
const withChecksums = <A>(list: { readonly [from: Hex]: A }): { readonly [from: string]: A } =>
  Object.fromEntries(Object.entries(list).map(([from, own]) => [Address.checksum(from as Hex), own]))

const summaries = (list: BySender) => withChecksums(Record.map(list, Record.map(summary)))

/** Shows both lists in a form. */
const inForm = (form: (list: BySender) => unknown) =>
  method(
    [],
    (chain) => Effect.map(contentOf(chain), ({ pending, queued }) => ({ pending: form(pending), queued: form(queued) }))
  )

/** The pool as Ethereum's nodes show it. */
export const poolMethods: Methods = {
  eth_pendingTransactions: method(
    [],
    (chain) => Effect.map(waiting(chain), (found) => found.filter(({ isQueued }) => !isQueued).map(ethTransaction))
  ),
  txpool_content: method([], contentOf),
  txpool_inspect: inForm(summaries),
  txpool_status: inForm((list) => quantity(countOf(list)))
}
