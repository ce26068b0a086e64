/** Calls of a node as a careful program makes them with `fetch` alone. */
import type { Hex } from "viem"
import type { Server } from "./Server.js"

interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Answer {
  readonly id: number
  readonly result: string
}

export const byHand = ({ accessKeyId, secretAccessKey, url }: Server["Type"]) => {
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
  const headers = { authorization, "x-chain-id": "1001" }
  const endpoint = `${url}/v1/klaytn`

  const post = async (body: unknown): Promise<string> => {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`${response.status}`)
    return response.text()
  }
  const request = ({ method, params }: Call, i: number) => ({ jsonrpc: "2.0", id: i + 1, method, params })
  /** The minimum of a careful program, since answers of a batch may come in any order. */
  const balancesOf = async (addresses: ReadonlyArray<Hex>): Promise<ReadonlyArray<bigint>> => {
    const calls = addresses.map((address) => ({ method: "eth_getBalance", params: [address, "latest"] }))
    const answers: ReadonlyArray<Answer> = JSON.parse(await post(calls.map(request)))
    const byId = new Map(answers.map(({ id, result }) => [id, result]))
    return calls.map((_, i) => BigInt(byId.get(i + 1) ?? ""))
  }
  return { headers, endpoint, post, request, balancesOf }
}
