/** The JSON-RPC endpoint in the OpenAPI document. */
import { nodeMethods } from "../../src/internal/nodeMethods.js"
import type { Json } from "./document.js"

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const id: Json = {
  type: ["integer", "string"],
  description: "Chosen by the caller; the answer to this call has the same."
}

/** The envelopes of JSON-RPC 2.0. */
export const nodeSchemas: Json = {
  JsonRpcRequest: {
    type: "object",
    description: "A call of one method.",
    required: ["jsonrpc", "id", "method"],
    properties: {
      jsonrpc: { type: "string", const: "2.0", description: "The version of JSON-RPC." },
      id,
      method: {
        type: "string",
        description: `The method. The sandbox serves these: ${
          nodeMethods.served.filter((name) => !name.startsWith("kaia_")).map((name) => `\`${name}\``).join(", ")
        }, and each method of \`klay\` under \`kaia\` too. Which ones the service supports is not documented.`,
        examples: ["klay_blockNumber", "klay_getBalance"]
      },
      params: {
        type: "array",
        items: true,
        description: "The arguments by position. Quantities are hexadecimal strings; a block is `latest` or a number."
      }
    }
  },
  JsonRpcError: {
    type: "object",
    description:
      "Why a method was not carried out. `-32601` is an unknown method, `-32602` are wrong arguments, `-32000` is what the node says itself, and 3 is a contract that reverted.",
    required: ["code", "message"],
    properties: {
      code: { type: "integer", description: "The number of the error." },
      message: { type: "string", description: "What is wrong, for people." },
      data: { description: "More about it; of a contract that reverted, what it returned, in hexadecimal." }
    }
  },
  JsonRpcResponse: {
    type: "object",
    description: "The answer to one call: `result` or `error`.",
    required: ["jsonrpc", "id"],
    properties: {
      jsonrpc: { type: "string", const: "2.0", description: "The version of JSON-RPC." },
      id: { type: ["integer", "string", "null"], description: "That of the call; null if the call could not be read." },
      result: { description: "What the method answers; null if there is nothing." },
      error: { ...ref("JsonRpcError"), description: "Why it was not carried out." }
    }
  }
}

const oneOrMore = (name: string): Json => ({
  oneOf: [ref(name), { type: "array", minItems: 1, items: ref(name) }]
})

/** The endpoint, with recorded calls. */
export const nodePath = (
  calls: ReadonlyMap<string, { readonly request: unknown; readonly answer: unknown }>
): Json => {
  const examples = (part: "request" | "answer"): Json =>
    Object.fromEntries([...calls].map(([summary, call]) => [
      summary.replace(/\W+/g, "-"),
      { summary, value: call[part] }
    ]))
  return {
    post: {
      operationId: "callNode",
      tags: ["node"],
      summary: "Calls methods of a node by JSON-RPC 2.0",
      description:
        "Calls one method, or several in one exchange. The answers to several may come in any order: match " +
        "them by `id`. A node's own refusal is HTTP 200 with an `error`.",
      parameters: [{ $ref: "#/components/parameters/chain" }],
      requestBody: {
        required: true,
        description: "One call, or an array of calls.",
        content: { "application/json": { schema: oneOrMore("JsonRpcRequest"), examples: examples("request") } }
      },
      responses: {
        200: {
          description: "One answer, or an array of answers.",
          content: { "application/json": { schema: oneOrMore("JsonRpcResponse"), examples: examples("answer") } }
        },
        400: { $ref: "#/components/responses/BadRequest" },
        401: { $ref: "#/components/responses/Unauthorized" }
      }
    }
  }
}
