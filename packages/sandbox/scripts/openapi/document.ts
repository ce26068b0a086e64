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
import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as descriptions from "./descriptions.js"
import { type Described, type Docstrings, readDocstrings } from "./docstrings.js"
import type { Exchange } from "./exampleCalls.js"
import { nodePath, nodeSchemas } from "./node.js"

/** An object of JSON that is being written. */
export type Json = { [name: string]: unknown }

type Tag = keyof typeof descriptions.tags

const contracts: ReadonlyArray<readonly [tag: Tag, module: object, file: string]> = [
  ["history", HistoryApi, "history/src/HistoryApi.ts"],
  ["tokens", TokensApi, "tokens/src/TokensApi.ts"],
  ["token directory", TokenDirectoryApi, "tokens/src/TokenDirectoryApi.ts"],
  ["wallet", WalletApi, "wallet/src/WalletApi.ts"],
  ["accounts", AccountsApi, "wallet/src/AccountsApi.ts"],
  ["keys", KeysApi, "wallet/src/KeysApi.ts"],
  ["multisig", MultisigApi, "wallet/src/MultisigApi.ts"],
  ["transactions", TransactionsApi, "wallet/src/TransactionsApi.ts"],
  ["fees", FeesApi, "wallet/src/FeesApi.ts"],
  ["resources", ResourcesApi, "wallet/src/ResourcesApi.ts"]
]

