/**
 * The server that all peers are measured against, in a process of its own: a sandbox full of signed transactions, and
 * before it a memory of its answers. A question is answered by the sandbox the first time and from memory from then on,
 * with the same bytes, so that what is measured is the client.
 */
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Token from "@effect-klaytn/sandbox/Token"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import type { Ready } from "./Ready.js"

const nfts = 3_000n
const nftsPerBlock = 100n

interface Answer {
  readonly status: number
  readonly body: Uint8Array
}

const remember = (service: string): Promise<string> => {
  const known = new Map<string, Promise<Answer>>()
  const ask = async (path: string, headers: Record<string, string>): Promise<Answer> => {
    const response = await fetch(`${service}${path}`, { headers })
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) }
  }
  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    const { authorization = "", "x-chain-id": chain = "" } = request.headers
    const answer = known.get(path) ?? ask(path, { authorization, "x-chain-id": String(chain) })
    known.set(path, answer)
    answer.then(
      ({ body, status }) =>
        response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body),
      () => response.destroy()
    )
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "")
    })
  })
}

const program = Effect.gen(function*() {
  const { accessKeyId, engine, secretAccessKey, url } = yield* Sandbox.Sandbox
  const chain = engine.chain(1001)
  const { busiest } = yield* Generator.generate(chain, {
    seed: "benchmarks",
    transfers: 6_000,
    accounts: 20,
    busyShare: 1
  })
  const collection = yield* Token.deploy(chain, busiest, { kind: "nft", name: "Picture", symbol: "PIC" })
  for (let tokenId = 1n; tokenId <= nfts; tokenId += nftsPerBlock) {
    yield* chain.sendBlock(Array.from({ length: Number(nftsPerBlock) }, (_, i) => ({
      kind: "execute" as const,
      from: busiest,
      to: collection.address,
      gas: 400_000n,
      data: Token.mintCall(collection, {
        kind: "nft",
        to: busiest.address,
        tokenId: tokenId + BigInt(i),
        uri: `https://pictures.example/${tokenId + BigInt(i)}.json`
      })
    })))
  }
  const [newest] = yield* chain.transfers({ accounts: [busiest.address], limit: 1 })
  const ready: Ready = {
    url: yield* Effect.promise(() => remember(url)),
    accessKeyId,
    secretAccessKey: Redacted.value(secretAccessKey),
    account: busiest.address,
    collection: collection.address,
    transactionHash: newest?.transaction.transactionHash ?? ""
  }
  process.send?.(ready)
  return yield* Effect.never
})

// Ends with the program that started it.
process.once("disconnect", () => process.exit(0))
await Effect.runPromise(Effect.provide(program, Sandbox.layer({ seed: "benchmarks", accounts: [] })))
