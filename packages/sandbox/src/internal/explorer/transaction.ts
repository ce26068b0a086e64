import type { LogRecord, TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import { txError } from "@effect-klaytn/local-chain/Execution"
import type { DroppedTransaction, PendingTransaction } from "@effect-klaytn/local-chain/LocalChain"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { type Signature, toQuantities } from "@effect-klaytn/transaction/Signature"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import { sharesOf } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { faultText, revertReason } from "../rpc/execution.js"
import { nonceGap } from "../rpc/nonceGap.js"
import { anchoringOf, transactionOf } from "../rpc/transactionForm.js"
import { keyView } from "./accountKeys.js"
import { addressesIn, argumentTable, decodeCall, type Decoded, decodeError, decodeLog, signatureOf } from "./decoded.js"
import { type ChainView, copied, type Links, linksFor, Missing } from "./ExplorerReads.js"
import {
  count,
  counted,
  dataBox,
  idOf,
  klay,
  klayAndPeb,
  outcome,
  pill,
  printable,
  quiet,
  quoted,
  time,
  wide,
  wideUpTo
} from "./format.js"
import { type Child, type Html, html } from "./Html.js"
import { card, type Fact, facts, heading, type Page, page } from "./layout.js"
import { nonceHolder } from "./nonceHolder.js"
import { typeWords } from "./transactionList.js"
import { partiesOf, transferTable } from "./transfers.js"

/** The most logs and transfers that are shown; a transaction may have thousands. */
const maxRows = 50

const shownOf = (shown: number, all: number): string => shown < all ? `: the first ${shown} of ${count(all)}` : ""

/** A memo, or call data: text if it is printable, which is what most people put there. */
const textOf = (input: Hex): string | undefined => {
  const bytes = Buffer.from(input.slice(2), "hex")
  if (bytes.length === 0 || bytes.length > 10_000) return undefined
  const text = bytes.toString("utf8")
  return Buffer.from(text).equals(bytes) && !/[^\P{C}\n\t]/u.test(text.replace(/\p{Cf}/gu, "")) ? text : undefined
}

const revertView = (links: Links, data: Hex): Child => {
  const reason = revertReason(data)
  if (reason !== undefined) return quoted(reason)
  const error = decodeError(data)
  if (error !== undefined) return [signatureOf(error), argumentTable(links, error, "klay_call")]
  return data === "0x" ? undefined : wideUpTo(1_000, data, "klay_call")
}

/** The gas that finding out a reason may use: a page does not wait for a long loop. */
const maxGas = 3_000_000n

/** What reverted transactions said, by chain, block and hash: an open page asks each second, and running one holds the chain. */
const said = new WeakMap<ChainView["chain"], Map<string, Hex | undefined>>()
const mostSaid = 1_000

/** What a transaction reverted with. It is run once, and the answer kept. */
const revertData = Effect.fnUntraced(
  function*(
    chain: ChainView["chain"],
    { blockHash, blockNumber, from, gas, hash, to, value }: TransactionRecord,
    input: Hex
  ) {
    const known = said.get(chain) ?? new Map<string, Hex | undefined>()
    said.set(chain, known)
    const key = `${blockHash} ${hash}`
    if (known.has(key)) return known.get(key)
    const result = yield* chain.call({
      from,
      to,
      value,
      data: input,
      gas: gas < maxGas ? gas : maxGas,
      block: Math.max(0, blockNumber - 1)
    }).pipe(Effect.catchTag("BlockNotFound", () => Effect.succeed(undefined)))
    const data = result?.txError === txError.reverted ? result.data : undefined
    const [oldest] = known.keys()
    if (known.size >= mostSaid && oldest !== undefined) known.delete(oldest)
    known.set(key, data)
    return data
  }
)

/**
 * Why a transaction failed. Receipts do not keep what a contract reverted with: the message is run again after the block
 * before, which shows the reason unless something earlier in the same block caused it.
 */
const failureOf = (
  { chain }: ChainView,
  links: Links,
  record: TransactionRecord,
  transaction: Transaction
) =>
  Effect.gen(function*() {
    const code = record.txError ?? txError.vm
    const data = code === txError.reverted && record.gasUsed <= maxGas && "input" in transaction
      ? yield* revertData(chain, record, transaction.input)
      : undefined
    const reason = data === undefined ? undefined : revertView(links, data)
    const again = quiet(`(run again on the state after block ${record.blockNumber - 1})`)
    return html`<div class="callout" role="note"><p><b>${faultText({ txError: code })}</b> ${
      quiet(`txError 0x${code.toString(16)}`)
    }</p>${
      reason !== undefined && html`<p>The contract says: ${reason} ${again}</p>`
    }<p class="quiet">The fee is paid all the same; nothing else has changed.</p></div>`
  })

const signatures = (label: string, all: ReadonlyArray<Signature>): Html =>
  html`<details id="${idOf(label)}"><summary>${label}: ${all.length}</summary>${
    all.map((signature) => {
      const { R, S, V } = toQuantities(signature)
      return facts([["V", html`<code>${V}</code>`], ["R", wide(R)], ["S", wide(S)]])
    })
  }</details>`

const memoView = (input: Hex): Html => {
  const text = textOf(input)
  return text === undefined ? dataBox("Memo", input, "klay_getTransactionByHash") : quoted(text)
}

const anchoredView = (input: Hex): Html => {
  const anchored = anchoringOf(input)
  if (anchored === undefined) return dataBox("Anchored data", input, "klay_getTransactionByHash")
  const text = JSON.stringify(anchored, null, 2)
  const shown = text.slice(0, 8_000)
  return html`<pre class="data">${shown}${
    shown.length < text.length && quiet("… the node's klay_getDecodedAnchoringTransactionByHash has all of it")
  }</pre>`
}

/** What only some types have. */
const special = (transaction: Transaction): ReadonlyArray<Fact> => {
  const { accessList = [] } = "accessList" in transaction ? transaction : {}
  const { input = undefined } = "input" in transaction ? transaction : {}
  const accesses = accessList.slice(0, maxRows).map(({ address, storageKeys }) =>
    html`<li>${wide(address)} ${counted(storageKeys.length, "slot")}</li>`
  )
  return [
    ["Memo", input !== undefined && transaction.type.includes("Memo") && memoView(input)],
    ["Anchored data", input !== undefined && transaction.type.includes("ChainDataAnchoring") && anchoredView(input)],
    ["New account key", "key" in transaction && keyView(transaction.key)],
    ["Most for a unit of gas", "maxFeePerGas" in transaction && `${count(transaction.maxFeePerGas)} peb`],
    ["Tip for a unit of gas", "maxFeePerGas" in transaction && `${count(transaction.maxPriorityFeePerGas)} peb`],
    ["Access list", accesses.length > 0 && html`<ul class="values">${accesses}</ul>`]
  ]
}

const proof = (transaction: Transaction, raw: Hex): Html =>
  card("Signatures and bytes", [
    signatures("Signatures of the sender", transaction.signatures),
    "feePayerSignatures" in transaction && signatures("Signatures of the fee payer", transaction.feePayerSignatures),
    dataBox("Signed bytes", raw, "klay_getRawTransactionByHash")
  ])

const callOf = (links: Links, transaction: Transaction, decoded: Decoded | undefined): Child => {
  if (!("input" in transaction) || transaction.input === "0x") return undefined
  if (/Memo|ChainDataAnchoring/.test(transaction.type)) return undefined
  const isCreation = !("to" in transaction) || transaction.to === undefined
  const text = isCreation || decoded !== undefined ? undefined : textOf(transaction.input)
  return card(isCreation ? "Code of the new contract" : "Call", [
    decoded &&
    [
      html`<p class="signature">${signatureOf(decoded)}</p>`,
      argumentTable(links, decoded, "klay_getTransactionByHash")
    ],
    text !== undefined && html`<p>As text: ${quoted(text)}</p>`,
    dataBox(isCreation ? "Creation code" : "Call data", transaction.input, "klay_getTransactionByHash")
  ])
}

const logView = (links: Links, log: LogRecord, decoded: Decoded | undefined): Html => {
  const event = decoded === undefined ? quiet("unknown event") : signatureOf(decoded)
  const values = decoded === undefined
    ? [
      facts(log.topics.map((topic, index) => [`Topic ${index}`, wide(topic)])),
      dataBox(`Data of log ${log.logIndex}`, log.data, "klay_getTransactionReceipt")
    ]
    : argumentTable(links, decoded, "klay_getTransactionReceipt")
  return html`<li data-key="${log.logIndex}"><p>${quiet(`#${log.logIndex}`)} ${
    links.account(log.address)
  } ${event}</p>${values}</li>`
}

const feeRows = (links: Links, record: TransactionRecord): ReadonlyArray<Fact> => {
  const { byFeePayer, bySender } = sharesOf(record)
  const usedPercent = record.gas === 0n ? 0 : Number(record.gasUsed * 1000n / record.gas) / 10
  return [
    ["Fee", klayAndPeb(record.fee)],
    ["Fee payer", record.feePayer && links.fullAccount(record.feePayer)],
    [
      "Fee split",
      record.feeRatio !== undefined &&
      html`fee payer ${record.feeRatio}% = ${klay(byFeePayer)}, sender ${100 - record.feeRatio}% = ${klay(bySender)}`
    ],
    ["Gas", html`${count(record.gasUsed)} of ${count(record.gas)} ${quiet(`(${usedPercent}%)`)}`],
    ["Gas price", html`${count(record.gasPrice)} peb`]
  ]
}

const framed = ({ hash, typeInt }: Pick<PendingTransaction, "hash" | "typeInt">, status: Html, body: Child): Page => {
  const head = heading("Transaction", copied(hash), [status, " ", typeWords(typeInt)])
  return page("transactions", `Transaction ${hash.slice(0, 10)}`, head, body)
}

const executed = (view: ChainView, record: TransactionRecord) =>
  Effect.gen(function*() {
    const { chain } = view
    const transaction = transactionOf(record)
    const transfers = yield* chain.transfersOf(record.hash)
    const logs = yield* chain.logsOf(record.hash)
    const contract = record.to === undefined ? Option.none() : yield* chain.contract(record.to)
    const call = Option.isSome(contract) && "input" in transaction
      ? decodeCall(contract.value.kind, transaction.input)
      : undefined
    const events = logs.slice(0, maxRows).map((log) => ({ log, decoded: decodeLog(log) }))
    const shown = transfers.slice(0, maxRows)
    const links = yield* linksFor(view, [
      record.from,
      record.to,
      record.contractAddress,
      record.feePayer,
      ...partiesOf(shown),
      ...addressesIn(call),
      ...events.flatMap(({ decoded, log }) => [log.address, ...addressesIn(decoded)])
    ])
    const confirmations = (yield* chain.head).number - record.blockNumber
    const age = confirmations === 0 ? "the newest block" : `${counted(confirmations, "block")} ago`
    const overview = facts([
      ["Block", [links.block(record.blockNumber), " ", quiet(`index ${record.transactionIndex}, ${age}`)]],
      ["Time", time(record.timestamp)],
      ["Type", [typeWords(record.typeInt), " ", quiet(record.typeInt)]],
      ["From", links.fullAccount(record.from)],
      ["To", record.to && links.fullAccount(record.to)],
      ["New contract", record.contractAddress && links.fullAccount(record.contractAddress)],
      ["Value", klayAndPeb(record.value)],
      ...feeRows(links, record),
      ["Nonce", count(record.nonce)],
      ["Sender hash", record.senderTxHash !== record.hash && copied(record.senderTxHash)],
      ...special(transaction)
    ])
    return framed(record, outcome(record.status), [
      record.status === 0 && (yield* failureOf(view, links, record, transaction)),
      card("Overview", overview),
      callOf(links, transaction, call),
      transfers.length > 0 &&
      card(`Transfers${shownOf(shown.length, transfers.length)}`, transferTable(links, shown, { isOfOne: true })),
      logs.length > 0 && card(
        `Logs${shownOf(events.length, logs.length)}`,
        html`<ol class="logs">${events.map(({ decoded, log }) => logView(links, log, decoded))}</ol>`
      ),
      proof(transaction, record.raw)
    ])
  })

const waiting = (view: ChainView, known: PendingTransaction) =>
  Effect.gen(function*() {
    const transaction = transactionOf(known)
    const to = "to" in transaction ? transaction.to : undefined
    const links = yield* linksFor(view, [known.from, to])
    const gap = yield* nonceGap(view.chain, known)
    const overview = facts([
      ["Block", gap ?? "None yet: it waits for the next one."],
      ["From", links.fullAccount(known.from)],
      ["To", to && links.fullAccount(to)],
      ["Value", "value" in transaction && klayAndPeb(transaction.value)],
      ["Gas limit", count(transaction.gas)],
      ["Nonce", count(transaction.nonce)],
      ...special(transaction)
    ])
    return framed(known, pill("warn", "Pending"), [card("Overview", overview), proof(transaction, known.raw)])
  })

const dropped = (view: ChainView, left: DroppedTransaction) =>
  Effect.gen(function*() {
    const links = yield* linksFor(view, [left.from])
    const holder = yield* nonceHolder(view.chain, left)
    const won = holder && (holder.block === undefined
      ? [links.transaction(holder.hash), " ", quiet("waits for a block; another may still replace it")]
      : [links.transaction(holder.hash), " in block ", links.block(holder.block)])
    const overview = facts([
      ["Block", "None: it left the pool without a block."],
      ["Why", printable(left.reason)],
      ["From", links.fullAccount(left.from)],
      ["Nonce", count(left.nonce)],
      ["Has its nonce", won]
    ])
    const head = heading("Transaction", copied(left.hash), [pill("bad", "Dropped")])
    return page("transactions", `Transaction ${left.hash.slice(0, 10)}`, head, card("Overview", overview))
  })

/** A transaction by its hash or by its sender hash: in a block, waiting, or dropped. */
export const transactionPage = (view: ChainView, { hash }: { readonly hash: Hex }) =>
  Effect.gen(function*() {
    const { chain } = view
    const found = yield* chain.transactionBySenderHash(hash)
    if (Option.isSome(found)) return yield* executed(view, found.value)
    const known = yield* chain.pendingTransaction(hash)
    if (Option.isSome(known)) return yield* waiting(view, known.value)
    const left = (yield* chain.dropped).findLast((one) => one.hash === hash)
    if (left !== undefined) return yield* dropped(view, left)
    return yield* new Missing({ title: "No such transaction", message: `This chain has no transaction ${hash}.` })
  })