/** All operations with the group that they are in. */
export const operations: ReadonlyArray<{ readonly tag: Tag; readonly operation: Operation.Any }> = contracts.flatMap(
  ([tag, module]) => Operation.all(module).map((operation) => ({ tag, operation }))
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

/** Describes the fields of a record, wherever records are nested in it. */
const describeFields = (schema: unknown, described: Described | undefined, at: string): void => {
  if (Array.isArray(schema)) schema.forEach((one) => describeFields(one, described, at))
  if (!isJson(schema)) return
  const { properties } = schema
  for (const [name, property] of Object.entries(isJson(properties) ? properties : {})) {
    if (!isJson(property)) continue
    const field = described?.fields.get(name)
    property["description"] = need(field?.text, `the field ${at}.${name}`)
    describeFields(property, field, `${at}.${name}`)
  }
  // A key of three roles is the only record with another of the same name beside it.
  if (schema["prefixItems"] !== undefined) schema["maxItems"] = 3
  for (const part of ["items", "anyOf", "allOf", "oneOf", "additionalProperties"]) {
    describeFields(schema[part], described, at)
  }
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

const renamed = (name: string): string => descriptions.shared[name]?.name ?? name

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

const errorSchema = ({ constants }: Docstrings): Json => {
  const codesOf = (table: Readonly<Record<string, number>>, constant: string): string => {
    const fields = constants.get(constant)?.fields
    return Object.entries(table).toSorted(([, one], [, other]) => one - other).map(([name, code]) =>
      `- \`${code}\` ${need(fields?.get(name)?.text, `${constant}.${name}`)}`
    ).join("\n")
  }
  return {
    type: "object",
    description:
      `What every refusal says.\n\nThe gateway's codes:\n\n${
        codesOf(ServiceCode.gateway, "ServiceCode.gateway")
      }\n\nTransfer history and token data:\n\n${codesOf(ServiceCode.history, "ServiceCode.history")}\n\n` +
      `Resources:\n\n${codesOf(ServiceCode.resource, "ServiceCode.resource")}\n\n` +
      `The wallet, each with HTTP 400:\n\n${codesOf(WalletCode.codes, "WalletCode.codes")}`,
    required: ["code", "message"],
    properties: {
      code: { type: "integer", description: "The number of the error, seven digits." },
      message: {
        type: "string",
        description: "What is wrong, for people. The part after `; ` often names the field."
      },
      requestId: {
        type: "string",
        description: "The ID of the request, for the service's support. Many errors of the wallet have none."
      }
    }
  }
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

/** What a URL holds where the contract reads its text as something else. */
const inUrl: Readonly<Record<string, Json>> = {
  Size: { type: "integer", minimum: 0, default: 100 },
  UnixTimeFromString: { $ref: "#/components/schemas/UnixTime" }
}

/** The list that a parameter of the query holds as comma-separated text, if it does. */
const commaSeparated = (field: unknown): Json | undefined => {
  const schema = !Schema.isSchema(field) && Predicate.hasProperty(field, "from") ? field.from : field
  if (!Schema.isSchema(schema) || !AST.isTransformation(schema.ast)) return undefined
  const { from, to } = schema.ast
  const item = AST.isStringKeyword(from) && AST.isTupleType(to) ? to.rest[0]?.type : undefined
  if (item === undefined) return undefined
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const made = JSONSchema.fromAST(item, { definitions, definitionPath: "#/components/schemas/" })
  const name = "$ref" in made ? made.$ref.replace(/^.*\//, "") : ""
  const items = name in descriptions.shared ? made : definitions[name] ?? made
  return { schema: { type: "array", items: tidy(items), minItems: 1 }, style: "form", explode: false }
}

/** How a parameter is written. */
const parameterSchema = (given: unknown, field: unknown): Json => {
  const schema = isJson(given) ? given : {}
  const known = typeof schema["$ref"] === "string" ? inUrl[schema["$ref"].replace(/^.*\//, "")] : undefined
  const values = schema["enum"]
  const isFlag = Array.isArray(values) && values.every((value) => value === "true" || value === "false")
  return commaSeparated(field) ?? { schema: known ?? (isFlag ? { type: "boolean" } : schema) }
}

const parts = { path: "path", query: "urlParams", header: "headers" } as const

/** The parameters of an operation as a client should know them. */
const parametersOf = (
  operation: Operation.Any,
  given: ReadonlyArray<Json>,
  described: Described | undefined,
  examples: Readonly<Record<string, unknown>>
): ReadonlyArray<Json> =>
  given.map(({ in: place, name, required, schema }) => {
    const part = Object.entries(parts).find(([known]) => known === place)?.[1] ?? "path"
    const request = operation.request[part]
    const fields: unknown = request === undefined ? undefined : Reflect.get(request, "fields")
    const field = isJson(fields) ? fields[String(name)] : undefined
    const example = examples[String(name)]
    const text = described?.fields.get(part)?.fields.get(String(name))?.text
    const written = parameterSchema(schema, field)
    const isList = jsonAt(written, "schema")["type"] === "array"
    return {
      name,
      in: place,
      required,
      description: need(text, `the parameter ${name} of ${operation.id}`),
      ...written,
      ...(example === undefined ? {} : { example: isList ? String(example).split(",") : example })
    }
  })

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

/** An operation as the document shows it. `given` is what the platform prints of it. */
const operationItem = (
  { operation, tag }: (typeof operations)[number],
  given: Json,
  described: Described | undefined,
  exchange: Exchange
): Json => {
  const { id } = operation
  const description = sentence(need(described?.text, id))
  const [summary = ""] = description.split(/(?<=[^.]\.)\s|;\s/)
  const listed = (Array.isArray(given["parameters"]) ? given["parameters"] : []).filter(isJson)
  const parameters = parametersOf(operation, listed, described, exchange.parameters)
  const answer = jsonAt(given, "responses", "200", "content", "application/json", "schema")
  describeFields(answer, described?.fields.get("success"), `${id}.answer`)
  if (given["requestBody"] !== undefined) {
    const content = jsonAt(given, "requestBody", "content", "application/json")
    describeFields(content["schema"], described?.fields.get("payload"), id)
    content["example"] = exchange.body
  }
  return {
    operationId: id,
    tags: [tag],
    summary: summary.replace(/\.$/, ""),
    description,
    parameters: [{ $ref: "#/components/parameters/chain" }, ...parameters],
    ...(given["requestBody"] === undefined ? {} : { requestBody: given["requestBody"] }),
    responses: {
      200: {
        description: "Done.",
        content: { "application/json": { schema: answer, example: exchange.answer } },
        ...(parameters.some(({ name }) => name === "cursor") ? nextPage(id) : {})
      },
      ...Object.fromEntries(
        Object.entries(errorNames)
          .filter(([status]) => isJson(jsonAt(given, "responses")[status]))
          .map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }])
      )
    }
  }
}

/** Describes the records, and gives them the names and forms that readers of JSON need. */
const describeRecords = (schemas: Json, { constants, records }: Docstrings): void => {
  for (const name of unused) delete schemas[name]
  const transfer = jsonAt(schemas, "PageableTransfers", "properties", "items", "items")
  schemas["Transfer"] = { description: "", anyOf: transfer["anyOf"] }
  for (const page of ["PageableTransfers", "Transfers"]) {
    jsonAt(schemas, page, "properties", "items")["items"] = { $ref: "#/components/schemas/Transfer" }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isJson(schema)) continue
    const shared = descriptions.shared[name]
    Object.assign(schema, shared?.schema)
    const record = records.get(name) ?? constants.get(`${name}.${name}`)
    schema["description"] = need(shared?.description ?? record?.text, `the record ${name}`)
    describeFields(schema, record, name)
  }
}

/** The document, with an example of every operation from `exchanges`. */
export const makeDocument = (
  { exchanges, node, refusals }: {
    readonly exchanges: ReadonlyMap<string, Exchange>
    readonly node: ReadonlyMap<string, { readonly request: unknown; readonly answer: unknown }>
    readonly refusals: Readonly<Record<string, unknown>>
  }
): Json => {
  const docstrings = readDocstrings([
    ...contracts.map(([, , file]) => file),
    "core/src/ServiceCode.ts",
    "wallet/src/WalletCode.ts"
  ])
  const schemas: Json = {}
  const pathItems: Json = {}
  for (const one of operations) {
    const { id, method, name, route } = one.operation
    const exchange = exchanges.get(id)
    if (exchange === undefined) throw new Error(`${id} has no example: exampleCalls.ts is the place`)
    const printed: unknown = OpenApi.fromApi(OperationApi.api(name, { operation: one.operation }))
    for (const [name, schema] of Object.entries(jsonAt(printed, "components", "schemas"))) {
      schemas[name] ??= tidy(schema)
    }
    const given = jsonAt(tidy(jsonAt(printed, "paths")), route, method.toLowerCase())
    const at = (pathItems[route] ??= {})
    if (!isJson(at)) throw new Error(route)
    at[method.toLowerCase()] = operationItem(one, given, docstrings.operations.get(id), exchange)
  }
  describeRecords(schemas, docstrings)
  schemas["ErrorBody"] = errorSchema(docstrings)
  if (missing.length > 0) throw new Error(`these need a docstring:\n${missing.join("\n")}`)
  Object.assign(schemas, nodeSchemas)
  pathItems["/v1/klaytn"] = nodePath(node)
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Klaytn (Kaia) data and wallet service",
      version: "2",
      summary: "Transfer history, token data, wallet and node access.",
      description: descriptions.about,
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
    tags: Object.entries(descriptions.tags).map(([name, description]) => ({ name, description })),
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
