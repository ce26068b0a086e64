/** A program of somebody who has only the OpenAPI document: its types are generated, and its calls are typed by them. */
import createClient from "openapi-fetch"
import type { components, paths } from "./generated/service.js"

export interface Access {
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

type Transfer = components["schemas"]["Transfer"]

export const program = ({ accessKeyId, secretAccessKey, url }: Access) => {
  const client = createClient<paths>({
    baseUrl: url,
    headers: { authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}` },
    // The document says of each list of words that commas separate it.
    querySerializer: { array: { style: "form", explode: false } }
  })
  const header = { "x-chain-id": "1001" } as const

  return {
    /** All transfers of an account, page by page. */
    transfersOf: async (address: string, size: number): Promise<ReadonlyArray<Transfer>> => {
      const found: Array<Transfer> = []
      let cursor: string | undefined
      do {
        const { data, error } = await client.GET("/v2/transfer/account/{address}", {
          params: { header, path: { address }, query: { size, kind: ["klay", "ft", "nft", "mt"], cursor } }
        })
        if (error !== undefined) throw new Error(`${error.code}: ${error.message}`)
        found.push(...(data.items ?? []))
        cursor = data.cursor
      } while (cursor !== "")
      return found
    },

    /** The code of the refusal of a page of a size below 0. */
    refusedSize: async (address: string): Promise<number | undefined> => {
      const { error } = await client.GET("/v2/transfer/account/{address}", {
        params: { header, path: { address }, query: { size: -1 } }
      })
      return error?.code
    },

    /** The IDs and owners of the tokens of a contract. */
    ownersOf: async (contract: string): Promise<ReadonlyArray<readonly [string, string]>> => {
      const { data, error } = await client.GET("/v2/contract/nft/{contract}/token", {
        params: { header, path: { contract }, query: { size: 1000 } }
      })
      if (error !== undefined) throw new Error(error.message)
      return (data.items ?? []).map(({ owner, tokenId }) => [tokenId, owner] as const)
    },

    /** A new account of the wallet. */
    newAccount: async () => {
      const { data, error } = await client.POST("/v2/account", { params: { header } })
      if (error !== undefined) throw new Error(error.message)
      return data
    },

    /** Sends peb, and returns the hash of the transaction and the account's pool. */
    send: async (from: string, to: string, value: string) => {
      const { data, error } = await client.POST("/v2/tx/value", {
        params: { header },
        body: { from, to, value, submit: true }
      })
      if (error !== undefined) throw new Error(error.message)
      return data.transactionHash ?? undefined
    },

    /** The balance of an account, by the node. */
    balanceOf: async (address: string): Promise<unknown> => {
      const { data } = await client.POST("/v1/klaytn", {
        params: { header },
        body: { jsonrpc: "2.0", id: 1, method: "klay_getBalance", params: [address, "latest"] }
      })
      return Array.isArray(data) ? undefined : data?.result
    }
  }
}
