import * as Address from "@effect-klaytn/core/Address"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { BlockRecord } from "../../BlockRecord.js"
import type { Chain } from "../../Chain.js"
import type { SnapshotNotFound, StoreFailure } from "../../ChainError.js"
import type { ChainControl, SendError } from "../../Control.js"
import { ControlFault, InvalidControl, NotFound } from "../../ControlError.js"
import * as Input from "../../ControlInput.js"
import type { Executed, Label, NamedAccount } from "../../ControlView.js"
import type { DevAccount } from "../../DevAccount.js"
import type * as TokenContract from "../../TokenContract.js"
import type { ContractRecord } from "../../TokenRecord.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import { newestState } from "../newestAccount.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { mapRequestFailure, mapSendFailure, mapStoreFailure, unlessMissing, withInput } from "./failures.js"
import type { NamedAccounts } from "./NamedAccounts.js"
import { walletControl } from "./walletControl.js"

const viewTransaction = (
  { blockNumber, fee, feePayer, feeRatio, from, hash, timestamp, to, value }: TransactionRecord
): Executed => ({
  transactionHash: hash,
  blockNumber,
  timestamp,
  from,
  ...(to !== undefined && { to }),
  value,
  fee,
  ...(feePayer !== undefined && { feePayer }),
  ...(feeRatio !== undefined && { feeRatio })
})

const viewBlock = ({ hash, number, timestamp, transactionCount }: BlockRecord) => ({
  number,
  hash,
  timestamp,
  transactionCount
})

const viewLabel = ({ address, kind, label: { deletedAt, ...label } }: ContractRecord): Label => ({
  contract: address,
  kind,
  ...label,
  ...(deletedAt !== undefined && { deletedAt })
})

/** The compiled contracts are large, and are loaded with the first use of a token. */
const tokens = Effect.promise(() => import("../../TokenContract.js"))

