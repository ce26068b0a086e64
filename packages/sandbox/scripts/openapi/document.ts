/** Makes the OpenAPI 3.1 document of the whole service from its contracts, their docstrings, and recorded examples. */
import * as Operation from "@effect-klaytn/core/Operation"
import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import * as HistoryApi from "@effect-klaytn/history/HistoryApi"
import * as TokenDirectoryApi from "@effect-klaytn/tokens/TokenDirectoryApi"
import * as TokensApi from "@effect-klaytn/tokens/TokensApi"
import * as AccountsApi from "@effect-klaytn/wallet/AccountsApi"
import * as FeesApi from "@effect-klaytn/wallet/FeesApi"
import * as KeysApi from "@effect-klaytn/wallet/KeysApi"
import * as MultisigApi from "@effect-klaytn/wallet/MultisigApi"
import * as ResourcesApi from "@effect-klaytn/wallet/ResourcesApi"
import * as TransactionsApi from "@effect-klaytn/wallet/TransactionsApi"
import * as WalletApi from "@effect-klaytn/wallet/WalletApi"
import * as WalletCode from "@effect-klaytn/wallet/WalletCode"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Predicate from "effect/Predicate"
import { docstrings } from "./docstrings.js"
import type { Exchange } from "./journey.js"
import { nodePath, nodeSchemas } from "./node.js"
import * as words from "./words.js"

/** An object of JSON that is being written. */
export type Json = { [name: string]: unknown }

type Tag = keyof typeof words.tags

const contracts: ReadonlyArray<readonly [Tag, object]> = [
  ["history", HistoryApi],
  ["tokens", TokensApi],
  ["token directory", TokenDirectoryApi],
  ["wallet", WalletApi],
  ["accounts", AccountsApi],
  ["keys", KeysApi],
  ["multisig", MultisigApi],
  ["transactions", TransactionsApi],
  ["fees", FeesApi],
  ["resources", ResourcesApi]
]

/** All operations with the group that they are in. */
export const operations: ReadonlyArray<{ readonly tag: Tag; readonly operation: Operation.Any }> = contracts.flatMap(
  ([tag, contract]) => Operation.all(contract).map((operation) => ({ tag, operation }))
)

const isJson = (value: unknown): value is Json => Predicate.isRecord(value)

const jsonAt = (value: unknown, ...path: ReadonlyArray<string>): Json => {
  const found = path.reduce((at, name) => isJson(at) ? at[name] : undefined, value)
  if (!isJson(found)) throw new Error(`no object at ${path.join(".")}`)
  return found
}

const missing: Array<string> = []

const need = (text: string | undefined, what: string): string => {
  if (text === undefined || text === "") missing.push(what)
  return text ?? ""
}

const sentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

/** What an operation does: its docstring, or for the transactions what they have in common. */
const describeOperation = (tag: Tag, operation: Operation.Any): string => {
  if (tag === "transactions") {
    for (const [group, payer] of Object.entries(words.payers)) {
      const kinds: unknown = Reflect.get(TransactionsApi, group)
      if (!Predicate.isRecord(kinds)) continue
      const kind = Object.entries(kinds).find(([, one]) => one === operation)?.[0]
      if (kind !== undefined) return `${need(words.transactions[kind], `the transaction ${kind}`)}; ${payer}.`
    }
  }
  return sentence(need(docstrings.get(operation.id)?.text, operation.id))
}

/** Describes the fields of a record, wherever records are nested in it; `names` are where to look for the words. */
const describeFields = (schema: unknown, names: ReadonlyArray<string>): void => {
  if (Array.isArray(schema)) schema.forEach((one) => describeFields(one, names))
  if (!isJson(schema)) return
  const { properties } = schema
  for (const [name, property] of Object.entries(isJson(properties) ? properties : {})) {
    if (!isJson(property)) continue
    const own = names.flatMap((record) =>
      words.fields[`${record}.${name}`] ?? docstrings.get(record)?.fields.get(name) ?? []
    )
    property["description"] = need(own[0] ?? words.fields[name], `the field ${name} of ${names.join(", ")}`)
    describeFields(property, [name])
  }
  // A key of three roles is the only record with another of the same name beside it.
  if (schema["prefixItems"] !== undefined && isJson(schema)) schema["maxItems"] = 3
  for (const part of ["items", "anyOf", "allOf", "oneOf", "additionalProperties"]) describeFields(schema[part], names)
}

