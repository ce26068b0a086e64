/**
 * Transfer history over records that were made, with the troubles of a real one: it throttles, its cursors die, its
 * index lags, and new records come in between pages. Written from the wire alone.
 */
import type { Recorded } from "./records.js"

export interface Troubles {
  /** The share of requests that are answered 429. */
  readonly throttled?: number
  /** The share of requests that fail with 503. */
  readonly failing?: number
  /** The share of cursors that are refused. */
  readonly dying?: number
  /** Numbers from 0 to 1 that decide it. */
  readonly random?: () => number
  /** The latest second that the index shows. Default: all. */
  readonly visibleUntil?: () => number
  /** Searches that begin before this second are refused. */
  readonly reach?: number
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const refusal = (status: number, code: number, message: string): Answer => ({
  status,
  body: JSON.stringify({ code, message, requestId: "00000000-0000-4000-8000-000000000000" })
})

export class HistoryService {
  readonly #byAccount = new Map<string, Array<Recorded>>()
  readonly #all: ReadonlyArray<Recorded>
  requests = 0
  answered = 0

  constructor(records: ReadonlyArray<Recorded>, readonly troubles: Troubles = {}) {
    this.#all = [...records].reverse()
    for (const record of this.#all) {
      for (const side of new Set([record.from, record.to])) {
        const list = this.#byAccount.get(side)
        if (list === undefined) this.#byAccount.set(side, [record])
        else list.push(record)
      }
    }
  }

  /** Answers a request by its path and query. */
  answer(target: string): Answer {
    this.requests++
    const url = new URL(target, "http://service")
    const { dying = 0, failing = 0, random = () => 1, reach, throttled = 0, visibleUntil } = this.troubles
    if (random() < throttled) return { status: 429, body: "", headers: { "retry-after": "0" } }
    if (random() < failing) return { status: 503, body: "" }
    const account = /^\/v2\/transfer\/account\/(0x[0-9a-f]{40})$/.exec(url.pathname)?.[1]
    const list = account === undefined ? this.#all : this.#byAccount.get(account) ?? []
    const [from = "", to = ""] = (url.searchParams.get("range") ?? ",").split(",")
    const inBlocks = from.startsWith("0x")
    if (reach !== undefined && Number(from) < reach) return refusal(400, 1040011, "[OutOfRange]out of range")
    const size = Number(url.searchParams.get("size") ?? 100)
    const cursor = url.searchParams.get("cursor") ?? ""
    if (cursor !== "" && random() < dying) return refusal(400, 1040010, "[InvalidQueryParameterValue]; cursor")
    const kinds = url.searchParams.get("kind")?.split(",").map((kind) => kind === "klay" ? "coin" : kind)
    const shown = visibleUntil?.() ?? Number.POSITIVE_INFINITY
    const place = (record: Recorded): number => inBlocks ? record.block : record.time
    const isWanted = (record: Recorded): boolean =>
      place(record) >= Number(from) && place(record) <= Number(to) && record.time <= shown &&
      (kinds === undefined || kinds.includes(record.kind))
    // A list is newest first, so a binary search finds the end of the range.
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      const record = list[middle]
      if (record !== undefined && place(record) > Number(to)) low = middle + 1
      else high = middle
    }
    // A cursor counts from the old end, so that records which come in do not move it.
    let at = cursor === "" ? low : list.length - Number(cursor)
    const items: Array<unknown> = []
    while (at < list.length && items.length < size) {
      const record = list[at]
      if (record === undefined || place(record) < Number(from)) {
        at = list.length
        break
      }
      at++
      if (isWanted(record)) items.push(record.wire)
    }
    const next = list[at]
    const more = next !== undefined && place(next) >= Number(from)
    this.answered++
    return { status: 200, body: JSON.stringify({ items, cursor: more ? String(list.length - at) : "" }) }
  }
}
