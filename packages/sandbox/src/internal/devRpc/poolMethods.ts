import { zeroHash } from "@effect-klaytn/custody/TransactionFields"
import type { PendingTransaction } from "@effect-klaytn/local-chain/LocalChain"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { createsContract } from "@effect-klaytn/transaction/TransactionType"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Address from "ox/Address"
import type { Chain } from "../../Chain.js"
import { inNamespaces, method, type Methods } from "../rpc/Method.js"
import { ethTransaction, klayTransaction, transactionOf } from "../rpc/transactionForm.js"
import type { DevRpcState } from "./DevRpcState.js"

type BySender<A> = { readonly [from: string]: { readonly [nonce: string]: A } }

/** Everything that waits. */
const waiting = (chain: Chain) =>
  Effect.map(
    Effect.flatMap(chain.pending, Effect.forEach((hash) => chain.pendingTransaction(hash))),
    (found) => found.flatMap(Option.toArray)
  )

/** Transactions by sender, as a node writes it here, and nonce. */
const bySender = <A>(found: ReadonlyArray<PendingTransaction>, form: (known: PendingTransaction) => A): BySender<A> => {
  const lists = new Map<Hex, ReadonlyArray<PendingTransaction>>()
  for (const known of found) lists.set(known.from, [...lists.get(known.from) ?? [], known])
  return Object.fromEntries(Array.from(lists, ([from, list]) => [
    Address.checksum(from),
    Object.fromEntries(list.map((known) => [`${transactionOf(known).nonce}`, form(known)]))
  ]))
}

/** The transactions that wait, in a form: those that can run, and the others. */
const inForm = (form: (found: ReadonlyArray<PendingTransaction>) => unknown) =>
  method([], (chain) =>
    Effect.map(waiting(chain), (found) => ({
      pending: form(found.filter(({ isQueued }) => !isQueued)),
      queued: form(found.filter(({ isQueued }) => isQueued))
    })))

/** A transaction that waits is in no block, which a node writes as zeros here. */
const content = (known: PendingTransaction) => ({
  ...klayTransaction(known),
  blockHash: zeroHash,
  blockNumber: "0x0",
  transactionIndex: "0x0"
})

const summary = (known: PendingTransaction): string => {
  const transaction = transactionOf(known)
  const { gas, gasPrice, to, value } = ethTransaction(known)
  // A type without a recipient creates a contract, says a node here.
  const isNobody = !("to" in transaction) || transaction.to === undefined ||
    createsContract(known.typeInt, transaction.to)
  return `${isNobody || to === null ? "contract creation" : Address.checksum(to)}: ${BigInt(value)} kei + ${
    BigInt(gas)
  } gas × ${BigInt(gasPrice)} kei`
}

/** What can run of the transactions of the accounts whose keys are held here, which is all that a node lists. */
const ownPending = (state: DevRpcState, form: (known: PendingTransaction) => unknown) =>
  method([], (chain) =>
    Effect.map(waiting(chain), (found) => {
      const own = new Set(state.allAccounts().map(({ address }) => address))
      return found.filter(({ from, isQueued }) => !isQueued && own.has(from)).map(form)
    }))

/** The pool as the chain's nodes show it. */
export const poolMethods = (state: DevRpcState): Methods => ({
  eth_pendingTransactions: ownPending(state, ethTransaction),
  ...inNamespaces(["kaia", "klay"], { pendingTransactions: ownPending(state, klayTransaction) }),
  txpool_content: inForm((found) => bySender(found, content)),
  txpool_inspect: inForm((found) => bySender(found, summary)),
  txpool_status: inForm((found) => quantity(found.length))
})
