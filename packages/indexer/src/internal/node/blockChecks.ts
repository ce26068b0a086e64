/**
 * What a node says about a block, compared with itself. An answer that contradicts another one is stored by nobody: it is asked for
 * again, perhaps of another copy of the node, and the block waits.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
import { type BlockForm, type ReceiptForm, type TransactionForm, typeIntOf } from "./forms.js"
import type { BlockTrace } from "./traceForm.js"

/** The answers of a node about a block. */
export interface BlockAnswers {
  readonly block: BlockForm
  readonly receipts: ReadonlyArray<ReceiptForm>
  /** In the order of the transactions; none if they are not traced. */
  readonly traces?: ReadonlyArray<BlockTrace> | undefined
  /** The block before, if it was read. */
  readonly before?: Pick<BlockForm, "hash" | "timestamp"> | undefined
}

/** A check of the answers about a block. */
export interface Check {
  /** What is so in all blocks. */
  readonly name: string
  /** Which answer is wrong if it is not so. */
  readonly about: "block" | "receipts" | "traces"
  /** What is wrong; nothing if it is so. */
  readonly problem: (answers: BlockAnswers) => string | undefined
}

/** A filter of zeros: of a block without logs, and of nodes that fill none. */
const isEmpty = (bloom: Hex): boolean => /^0x0*$/.test(bloom)

/** The first that is found of a list. */
const firstOf = <A>(
  list: ReadonlyArray<A>,
  problem: (one: A, index: number) => string | undefined
): string | undefined => {
  for (let index = 0; index < list.length; index++) {
    // A cast: `index` is below the length.
    const found = problem(list[index] as A, index)
    if (found !== undefined) return found
  }
  return undefined
}

/** The first that is found of the logs of all receipts. */
const firstOfLogs = (
  { receipts }: BlockAnswers,
  problem: (log: ReceiptForm["logs"][number], receipt: ReceiptForm) => string | undefined
): string | undefined =>
  firstOf(receipts, (receipt, index) =>
    firstOf(receipt.logs, (log, place) => {
      const found = problem(log, receipt)
      return found === undefined ? undefined : `log ${place} of receipt ${index} ${found}`
    }))

/** Whether two texts of hex differ, in any letter case. */
const differs = (text: string | undefined, hash: string): boolean =>
  text !== undefined && text !== hash && text.toLowerCase() !== hash.toLowerCase()

