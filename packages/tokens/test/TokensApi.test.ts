import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { assert, describe, it } from "@effect/vitest"
import * as TokenDirectoryApi from "../src/TokenDirectoryApi.js"
import * as TokensApi from "../src/TokensApi.js"

/** `name in place`, with a mark for what is required. */
const parameters = (operation: OpenApi.OpenAPISpecOperation): ReadonlyArray<string> =>
  operation.parameters.map((one) => `${one.name} in ${one.in}${one.required ? ", required" : ""}`)

const told = (document: OpenApi.OpenAPISpec) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method} ${path}`,
      operation.operationId,
      parameters(operation),
      Object.keys(operation.responses).join(" ")
    ])
  )

const contract = "contract in path, required"
const owner = "owner in path, required"
const tokenId = "tokenId in path, required"
const paging = ["size in query", "cursor in query"]
const found = "200 400 401 404 500"
const listed = "200 400 401 500"

describe("the interface of token data", () => {
  const document = OpenApi.fromApi(OperationApi.api("tokens", TokensApi))

  it("is seven reads with these parameters and answers", () => {
    const mt = "get /v2/contract/mt/{contract}"
    const nft = "get /v2/contract/nft/{contract}"
    assert.deepStrictEqual(told(document), [
      [
        `${mt}/owner/{owner}`,
        "tokens.getMtTokensByContractAddressAndOwnerAddress",
        [contract, owner, ...paging],
        found
      ],
      [
        `${mt}/owner/{owner}/token/{tokenId}`,
        "tokens.getMtTokensByContractAddressAndOwnerAddressAndTokenId",
        [contract, owner, tokenId],
        found
      ],
      [
        `${mt}/token/{tokenId}`,
        "tokens.getMtTokensByContractAddressAndTokenId",
        [contract, tokenId, ...paging],
        found
      ],
      [`${mt}/token`, "tokens.getMtsByContractAddress", [contract, ...paging], found],
      [`${nft}/token/{tokenId}`, "tokens.getNftById", [contract, tokenId], found],
      [`${nft}/token`, "tokens.getNftsByContractAddress", [contract, ...paging], found],
      [`${nft}/owner/{owner}`, "tokens.getNftsByOwnerAddress", [contract, owner, ...paging], found]
    ])
  })

  it("tells the fields of its records as they stand on the wire", () => {
    const { schemas } = document.components
    const fields = (name: string) => {
      const schema = schemas[name]
      return schema !== undefined && "properties" in schema ? Object.keys(schema.properties) : []
    }
    assert.deepStrictEqual(fields("Nft"), [
      "tokenId",
      "owner",
      "previousOwner",
      "tokenUri",
      "transactionHash",
      "createdAt",
      "updatedAt"
    ])
    assert.deepStrictEqual(fields("MtToken"), [
      "tokenId",
      "owner",
      "tokenAddress",
      "totalSupply",
      "tokenUri",
      "balance",
      "transactionHash",
      "transferFrom",
      "transferTo",
      "updatedAt"
    ])
    assert.deepStrictEqual(fields("Mt"), ["tokenId", "totalSupply", "tokenUri"])
    assert.deepStrictEqual(fields("PageableNfts"), ["items", "cursor"])
    assert.deepStrictEqual(fields("PageableMts"), ["items", "cursor"])
    assert.deepStrictEqual(fields("PageableMtTokens"), ["items", "cursor"])
    assert.deepStrictEqual(fields("PageableMtTokensWithBalance"), ["items", "cursor", "totalBalance"])
  })

  it("asks for the credential in each operation", () => {
    for (const methods of Object.values(document.paths)) {
      for (const operation of Object.values(methods)) assert.deepStrictEqual(operation.security, [{ basic: [] }])
    }
  })
})

describe("the interface beyond the document", () => {
  const document = OpenApi.fromApi(OperationApi.api("token-directory", TokenDirectoryApi))

  it("is eleven reads with these parameters and answers", () => {
    const labelled = ["status in query", "type in query", ...paging]
    const id = (name: string) => `token-directory.${name}`
    assert.deepStrictEqual(told(document), [
      [
        "get /v2/account/{owner}/contract",
        id("getContractsByOwnerAddress"),
        [owner, "kind in query", ...paging],
        listed
      ],
      ["get /v2/contract/ft/{contract}", id("getFtContractDetail"), [contract], found],
      ["get /v2/contract/ft", id("getFtContracts"), labelled, listed],
      ["get /v2/contract/mt/{contract}", id("getMtContractDetail"), [contract], found],
      ["get /v2/contract/mt", id("getMtContracts"), labelled, listed],
      ["get /v2/contract/mt/{contract}/holder", id("getMtTokenHolder"), [contract], found],
      ["get /v2/contract/nft/{contract}", id("getNftContractDetail"), [contract], found],
      ["get /v2/contract/nft", id("getNftContracts"), labelled, listed],
      [
        "get /v2/contract/nft/{contract}/token/{tokenId}/history",
        id("getNftOwnershipChanges"),
        [contract, tokenId, ...paging],
        found
      ],
      ["get /v2/contract/nft/{contract}/holder", id("getNftTokenHolder"), [contract], found],
      [
        "get /v2/account/{owner}/token",
        id("getTokensByOwnerAddress"),
        [owner, "kind in query", "ca-filters in query", ...paging],
        listed
      ]
    ])
  })

  it("shares no path with token data", () => {
    const both = Object.keys(document.paths).filter((path) =>
      path in OpenApi.fromApi(OperationApi.api("tokens", TokensApi)).paths
    )
    assert.deepStrictEqual(both, [])
  })
})
