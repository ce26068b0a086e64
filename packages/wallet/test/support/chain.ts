/** A wallet and a node over a chain of blocks that the test writes. */
import * as Testing from "@effect-klaytn/core/Testing"
import * as Effect from "effect/Effect"
import { alice, bob, hash } from "./records.js"

export interface Mined {
  readonly hash: string
  readonly from: string
  readonly nonce: number
  readonly to?: string | null
  readonly value?: bigint
  readonly input?: string
  readonly typeInt?: number
  readonly key?: string
  readonly feePayer?: string
  readonly senderTxHash?: string
  readonly status?: string
}

/** A payment of 1 KLAY from Alice to Bob. */
export const payment = (nonce: number, more: Partial<Mined> = {}): Mined => ({
  hash,
  from: alice,
  nonce,
  to: bob,
  value: 10n ** 18n,
  typeInt: 8,
  ...more
})

export interface Chain {
  /** By number; the last is the latest. */
  blocks: Array<ReadonlyArray<Mined>>
  /** Pending transactions at the node. */
  waiting?: ReadonlyArray<Mined>
}

const quantity = (value: number | bigint): string => `0x${value.toString(16)}`

const show = (transaction: Mined, block: number) => ({
  hash: transaction.hash,
  from: transaction.from,
  nonce: quantity(transaction.nonce),
  typeInt: transaction.typeInt ?? 8,
  type: "TxTypeValueTransfer",
  gas: "0x1",
  ...(transaction.to === undefined ? {} : { to: transaction.to }),
  ...(transaction.value === undefined ? {} : { value: quantity(transaction.value) }),
  ...(transaction.input === undefined ? {} : { input: transaction.input }),
  ...(transaction.key === undefined ? {} : { key: transaction.key }),
  ...(transaction.senderTxHash === undefined ? {} : { senderTxHash: transaction.senderTxHash }),
  ...(transaction.feePayer === undefined ? {} : { feePayer: transaction.feePayer }),
  blockNumber: quantity(block)
})

const upTo = (chain: Chain, selector: unknown): number =>
  typeof selector === "string" && selector.startsWith("0x") ? Number(selector) : chain.blocks.length - 1

const answer = (chain: Chain, method: string, params: ReadonlyArray<unknown>): unknown => {
  switch (method) {
    case "klay_blockNumber":
      return quantity(chain.blocks.length - 1)
    case "klay_gasPrice":
      return "0x5d21dba00"
    case "klay_getTransactionCount": {
      const mined = chain.blocks.slice(0, upTo(chain, params[1]) + 1).flat()
      const nonces = [...mined, ...(params[1] === "pending" ? chain.waiting ?? [] : [])]
        .filter((one) => one.from === params[0]).map((one) => one.nonce)
      return quantity(nonces.length === 0 ? 0 : Math.max(...nonces) + 1)
    }
    case "klay_getBlockByNumber": {
      const number = upTo(chain, params[0])
      return { transactions: (chain.blocks[number] ?? []).map((one) => show(one, number)) }
    }
    case "klay_getTransactionReceipt": {
      const found = chain.blocks.flat().find((one) => one.hash === params[0])
      return found === undefined ? null : { status: found.status ?? "0x1" }
    }
    default:
      return undefined
  }
}

/** Answers as the wallet, one step after another, and as a node of the chain. */
export const answering = (chain: Chain, ...steps: ReadonlyArray<Testing.Step>): Testing.Step => {
  let asked = 0
  return (sent) => {
    if (sent.url.endsWith("/node/v1/klaytn")) {
      const { method, params } = JSON.parse(sent.body ?? "{}")
      return Testing.json(200, { jsonrpc: "2.0", id: 1, result: answer(chain, method, params) })(sent)
    }
    const receipt = /\/v2\/tx\/(0x[0-9a-f]{64})$/.exec(sent.url)
    if (receipt !== null && sent.method === "GET") {
      const block = chain.blocks.findIndex((one) => one.some((transaction) => transaction.hash === receipt[1]))
      const found = chain.blocks[block]?.find((transaction) => transaction.hash === receipt[1])
      return found === undefined
        ? Testing.json(400, { code: 1065000, message: "failed to retrieve a transaction from klaytn node" })(sent)
        : Testing.json(200, { ...show(found, block), status: "Committed" })(sent)
    }
    const step = steps[Math.min(asked++, steps.length - 1)]
    return step === undefined ? Effect.dieMessage("the wallet was not to be asked") : step(sent)
  }
}

/** A wire to such a wallet and node. */
export const make = (chain: Chain, ...steps: ReadonlyArray<Testing.Step>): Testing.Wire =>
  Testing.wire(answering(chain, ...steps))

/** The requests that went to the wallet and not to the node. */
export const toWallet = (wire: Testing.Wire): ReadonlyArray<Testing.SentRequest> =>
  wire.sent.filter((sent) => sent.url.includes("/wallet/") && sent.method !== "GET")
