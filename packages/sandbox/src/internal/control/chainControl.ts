import type { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import type { ContractRecord } from "@effect-klaytn/indexer/TokenRecord"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type { Chain, SendFailure } from "../../Chain.js"
import type { ChainControl } from "../../Control.js"
import { type ControlFault, InvalidControl, NotFound } from "../../ControlError.js"
import * as Input from "../../ControlInput.js"
import type { Executed, Label, NamedAccount } from "../../ControlView.js"
import type * as TokenContract from "../../TokenContract.js"
import { newestState } from "../newestAccount.js"
import {
  asFault,
  asInvalid,
  checkInput,
  mapSendFailure,
  mapStoreFailure,
  readAddress,
  unlessMissing
} from "./failures.js"
import type { NamedAccounts } from "./NamedAccounts.js"
import { walletControl } from "./walletControl.js"

const viewTransaction = ({ feePayer, feeRatio, to, ...record }: TransactionRecord): Executed => ({
  ...Struct.pick(record, "blockNumber", "timestamp", "from", "value", "fee"),
  transactionHash: record.hash,
  ...(to !== undefined && { to }),
  ...(feePayer !== undefined && { feePayer }),
  ...(feeRatio !== undefined && { feeRatio })
})

const viewLabel = ({ address, kind, label: { deletedAt, ...label } }: ContractRecord): Label => ({
  contract: address,
  kind,
  ...label,
  ...(deletedAt !== undefined && { deletedAt })
})

/** The compiled contracts are large, and are loaded with the first use of a token. */
const tokens = Effect.promise(() => import("../../TokenContract.js"))

const stateOf = ({ chainId, head, now, pending, rules, stuck, unitPrice }: Chain) =>
  Effect.map(mapStoreFailure(Effect.all({ head, now, pending, stuck })), ({ head, now, pending, stuck }) => ({
    chainId,
    height: head.number,
    blockHash: head.hash,
    stateRoot: head.stateRoot,
    now,
    pending: pending.length,
    ...(Option.isSome(stuck) && { stuck: stuck.value }),
    unitPrice,
    rules
  }))

const viewOf = (chain: Chain, name: string, { address }: DevAccount): Effect.Effect<NamedAccount, ControlFault> =>
  Effect.map(
    mapStoreFailure(newestState(chain, address)),
    ({ balance, nonce }) => ({ name, address, balance, nonce })
  )

const carrierOf = (
  namedAccounts: NamedAccounts,
  { feePayer, feeRatio }: Pick<typeof Input.Transfer.Type, "feePayer" | "feeRatio">
): Effect.Effect<TokenContract.Carrier, InvalidControl | NotFound> => {
  if (feePayer !== undefined) {
    return Effect.map(namedAccounts.signer(feePayer), (payer) => ({ feePayer: payer, feeRatio }))
  }
  return feeRatio === undefined ? Effect.succeed({}) : new InvalidControl({ message: "a fee ratio needs a fee payer" })
}

/** What was found for a token contract, or the error that there is none. */
const orUnknown = <A>(chain: Chain, address: Hex, found: Effect.Effect<Option.Option<A>, StoreFailure>) =>
  Effect.flatMap(
    mapStoreFailure(found),
    Effect.mapError(() => new NotFound({ message: `chain ${chain.chainId} has no token contract ${address}` }))
  )

const tokenOf = (chain: Chain, contract: string, minter: "anyone" | "deployer" = "anyone") =>
  Effect.gen(function*() {
    const wanted = yield* readAddress(contract)
    const { address, kind } = yield* orUnknown(chain, wanted, chain.contract(wanted))
    return { address, kind, minter }
  })

const relabel = (
  chain: Chain,
  contract: string,
  change: (address: Hex) => Effect.Effect<Option.Option<ContractRecord>, StoreFailure>
): Effect.Effect<Label, InvalidControl | NotFound | ControlFault> =>
  Effect.flatMap(
    tokenOf(chain, contract),
    ({ address }) => Effect.map(orUnknown(chain, address, change(address)), viewLabel)
  )

/** Fails as the control interface does, or gives the view of the executed transaction. */
const execute = (transaction: Effect.Effect<TransactionRecord, SendFailure>) =>
  Effect.map(mapSendFailure(transaction), viewTransaction)

/** Accounts by name, and coin. */
const accountControl = (
  chain: Chain,
  namedAccounts: NamedAccounts
): Pick<ChainControl, "accounts" | "createAccount" | "fund" | "transfer"> => ({
  accounts: Effect.suspend(() =>
    Effect.forEach(namedAccounts.list(), ([name, account]) => viewOf(chain, name, account))
  ),
  createAccount: (input) =>
    Effect.gen(function*() {
      const { amount, name } = yield* checkInput(Input.CreateAccount, input)
      // Funded first: an account that can't get its coin is not created.
      if (amount !== undefined) yield* mapSendFailure(chain.fund(namedAccounts.derive(name).address, amount))
      return yield* viewOf(chain, name, namedAccounts.add(name))
    }),
  fund: (input) =>
    Effect.gen(function*() {
      const { amount, to } = yield* checkInput(Input.Fund, input)
      return yield* execute(chain.fund(yield* namedAccounts.address(to), amount))
    }),
  transfer: (input) =>
    Effect.gen(function*() {
      const { amount, ...accounts } = yield* checkInput(Input.Transfer, input)
      const from = yield* namedAccounts.signer(accounts.from)
      const to = yield* namedAccounts.address(accounts.to)
      const carrier = yield* carrierOf(namedAccounts, accounts)
      return yield* execute(chain.execute({ ...carrier, kind: "transfer", from, to, value: amount }))
    })
})

/** Contracts of tokens, and their labels. */
const tokenControl = (
  chain: Chain,
  namedAccounts: NamedAccounts
): Pick<ChainControl, "deploy" | "mint" | "transferToken" | "labels" | "setLabel" | "deleteLabel"> => ({
  deploy: (input) =>
    Effect.gen(function*() {
      const spec = yield* checkInput(Input.Deploy, input)
      const from = yield* namedAccounts.signer(spec.from)
      return yield* mapSendFailure((yield* tokens).deploy(chain, from, spec))
    }),
  mint: (contract, input) =>
    Effect.gen(function*() {
      const wanted = yield* checkInput(Input.Mint, input)
      const from = yield* namedAccounts.signer(wanted.from)
      const to = yield* namedAccounts.address(wanted.to)
      const token = yield* tokenOf(chain, contract, wanted.minter)
      return yield* execute((yield* tokens).mint(chain, from, token, { ...wanted, to }))
    }),
  transferToken: (contract, input) =>
    Effect.gen(function*() {
      const wanted = yield* checkInput(Input.TokenTransfer, input)
      const from = yield* namedAccounts.signer(wanted.from)
      const to = yield* namedAccounts.address(wanted.to)
      const carrier = yield* carrierOf(namedAccounts, wanted)
      const token = yield* tokenOf(chain, contract)
      return yield* execute((yield* tokens).transfer(chain, from, token, { ...wanted, to }, carrier))
    }),
  labels: mapStoreFailure(
    Effect.map(chain.contracts({ limit: Number.MAX_SAFE_INTEGER }), (all) => all.map(viewLabel))
  ),
  setLabel: (contract, input) =>
    Effect.flatMap(
      checkInput(Input.SetLabel, input),
      ({ status }) => relabel(chain, contract, (address) => chain.setLabel(address, status))
    ),
  deleteLabel: (contract) => Effect.asVoid(relabel(chain, contract, chain.removeLabel))
})

/** Blocks, time and snapshots. */
const blockControl = (
  chain: Chain
): Pick<
  ChainControl,
  | "state"
  | "mine"
  | "advanceTime"
  | "dropped"
  | "emptyPool"
  | "setNextBaseFee"
  | "snapshot"
  | "revert"
  | "reorg"
  | "reset"
> => {
  const state = stateOf(chain)
  return {
    state,
    mine: ({ blocks } = {}) =>
      chain.mine(blocks).pipe(
        Effect.map((built) => built.map(Struct.pick("number", "hash", "timestamp", "transactionCount"))),
        Effect.catchTags({ InvalidRequest: asInvalid, StoreFailure: asFault })
      ),
    advanceTime: ({ seconds }) => Effect.zipRight(Effect.mapError(chain.advanceTime(seconds), asInvalid), state),
    dropped: Effect.map(chain.dropped, (all) => all.map(({ hash, ...rest }) => ({ transactionHash: hash, ...rest }))),
    emptyPool: Effect.map(chain.emptyPool, (dropped) => ({ dropped })),
    setNextBaseFee: (input) =>
      Effect.flatMap(
        checkInput(Input.NextBaseFee, input),
        ({ baseFee }) => chain.setNextBlock({ baseFeePerGas: baseFee })
      ).pipe(
        Effect.catchTags({ InvalidRequest: asInvalid, StoreFailure: asFault }),
        Effect.zipRight(state)
      ),
    snapshot: chain.snapshot,
    revert: (snapshot) =>
      chain.revert(snapshot).pipe(
        Effect.catchTags({ SnapshotNotFound: ({ message }) => new NotFound({ message }), StoreFailure: asFault }),
        Effect.zipRight(state)
      ),
    reorg: (input) =>
      Effect.flatMap(checkInput(Input.Reorg, input), ({ depth, transactions }) => chain.reorg(depth, { transactions }))
        .pipe(Effect.catchTags({ InvalidRequest: asInvalid, StoreFailure: asFault }), Effect.zipRight(state)),
    reset: Effect.zipRight(mapStoreFailure(chain.reset), state)
  }
}

const presetControl = (
  chain: Chain,
  namedAccounts: NamedAccounts
): Pick<ChainControl, "presets" | "createPreset" | "deletePreset"> => {
  const addresses = (refs: ReadonlyArray<string> = []) => Effect.forEach(refs, (ref) => namedAccounts.address(ref))
  return {
    presets: mapStoreFailure(chain.presets),
    createPreset: (input) =>
      Effect.gen(function*() {
        const { accounts, contracts, name } = yield* checkInput(Input.CreatePreset, input)
        const preset = { name, accounts: yield* addresses(accounts), contracts: yield* addresses(contracts) }
        return yield* mapStoreFailure(chain.addPreset(preset))
      }),
    deletePreset: (id) =>
      Effect.flatMap(
        mapStoreFailure(chain.removePreset(id)),
        (existed) => unlessMissing(existed, `chain ${chain.chainId} has no preset ${id}`)
      )
  }
}

/** The controls of one chain. */
export const make = (chain: Chain, wallet: ChainWallet, namedAccounts: NamedAccounts): ChainControl => ({
  ...blockControl(chain),
  ...accountControl(chain, namedAccounts),
  ...tokenControl(chain, namedAccounts),
  ...presetControl(chain, namedAccounts),
  ...walletControl(wallet)
})
