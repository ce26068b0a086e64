/** Tokens for payments, one of which takes a fee of each transfer: what the receiver gets is not what was asked for. */
import { pause } from "./payoutPlace.js"

/** A token, and what of each transfer does not arrive, in its smallest unit. */
export interface PaidToken {
  readonly address: string
  readonly fee: number
}

/**
 * A token of which everybody may move 16,777,215 in all. `transfer` logs a transfer of the amount less a fee. It answers `decimals()` with
 * 0, and nothing else.
 */
const codeOf = (fee: number): string =>
  `0x62ffffff60005560${fee.toString(16).padStart(2, "0")}60015561008a61001b60003961008a6000f3` +
  "60003560e01c8063a9059cbb1461002c578063313ce567146100215760006000fd5b600060005260206000f3" +
  "5b602435806000541061007f57806000540360005560015460243503600052600435337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" +
  "60206000a3600160005260206000f35b600060005260206000f3"

/** Deploys a token on a sandbox. */
export const deployToken = async (url: string, fee: number): Promise<PaidToken> => {
  const rpc = async (method: string, ...params: ReadonlyArray<unknown>): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const headers = { "content-type": "application/json" }
    return Object(await (await fetch(`${url}/rpc/1001`, { method: "POST", headers, body })).json()).result
  }
  const [from] = Object(await rpc("eth_accounts"))
  const hash = await rpc("eth_sendTransaction", { from, data: codeOf(fee), gas: "0x2dc6c0" })
  for (const end = Date.now() + 30_000; Date.now() < end; await pause(200)) {
    const receipt = Object(await rpc("eth_getTransactionReceipt", hash))
    if (typeof receipt.contractAddress === "string") return { address: receipt.contractAddress, fee }
  }
  throw new Error("a token was not deployed within 30 seconds")
}

const word = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, "0")

/** The call that moves tokens. */
export const transferInput = (to: string, amount: string): string => `0xa9059cbb${word(to)}${word(BigInt(amount))}`
