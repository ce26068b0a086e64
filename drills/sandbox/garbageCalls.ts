/** Every call of every client, with a good answer to each of its requests. */
import * as Address from "@effect-klaytn/core/Address"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Hash from "@effect-klaytn/core/Hash"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as TokenDirectory from "@effect-klaytn/tokens/TokenDirectory"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Fees from "@effect-klaytn/wallet/Fees"
import * as Keys from "@effect-klaytn/wallet/Keys"
import * as Multisig from "@effect-klaytn/wallet/Multisig"
import * as Resources from "@effect-klaytn/wallet/Resources"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as History from "../../packages/history/test/support/records.js"
import { accounts } from "../../packages/node/test/golden/accounts.js"
import { blocks } from "../../packages/node/test/golden/blocks.js"
import { chain } from "../../packages/node/test/golden/chain.js"
import { eth } from "../../packages/node/test/golden/eth.js"
import { gas } from "../../packages/node/test/golden/gas.js"
import { logs } from "../../packages/node/test/golden/logs.js"
import type { Row } from "../../packages/node/test/golden/row.js"
import { transactions } from "../../packages/node/test/golden/transactions.js"
import * as Tokens from "../../packages/tokens/test/support/records.js"
import * as Records from "../../packages/wallet/test/support/records.js"

/** A call, and the good answer to a request other than JSON-RPC. */
export interface Call {
  readonly name: string
  readonly run: Effect.Effect<unknown, unknown>
  readonly answer: unknown
}

const pair = { accessKeyId: "KASK0GARBAGE", secretAccessKey: "a-secret-of-the-drill" }

/** The secrets that no error may show. */
export const secrets: ReadonlyArray<string> = [
  pair.secretAccessKey,
  Buffer.from(`${pair.accessKeyId}:${pair.secretAccessKey}`).toString("base64")
]

/** The Authorization header, for a service that repeats it. */
export const authorization = `Basic ${secrets[1]}`

const base = "http://127.0.0.1:1"

const Config = ClientConfig.provide({
  chain: 1001,
  credentials: Effect.suspend(() =>
    Credentials.fromPair({ ...pair, secretAccessKey: Redacted.make(pair.secretAccessKey) })
  ),
  endpoints: { history: base, tokens: base, wallet: base, node: base, resource: base },
  retry: RetryPolicy.none,
  attemptTimeout: "20 seconds",
  deadline: "30 seconds"
})

const page = (...items: ReadonlyArray<unknown>) => ({ items, cursor: "next" })

const table =
  <Client>(name: string, client: Client) =>
  (rows: Readonly<Record<string, readonly [(client: Client) => Effect.Effect<unknown, unknown>, unknown]>>) =>
    Object.entries(rows).map(([operation, [run, answer]]): Call => ({
      name: `${name}.${operation}`,
      run: run(client),
      answer
    }))

const history = (client: TransferHistory.Service) => {
  const transfers = page(History.coin, History.ft, History.nft, History.mt, History.unknown)
  return table("history", client)({
    getTransfers: [(_) => _.getTransfers({ presets: [65] }), transfers],
    getTransfersByEoa: [(_) => _.getTransfersByEoa({ address: History.alice }), transfers],
    getTransfersByTxHash: [(_) => _.getTransfersByTxHash({ transactionHash: History.hash }), transfers],
    "getTransfers.items": [(_) => Stream.runDrain(Stream.take(_.getTransfers.items({ presets: [65] }), 12)), transfers]
  })
}

const contract = Tokens.token
const owner = Tokens.alice
const tokenId = 450n

const tokens = (client: TokenData.Service) =>
  table("tokens", client)({
    getNftById: [(_) => _.getNftById({ contract, tokenId }), Tokens.nft],
    getNftsByContractAddress: [(_) => _.getNftsByContractAddress({ contract }), page(Tokens.nft, Tokens.nft)],
    getNftsByOwnerAddress: [(_) => _.getNftsByOwnerAddress({ contract, owner }), page(Tokens.nft)],
    getMtsByContractAddress: [(_) => _.getMtsByContractAddress({ contract }), page(Tokens.mt)],
    getMtTokensByContractAddressAndTokenId: [
      (_) => _.getMtTokensByContractAddressAndTokenId({ contract, tokenId }),
      page(Tokens.mtToken)
    ],
    getMtTokensByContractAddressAndOwnerAddress: [
      (_) => _.getMtTokensByContractAddressAndOwnerAddress({ contract, owner }),
      { ...page(Tokens.mtToken), totalBalance: "0x1" }
    ],
    getMtTokensByContractAddressAndOwnerAddressAndTokenId: [
      (_) => _.getMtTokensByContractAddressAndOwnerAddressAndTokenId({ contract, owner, tokenId }),
      Tokens.mtToken
    ]
  })

