/** Requests that differ in how they are sent. */

/** A request, by a name. */
export interface Sent {
  readonly name: string
  readonly init: RequestInit
}

const json = { "content-type": "application/json" }

const call = (id: unknown, method: unknown = "eth_chainId", params: unknown = []): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

const post = (name: string, body: string, headers: Record<string, string> = json): Sent => ({
  name,
  init: { method: "POST", headers, body }
})

export const requests: ReadonlyArray<Sent> = [
  ...["GET", "HEAD", "DELETE", "OPTIONS"].map((method) => ({ name: `${method} without a body`, init: { method } })),
  ...["GET", "PUT", "PATCH", "OPTIONS", "DELETE"].flatMap((method) =>
    method === "GET" ? [] : [{ name: `${method} with a call`, init: { method, headers: json, body: call(1) } }]
  ),
  post("an empty body", ""),
  post("blanks", "  \n"),
  post("a call", call(1)),
  post("a call and a line", `${call(1)}\n`),
  post("two calls", call(1) + call(2)),
  post("a call and a word", `${call(1)} word`),
  post("half a call", call(1).slice(0, -5)),
  post("no JSON", "word"),
  post("a text", "\"word\""),
  post("a number", "5"),
  post("null", "null"),
  post("an empty list", "[]"),
  post("a list of nothing good", "[1, null, []]"),
  post("a list", `[${call(1)},${call(2, "eth_syncing")}]`),
  post("a list with a notification", `[${call(1)},{"jsonrpc":"2.0","method":"eth_chainId"}]`),
  post("a list of notifications", `[{"jsonrpc":"2.0","method":"eth_chainId"}]`),
  post("a notification", `{"jsonrpc":"2.0","method":"eth_chainId"}`),
  post("keys in capitals", `{"JSONRPC":"2.0","ID":1,"Method":"eth_chainId","PARAMS":[]}`),
  post("a key twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"eth_chainId"}`),
  post("an unknown key", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","more":1}`),
  post("another version", `{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}`),
  post("no version", `{"id":1,"method":"eth_chainId"}`),
  post("no method", `{"jsonrpc":"2.0","id":1}`),
  ...[null, "a", "", 0, -1, 1.5, 1e21, true, false, [], {}, [1]].map((id) =>
    post(`the id ${JSON.stringify(id)}`, call(id))
  ),
  ...[null, {}, "a", 5, { a: 1 }].map((params) =>
    post(`parameters ${JSON.stringify(params)}`, call(1, "eth_chainId", params))
  ),
  ...[
    5,
    null,
    "",
    "eth",
    "eth_",
    "_chainId",
    "eth_ChainId",
    "eth.chainId",
    "ETH_chainId",
    "eth_chainId_",
    "admin_nothing"
  ]
    .map((method) => post(`the method ${JSON.stringify(method)}`, call(1, method))),
  ...["eth_subscribe", "kaia_subscribe", "eth_unsubscribe", "kaia_unsubscribe"].map((method) =>
    post(`${method} over HTTP`, call(1, method, ["newHeads"]))
  ),
  ...[
    "text/plain",
    "application/json; charset=utf-8",
    "application/json-rpc",
    "application/jsonrequest",
    "APPLICATION/JSON",
    "",
    "*/*"
  ]
    .map((type) => post(`the type ${JSON.stringify(type)}`, call(1), { "content-type": type })),
  post("a large body", `${call(1).slice(0, -1)},"more":"${"a".repeat(524_288)}"}`)
]