const stateOf = (chain: Chain) =>
  mapStoreFailure(Effect.gen(function*() {
    const head = yield* chain.head
    const now = yield* chain.now
    const pending = yield* chain.pending
    const stuck = yield* chain.stuck
    return {
      chainId: chain.chainId,
      height: head.number,
      blockHash: head.hash,
      stateRoot: head.stateRoot,
      now,
      pending: pending.length,
      ...(Option.isSome(stuck) && { stuck: stuck.value }),
      unitPrice: chain.unitPrice
    }
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
  return feeRatio === undefined
    ? Effect.succeed({})
    : Effect.fail(new InvalidControl({ message: "a fee ratio needs a fee payer" }))
}

/** What was found for a token contract, or the error that there is none. */
const orUnknown = <A>(chain: Chain, address: Hex, found: Effect.Effect<Option.Option<A>, StoreFailure>) =>
  Effect.flatMap(
    mapStoreFailure(found),
    Effect.mapError(() => new NotFound({ message: `chain ${chain.chainId} has no token contract ${address}` }))
  )

const tokenOf = (chain: Chain, contract: string, minter: "anyone" | "deployer" = "anyone") =>
  Effect.gen(function*() {
    const wanted = yield* Either.mapLeft(
      Address.make(contract),
      () => new InvalidControl({ message: `${JSON.stringify(contract)} is no address` })
    )
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

/** Accounts by name, and coin. */
const accountControl = (
  chain: Chain,
  namedAccounts: NamedAccounts
): Pick<ChainControl, "accounts" | "createAccount" | "fund" | "transfer"> => {
  const fund: ChainControl["fund"] = withInput(
    Input.Fund,
    ({ amount, to }) =>
      Effect.flatMap(
        namedAccounts.address(to),
        (address) => Effect.map(mapSendFailure(chain.fund(address, amount)), viewTransaction)
      )
  )
  return {
    accounts: Effect.suspend(() =>
      Effect.forEach(namedAccounts.list(), ([name, account]) => viewOf(chain, name, account))
    ),
    createAccount: withInput(Input.CreateAccount, ({ amount, name }): Effect.Effect<NamedAccount, SendError> => {
      const account = namedAccounts.add(name)
      const paid = amount === undefined ? Effect.void : fund({ to: name, amount })
      return Effect.zipRight(paid, viewOf(chain, name, account))
    }),
    fund,
    transfer: withInput(Input.Transfer, (input) =>
      Effect.gen(function*() {
        const from = yield* namedAccounts.signer(input.from)
        const to = yield* namedAccounts.address(input.to)
        const carrier = yield* carrierOf(namedAccounts, input)
        return viewTransaction(
          yield* mapSendFailure(chain.execute({ ...carrier, kind: "transfer", from, to, value: input.amount }))
        )
      }))
  }
}

/** Contracts of tokens, and their labels. */
const tokenControl = (
  chain: Chain,
  namedAccounts: NamedAccounts
): Pick<ChainControl, "deploy" | "mint" | "transferToken" | "labels" | "setLabel" | "deleteLabel"> => ({
  deploy: withInput(Input.Deploy, (input) =>
    Effect.gen(function*() {
      const from = yield* namedAccounts.signer(input.from)
      const { deploy } = yield* tokens
      return yield* mapSendFailure(deploy(chain, from, input))
    })),
  mint: (contract, input) =>
    withInput(Input.Mint, () =>
      Effect.gen(function*() {
        const from = yield* namedAccounts.signer(input.from)
        const to = yield* namedAccounts.address(input.to)
        const token = yield* tokenOf(chain, contract, input.minter)
        const { mint } = yield* tokens
        return viewTransaction(yield* mapSendFailure(mint(chain, from, token, { ...input, to })))
      }))(input),
  transferToken: (contract, input) =>
    withInput(Input.TokenTransfer, () =>
      Effect.gen(function*() {
        const from = yield* namedAccounts.signer(input.from)
        const to = yield* namedAccounts.address(input.to)
        const carrier = yield* carrierOf(namedAccounts, input)
        const token = yield* tokenOf(chain, contract)
        const { transfer } = yield* tokens
        return viewTransaction(yield* mapSendFailure(transfer(chain, from, token, { ...input, to }, carrier)))
      }))(input),
  labels: mapStoreFailure(
    Effect.map(chain.contracts({ limit: Number.MAX_SAFE_INTEGER }), (all) => all.map(viewLabel))
  ),
  setLabel: (contract, input) =>
    withInput(Input.SetLabel, ({ status }) => relabel(chain, contract, (address) => chain.setLabel(address, status)))(
      input
    ),
  deleteLabel: (contract) => Effect.asVoid(relabel(chain, contract, chain.removeLabel))
})

/** Blocks, time and snapshots. */
const blockControl = (
  chain: Chain
): Pick<ChainControl, "state" | "mine" | "advanceTime" | "dropped" | "snapshot" | "revert" | "reset"> => {
  const state = stateOf(chain)
  return {
    state,
    mine: ({ blocks } = {}) => Effect.map(mapRequestFailure(chain.mine(blocks)), (built) => built.map(viewBlock)),
    advanceTime: ({ seconds }) =>
      Effect.zipRight(
        Effect.mapError(chain.advanceTime(seconds), ({ message }) => new InvalidControl({ message })),
        state
      ),
    dropped: Effect.map(chain.dropped, (all) => all.map(({ hash, ...rest }) => ({ transactionHash: hash, ...rest }))),
    snapshot: chain.snapshot,
    revert: (snapshot) =>
      Effect.zipRight(
        Effect.mapError(chain.revert(snapshot), (failure: SnapshotNotFound | StoreFailure) =>
          failure._tag === "SnapshotNotFound"
            ? new NotFound({ message: failure.message })
            : new ControlFault({ message: failure.message })),
        state
      ),
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
    createPreset: withInput(Input.CreatePreset, ({ accounts, contracts, name }) =>
      Effect.gen(function*() {
        const preset = { name, accounts: yield* addresses(accounts), contracts: yield* addresses(contracts) }
        return yield* mapStoreFailure(chain.addPreset(preset))
      })),
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
