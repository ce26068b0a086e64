/** Makes one call of every operation to a sandbox with a seed and a clock: the examples of the OpenAPI document. */
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../../src/Sandbox.js"
import * as Scenario from "../../src/Scenario.js"
import { operations } from "./document.js"

/** A call and its answer. Parameters are those of path, query and headers by name. */
export interface Exchange {
  readonly parameters: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly answer: unknown
}

/** A record of an answer. */
type Answer = Readonly<Record<string, unknown>>

const scenario = {
  chain: 1001,
  accounts: [{ name: "alice", klay: "100" }, { name: "bob", klay: "1" }],
  tokens: [
    { name: "apples", kind: "ft", title: "Apple", symbol: "APL", decimals: 2, deployer: "alice" },
    { name: "pictures", kind: "nft", title: "Picture", symbol: "PIC", deployer: "alice" },
    { name: "badges", kind: "mt", uri: "https://example.com/{id}.json", deployer: "alice" }
  ],
  steps: [
    { do: "mint", token: "apples", to: "alice", amount: "1000" },
    { do: "mint", token: "pictures", to: "alice", tokenId: "1", uri: "https://example.com/1.json" },
    { do: "mint", token: "badges", to: "alice", tokenId: "7", amount: "10" },
    { do: "sendToken", token: "apples", from: "alice", to: "bob", amount: "350" },
    { do: "sendToken", token: "pictures", from: "alice", to: "bob", tokenId: "1" },
    { do: "sendToken", token: "badges", from: "alice", to: "bob", tokenId: "7", amount: "3" },
    { do: "send", from: "alice", to: "bob", klay: "1.5", memo: "for the apples" }
  ],
  presets: [{ name: "shop", accounts: ["alice"], contracts: ["apples"] }]
}

const unwrap = <A>(result: { readonly ok: true; readonly value: A } | { readonly ok: false }): A => {
  if (!result.ok) throw new Error("a transaction of the example calls is wrong")
  return result.value
}

const textOf = (record: Answer, name: string): string => {
  const value = record[name]
  if (typeof value !== "string") throw new Error(`no text at ${name}`)
  return value
}

const itemsOf = ({ items }: Answer): ReadonlyArray<Answer> => {
  if (!Array.isArray(items)) throw new Error("no items")
  return items.filter(Predicate.isRecord)
}

const blob = `0x${"9d266d2de5c35232".repeat(7)}`

/** The methods of a node that the document shows a call of, by what they do. */
const calls = (address: string) => ({
  "A balance": { jsonrpc: "2.0", id: 1, method: "klay_getBalance", params: [address, "latest"] },
  "Several at once": [
    { jsonrpc: "2.0", id: 1, method: "klay_blockNumber", params: [] },
    { jsonrpc: "2.0", id: 2, method: "klay_gasPrice", params: [] }
  ],
  "A refusal": { jsonrpc: "2.0", id: 1, method: "klay_unknown", params: [] }
})

