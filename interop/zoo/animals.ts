/**
 * Nodes as they behave according to public reports and documents: each refuses, lags or fails in one way. The numbers of the
 * reports are made smaller, so that a chain of some thousand blocks and a few hundred calls meet them. Where a form has a
 * source, its comment names the report or the document.
 */

/** A call of JSON-RPC. */
export interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** What a node answers, instead of what the node behind it would. */
export type Reply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is dropped. */
  | "drop"

/** What an animal knows when it is asked. */
export interface Question {
  readonly calls: ReadonlyArray<Call>
  readonly isBatch: boolean
  readonly bytes: number
  /** How many requests came before. */
  readonly count: number
}

export interface Animal {
  readonly name: string
  /** The most calls in a request, for the least number of requests. */
  readonly calls?: number
  /** The most blocks in a search. */
  readonly blocks?: number
  /** Answers a request in the node's place, or lets it pass. */
  readonly refuse?: (question: Question) => Reply | undefined
  /** Changes the answer to a call. `lag` is by how many blocks the node that answers is behind. */
  readonly answer?: (call: Call, answer: object, question: Question) => object
  /** By how many blocks the node that answers this request is behind. */
  readonly lag?: (question: Question) => number
  /** After how many milliseconds the node that answers this request has a block, for a chain that goes on. */
  readonly late?: (question: Question) => number
  /** How a node that is behind says that it does not have a block: null, or an error. */
  readonly missing?: { readonly code: number; readonly message: string } | null
}

const error = (code: number, message: string, data?: unknown) => ({
  code,
  message,
  ...(data === undefined ? {} : { data })
})

/** One error without the ID of a call. */
const withoutId = (code: number, message: string, data?: unknown) => ({
  jsonrpc: "2.0",
  id: null,
  error: error(code, message, data)
})

const ok = (body: unknown): Reply => ({ status: 200, body })

/** Refuses requests of more calls than `most`. */
const batches = (most: number, reply: (question: Question) => Reply): Pick<Animal, "refuse" | "calls"> => ({
  calls: most,
  refuse: (question) => question.calls.length > most ? reply(question) : undefined
})

const widthOf = ({ method, params }: Call): number => {
  const [filter] = params
  if (!method.endsWith("_getLogs") || typeof filter !== "object" || filter === null) return 0
  const { fromBlock, toBlock } = filter as { readonly fromBlock?: string; readonly toBlock?: string }
  return Number(toBlock) - Number(fromBlock) + 1
}

/** Refuses log searches over more blocks than `most`, each for itself, or with a status for the whole request. */
const logs = (
  most: number,
  said: (call: Call, width: number) => object,
  status = 200,
  form: (answer: object) => unknown = (answer) => answer
): Pick<Animal, "refuse" | "answer" | "blocks"> =>
  status === 200
    ? { blocks: most, answer: (call, answer) => widthOf(call) > most ? said(call, widthOf(call)) : answer }
    : {
      blocks: most,
      refuse: ({ calls, isBatch }) => {
        const wide = calls.find((call) => widthOf(call) > most)
        if (wide === undefined) return undefined
        const body = { jsonrpc: "2.0", id: isBatch ? null : wide.id, ...said(wide, widthOf(wide)) }
        return { status, body: form(body) }
      }
    }

const fromBlockOf = ({ params }: Call): string =>
  String((params[0] as { readonly fromBlock?: string } | undefined)?.fromBlock)

const hex = (value: number): string => `0x${value.toString(16)}`

/** Answers every nth request in the node's place. */
const everyNth = (n: number, reply: (question: Question) => Reply) => (question: Question): Reply | undefined =>
  question.count % n === n - 1 ? reply(question) : undefined

/** The same error for each call. */
const forEach = ({ calls, isBatch }: Question, one: object): Reply => {
  const answers = calls.map(({ id }) => ({ jsonrpc: "2.0", id, error: one }))
  return ok(isBatch ? answers : answers[0])
}