const hexOf = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`

/** The types that run no code: updates of accounts, cancellations and anchored data, with and without a fee payer. */
const runsCode = (typeInt: number | undefined): boolean => typeInt === undefined || ![32, 56, 72].includes(typeInt & ~7)

/** Whether a trace that names no transaction is that of one: each of both has the same of what both have. */
const isTraceOf = (
  { input, to, type, value }: NonNullable<BlockTrace["result"]>,
  transaction: TransactionForm
): boolean =>
  // Of a creation, a trace has the address that was created.
  (type !== "CALL" || to === undefined || to === (transaction.to ?? to)) &&
  (value === undefined || !runsCode(typeIntOf(transaction)) || value === (transaction.value ?? value)) &&
  (input === undefined || !differs(transaction.input, input))

/** The first of a list that says another number than its place. */
const misplaced = (
  noun: string,
  list: ReadonlyArray<{ readonly transactionIndex?: string | undefined }>
): string | undefined =>
  firstOf(
    list,
    ({ transactionIndex: text }, index) =>
      text === undefined || Number(text) === index
        ? undefined
        : `${noun} ${index} says that it is number ${Number(text)}`
  )

/** All checks, in their order: later ones rely on the counts of earlier ones. */
export const checks: ReadonlyArray<Check> = [
  {
    name: "its parent is the block before it",
    about: "block",
    problem: ({ before, block }) =>
      before === undefined || before.hash === block.parentHash ? undefined : "its parent is not the block before it"
  },
  {
    name: "its time is not before that of the block before it",
    about: "block",
    problem: ({ before, block }) =>
      before === undefined || before.timestamp <= block.timestamp
        ? undefined
        : "its time is before that of the block before it"
  },
  {
    name: "each transaction is in its place, and once",
    about: "receipts",
    problem: ({ block: { transactions } }) =>
      misplaced("transaction", transactions) ??
        (new Set(transactions.map(({ hash }) => hash)).size === transactions.length
          ? undefined
          : "it has a transaction twice")
  },
  {
    name: "each transaction is one of the block",
    about: "block",
    problem: ({ block: { hash, transactions } }) =>
      firstOf(
        transactions,
        ({ blockHash }, index) => differs(blockHash, hash) ? `transaction ${index} belongs to another block` : undefined
      )
  },
  {
    name: "each transaction has a receipt",
    about: "receipts",
    problem: ({ block: { transactions }, receipts }) =>
      receipts.length === transactions.length
        ? undefined
        : `${receipts.length} receipts for ${transactions.length} transactions`
  },
  {
    name: "each receipt is that of its transaction",
    about: "receipts",
    problem: ({ block: { transactions }, receipts }) =>
      firstOf(
        receipts,
        ({ transactionHash }, index) =>
          transactionHash === transactions[index]?.hash ? undefined : `receipt ${index} belongs to another transaction`
      )
  },
  {
    name: "each receipt is one of the block",
    about: "receipts",
    problem: ({ block: { hash }, receipts }) =>
      firstOf(
        receipts,
        ({ blockHash }, index) => blockHash === hash ? undefined : `receipt ${index} belongs to another block`
      )
  },
  {
    name: "each receipt is in its place",
    about: "receipts",
    problem: ({ receipts }) => misplaced("receipt", receipts)
  },
  {
    name: "each receipt says success or failure, and one of a failure has no logs",
    about: "receipts",
    problem: ({ receipts }) =>
      firstOf(receipts, ({ logs, status }, index) => {
        if (status !== 0n && status !== 1n) return `receipt ${index} has the status ${status}`
        return status === 0n && logs.length > 0 ? `receipt ${index} says that it failed, and has logs` : undefined
      })
  },
  {
    name: "the receipts have used the gas of the block, if it says any",
    about: "receipts",
    problem: ({ block: { gasUsed }, receipts }) => {
      const sum = receipts.reduce((sum, receipt) => sum + receipt.gasUsed, 0n)
      return gasUsed === 0n || sum === gasUsed ? undefined : `its receipts used ${sum} gas, and it says ${gasUsed}`
    }
  },
  {
    name: "each log is one of the block",
    about: "receipts",
    problem: (answers) =>
      firstOfLogs(
        answers,
        ({ blockHash }) => differs(blockHash, answers.block.hash) ? "belongs to another block" : undefined
      )
  },
  {
    name: "each log is one of its transaction",
    about: "receipts",
    problem: (answers) =>
      firstOfLogs(
        answers,
        (log, { transactionHash }) =>
          differs(log.transactionHash, transactionHash) ? "belongs to another transaction" : undefined
      )
  },
  {
    name: "logs are numbered through the block",
    about: "receipts",
    problem: (answers) => {
      let next = 0
      return firstOfLogs(answers, ({ logIndex }) => {
        const expected = next++
        return logIndex === undefined || Number(logIndex) === expected
          ? undefined
          : `is not number ${expected} of the block`
      })
    }
  },
  {
    name: "no log of a block was removed",
    about: "receipts",
    problem: (answers) => firstOfLogs(answers, ({ removed }) => removed === true ? "was removed" : undefined)
  },
  {
    name: "the logs give the bloom filter of the block, if it is not empty",
    about: "receipts",
    problem: ({ block: { logsBloom }, receipts }) =>
      logsBloom === undefined || isEmpty(logsBloom) ||
        logsBloom === hexOf(LogsBloom.of(receipts.flatMap(({ logs }) => logs)))
        ? undefined
        : "the logs of its receipts do not give its bloom filter"
  },
  {
    name: "each transaction has a trace",
    about: "traces",
    problem: ({ block: { transactions }, traces }) =>
      traces === undefined || traces.length === transactions.length
        ? undefined
        : `${traces.length} traces for ${transactions.length} transactions`
  },
  {
    name: "each trace is that of its transaction",
    about: "traces",
    problem: ({ block: { transactions }, traces = [] }) =>
      firstOf(traces, ({ result, txHash }, index) => {
        const transaction = transactions[index]
        if (transaction === undefined) return undefined
        const { from, hash } = transaction
        const isOwn = (txHash ?? hash) === hash && (result?.from ?? from) === from &&
          (txHash !== undefined || result === undefined || isTraceOf(result, transaction))
        return isOwn ? undefined : `trace ${index} belongs to another transaction`
      })
  },
  {
    name: "each trace is one of calls",
    about: "traces",
    problem: ({ traces = [] }) =>
      firstOf(
        traces,
        ({ result }, index) =>
          result === undefined || result.type !== undefined && result.from !== undefined
            ? undefined
            : `trace ${index} does not say who called how: it is none of the callTracer`
      )
  },
  {
    name: "each transaction that runs code was traced",
    about: "traces",
    problem: ({ block: { transactions }, traces = [] }) =>
      firstOf(traces, ({ error, result }, index) => {
        const transaction = transactions[index]
        return transaction !== undefined && result === undefined &&
            (error !== undefined || runsCode(typeIntOf(transaction)))
          ? `transaction ${index} was not traced: ${error ?? "no reason was given"}`
          : undefined
      })
  },
  {
    name: "a trace fails where its receipt does",
    about: "traces",
    problem: ({ block: { transactions }, receipts, traces = [] }) =>
      firstOf(transactions, (transaction, index) => {
        const [result, receipt] = [traces[index]?.result, receipts[index]]
        if (result === undefined || receipt === undefined || !runsCode(typeIntOf(transaction))) return undefined
        const isDone = receipt.status === 1n
        return isDone === (result.error === undefined)
          ? undefined
          : `receipt ${index} says that it ${isDone ? "succeeded" : "failed"}, and its trace that it ${
            isDone ? "failed" : "succeeded"
          }`
      })
  }
]

/** The first check that answers don't pass, and what is wrong. */
export const contradiction = (
  answers: BlockAnswers
): { readonly about: Check["about"]; readonly problem: string } | undefined => {
  for (const { about, problem } of checks) {
    const found = problem(answers)
    if (found !== undefined) return { about, problem: found }
  }
  return undefined
}