const directory = (client: TokenDirectory.Service) =>
  table("directory", client)({
    getFtContracts: [(_) => _.getFtContracts({}), page(Tokens.ftDetail)],
    getNftContracts: [(_) => _.getNftContracts({}), page(Tokens.nftDetail)],
    getMtContracts: [(_) => _.getMtContracts({}), page(Tokens.mtDetail)],
    getFtContractDetail: [(_) => _.getFtContractDetail({ contract }), Tokens.ftDetail],
    getNftContractDetail: [(_) => _.getNftContractDetail({ contract }), Tokens.nftDetail],
    getMtContractDetail: [(_) => _.getMtContractDetail({ contract }), Tokens.mtDetail],
    getNftTokenHolder: [(_) => _.getNftTokenHolder({ contract }), Tokens.holder],
    getMtTokenHolder: [(_) => _.getMtTokenHolder({ contract }), Tokens.holder],
    getNftOwnershipChanges: [(_) => _.getNftOwnershipChanges({ contract, tokenId }), page(Tokens.change)],
    getContractsByOwnerAddress: [
      (_) => _.getContractsByOwnerAddress({ owner }),
      page(...Object.values(Tokens.contracts))
    ],
    getTokensByOwnerAddress: [(_) => _.getTokensByOwnerAddress({ owner }), page(...Object.values(Tokens.holdings))]
  })

const { alice, bob, hash } = Records

/** A send, and its look-up if its outcome is unknown. */
const foundOut = <A>(send: Effect.Effect<A, { readonly _tag: string }>): Effect.Effect<unknown, unknown> =>
  Effect.catchAll(
    send,
    (error): Effect.Effect<unknown, unknown> =>
      Predicate.hasProperty(error, "reconcile") && Effect.isEffect(error.reconcile)
        // Its type is lost in the union of all failures; its result doesn't matter here.
        ? error.reconcile as Effect.Effect<unknown, unknown>
        : Effect.fail(error)
  )

const wallet = (client: Wallet.Service) => {
  const send = { from: alice, to: bob, value: 1n, payer: FeeDelegation.service }
  return table("wallet", client)({
    getAccounts: [(_) => _.getAccounts({}), page(Records.account, Records.multiSigAccount)],
    createAccount: [(_) => _.createAccount, Records.account],
    getFeePayers: [(_) => _.getFeePayers({}), page(Records.feePayer)],
    sendValue: [(_) => foundOut(_.sendValue(send)), Records.result],
    "sendValue, keyed": [(_) => foundOut(_.sendValue({ ...send, nonce: 7 })), Records.result],
    "sendValue, pending": [(_) => foundOut(_.sendValue(send)), Records.pending],
    createKeys: [(_) => Stream.runDrain(_.createKeys(2)), { items: [Records.key(0), Records.key(1)] }]
  })
}

const sends = (client: Transactions.Service) =>
  table("transactions", client)({
    send: [
      (_) =>
        foundOut(_.send({ request: { _tag: "Value", from: alice, to: bob, value: 1n }, payer: FeeDelegation.service })),
      Records.result
    ],
    "send, keyed": [
      (_) =>
        foundOut(
          _.send({
            request: { _tag: "Execute", from: alice, to: bob, value: 0n, input: "0x00" },
            payer: FeeDelegation.service,
            nonce: 7
          })
        ),
      Records.result
    ]
  })

const changed = { address: Records.aliceChecksum, krn: Records.poolText, updatedAt: 5 }
const status = { transactionId: hash, threshold: 2, weight: 1, signedWeight: 1, status: "Signed", reminders: [alice] }
const waiting = {
  address: alice,
  chainId: 1001,
  createdAt: 1,
  updatedAt: 2,
  transactionId: hash,
  threshold: 2,
  status: 2,
  type: "TX",
  multiSigKeys: [{ address: alice, weight: 1 }],
  txData: { from: alice, gas: 1, gasPrice: "0x1", nonce: 3, typeInt: 8, to: bob, value: "0x1" }
}
const fee = {
  chainId: 8217,
  from: alice,
  feePayer: Records.payer,
  feeRatio: "30",
  gasPrice: "0x1",
  gasUsed: "0x2",
  status: "0x1",
  timestamp: 9,
  transactionHash: hash,
  typeInt: 9,
  chargedByPeb: "525000000000000",
  chargedByKlay: "0.000525",
  krw: 100.5,
  usd: 0.1
}

/** The operations beside the document's and beside sends. */
type Administration = Accounts.Service & Keys.Service & Multisig.Service & Fees.Service & Transactions.Service

