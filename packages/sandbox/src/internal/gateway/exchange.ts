/** The body that a node takes at most. */
export const mostBytes = 512 * 1024

/** Name and path of everything that is said to the node: the methods stand in the body. */
export const exchange = { name: "node.exchange", template: "/v1/klaytn" } as const

/**
 * Is a request for the node? It has one path; clients that are generated from the node's own description write the method
 * below it, as in `/v1/klaytn/klay/block/number`, and are heard. The path twice over is none.
 */
export const isExchange = ({ method, url }: { readonly method: string; readonly url: string }): boolean =>
  method === "POST" && /^\/v1\/klaytn(?:\/(?!v1\b)\w+)*\/?(?:\?|$)/.test(url)

const named = /"method"\s*:\s*"([^"\\]{1,128})"/g

/** The methods that a body names, each once, as they stand. */
export const methodsOf = (body: string): ReadonlyArray<string> => [
  ...new Set([...body.matchAll(named)].map(([, method = ""]) => method))
]
