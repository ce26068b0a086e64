import { createRequire } from "node:module"

/** A refusal, as the client rejects with it: no Error, but the body it was answered. */
export interface Refusal {
  readonly code: number
  readonly message: string
  readonly requestId: string
}

interface Transaction {
  readonly from: string
  readonly transactionHash: string
  readonly blockNumber: number
  readonly timestamp: number
  readonly fee: string
  readonly feePayer: string
  readonly feeRatio: number
}

/** A record of the history as the client gives it. */
export type Record =
  | (Transaction & { readonly transferType: "klay"; readonly to: string; readonly value: string })
  | (
    & {
      readonly from: string
      readonly to: string
      readonly contract: { readonly address: string }
      readonly transaction: Transaction
    }
    & (
      | { readonly transferType: "ft"; readonly value: string }
      | { readonly transferType: "nft"; readonly tokenId: string }
      | { readonly transferType: "mt"; readonly ids: ReadonlyArray<string>; readonly values: ReadonlyArray<string> }
    )
  )

export interface Records {
  readonly items: ReadonlyArray<Record>
}

export interface Page extends Records {
  readonly cursor: string
}

export interface CaverNft {
  readonly tokenId: string
  readonly owner: string
  readonly previousOwner: string
  readonly tokenUri: string
  readonly transactionHash: string
  readonly createdAt: number
  readonly updatedAt: number
}

export interface CaverMt {
  readonly tokenId: string
  readonly totalSupply: string
  readonly tokenUri: string
}

export interface CaverMtToken extends CaverMt {
  readonly owner: string
  readonly tokenAddress: string
  readonly balance: string
  readonly transactionHash: string
  readonly transferFrom: string
  readonly transferTo: string
  readonly updatedAt: number
}

export interface CaverPage<A> {
  readonly items: ReadonlyArray<A>
  readonly cursor: string
}

export interface Options {
  readonly kind?: string | ReadonlyArray<string>
  readonly size?: number
  readonly cursor?: string
  readonly range?: string
  readonly caFilter?: string
  readonly excludeZeroKlay?: boolean
  readonly fromOnly?: boolean
  readonly toOnly?: boolean
}

/** What is used of the service's own client. */
export interface TokenHistory {
  readonly getTransferHistory: (presets: number | ReadonlyArray<number>, options?: Options) => Promise<Page>
  readonly getTransferHistoryByAccount: (address: string, options?: Options) => Promise<Page>
  readonly getTransferHistoryByTxHash: (hash: string) => Promise<Records>
  readonly getNFTList: (contract: string, options: Options) => Promise<CaverPage<CaverNft>>
  readonly getNFTListByOwner: (contract: string, owner: string, options: Options) => Promise<CaverPage<CaverNft>>
  readonly getNFT: (contract: string, tokenId: string) => Promise<CaverNft>
  readonly getMTList: (contract: string, options: Options) => Promise<CaverPage<CaverMt>>
  readonly getMTListByOwner: (
    contract: string,
    owner: string,
    options: Options
  ) => Promise<CaverPage<CaverMtToken> & { readonly totalBalance: string }>
  readonly getMT: (contract: string, owner: string, tokenId: string) => Promise<CaverMtToken>
  readonly getMTOwnerListByTokenId: (
    contract: string,
    tokenId: string,
    options: Options
  ) => Promise<CaverPage<CaverMtToken>>
}

interface Client {
  readonly initTokenHistoryAPI: (chain: number, accessKeyId: string, secretAccessKey: string, url: string) => void
  readonly kas: { readonly tokenHistory: TokenHistory }
}

// A CommonJS package without types of its own.
const Caver: new() => Client = createRequire(import.meta.url)("caver-js-ext-kas")

export const tokenHistory = (
  options: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly url: string }
): TokenHistory => {
  const client = new Caver()
  client.initTokenHistoryAPI(1001, options.accessKeyId, options.secretAccessKey, options.url)
  return client.kas.tokenHistory
}

/** The error of a refused call. */
export const refusal = (call: Promise<unknown>): Promise<Refusal> =>
  call.then(() => {
    throw new Error("it was not refused")
  }, (refused: Refusal) => refused)
