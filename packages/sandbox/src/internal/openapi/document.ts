import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { packageFile } from "../packageFiles.js"

/** The parts of the service that can be printed by themselves, with the groups of their operations. */
export const services = {
  history: ["history"],
  tokens: ["tokens", "token directory"],
  wallet: ["wallet", "accounts", "keys", "multisig", "transactions", "fees", "resources"],
  node: ["node"]
} as const

/** What to print of the document. */
export interface Selection {
  /** One part of the service; by default all. */
  readonly service?: keyof typeof services | undefined
  /** The address of the server, instead of the sandbox's usual one. */
  readonly address?: string | undefined
}

type Json = Record.ReadonlyRecord<string, unknown>

const recordAt = (value: unknown, name: string): Json => {
  const found = Predicate.isRecord(value) ? value[name] : undefined
  return Predicate.isRecord(found) ? found : {}
}

/** The names of the schemas that a part mentions, directly or through other schemas. */
const mentioned = (part: unknown, schemas: Json, found = new Set<string>()): ReadonlySet<string> => {
  for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    mentioned(schemas[name], schemas, found)
  }
  return found
}

const only = (all: Json, tags: ReadonlyArray<unknown>): Json => {
  const components = recordAt(all, "components")
  const schemas = recordAt(components, "schemas")
  const isMeant = (operation: unknown): boolean =>
    Predicate.isRecord(operation) && Array.isArray(operation["tags"]) &&
    operation["tags"].some((tag) => tags.includes(tag))
  const allPaths = recordAt(all, "paths")
  const paths = Record.filter(
    Record.map(allPaths, (_, path) => Record.filter(recordAt(allPaths, path), isMeant)),
    (kept) => !Record.isEmptyRecord(kept)
  )
  const used = mentioned([paths, components["responses"]], schemas)
  return {
    ...all,
    tags: Array.isArray(all["tags"])
      ? all["tags"].filter((tag) => Predicate.isRecord(tag) && tags.includes(tag["name"]))
      : [],
    paths,
    components: { ...components, schemas: Record.filter(schemas, (_, name) => used.has(name)) }
  }
}

const document = packageFile("openapi.json")

/** The OpenAPI document, or a part of it, as JSON. */
export const print = ({ address, service }: Selection = {}): string => {
  const text = address === undefined
    ? document
    // A function, since `$` in a replacement text has a meaning of its own.
    : document.replace("\"http://127.0.0.1:8217\"", () => JSON.stringify(address))
  if (service === undefined) return text
  const all: unknown = JSON.parse(text)
  return `${JSON.stringify(Predicate.isRecord(all) ? only(all, services[service]) : {}, null, 1)}\n`
}