/** Everything that the document shows. */
export const recorded = Effect.gen(function*() {
  const { accessKeyId, accountId, chains, secretAccessKey, url } = yield* Sandbox.Sandbox
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${Redacted.value(secretAccessKey)}`).toString("base64")}`
  const chain = chains.chain(1001)
  for (const one of yield* Scenario.parse(JSON.stringify(scenario))) yield* Scenario.play(chains, one)
  const exchanges = new Map<string, Exchange>()

  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, {
        method,
        headers: { "x-chain-id": "1001", "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      // A blob is sealed anew each time.
      const answer: unknown = JSON.parse(
        await response.text(),
        (name, value: unknown) => name === "blob" ? blob : value
      )
      return { status: response.status, answer }
    })

  /** Calls an operation with its parameters by name, and keeps the call as its example. */
  const call = (id: string, parameters: Record<string, unknown> = {}, body?: unknown) =>
    Effect.gen(function*() {
      const found = operations.find(({ operation }) => operation.id === id)
      if (found === undefined) throw new Error(`no operation ${id}`)
      const { "x-krn": krn, ...others } = parameters
      const query = new URLSearchParams()
      const path = Object.entries(others).reduce((template, [name, value]) => {
        if (template.includes(`{${name}}`)) return template.replace(`{${name}}`, encodeURIComponent(String(value)))
        query.set(name, String(value))
        return template
      }, found.operation.route)
      const { answer, status } = yield* send(
        found.operation.method,
        query.size === 0 ? path : `${path}?${query}`,
        { authorization, ...(typeof krn === "string" ? { "x-krn": krn } : {}) },
        body
      )
      if (status !== 200 || !Predicate.isRecord(answer)) {
        throw new Error(`${id} was answered ${status}: ${JSON.stringify(answer)}`)
      }
      exchanges.set(id, { parameters, body, answer })
      return answer
    })

  // Transfers and tokens.
  const alice = chains.account("alice")
  const bob = chains.account("bob")
  const [preset] = yield* chain.presets
  const transfers = itemsOf(yield* call("getTransfersByEoa", { address: alice.address, kind: "klay,ft", size: 2 }))
  yield* call("getTransfers", { presets: preset?.id, size: 2 })
  const [newest] = transfers
  if (newest === undefined) throw new Error("no transfers")
  yield* call("getTransfersByTxHash", { hash: newest["transactionHash"] })
  const contract = (kind: string) =>
    Effect.map(call(`get${kind}Contracts`, { size: 10 }), (page) => {
      const [one] = itemsOf(page)
      if (one === undefined) throw new Error(`no contract of ${kind}`)
      return textOf(one, "address")
    })
  const ft = yield* contract("Ft")
  const nft = yield* contract("Nft")
  const mt = yield* contract("Mt")
  yield* call("getFtContractDetail", { contract: ft })
  yield* call("getNftContractDetail", { contract: nft })
  yield* call("getMtContractDetail", { contract: mt })
  yield* call("getNftTokenHolder", { contract: nft })
  yield* call("getMtTokenHolder", { contract: mt })
  yield* call("getNftsByContractAddress", { contract: nft, size: 10 })
  yield* call("getNftsByOwnerAddress", { contract: nft, owner: bob.address, size: 10 })
  yield* call("getNftById", { contract: nft, tokenId: "0x1" })
  yield* call("getNftOwnershipChanges", { contract: nft, tokenId: "0x1", size: 10 })
  yield* call("getMtsByContractAddress", { contract: mt, size: 10 })
  yield* call("getMtTokensByContractAddressAndOwnerAddress", { contract: mt, owner: bob.address, size: 10 })
  yield* call("getMtTokensByContractAddressAndOwnerAddressAndTokenId", {
    contract: mt,
    owner: bob.address,
    tokenId: "0x7"
  })
  yield* call("getMtTokensByContractAddressAndTokenId", { contract: mt, tokenId: "0x7", size: 10 })
  yield* call("getContractsByOwnerAddress", { owner: bob.address, size: 10 })
  yield* call("getTokensByOwnerAddress", { owner: bob.address, kind: "ft,nft", size: 10 })

  // Accounts, keys and fee payers.
  const fund = (address: string) => chain.fund(address.toLowerCase() as Hex, 10n ** 20n) // the wallet's own record
  const account = yield* call("createAccount")
  const krn = textOf(account, "krn")
  const from = textOf(account, "address").toLowerCase()
  yield* fund(from)
  yield* call("getAccount", { address: from })
  yield* call("getAccountsByPublicKey", { publicKey: account["publicKey"] })
  yield* call("countAccounts")
  yield* call("countAccountsInPool", { "x-krn": krn })
  const spare = textOf(yield* call("createAccount", { "x-krn": krn }), "address").toLowerCase()
  yield* call("disableAccount", { address: spare })
  yield* call("enableAccount", { address: spare })
  yield* call("getAccounts", { size: 2 })
  yield* call("deleteAccount", { address: spare })
  const payer = yield* call("createFeePayer", {}, { withoutAccountUpdate: true })
  const feePayer = textOf(payer, "address").toLowerCase()
  yield* fund(feePayer)
  yield* call("getFeePayer", { address: feePayer })
  yield* call("getFeePayers", { size: 2 })
  const sparePayer = yield* send("POST", "/v2/feepayer", { authorization }, {})
  if (!Predicate.isRecord(sparePayer.answer)) throw new Error("no fee payer")
  yield* call("deleteFeePayer", { address: textOf(sparePayer.answer, "address").toLowerCase() })
  const [key, other] = itemsOf(yield* call("createKeys", {}, { size: 2 }))
  if (key === undefined || other === undefined) throw new Error("no keys")
  const keyId = textOf(key, "keyId")
  yield* call("getKey", { keyId })
  yield* call("getKeys", { krn: key["krn"], size: 2 })
  yield* call("sign", { keyId }, { data: newest["transactionHash"] })
  yield* call("deleteKey", { keyId: other["keyId"] })
  yield* call("getResources", { accountId, "resource-type": "account-pool", size: 2 })

  // Sends: a new account pays each fee itself, and the others pay for the same kinds.
  const to = bob.address
  const input = "0x6f6b"
  const code = "0x600160005560016000f3"
  yield* call("sendValue", { "x-krn": krn }, { from, to, value: "0xde0b6b3a7640000", memo: "rent", submit: true })
  yield* call("sendLegacy", {}, { from, to, value: "0x1", submit: true })
  yield* call("deploy", {}, { from, input: code, submit: true })
  yield* call("execute", {}, { from, to: ft, input: "0x18160ddd", submit: true })
  yield* call("cancel", {}, { from, nonce: 9, submit: false })
  yield* call("anchor", {}, { from, input, submit: true })
  const publicKey: Hex = textOf(key, "publicKey") as Hex // hexadecimal, as the service writes keys
  const accountKey = { keyType: 2, key: publicKey }
  yield* call("updateAccount", {}, { from, accountKey, submit: false })
  const unsigned = (type: "ValueTransfer" | "FeeDelegatedValueTransfer", nonce: bigint) =>
    unwrap(Transaction.encode(unwrap(Transaction.make({
      type,
      from: from as Hex,
      to,
      value: 1n,
      nonce,
      gas: 1_000_000n,
      gasPrice: 25_000_000_000n // the wallet's own record
    }))))
  const nonce = () => Effect.map(Effect.flatten(chain.account(from as Hex)), ({ nonce }) => BigInt(nonce))
  yield* call("sendRlp", {}, { from, rlp: unsigned("ValueTransfer", yield* nonce()), submit: true })
  for (const [prefix, more] of [["fd", { feeRatio: 30 }], ["fdUser", { feePayer }]] as const) {
    yield* call(`${prefix}SendValue`, {}, { from, to, value: "0x1", ...more, submit: true })
    yield* call(`${prefix}Deploy`, {}, { from, input: code, ...more, submit: true })
    yield* call(`${prefix}Execute`, {}, { from, to: ft, input: "0x18160ddd", ...more, submit: true })
    yield* call(`${prefix}Cancel`, {}, { from, nonce: 30, ...more, submit: false })
    yield* call(`${prefix}Anchor`, {}, { from, input, ...more, submit: true })
    yield* call(`${prefix}UpdateAccount`, {}, { from, accountKey, ...more, submit: false })
    yield* call(`${prefix}SendRlp`, {}, {
      from,
      rlp: unsigned("FeeDelegatedValueTransfer", yield* nonce()),
      ...(prefix === "fd" ? {} : more),
      submit: true
    })
  }
  const sent = exchanges.get("fdSendValue")?.answer
  const hash = Predicate.isRecord(sent) ? sent["transactionHash"] : undefined
  yield* call("getTransaction", { hash })
  yield* call("getChargedFee", { hash })
  yield* call("getChargedFees", { from, size: 2 })
  yield* call("callContract", {}, {
    to: ft,
    data: { methodName: "balanceOf", arguments: [{ type: "address", value: bob.address }] }
  })

  // Several keys.
  const multi = textOf(yield* call("createAccount"), "address").toLowerCase()
  yield* fund(multi)
  const signers = yield* Effect.forEach([1, 2], () => call("createAccount"))
  yield* call("updateMultiSig", { address: multi }, {
    threshold: 3,
    weightedKeys: signers.map((signer, i) => ({ publicKey: signer["publicKey"], weight: i + 1 }))
  })
  const pending = yield* send("POST", "/v2/tx/value", { authorization }, {
    from: multi,
    to,
    value: "0x1",
    submit: true
  })
  if (!Predicate.isRecord(pending.answer)) throw new Error("nothing waits")
  const transactionId = textOf(pending.answer, "transactionId")
  yield* call("getPendingTransactions", { address: multi, size: 2 })
  const [one, two] = signers.map((signer) => textOf(signer, "address").toLowerCase())
  yield* call("signPending", { address: one, transactionId })
  const signature = yield* call("getSignature", { address: two, transactionId })
  yield* call("addSignatures", { transactionId }, { signatures: [signature] })

  // Accounts that move in.
  const carol = chains.account("carol")
  yield* call("registerAccounts", {}, [{
    keyId,
    address: carol.address,
    rlp: unwrap(Transaction.encode(unwrap(Transaction.signAsSender(
      unwrap(Transaction.make({
        type: "FeeDelegatedAccountUpdate",
        from: carol.address,
        nonce: 0n,
        gas: 1_000_000n,
        gasPrice: 25_000_000_000n,
        key: unwrap(AccountKey.fromPublicKey(publicKey))
      })),
      { chainId: 1001, privateKey: Redacted.value(carol.privateKey) }
    ))))
  }])

  const node = new Map<string, { readonly request: unknown; readonly answer: unknown }>()
  for (const [what, request] of Object.entries(calls(alice.address))) {
    node.set(what, { request, answer: (yield* send("POST", "/v1/klaytn", { authorization }, request)).answer })
  }
  const refused = (path: string, headers: Record<string, string> = { authorization }) =>
    Effect.map(send("GET", path, headers), ({ answer }) => answer)
  const refusals = {
    BadRequest: yield* refused(`/v2/transfer/account/${alice.address}?size=-1`),
    Unauthorized: yield* refused(`/v2/transfer/account/${alice.address}`, {}),
    NotFound: yield* refused(`/v2/contract/nft/${nft}/token/0x2`)
  }
  return { exchanges, node, refusals }
}).pipe(Effect.provide(Sandbox.layer({ seed: "openapi", clock: { start: 1_704_067_200, step: 1 } })))
