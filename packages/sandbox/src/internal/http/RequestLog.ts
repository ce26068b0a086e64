import { isNamedBy } from "@effect-klaytn/service/Route"
import type { RequestFilter, RequestRecord } from "../../RequestRecord.js"

const most = 10_000
const maxBytes = 8 * 1024 * 1024

/**
 * The latest requests to the service. They are kept as bytes, so that their total size is known and no record keeps the
 * whole body alive that one of its strings is a slice of.
 */
export class RequestLog {
  readonly #records: Array<Buffer> = []
  #bytes = 0
  #last = 0

  add(record: Omit<RequestRecord, "id">): void {
    const written = Buffer.from(JSON.stringify({ id: ++this.#last, ...record }))
    this.#records.push(written)
    this.#bytes += written.length
    let dropped = 0
    while (this.#records.length - dropped > most || this.#bytes > maxBytes) {
      this.#bytes -= this.#records[dropped++]?.length ?? 0
    }
    this.#records.splice(0, dropped)
  }

  /** The records that match, oldest first; the latest of them if there are more than the limit. */
  list({ before = Number.POSITIVE_INFINITY, limit = most, ...filter }: RequestFilter): ReadonlyArray<RequestRecord> {
    const found: Array<RequestRecord> = []
    for (let index = this.#records.length - 1; index >= 0 && found.length < limit; index--) {
      const record: RequestRecord = JSON.parse(String(this.#records[index]))
      if (record.id < before && fits(record, filter)) found.push(record)
    }
    return found.reverse()
  }

  clear(): void {
    this.#records.length = 0
    this.#bytes = 0
  }
}

/** Every name of a request: its operation, and the node's methods in its body. */
export const namesOf = ({ operation, rpcMethods = [] }: Pick<RequestRecord, "operation" | "rpcMethods">) =>
  operation === undefined ? [] : [operation, ...rpcMethods.map((method) => `node.${method}`)]

const fits = (record: RequestRecord, { chainId, method, operation, status }: RequestFilter): boolean =>
  (operation === undefined || namesOf(record).some((name) => isNamedBy(operation, name))) &&
  (method === undefined || record.method === method) &&
  (status === undefined || record.status === status) &&
  (chainId === undefined || record.chainId === chainId)