/** Turns what the schema says of itself into what a reader of JSON needs. */
const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isJson(value)) return value
  if (value["$ref"] === "#/components/schemas/Int" || value["$ref"] === "#/components/schemas/OtherStatus") {
    return { type: "integer" }
  }
  if (value["$ref"] === "#/components/schemas/NonNegativeInt") return { type: "integer", minimum: 0 }
  const made: Json = {}
  for (const [name, part] of Object.entries(value)) {
    // The service may add fields, so an answer with more is still one of these.
    if (name === "additionalProperties" && (part === false || (isJson(part) && part["$id"] === "/schemas/unknown"))) {
      continue
    }
    if (name === "$id" || name === "title" || (name === "required" && Array.isArray(part) && part.length === 0)) {
      continue
    }
    if (
      name === "description" && typeof part === "string" && /^(?:an? )?(?:string|integer|bigint|whole)\b/.test(part)
    ) continue
    made[name] = tidy(part)
  }
  if (made["type"] === "number" && Array.isArray(made["enum"]) && made["enum"].every(Number.isInteger)) {
    made["type"] = "integer"
  }
  return made
}

const renamed = (name: string): string => words.components[name]?.name ?? name

const withNames = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withNames)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === "$ref" && typeof part === "string"
        ? part.replace(/^(#\/components\/schemas\/)(\w+)$/, (_, at: string, to: string) => at + renamed(to))
        : withNames(part)
    ])
  )
}

const errorNames = { 400: "BadRequest", 401: "Unauthorized", 404: "NotFound", 500: "InternalError" } as const
const unused = new Set<string>([
  ...Object.values(errorNames),
  "HttpApiDecodeError",
  "Issue",
  "PropertyKey",
  "Int",
  "OtherStatus",
  "NonNegativeInt",
  "Size",
  "UnixTimeFromString"
])

const codesOf = (table: object, record: string): string =>
  Object.entries(table).map(([name, code]) => `- \`${code}\` ${docstrings.get(record)?.fields.get(name) ?? name}`).join(
    "\n"
  )

const errorSchema: Json = {
  type: "object",
  description: `What every refusal says.\n\nThe gateway's codes:\n\n${codesOf(ServiceCode.gateway, "gateway")}\n\n` +
    `Transfer history and token data:\n\n${codesOf(ServiceCode.history, "history")}\n\n` +
    `Resources:\n\n${codesOf(ServiceCode.resource, "resource")}\n\n` +
    `The wallet, each with HTTP 400:\n\n${codesOf(WalletCode.codes, "codes")}`,
  required: ["code", "message"],
  properties: { code: { type: "integer" }, message: { type: "string" }, requestId: { type: "string" } }
}

const errorTexts = {
  BadRequest: "The request is refused. The wallet answers \"not found\", and an empty list, this way too.",
  Unauthorized: "The credential is missing, malformed, unknown or wrong. Nothing was done.",
  NotFound: "There is no such preset, contract or token.",
  InternalError: "The service failed (the status is inferred)."
} as const

/** The error responses, with a recorded example each where one was recorded. */
const errorResponses = (refusals: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(
    Object.entries(errorTexts).map(([name, description]) => [name, {
      description,
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/ErrorBody" },
          ...(refusals[name] === undefined ? {} : { example: refusals[name] })
        }
      }
    }])
  )

const chainHeader: Json = {
  name: "x-chain-id",
  in: "header",
  required: true,
  description: "The chain: `1001` is testnet, `8217` is mainnet.",
  schema: { type: "string", enum: ["1001", "8217"] },
  example: "1001"
}

/** A parameter of the contract as a client should know it. */
const parameter = (given: Json, id: string, example: unknown): Json => {
  const name = String(given["name"])
  const isPath = given["in"] === "path"
  const holdings = id === "getTokensByOwnerAddress" || id === "getContractsByOwnerAddress"
  const known = isPath ? undefined : (holdings ? words.queries[`${name}:holdings`] : undefined) ?? words.queries[name]
  const description = isPath ? words.paths[name] : known?.description
  const schema = known?.schema ?? given["schema"]
  return {
    name,
    in: given["in"],
    required: given["required"],
    description: need(description, `the parameter ${name} of ${id}`),
    ...known?.more,
    schema,
    ...(example === undefined
      ? {}
      : { example: isJson(schema) && schema["type"] === "array" ? String(example).split(",") : example })
  }
}

/** Which answer continues a list. */
const nextPage = (id: string): Json => ({
  links: {
    next: {
      operationId: id,
      parameters: { cursor: "$response.body#/cursor" },
      description: "The next page, unless `cursor` is empty."
    }
  }
})

