/**
 * The clients by other authors, from the install of `interop`: caver-js-ext-kas, ethers and undici bring packages that this
 * workspace does not need.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Ready } from "./Ready.js"

/** The folder of the repository, from the sources and from a bundle of them. */
export const root = join(import.meta.dirname, "..")

const required = createRequire(join(root, "interop/package.json"))

interface Page {
  readonly items: ReadonlyArray<unknown>
  readonly cursor: string
}

interface Caver {
  readonly initTokenHistoryAPI: (chain: number, id: string, secret: string, url: string) => void
  readonly kas: {
    readonly tokenHistory: {
      readonly getTransferHistoryByAccount: (
        address: string,
        options: { readonly size: number; readonly cursor: string }
      ) => Promise<Page>
      readonly getTransferHistoryByTxHash: (hash: string) => Promise<Pick<Page, "items">>
    }
  }
}

/** The service's own published client. */
export const caver = ({ accessKeyId, secretAccessKey, url }: Ready): Caver["kas"]["tokenHistory"] => {
  // A CommonJS package without types.
  const Client: new() => Caver = required("caver-js-ext-kas")
  const client = new Client()
  client.initTokenHistoryAPI(1001, accessKeyId, secretAccessKey, url)
  return client.kas.tokenHistory
}

interface Ethers {
  readonly FetchRequest: new(url: string) => { setHeader: (name: string, value: string) => void }
  readonly Network: { readonly from: (chain: number) => unknown }
  readonly JsonRpcProvider: new(request: unknown, network: unknown, options: object) => {
    readonly getBalance: (address: string) => Promise<bigint>
    readonly getTransactionReceipt: (hash: string) => Promise<unknown>
    readonly destroy: () => void
  }
}

/** `batchMaxCount` 1 sends each call by itself. */
export const ethers = ({ accessKeyId, secretAccessKey, url }: Ready, batchMaxCount: number) => {
  // Its types are in the other install.
  const { FetchRequest, JsonRpcProvider, Network }: Ethers = required("ethers")
  const request = new FetchRequest(`${url}/v1/klaytn`)
  request.setHeader("authorization", `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`)
  request.setHeader("x-chain-id", "1001")
  const network = Network.from(1001)
  // Without a cache: equal reads within 250 ms would be sent once.
  return new JsonRpcProvider(request, network, {
    staticNetwork: network,
    batchMaxCount,
    batchStallTime: 0,
    cacheTimeout: -1
  })
}

interface Undici {
  readonly request: (url: string, options: { readonly headers: Record<string, string> }) => Promise<{
    readonly statusCode: number
    readonly body: { readonly text: () => Promise<string> }
  }>
}

/** The text at a path, by undici's `request`. */
export const undici = ({ accessKeyId, secretAccessKey, url }: Ready) => {
  // Its types are in the other install.
  const { request }: Undici = required("undici")
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
  return async (path: string): Promise<string> => {
    const { body, statusCode } = await request(`${url}${path}`, { headers: { authorization, "x-chain-id": "1001" } })
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
    return body.text()
  }
}

/** The folder where bundles of programs that use these clients find them. */
export const install = join(root, "interop/node_modules")
