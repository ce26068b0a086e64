/** Every operation of the SDK over one HTTP client, each called as a program would call it: for drills of the wire. */
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Transfers from "@effect-klaytn/history/TransactionGrouping"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as BlockStream from "@effect-klaytn/node/BlockStream"
import * as Confirmation from "@effect-klaytn/node/Confirmation"
import * as Contract from "@effect-klaytn/node/Contract"
import * as Eip1193 from "@effect-klaytn/node/Eip1193"
import * as GasPrices from "@effect-klaytn/node/GasPrices"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as LogRange from "@effect-klaytn/node/LogRange"
import * as Lookup from "@effect-klaytn/tokens/Lookup"
import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
import * as OwnerSnapshot from "@effect-klaytn/tokens/OwnerSnapshot"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as TokenDirectory from "@effect-klaytn/tokens/TokenDirectory"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as ChargedFees from "@effect-klaytn/wallet/Fees"
import * as Keys from "@effect-klaytn/wallet/Keys"
import * as Migration from "@effect-klaytn/wallet/Migration"
import * as Multisig from "@effect-klaytn/wallet/Multisig"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import * as OldKey from "@effect-klaytn/wallet/OldKey"
import * as Resources from "@effect-klaytn/wallet/Resources"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { accounts } from "../../packages/node/test/golden/accounts.js"
import { blocks } from "../../packages/node/test/golden/blocks.js"
import { chain } from "../../packages/node/test/golden/chain.js"
import { eth } from "../../packages/node/test/golden/eth.js"
import { gas } from "../../packages/node/test/golden/gas.js"
import { logs } from "../../packages/node/test/golden/logs.js"
import { transactions } from "../../packages/node/test/golden/transactions.js"
import { delegatedTransfer, valueTransfer } from "../../packages/node/test/golden/vectors.js"

/** One operation of the SDK. */
export interface Operation {
  readonly name: string
  /** Calls it with good input. */
  readonly call: Effect.Effect<unknown, unknown>
  /** Calls it once for each string in its input, with that string replaced. */
  readonly misplaced: (text: string) => ReadonlyArray<Effect.Effect<unknown, unknown>>
}

