/**
 * Transfer history over records that were made, with the troubles of a real one: it throttles, its cursors die, its
 * index lags, and new records come in between pages. Written from the wire alone.
 */
import type { Recorded } from "./records.js"

export interface Troubles {
  /** The share of requests that are answered 429. Each share strikes once in every stretch of so many requests. */
  readonly throttled?: number
  /** The share of requests that fail with 503. */
  readonly failing?: number
  /** The share of cursors that are refused. */
  readonly dying?: number
  /** The share of pages that name a cursor of their search again, their own or an earlier one, in place of the next. */
  readonly repeating?: number
  /** The share of pages that begin with the last record of the page before. */
  readonly overlapping?: number
  /** Numbers from 0 to 1, less than 1, that decide where; `Math.random` by default. */
  readonly random?: () => number
  /** From which request on, counted from 1, the index shows a record. Default: from the first. */
  readonly shownFrom?: (record: Recorded) => number
  /** Records that come in as soon as the first page of a search that they belong to was read. */
  readonly arriving?: ReadonlySet<Recorded>
  /**
   * The service's time when the first request comes, and how many seconds pass with each: where an open range ends. A search
   * that covers more than 184 days then is refused.
   */
  readonly time?: { readonly now: number; readonly perRequest: number }
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

/** Whether a trouble strikes this time: once in every stretch of `1 / share` times, so that luck spares nobody. */
const striking = (share: number, random: () => number): () => boolean => {
  const stretch = Math.round(1 / share)
  const somewhere = () => Math.floor(random() * stretch)
  let place = somewhere()
  let at = 0
  return () => {
    if (share === 0) return false
    const strikes = at++ === place
    if (at === stretch) {
      at = 0
      place = somewhere()
    }
    return strikes
  }
}

export class HistoryService {
  readonly #byAccount = new Map<string, Array<Recorded>>()
  readonly #all: ReadonlyArray<Recorded>
  /** For each record that came in, the request that was the first to see it. */
  readonly #arrived = new Map<Recorded, number>()
  readonly #isThrottled: () => boolean
  readonly #isFailing: () => boolean
  readonly #isCursorDead: () => boolean
  readonly #isRepeating: () => boolean
  readonly #isOverlapping: () => boolean
  readonly #random: () => number
  /** The cursors that were named in each search, by the request of its first page. */
  readonly #named = new Map<number, Array<string>>()
  #lags = true
  requests = 0
  answered = 0
  /** How often each trouble struck. */
  readonly struck = {
    throttled: 0,
    failed: 0,
    cursorsDied: 0,
    cursorsRepeated: 0,
    recordsRepeated: 0,
    tooLong: 0,
    /** Pages that end within a transaction. */
    pagesWithinTransaction: 0,
    /** Records that came into a list after its first page was read, and were returned by a later page. */
    insertedBetweenPages: 0
  }
  /** Records that the index did not show when their place was read. */
  readonly lagged = new Set<Recorded>()

  constructor(records: ReadonlyArray<Recorded>, readonly troubles: Troubles = {}) {
    this.#all = [...records].reverse()
    const { dying = 0, failing = 0, overlapping = 0, random = Math.random, repeating = 0, throttled = 0 } = troubles
    this.#random = random
    this.#isRepeating = striking(repeating, random)
    this.#isOverlapping = striking(overlapping, random)
    this.#isThrottled = striking(throttled, random)
    this.#isFailing = striking(failing, random)
    this.#isCursorDead = striking(dying, random)
    for (const record of this.#all) {
      for (const side of new Set([record.from, record.to])) {
        const list = this.#byAccount.get(side)
        if (list === undefined) this.#byAccount.set(side, [record])
        else list.push(record)
      }
    }
  }

  /** From now on the index shows everything. */
  catchUp(): void {
    this.#lags = false
  }

