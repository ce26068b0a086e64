/** What differs between two answers, each kind of difference once. */
import { type Allowed, whyAllowed } from "./allowed.js"

/** A difference, and where it was first seen. */
export interface Difference {
  readonly kind: string
  readonly question: string
  readonly node: unknown
  readonly sandbox: unknown
  times: number
}

/** A place in two answers where they differ. */
interface Place {
  readonly path: string
  readonly node: unknown
  readonly sandbox: unknown
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An address or a slot as the name of a field stands for any. */
const fieldOf = (name: string): string =>
  /^0x[0-9a-f]{40}$/i.test(name) ? "ADDRESS" : /^(?:0x)?[0-9a-f]{64}$/i.test(name) ? "SLOT" : name

/** A node lists what was accessed in no order. */
const sorted = (list: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  list.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const isUnordered = (path: string): boolean => /\.result\.accessList(?:\[\]\.storageKeys)?$/.test(path)

const placesOf = (left: unknown, right: unknown, path: string): ReadonlyArray<Place> => {
  const [node, sandbox] = isUnordered(path) && Array.isArray(left) && Array.isArray(right)
    ? [sorted(left), sorted(right)]
    : [left, right]
  if (isObject(node) && isObject(sandbox)) {
    const names = new Set([...Object.keys(node), ...Object.keys(sandbox)])
    return [...names].flatMap((name) => placesOf(node[name], sandbox[name], `${path}.${fieldOf(name)}`))
  }
  if (Array.isArray(node) && Array.isArray(sandbox) && node.length === sandbox.length) {
    return node.flatMap((value: unknown, index) => placesOf(value, sandbox[index], `${path}[]`))
  }
  return JSON.stringify(node) === JSON.stringify(sandbox) ? [] : [{ path, node, sandbox }]
}

/** A text without what is another in each case: addresses, hashes and numbers. */
const shapeOf = (value: unknown): string =>
  typeof value === "string" && !/^0x[0-9a-f]*$/i.test(value)
    ? value.replaceAll(/0x[0-9a-f]+|\b[0-9a-f]{40,}\b/gi, "HEX").replaceAll(/\d+/g, "N").slice(0, 120)
    : value === undefined
    ? "absent"
    : value === null
    ? "null"
    : Array.isArray(value)
    ? "list"
    : typeof value === "string"
    ? "hex"
    : typeof value

/** Counts what is equal, and collects what is not. */
export class Differences {
  equal = 0
  readonly found = new Map<string, Difference>()
  readonly allowed = new Map<Allowed, number>()

  /** Whether there is no difference between two answers but allowed ones. */
  areAlike(kind: string, question: string, node: unknown, sandbox: unknown): boolean {
    return placesOf(node, sandbox, "").every((place) =>
      whyAllowed(`${kind}${place.path}`, place.node, place.sandbox, question) !== undefined
    )
  }

  /** Compares two answers to a question. `kind` says what was asked, without what is another each time. */
  compare(kind: string, question: string, node: unknown, sandbox: unknown): boolean {
    const places = placesOf(node, sandbox, "")
    let isEqual = true
    for (const place of places) {
      const reason = whyAllowed(`${kind}${place.path}`, place.node, place.sandbox, question)
      if (reason !== undefined) {
        this.allowed.set(reason, (this.allowed.get(reason) ?? 0) + 1)
        continue
      }
      isEqual = false
      const name = `${kind}${place.path}: ${shapeOf(place.node)} | ${shapeOf(place.sandbox)}`
      const known = this.found.get(name)
      if (known === undefined) {
        this.found.set(name, { kind: name, question, node: place.node, sandbox: place.sandbox, times: 1 })
      } else known.times++
    }
    if (isEqual) this.equal++
    return isEqual
  }
}