/** Two nodes behind one address, by turns; the second is behind. */
const byTurns = (lag: number) => ({ count }: Question): number => count % 2 === 0 ? 0 : lag

export const animals: ReadonlyArray<Animal> = [
  { name: "no limit" },

  // Requests of several calls.
  {
    // erigontech/erigon#7072
    name: "batch: 200, one error with the id of none",
    ...batches(100, ({ calls }) => ok(withoutId(-32000, `batch limit 100 exceeded: ${calls.length} requests given`)))
  },
  {
    // erigontech/erigon#17245, #18260
    name: "batch: 200, a list of one error with the id of none",
    ...batches(100, ({ calls }) =>
      ok([
        withoutId(
          -32000,
          `batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: ${calls.length}`
        )
      ]))
  },
  {
    // erigontech/erigon#18074
    name: "batch: the connection is dropped",
    ...batches(100, () => "drop")
  },
  {
    // ethereum/go-ethereum#26681
    name: "batch: 200, an error for the first call alone",
    ...batches(100, ({ calls }) => ok([{ jsonrpc: "2.0", id: calls[0]?.id, error: error(-32600, "batch too large") }]))
  },
  {
    // ethereum/go-ethereum#26681, #33814
    name: "batch: no room in the answer for calls after the 60th",
    calls: 60,
    answer: (call, answer, { calls }) =>
      calls.indexOf(call) < 60 ? answer : { error: error(-32003, "response too large") }
  },
  {
    // besu-eth/besu#4951
    name: "batch: 200, invalid parameters for the request",
    ...batches(50, () => ok(withoutId(-32602, "Number of requests in batch exceeds --rpc-max-batch-size.")))
  },
  {
    // paritytech/jsonrpsee#1107, as reth and other nodes use it
    name: "batch: 200, -32010 with data",
    ...batches(100, () => ok(withoutId(-32010, "The batch request was too large", "Exceeded max limit of 100")))
  },
  {
    // The error types of jsonrpsee
    name: "batch: none at all",
    calls: 1,
    refuse: ({ isBatch }) =>
      isBatch ? ok(withoutId(-32005, "Batched requests are not supported by this server")) : undefined
  },
  {
    // gitlab.com/tezos/tezos, merge request 14432
    name: "batch: 200, the same error for each call",
    ...batches(100, (question) => forEach(question, error(-32600, "too many requests in batch")))
  },
  {
    // openethereum/parity-ethereum#8961: a limit of bytes
    name: "batch: 413 above 8,000 bytes",
    refuse: ({ bytes }) => bytes > 8000 ? { status: 413, body: "" } : undefined
  },
  {
    // hiero-ledger/hiero-json-rpc-relay#2437: each call of a batch counts for the rate
    name: "batch: 429 with an error of JSON-RPC",
    ...batches(100, () => ({ status: 429, body: withoutId(-32605, "IP Rate limit exceeded") }))
  },
  { name: "batch: 500, text", ...batches(100, () => ({ status: 500, body: "Internal Server Error" })) },
  { name: "batch: 400, text", ...batches(100, () => ({ status: 400, body: "Bad Request" })) },

  // Searches over many blocks.
  {
    // OffchainLabs/arbitrum-sdk#609
    name: "logs: 413, -32614",
    ...logs(100, () => ({ error: error(-32614, "eth_getLogs is limited to a 100 range") }), 413)
  },
  {
    // boundless-xyz/boundless#838
    name: "logs: 400, -32600, a range in hex that should work",
    ...logs(50, (call) => ({
      error: error(
        -32600,
        "You can make eth_getLogs requests with up to a 50 block range. Based on your parameters, this block range should " +
          `work: [${fromBlockOf(call)}, ${hex(Number(fromBlockOf(call)) + 49)}]`
      )
    }), 400)
  },
  {
    // INFURA/infura#237
    name: "logs: -32602, both numbers named",
    ...logs(100, (_, width) => ({ error: error(-32602, `range ${width} exceeds limit of 100`) }))
  },
  {
    // enviodev/hyperindex#605
    name: "logs: -32000, both numbers named",
    ...logs(100, (_, width) => ({
      error: error(
        -32000,
        `block range is larger than max block range, block range = ${width}, max block range = 100`
      )
    }))
  },
  {
    // 0xPolygon/cdk-erigon#1706: the code is that of a rate limit
    name: "logs: -32005",
    ...logs(100, () => ({ error: error(-32005, "block range too large, max range: 100") }))
  },
  {
    // moonbeam-foundation/moonbeam#3250
    name: "logs: -32603",
    ...logs(40, () => ({ error: error(-32603, "block range is too wide (maximum 40)") }))
  },
  {
    // bobanetwork/boba_legacy#827: the words are in the data
    name: "logs: -32602, the reason in the data",
    ...logs(60, (_, width) => ({
      error: error(-32602, "invalid params", { payload: `range ${width} is bigger than range limit 60` })
    }))
  },
  {
    // scroll-tech/go-ethereum#529
    name: "logs: -32000, no number",
    ...logs(100, () => ({ error: error(-32000, "block range is bigger than maxBlockRange") }))
  },
  {
    // AlphaWallet/alpha-wallet-ios#5277: a list for a single call
    name: "logs: 400, a list of one error",
    ...logs(100, () => ({ error: error(-32600, "block range too high") }), 400, (answer) => [answer])
  },
  {
    // paradigmxyz/reth#8558
    name: "logs: -32602, max block range",
    ...logs(100, () => ({ error: error(-32602, "query exceeds max block range 100") }))
  },
  {
    // bancorprotocol/webapp#523
    name: "logs: -32602, size of the answer",
    ...logs(100, () => ({ error: error(-32602, "Log response size exceeded. Please reduce query block range.") }))
  },
  {
    // scaffold-eth/scaffold-eth-2#1110: a free plan
    name: "logs: 5 blocks a search",
    ...logs(5, () => ({ error: error(-32614, "eth_getLogs is limited to a 5 range") }), 413)
  },

  // Several nodes behind one address.
  {
    // ethereum/go-ethereum#24078, #27353: heights go back, and logs of the newest blocks are left out
    name: "lag: 20 blocks, null",
    lag: byTurns(20),
    missing: null
  },
  {
    // blockscout/blockscout#10448
    name: "lag: 3 blocks, header not found",
    lag: byTurns(3),
    missing: error(-32000, "header not found")
  },
  {
    // gnosis/gp-v2-services#403
    name: "lag: 1 block, blocks of a filter not found",
    lag: byTurns(1),
    missing: error(
      -32000,
      "One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found."
    )
  },
  {
    // ethereum-optimism/optimism#11759
    name: "lag: 2 blocks, block not found",
    lag: byTurns(2),
    missing: error(-32000, "block not found")
  },

  // Failures that pass.
  {
    name: "fails: -32603 for every third request",
    refuse: everyNth(3, (question) => forEach(question, error(-32603, "Internal error")))
  },
  {
    name: "fails: -32016, a time-out behind a proxy, for every fourth request",
    refuse: everyNth(4, (question) => forEach(question, error(-32016, "upstream request timeout")))
  },
  {
    name: "fails: 502 with a page for every third request",
    refuse: everyNth(
      3,
      () => ({ status: 502, body: "<html>502 Bad Gateway</html>", headers: { "content-type": "text/html" } })
    )
  },
  {
    name: "fails: 429 without Retry-After for every third request",
    refuse: everyNth(3, () => ({ status: 429, body: withoutId(-32005, "project ID request rate exceeded") }))
  },
  { name: "fails: every fifth connection is dropped", refuse: everyNth(5, () => "drop") },

  // All at once.
  {
    name: "20 calls a request, 100 blocks a search, two nodes",
    ...logs(100, () => ({ error: error(-32005, "limit exceeded") })),
    ...batches(20, () => ok(withoutId(-32600, "batch limit exceeded"))),
    lag: byTurns(2),
    missing: null
  }
]