  /** Answers a request by its path and query. */
  answer(target: string): Answer {
    this.requests++
    const url = new URL(target, "http://service")
    const { arriving = new Set(), reach, shownFrom = () => 0 } = this.troubles
    if (this.#isThrottled()) {
      this.struck.throttled++
      return { status: 429, body: "", headers: { "retry-after": "0" } }
    }
    if (this.#isFailing()) {
      this.struck.failed++
      return { status: 503, body: "" }
    }
    const account = /^\/v2\/transfer\/account\/(0x[0-9a-f]{40})$/.exec(url.pathname)?.[1]
    const list = account === undefined ? this.#all : this.#byAccount.get(account) ?? []
    const [from = "", to = ""] = (url.searchParams.get("range") ?? ",").split(",")
    const inBlocks = from.startsWith("0x")
    const { now = Number.MAX_SAFE_INTEGER, perRequest = 0 } = this.troubles.time ?? {}
    const end = to === "" ? now + perRequest * this.requests : Number(to)
    if (this.troubles.time !== undefined && end - Number(from) > 184 * 86_400) {
      this.struck.tooLong++
      return refusal(400, 1040011, "[OutOfRangeQueryParameterValue]invalid timestamp range")
    }
    if (reach !== undefined && Number(from) < reach) return refusal(400, 1040011, "[OutOfRange]out of range")
    const size = Number(url.searchParams.get("size") ?? 100)
    const cursor = url.searchParams.get("cursor") ?? ""
    if (cursor !== "" && this.#isCursorDead()) {
      this.struck.cursorsDied++
      return refusal(400, 1040010, "[InvalidQueryParameterValue]; cursor")
    }
    const kinds = url.searchParams.get("kind")?.split(",").map((kind) => kind === "klay" ? "coin" : kind)
    // Counted from the old end, so that records which come in do not move it, and the request for the first page.
    const [rest = 0, begun = this.requests] = cursor === "" ? [] : cursor.split("-").map(Number)
    const shown = (record: Recorded): number =>
      arriving.has(record) ? this.#arrived.get(record) ?? Number.POSITIVE_INFINITY : shownFrom(record)
    const isHidden = (record: Recorded): boolean => this.#lags && shown(record) > this.requests
    const place = (record: Recorded): number => inBlocks ? record.block : record.time
    const isWanted = (record: Recorded): boolean =>
      place(record) >= Number(from) && place(record) <= end &&
      (kinds === undefined || kinds.includes(record.kind))
    // A list is newest first, so a binary search finds the end of the range.
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      const record = list[middle]
      if (record !== undefined && place(record) > end) low = middle + 1
      else high = middle
    }
    let at = cursor === "" ? low : list.length - rest
    if (cursor !== "" && this.#isOverlapping()) {
      this.struck.recordsRepeated++
      at--
    }
    const items: Array<unknown> = []
    while (at < list.length && items.length < size) {
      const record = list[at]
      if (record === undefined || place(record) < Number(from)) {
        at = list.length
        break
      }
      at++
      if (!isWanted(record)) continue
      if (isHidden(record)) {
        this.lagged.add(record)
        continue
      }
      if (this.#lags && shown(record) > begun) this.struck.insertedBetweenPages++
      items.push(record.wire)
    }
    const next = list[at]
    const more = next !== undefined && place(next) >= Number(from)
    if (more && next.transaction === list[at - 1]?.transaction) this.struck.pagesWithinTransaction++
    if (cursor === "" && this.#lags) {
      for (const record of arriving) {
        const isOfSearch = account === undefined || record.from === account || record.to === account
        if (isOfSearch && isWanted(record) && !this.#arrived.has(record)) this.#arrived.set(record, this.requests + 1)
      }
    }
    this.answered++
    return {
      status: 200,
      body: JSON.stringify({ items, cursor: more ? this.#next(`${list.length - at}-${begun}`, begun) : "" })
    }
  }

  /** The cursor that a page names: the next one, or one that was named before. */
  #next(cursor: string, search: number): string {
    const named = this.#named.get(search) ?? []
    this.#named.set(search, named)
    const again = named[Math.floor(this.#random() * named.length)]
    if (again !== undefined && this.#isRepeating()) {
      this.struck.cursorsRepeated++
      return again
    }
    named.push(cursor)
    return cursor
  }
}
