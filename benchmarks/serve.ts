/**
 * The server that all sides call, in its own process: a sandbox full of signed transactions behind a cache of its answers.
 * The sandbox answers a request the first time and the cache repeats the same bytes from then on, so that only the client
 * is measured.
 */
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as TokenContract from "@effect-klaytn/sandbox/TokenContract"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import { limit, type Ready } from "./Ready.js"

const nfts = 3_000n
const nftsPerBlock = 100n
const concurrent = 100

interface Answer {
  readonly status: number
  readonly body: Uint8Array
}

type Headers = Record<string, string>

/** The members of a JSON-RPC answer besides its ID, by method and parameters. */
interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const isCall = (value: unknown): value is Call =>
  typeof value === "object" && value !== null && "method" in value && "params" in value && "id" in value

/** The calls of a request's body. */
const callsOf = (body: string): ReadonlyArray<Call> => [JSON.parse(body)].flat().filter(isCall)

const memory = (service: string) => {
  const pages = new Map<string, Promise<Answer>>()
  const results = new Map<string, Promise<string>>()

  const askPage = async (path: string, headers: Headers): Promise<Answer> => {
    const response = await fetch(`${service}${path}`, { headers })
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) }
  }

  /** What follows the IDs in the sandbox's answers to some calls, which are one request. */
  const askNode = async (
    asked: ReadonlyArray<Call>,
    path: string,
    headers: Headers
  ): Promise<ReadonlyArray<string>> => {
    const response = await fetch(`${service}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(asked.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params })))
    })
    const text = await response.text()
    const answers: unknown = JSON.parse(text)
    if (!Array.isArray(answers)) throw new Error(text)
    const byId = new Map(answers.map(({ id, jsonrpc: _, ...rest }) => [id, JSON.stringify(rest).slice(1)]))
    return asked.map((_, i) => byId.get(i) ?? `"error":{"code":-32603,"message":"no answer"}}`)
  }

  const keyOf = ({ method, params }: Call): string => `${method} ${JSON.stringify(params)}`

  /** Asks for what is not known yet. */
  const learn = (asked: ReadonlyArray<Call>, path: string, headers: Headers): void => {
    const unknown = asked.filter((call) => !results.has(keyOf(call)))
    const answers = unknown.length === 0 ? Promise.resolve([]) : askNode(unknown, path, headers)
    unknown.forEach((call, i) => results.set(keyOf(call), answers.then((texts) => texts[i] ?? "")))
  }

  const result = async (call: Call): Promise<string> =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},${await results.get(keyOf(call))}`

  return {
    page: (path: string, headers: Headers): Promise<Answer> => {
      const known = pages.get(path) ?? askPage(path, headers)
      pages.set(path, known)
      return known
    },
    calls: async (body: string, path: string, headers: Headers): Promise<Answer> => {
      const asked = callsOf(body)
      learn(asked, path, headers)
      const answers = await Promise.all(asked.map(result))
      const text = body.startsWith("[") ? `[${answers.join(",")}]` : answers.join()
      return { status: 200, body: Buffer.from(text) }
    }
  }
}

/** Listens, and refuses a request of more calls than `most`. */
const listen = ({ calls, page }: ReturnType<typeof memory>, most = Infinity): Promise<string> => {
  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    const { authorization = "", "x-chain-id": chain = "" } = request.headers
    const headers = { authorization, "x-chain-id": String(chain) }
    const send = (answer: Promise<Answer>): void => {
      answer.then(
        ({ body, status }) =>
          response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body),
        (error) => response.writeHead(500).end(String(error))
      )
    }
    if (request.method !== "POST") return send(page(path, headers))
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      if (callsOf(body).length > most) response.writeHead(413).end()
      else send(calls(body, path, headers))
    })
  })
  // A side that waits longer for its turn would otherwise write to a connection that is being closed.
  server.keepAliveTimeout = 120_000
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "")
    })
  })
}

const program = Effect.gen(function*() {
  const { accessKeyId, chains, secretAccessKey, url } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const { busiest } = yield* Generator.generate(chain, {
    seed: "benchmarks",
    transfers: 6_000,
    accounts: 20,
    busyShare: 1
  })
  const collection = yield* TokenContract.deploy(chain, busiest, { kind: "nft", name: "Picture", symbol: "PIC" })
  for (let tokenId = 1n; tokenId <= nfts; tokenId += nftsPerBlock) {
    yield* chain.sendBlock(Array.from({ length: Number(nftsPerBlock) }, (_, i) => ({
      kind: "execute" as const,
      from: busiest,
      to: collection.address,
      gas: 400_000n,
      data: TokenContract.mintCall(collection, {
        kind: "nft",
        to: busiest.address,
        tokenId: tokenId + BigInt(i),
        uri: `https://pictures.example/${tokenId + BigInt(i)}.json`
      })
    })))
  }
  const [newest] = yield* chain.transfers({ accounts: [busiest.address], limit: 1 })
  const records = yield* chain.transfers({ accounts: [busiest.address], limit: 2 * concurrent })
  const hashes = [...new Set(records.map(({ transaction }) => transaction.transactionHash))]
  const remembered = memory(url)
  const ready: Ready = {
    url: yield* Effect.promise(() => listen(remembered)),
    limitedUrl: yield* Effect.promise(() => listen(remembered, limit)),
    accessKeyId,
    secretAccessKey: Redacted.value(secretAccessKey),
    account: busiest.address,
    collection: collection.address,
    transactionHash: newest?.transaction.transactionHash ?? "",
    transactionHashes: hashes.slice(0, concurrent)
  }
  process.send?.(ready)
  return yield* Effect.never
})

// Ends with the program that started it.
process.once("disconnect", () => process.exit(0))
await Effect.runPromise(Effect.provide(program, Sandbox.layer({ seed: "benchmarks", accounts: [] })))