/** Copies of a value, each with one of its strings replaced by `text`. */
const variants = (value: unknown, text: string, published: ReadonlySet<string>): ReadonlyArray<unknown> => {
  if (typeof value === "string") return [text]
  if (Array.isArray(value)) {
    return value.flatMap((part: unknown, i) => variants(part, text, published).map((other) => value.with(i, other)))
  }
  if (!Predicate.isReadonlyRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return []
  return Object.entries(value).flatMap(([name, part]) =>
    name === "_tag" || published.has(name)
      ? []
      : variants(part, text, published).map((other) => ({ ...value, [name]: other }))
  )
}

const withPublished =
  (published: ReadonlySet<string>) =>
  <I>(name: string, input: I, call: (input: I) => Effect.Effect<unknown, unknown>): Operation => ({
    name,
    call: call(input),
    // Input of a program without types: the operation must check it.
    misplaced: (text) => variants(input, text, published).map((other) => Effect.suspend(() => call(other as I)))
  })

const operation = withPublished(new Set())

/** A send: its plan, which errors carry for the look-up, holds what the transaction makes public. */
const sending = withPublished(new Set(["memo", "input", "rlp", "transactionHash"]))

/** A few items of a stream are enough: a service that answers anything could go on forever. */
const some = <A, E>(stream: Stream.Stream<A, E>): Effect.Effect<unknown, E> => Stream.runCollect(Stream.take(stream, 5))

const alice = "0x71c7656ec7ab88b098defb751b7401b5f6d8976f"
const bob = "0x2222222222222222222222222222222222222222"
const contract = "0x3333333333333333333333333333333333333333"
const hash = `0x${"ab".repeat(32)}`
const keyId = `krn:1001:wallet:local:account-pool:default:0x${"12".repeat(32)}`
const pool = Either.getOrThrow(Krn.make("krn:1001:wallet:local:account-pool:default"))
const publicKey =
  "0x04dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8906d7170ba349c86879fb8006134cbf57bda9db9214a90b607b6b4ab57fc026e"
const balanceOf = [{
  type: "function",
  name: "balanceOf",
  stateMutability: "view",
  inputs: [{ name: "account", type: "address" }],
  outputs: [{ name: "", type: "uint256" }]
}] as const

const ofHistory = Effect.gen(function*() {
  const history = yield* TransferHistory.make()
  const presets = { presets: ["1", "2"], cursor: "older" }
  const ofAlice = { address: alice, contract }
  return [
    operation("history.getTransfers", presets, history.getTransfers),
    operation("history.getTransfers.items", presets, (input) => some(history.getTransfers.items(input))),
    operation("history.getTransfers.checkpoints", presets, (input) => some(history.getTransfers.checkpoints(input))),
    operation("history.getTransfersByEoa", ofAlice, history.getTransfersByEoa),
    operation("history.getTransfersByEoa.items", ofAlice, (input) => some(history.getTransfersByEoa.items(input))),
    operation("history.getTransfersByTxHash", { transactionHash: hash }, history.getTransfersByTxHash),
    operation(
      "history.Transactions",
      ofAlice,
      (input) => some(Transfers.fromTransfers(history.getTransfersByEoa.items(input)))
    )
  ]
})

const ofTokens = Effect.gen(function*() {
  const tokens = yield* TokenData.make()
  const token = { contract, tokenId: 5n }
  const owner = { contract, owner: alice }
  const page = { cursor: "older" }
  const on = <A, E>(effect: Effect.Effect<A, E, TokenData.TokenData>) =>
    Effect.provideService(effect, TokenData.TokenData, tokens)
  return [
    operation("tokens.getNftById", token, tokens.getNftById),
    operation("tokens.getNftsByContractAddress", { contract, ...page }, tokens.getNftsByContractAddress),
    operation("tokens.getNftsByOwnerAddress", owner, tokens.getNftsByOwnerAddress),
    operation("tokens.getMtsByContractAddress", { contract }, tokens.getMtsByContractAddress),
    operation(
      "tokens.getMtTokensByContractAddressAndTokenId",
      token,
      tokens.getMtTokensByContractAddressAndTokenId
    ),
    operation(
      "tokens.getMtTokensByContractAddressAndOwnerAddress",
      owner,
      tokens.getMtTokensByContractAddressAndOwnerAddress
    ),
    operation(
      "tokens.getMtTokensByContractAddressAndOwnerAddressAndTokenId",
      { ...owner, ...token },
      tokens.getMtTokensByContractAddressAndOwnerAddressAndTokenId
    ),
    operation(
      "tokens.getNftsByContractAddress.items",
      { contract },
      (input) => some(tokens.getNftsByContractAddress.items(input))
    ),
    operation(
      "tokens.Lookup.getNftsById",
      { contract },
      (input) => on(Stream.runCollect(Lookup.getNftsById({ ...input, tokenIds: [1n, 2n] })))
    ),
    operation(
      "tokens.Lookup.getMtTokensByOwnerAndId",
      { contract, tokens: [{ owner: alice, tokenId: 1n }] },
      (input) => on(Stream.runCollect(Lookup.getMtTokensByOwnerAndId(input)))
    ),
    operation("tokens.OwnerSnapshot.snapshotNftOwners", { contract }, (input) =>
      on(Stream.runCollect(
        Stream.take(OwnerSnapshot.snapshotNftOwners({ ...input, changes: OwnerChanges.fromUpdateTimes }), 5)
      )))
  ]
})

const ofTokenDirectory = Effect.gen(function*() {
  const directory = yield* TokenDirectory.make()
  const of = { contract }
  const paging = { cursor: "older" }
  return [
    operation("tokens.getFtContractDetail", of, directory.getFtContractDetail),
    operation("tokens.getNftContractDetail", of, directory.getNftContractDetail),
    operation("tokens.getNftTokenHolder", of, directory.getNftTokenHolder),
    operation("tokens.getMtContractDetail", of, directory.getMtContractDetail),
    operation("tokens.getMtTokenHolder", of, directory.getMtTokenHolder),
    operation("tokens.getFtContracts", paging, directory.getFtContracts),
    operation("tokens.getNftContracts", paging, directory.getNftContracts),
    operation("tokens.getMtContracts", paging, directory.getMtContracts),
    operation("tokens.getNftOwnershipChanges", { contract, tokenId: 5n }, directory.getNftOwnershipChanges),
    operation("tokens.getContractsByOwnerAddress", { owner: alice }, directory.getContractsByOwnerAddress),
    operation(
      "tokens.getTokensByOwnerAddress",
      { owner: alice, contracts: [contract] },
      directory.getTokensByOwnerAddress
    )
  ]
})

const ofWallet = Effect.gen(function*() {
  const wallet = yield* Wallet.make()
  const payment = { from: alice, to: bob, value: 1n, memo: "thanks", payer: FeeDelegation.service }
  return [
    operation("wallet.getAccounts", { cursor: "older" }, wallet.getAccounts),
    operation("wallet.getAccounts.items", {}, (input) => some(wallet.getAccounts.items(input))),
    operation("wallet.createAccount", {}, () => wallet.createAccount),
    operation("wallet.getFeePayers", { cursor: "older" }, wallet.getFeePayers),
    sending("wallet.sendValue", payment, wallet.sendValue),
    sending("wallet.sendValue", { ...payment, nonce: 7 }, wallet.sendValue),
    sending("wallet.sendValue", { ...payment, payer: FeeDelegation.user(bob) }, wallet.sendValue),
    operation("wallet.createKeys", {}, () => some(wallet.createKeys(3))),
    operation(
      "wallet.registerAccounts",
      [{ keyId, address: alice, rlp: valueTransfer.raw }],
      (input) => some(wallet.registerAccounts(input))
    )
  ]
})

const ofAdministration = Effect.gen(function*() {
  const more = {
    ...(yield* Accounts.make()),
    ...(yield* Keys.make()),
    ...(yield* Multisig.make()),
    ...(yield* ChargedFees.make()),
    ...(yield* Transactions.make())
  }
  const of = { address: alice }
  const waiting = { address: alice, transactionId: hash }
  const signature = { R: 1n, S: 2n, V: 0x7f5n }
  return [
    operation("wallet.getAccount", of, more.getAccount),
    operation("wallet.deleteAccount", of, more.deleteAccount),
    operation("wallet.disableAccount", of, more.disableAccount),
    operation("wallet.enableAccount", of, more.enableAccount),
    operation(
      "wallet.updateMultiSig",
      { ...of, threshold: 1, weightedKeys: [{ publicKey, weight: 1 }] },
      more.updateMultiSig
    ),
    operation("wallet.getAccountsByPublicKey", { publicKey }, more.getAccountsByPublicKey),
    operation("wallet.createFeePayer", {}, more.createFeePayer),
    operation("wallet.getFeePayer", of, more.getFeePayer),
    operation("wallet.deleteFeePayer", of, more.deleteFeePayer),
    operation("wallet.keys", { cursor: "older" }, (input) => more.getKeys({ ...input, pool })),
    operation("wallet.getKey", { keyId }, more.getKey),
    operation("wallet.deleteKey", { keyId }, more.deleteKey),
    operation("wallet.sign", { keyId, data: hash }, more.sign),
    operation("wallet.getTransaction", { transactionHash: hash }, more.getTransaction),
    operation(
      "wallet.callContract",
      { to: contract, method: "balanceOf", arguments: [{ type: "address", value: alice }], from: alice },
      more.callContract
    ),
    operation("wallet.pendingTransactions", { ...of, cursor: "older" }, more.getPendingTransactions),
    operation("wallet.signPending", waiting, more.signPending),
    operation(
      "wallet.addSignatures",
      { transactionId: hash },
      (input) => more.addSignatures({ ...input, signatures: [signature] })
    ),
    operation("wallet.getSignature", waiting, more.getSignature),
    operation("wallet.countAccounts", {}, () => more.countAccounts),
    operation("wallet.countAccountsInPool", {}, () => more.countAccountsInPool),
    operation("wallet.chargedFees", { from: alice, cursor: "older" }, more.getChargedFees),
    operation("wallet.getChargedFee", { transactionHash: hash }, more.getChargedFee)
  ]
})

const ofTransactions = Effect.gen(function*() {
  const { send } = yield* Transactions.make()
  const payer = FeeDelegation.service
  const from = alice
  return [
    sending("wallet.Transactions.send Value", { request: { _tag: "Value", from, to: bob, value: 1n }, payer }, send),
    sending(
      "wallet.Transactions.send Legacy",
      { request: { _tag: "Legacy", from, to: bob, value: 1n, input: "0x01" }, payer: FeeDelegation.sender },
      send
    ),
    sending("wallet.Transactions.send Deploy", { request: { _tag: "Deploy", from, input: "0x6001" }, payer }, send),
    sending(
      "wallet.Transactions.send Execute",
      { request: { _tag: "Execute", from, to: contract, input: "0x01" }, payer, nonce: 4 },
      send
    ),
    sending("wallet.Transactions.send Anchor", { request: { _tag: "Anchor", from, input: "0x01" }, payer }, send),
    sending("wallet.Transactions.send Cancel", { request: { _tag: "Cancel", from, nonce: 4 }, payer }, send),
    sending(
      "wallet.Transactions.send Cancel",
      { request: { _tag: "Cancel", from, transactionHash: hash }, payer },
      send
    ),
    sending(
      "wallet.Transactions.send AccountUpdate",
      { request: { _tag: "AccountUpdate", from, accountKey: { _tag: "Public", publicKey } }, payer },
      // The types would require a narrower key.
      (input) => send(input as Transactions.SendInput)
    ),
    sending(
      "wallet.Transactions.send Rlp",
      { request: { _tag: "Rlp", rlp: delegatedTransfer.raw }, payer },
      send
    )
  ] satisfies ReadonlyArray<Operation>
})

const ofLookups = Effect.gen(function*() {
  const resources = yield* Resources.make()
  const lookup = yield* TransactionLookup.make()
  const wallet = yield* Wallet.make()
  const nonces = yield* NonceSource.make((address) => lookup.nextNonce(address, "pending"))
  return [
    operation("resource.resources", { accountId: "local", cursor: "older" }, resources.getResources),
    operation("wallet.TransactionLookup.nextNonce", "latest" as const, (at) => lookup.nextNonce(alice as never, at)),
    operation("wallet.TransactionLookup.byHash", hash, (one) => lookup.byHash(one as never)),
    operation("wallet.TransactionLookup.byNonce", {}, () => lookup.byNonce(alice as never, 3)),
    operation(
      "wallet.NonceSource.withNonce",
      alice,
      (from) =>
        NonceSource.withNonce(
          from,
          (nonce) => wallet.sendValue({ from, to: bob, value: 1n, payer: FeeDelegation.service, nonce })
        )
          .pipe(Effect.provideService(NonceSource.NonceSource, nonces))
    )
  ]
})

/** Migration of accounts; `privateKey` controls the old account. */
const ofMigration = (privateKey: Redacted.Redacted<string>) =>
  Effect.gen(function*() {
    const migration = yield* Migration.make()
    const keys = {
      single: OldKey.single(privateKey),
      multiSig: OldKey.multiSig([privateKey, privateKey]),
      roleBased: OldKey.roleBased({ accountUpdate: [privateKey] })
    }
    return Object.entries(keys).flatMap(([kind, oldKey]) => [
      operation(`wallet.Migration.dryRun ${kind}`, { address: alice }, (input) =>
        migration.dryRun([{ ...input, oldKey }])),
      operation(
        `wallet.Migration.migrateAccounts ${kind}`,
        { address: alice },
        (input) =>
          some(migration.migrateAccounts([{ ...input, oldKey, nonce: 1 }], { gasPrice: 25n }))
      )
    ])
  })

const ofNode = Effect.gen(function*() {
  const node = yield* KlaytnNode.make()
  const on = <A, E>(effect: Effect.Effect<A, E, KlaytnNode.KlaytnNode>) =>
    Effect.provideService(effect, KlaytnNode.KlaytnNode, node)
  const provider = yield* on(Eip1193.make)
  const rows = [accounts, blocks, chain, eth, gas, logs, transactions].flat()
  return [
    ...rows.map(([name, call]) => operation(`node.${name}`, {}, () => call(node))),
    operation("node.klay.getBalance", alice, (address) => node.klay.getBalance(address)),
    operation("node.klay.call", { from: alice, to: contract, input: "0x01" }, (call) => node.klay.call(call)),
    operation("node.klay.sendRawTransaction", valueTransfer.raw, (raw) => node.klay.sendRawTransaction(raw)),
    operation("node.klay.getLogs", { address: contract, topics: [hash] }, (filter) => node.klay.getLogs(filter)),
    operation(
      "node.call",
      ["klay_getBalance", alice],
      ([method = "", ...params]) => node.call(method, params, Schema.String)
    ),
    operation("node.notify", ["klay_gasPrice"], ([method = "", ...params]) => node.notify(method, params)),
    operation(
      "node.batch",
      {},
      () =>
        Effect.forEach([1, 2, 3, 4, 5], () => Effect.exit(node.klay.blockNumber()), { concurrency: "unbounded" }).pipe(
          Effect.flatMap((exits) => Effect.all(exits))
        )
    ),
    operation("node.Fees.suggest", {}, () => on(GasPrices.suggest)),
    operation("node.BlockStream.blocks", {}, () => on(Stream.runCollect(Stream.take(BlockStream.blocks(), 3)))),
    operation(
      "node.LogRange.logs",
      { address: contract },
      (input) => on(Stream.runCollect(Stream.take(LogRange.logs({ ...input, fromBlock: 1n, toBlock: 3n }), 3)))
    ),
    operation(
      "node.Confirmation.waitForReceipt",
      hash,
      (one) => on(Confirmation.waitForReceipt(one, { within: "3 seconds" }))
    ),
    operation("node.Contract.read", contract, (address) =>
      on(Effect.flatMap(
        Contract.make({ address, abi: balanceOf }),
        (one) => one.read("balanceOf", [alice])
      ))),
    operation(
      "node.Eip1193",
      { method: "eth_getBalance", params: [alice, "latest"] },
      (request) => Effect.tryPromise({ try: () => provider.request(request), catch: (error) => error })
    )
  ]
})

/** All operations, for the configuration and the client in the context. */
export const make = (
  privateKey: Redacted.Redacted<string>
): Effect.Effect<ReadonlyArray<Operation>, unknown, ClientConfig | HttpClient> =>
  Effect.map(
    Effect.all([
      ofHistory,
      ofTokens,
      ofTokenDirectory,
      ofWallet,
      ofAdministration,
      ofTransactions,
      ofLookups,
      ofMigration(privateKey),
      ofNode
    ]),
    (groups) => groups.flat()
  )