/** The document, with an example of every operation from `exchanges`. */
export const makeDocument = (
  { exchanges, node, refusals }: {
    readonly exchanges: ReadonlyMap<string, Exchange>
    readonly node: ReadonlyMap<string, { readonly request: unknown; readonly answer: unknown }>
    readonly refusals: Readonly<Record<string, unknown>>
  }
): Json => {
  const schemas: Json = { ErrorBody: errorSchema }
  const pathItems: Json = {}
  for (const { operation, tag } of operations) {
    const one: unknown = OpenApi.fromApi(OperationApi.api(operation.name, { operation }))
    for (const [name, schema] of Object.entries(jsonAt(one, "components", "schemas"))) schemas[name] ??= tidy(schema)
    const method = operation.method.toLowerCase()
    const made = jsonAt(tidy(jsonAt(one, "paths")), operation.route, method)
    const id = operation.id
    const exchange = exchanges.get(id)
    if (exchange === undefined) throw new Error(`${id} has no example: journey.ts is the place`)
    const description = describeOperation(tag, operation)
    const [summary = ""] = description.split(/(?<=[^.]\.)\s|;\s/)
    const given = (Array.isArray(made["parameters"]) ? made["parameters"] : []).filter(isJson)
    const parameters = given.map((one) => parameter(one, id, exchange.parameters[String(one["name"])]))
    const isList = parameters.some(({ name }) => name === "cursor")
    const answer = jsonAt(made, "responses", "200", "content", "application/json", "schema")
    describeFields(answer, [`${id}.answer`])
    if (made["requestBody"] !== undefined) {
      const content = jsonAt(made, "requestBody", "content", "application/json")
      describeFields(content["schema"], [id, ...(id.toLowerCase().endsWith("cancel") ? ["cancel"] : [])])
      content["example"] = exchange.body
    }
    const at = (pathItems[operation.route] ??= {})
    if (!isJson(at)) throw new Error(operation.route)
    at[method] = {
      operationId: id,
      tags: [tag],
      summary: summary.replace(/\.$/, ""),
      description,
      parameters: [{ $ref: "#/components/parameters/chain" }, ...parameters],
      ...(made["requestBody"] === undefined ? {} : { requestBody: made["requestBody"] }),
      responses: {
        200: {
          description: "Done.",
          content: { "application/json": { schema: answer, example: exchange.answer } },
          ...(isList ? nextPage(id) : {})
        },
        ...Object.fromEntries(
          Object.entries(errorNames)
            .filter(([status]) => isJson(jsonAt(made, "responses")[status]))
            .map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }])
        )
      }
    }
  }
  for (const name of unused) delete schemas[name]
  const transfer = jsonAt(schemas, "PageableTransfers", "properties", "items", "items")
  schemas["Transfer"] = { description: "A transfer of any kind.", anyOf: transfer["anyOf"] }
  for (const page of ["PageableTransfers", "Transfers"]) {
    jsonAt(schemas, page, "properties", "items")["items"] = { $ref: "#/components/schemas/Transfer" }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isJson(schema)) continue
    const known = words.components[name]
    Object.assign(schema, known?.schema)
    schema["description"] = known?.description ?? schema["description"] ??
      need(docstrings.get(name)?.text, `the record ${name}`)
    describeFields(schema, name === "KlayTransfer" ? [name, "CoinTransfer"] : [name])
  }
  if (missing.length > 0) throw new Error(`words.ts has to describe ${missing.join("; ")}`)
  Object.assign(schemas, nodeSchemas)
  pathItems["/v1/klaytn"] = nodePath(node)
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Klaytn (Kaia) data and wallet service",
      version: "2",
      summary: "Transfer history, token data, wallet and node access.",
      description: words.about,
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{
      url: "{address}",
      description: "The address that your operator gave you. Each part of the service may have one of its own.",
      variables: {
        address: { default: "http://127.0.0.1:8217", description: "By default the sandbox on this machine." }
      }
    }],
    security: [{ basic: [] }],
    tags: Object.entries(words.tags).map(([name, description]) => ({ name, description })),
    paths: pathItems,
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [renamed(name), schema] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1))
      ),
      parameters: { chain: chainHeader },
      responses: errorResponses(refusals),
      securitySchemes: {
        basic: {
          type: "http",
          scheme: "basic",
          description: "The ID of an access key as the user name, and its secret as the password."
        }
      }
    }
  }
  return jsonAt({ document: withNames(document) }, "document")
}