const administration = (client: Administration) => {
  const { keyId } = Records.key(1)
  const { publicKey } = Records
  return table("administration", client)({
    getAccount: [(_) => _.getAccount({ address: alice }), Records.multiSigAccount],
    deleteAccount: [(_) => _.deleteAccount({ address: alice }), { status: "deleted" }],
    disableAccount: [(_) => _.disableAccount({ address: alice }), changed],
    enableAccount: [(_) => _.enableAccount({ address: alice }), changed],
    updateMultiSig: [
      (_) => _.updateMultiSig({ address: alice, threshold: 1, weightedKeys: [{ publicKey, weight: 1 }] }),
      { ...changed, multiSigKeys: [{ publicKey, weight: 1 }], threshold: 1, transactionHash: hash }
    ],
    getAccountsByPublicKey: [(_) => _.getAccountsByPublicKey({ publicKey }), {
      items: [{ address: alice, chainId: 1001 }]
    }],
    createFeePayer: [(_) => _.createFeePayer(), Records.feePayer],
    getFeePayer: [(_) => _.getFeePayer({ address: alice }), Records.feePayer],
    deleteFeePayer: [(_) => _.deleteFeePayer({ address: alice }), { status: "deleted" }],
    keys: [(_) => _.getKeys({ pool: Records.pool }), page(Records.key(1))],
    getKey: [(_) => _.getKey({ keyId }), Records.key(1)],
    deleteKey: [(_) => _.deleteKey({ keyId }), { status: "deleted" }],
    sign: [(_) => _.sign({ keyId, data: hash }), { signedData: "0x00" }],
    getTransaction: [(_) => _.getTransaction({ transactionHash: hash }), Records.receipt],
    callContract: [
      (_) => _.callContract({ from: alice, to: bob, value: 1n, gas: 7, method: "f", arguments: [] }),
      { data: "0x00", result: "0x01" }
    ],
    pendingTransactions: [(_) => _.getPendingTransactions({ address: alice }), page(waiting)],
    signPending: [(_) => _.signPending({ address: alice, transactionId: hash }), status],
    addSignatures: [(_) => _.addSignatures({ transactionId: hash, signatures: [{ V: 2037n, R: 1n, S: 2n }] }), status],
    getSignature: [(_) => _.getSignature({ address: alice, transactionId: hash }), { R: "0x1", S: "0x2", V: "0x7f5" }],
    countAccounts: [(_) => _.countAccounts, { accountId: "a", count: 3 }],
    countAccountsInPool: [(_) => _.countAccountsInPool, { accountId: "a", count: 3, krn: Records.poolText }],
    chargedFees: [(_) => _.getChargedFees({}), page(fee)],
    getChargedFee: [(_) => _.getChargedFee({ transactionHash: hash }), fee]
  })
}

const resources = (client: Resources.Service) =>
  table("resources", client)({
    resources: [(_) => _.getResources({ accountId: "local" }), page(Records.resource)]
  })

const lookUps = (client: TransactionLookup.Service) =>
  Effect.gen(function*() {
    const address = yield* Address.make(alice)
    const theHash = yield* Hash.make(hash)
    return table("lookup", client)({
      nextNonce: [(_) => _.nextNonce(address), null],
      byHash: [(_) => _.byHash(theHash), Records.receipt],
      byNonce: [(_) => _.byNonce(address, 0), Records.receipt]
    })
  })

const golden: ReadonlyArray<Row> = [accounts, blocks, chain, eth, gas, logs, transactions].flat()

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The good results of JSON-RPC methods, by the name on the wire. */
export const results: ReadonlyMap<string, unknown> = new Map(golden.map(([name, , , result]) => [name, parsed(result)]))

/** Some methods in one request, each with its own outcome. */
const batchSize = 6

const node = (client: KlaytnNode.Service) => {
  const single = golden.map(([name, run]): Call => ({ name: `node.${name}`, run: run(client), answer: null }))
  const batches = Array.from({ length: Math.ceil(golden.length / batchSize) }, (_, index): Call => ({
    name: `node.batch ${index}`,
    run: Effect.all(
      golden.slice(index * batchSize, (index + 1) * batchSize).map(([, run]) => Effect.either(run(client))),
      { concurrency: "unbounded" }
    ),
    answer: null
  }))
  return [...single, ...batches]
}

/** All calls over one HTTP client. */
export const calls: Effect.Effect<ReadonlyArray<Call>, unknown, HttpClient> = Effect.all([
  Effect.map(TransferHistory.make(), history),
  Effect.map(TokenData.make(), tokens),
  Effect.map(TokenDirectory.make(), directory),
  Effect.map(Wallet.make(), wallet),
  Effect.map(Transactions.make(), sends),
  Effect.map(
    Effect.all([Accounts.make(), Keys.make(), Multisig.make(), Fees.make(), Transactions.make()]),
    ([accounts, keys, multisig, fees, transactions]) =>
      administration({ ...accounts, ...keys, ...multisig, ...fees, ...transactions })
  ),
  Effect.map(Resources.make(), resources),
  Effect.flatMap(TransactionLookup.make(), lookUps),
  Effect.map(KlaytnNode.make(), node)
]).pipe(Effect.map((lists) => lists.flat()), Config)
