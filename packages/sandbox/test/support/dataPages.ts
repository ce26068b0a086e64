/** Every page of history and token data: the handlers in front of a chain, and the paths that a chain has answers for. */
import * as HistoryApi from "@effect-klaytn/history/HistoryApi"
import { Cursors } from "@effect-klaytn/indexer/Cursors"
import type { DataChain } from "@effect-klaytn/indexer/DataChain"
import { operationsOf } from "@effect-klaytn/indexer/Route"
import { ServiceRefusals } from "@effect-klaytn/indexer/ServiceRefusals"
import * as TokenDirectoryApi from "@effect-klaytn/tokens/TokenDirectoryApi"
import * as TokensApi from "@effect-klaytn/tokens/TokensApi"
import * as HttpApp from "@effect/platform/HttpApp"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Chain } from "../../src/Chain.js"
import { deriveKey } from "../../src/internal/derive.js"
import { CredentialStore } from "../../src/internal/gateway/CredentialStore.js"
import * as service from "../../src/internal/gateway/dataService.js"
import { RequestIds } from "../../src/internal/gateway/RequestIds.js"
import * as Sandbox from "../../src/Sandbox.js"
import { basic } from "./wire.js"

export const operations = operationsOf("data", [HistoryApi, TokensApi, TokenDirectoryApi])

/** The data handlers in front of a chain: gives the status and the body for a path. */
export const serve = (chain: DataChain) =>
  Effect.gen(function*() {
    const { accessKeyId, chains, secretAccessKey } = yield* Sandbox.Sandbox
    const app = yield* service.make({
      chain: () => chain,
      callers: new CredentialStore(chains.seed, { accessKeyId, secretAccessKey }),
      wallet: Effect.die("there is no wallet"),
      cursors: new Cursors(deriveKey(chains.seed, "cursors")),
      refusals: new ServiceRefusals(new RequestIds(chains.seed)),
      coin: "klay"
    })
    const handle = HttpApp.toWebHandler(app)
    const headers = { authorization: basic(accessKeyId, Redacted.value(secretAccessKey)), "x-chain-id": "1001" }
    return (path: string) =>
      Effect.promise(async () => {
        const response = await handle(new Request(`http://localhost${path}`, { headers }))
        return { status: response.status, text: await response.text() }
      })
  })

/** Everything that paths and queries of the data interface can name on the chain as it is. */
export const namesOf = (chain: Chain) =>
  Effect.gen(function*() {
    const { number } = yield* chain.head
    const contracts = yield* chain.contracts({ limit: 100 })
    const tokens = yield* Effect.forEach(
      contracts,
      ({ address }) => chain.tokens({ contract: address, order: "tokenId", limit: 3 })
    )
    const records = yield* Effect.forEach(
      Array.from({ length: number + 1 }, (_, height) => height),
      chain.transactionsOf
    )
    const hashes = records.flat().map(({ hash }) => hash)
    const transfers = yield* Effect.forEach(hashes, chain.transfersOf)
    const parties = [...new Set(transfers.flat().flatMap(({ from, to }) => [from, to]))]
    return {
      address: parties,
      owner: parties,
      tokenId: [...new Set(tokens.flat().map(({ tokenId }) => `0x${tokenId.toString(16)}`))].slice(0, 4),
      hash: hashes,
      contracts
    }
  })

export type Names = Effect.Effect.Success<ReturnType<typeof namesOf>>

const kinds = ["klay", "ft", "nft", "mt", "ft,nft"]

/** The filters of a list, one search each. */
export const filtersOf = (operation: string, { contracts }: Names): ReadonlyArray<string> => {
  const [first = "", second = ""] = contracts.map(({ address }) => address)
  const search = [
    ...kinds.map((kind) => `kind=${kind}`),
    "exclude-zero-klay=true",
    "range=0x2,0x5"
  ]
  switch (operation) {
    case "history.getTransfers":
      return ["presets=1", "presets=2", ...search.map((one) => `presets=1,2&${one}`)]
    case "history.getTransfersByEoa":
      return ["", ...search, "from-only=true", "to-only=true", `ca-filter=${first}`, `ca-filter=${second}&kind=mt,nft`]
    case "tokens.getFtContracts":
      return ["", "status=completed", "status=failed", "type=KIP-7", "type=ERC-20"]
    case "tokens.getNftContracts":
      return ["", "status=completed", "type=KIP-17", "type=ERC-721"]
    case "tokens.getMtContracts":
      return ["", "status=completed", "type=KIP-37", "type=ERC-1155"]
    case "tokens.getTokensByOwnerAddress":
      return ["", "kind=ft", "kind=nft,mt", `ca-filters=${first},${second}`]
    case "tokens.getContractsByOwnerAddress":
      return ["", "kind=ft", "kind=nft,mt"]
    default:
      return [""]
  }
}

/** The paths of a template, with every name in its places. */
export const pathsOf = (template: string, { contracts, ...all }: Names): ReadonlyArray<string> => {
  const contract = contracts.flatMap(({ address, kind }) => template.includes(`/${kind}/`) ? [address] : [])
  return Object.entries({ ...all, contract }).reduce<ReadonlyArray<string>>(
    (paths, [name, values]) =>
      paths.flatMap((path) =>
        path.includes(`:${name}`) ? values.map((value) => path.replace(`:${name}`, value)) : path
      ),
    [template]
  )
}
