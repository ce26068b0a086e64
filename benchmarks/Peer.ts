/** The peer of every comparison: `fetch` and `JSON.parse`, without checks or conversions. */
import * as Effect from "effect/Effect"
import { Server } from "./Server.js"

export interface Page {
  readonly items: ReadonlyArray<unknown>
  readonly cursor?: string
}

export interface Peer {
  readonly get: (path: string) => Promise<Page>
  /** Counts the records on all pages of a list. */
  readonly count: (path: string) => Promise<number>
}

/** Counts the records on all pages of a list, however one page is got. */
export const counting = (get: (path: string) => Promise<Page>) => async (path: string): Promise<number> => {
  let records = 0
  for (let cursor = "";;) {
    const page = await get(cursor === "" ? path : `${path}&cursor=${encodeURIComponent(cursor)}`)
    records += page.items.length
    if (page.cursor === undefined || page.cursor === "") return records
    cursor = page.cursor
  }
}

export const peer = Effect.map(Server, ({ accessKeyId, secretAccessKey, url }): Peer => {
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`
  const headers = { authorization, "x-chain-id": "1001" }
  const get = async (path: string): Promise<Page> => {
    const response = await fetch(`${url}${path}`, { headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return JSON.parse(await response.text())
  }
  return { get, count: counting(get) }
})
