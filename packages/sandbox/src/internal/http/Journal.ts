import type { RequestFilter, RequestRecord } from "../../RequestRecord.js"

const most = 10_000

/** The latest requests to the service. */
export class Journal {
  #records: Array<RequestRecord> = []
  #last = 0

  add(record: Omit<RequestRecord, "id">): void {
    this.#records.push({ id: ++this.#last, ...record })
    if (this.#records.length >= 2 * most) this.#records = this.#records.slice(-most)
  }

  list(filter: RequestFilter): ReadonlyArray<RequestRecord> {
    return this.#records.slice(-most).filter((record) =>
      (filter.operation === undefined || record.operation === filter.operation ||
        record.rpcMethods?.includes(filter.operation) === true) &&
      (filter.method === undefined || record.method === filter.method) &&
      (filter.status === undefined || record.status === filter.status) &&
      (filter.chainId === undefined || record.chainId === filter.chainId)
    )
  }

  clear(): void {
    this.#records = []
  }
}
