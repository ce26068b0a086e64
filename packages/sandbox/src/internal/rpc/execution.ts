import type {
  AccessList,
  AccountOverride,
  BlockOverride,
  CallRequest,
  CallResult
} from "@effect-klaytn/local-chain/Call"
import {
  blockFieldsOf,
  gasOf,
  longestCall,
  mostGas,
  txError,
  yieldToOthers
} from "@effect-klaytn/local-chain/Execution"
import { bytesOf, fromBytes, type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as BigInteger from "effect/BigInt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Address from "ox/Address"
import type { Chain } from "../../Chain.js"
import { suggestedPrice, suggestedTip } from "../suggestedPrices.js"
import { blockNumberOrHash, type Selector, stateHeight } from "./BlockSelector.js"
import { blockOverrides, type CallArguments, ethCall, klayCall, stateOverrides } from "./CallArguments.js"
import { type Failure, failure, method, type Methods, revertFailure, type RpcFailure, type Run } from "./Method.js"
import { more, optional, type ParamDecoder } from "./ParamDecoder.js"
import { unsignedForm } from "./unsignedForm.js"

/** What a call changes for its own time: accounts, and its block. */
export interface Overrides {
  readonly accounts?: ReadonlyMap<Hex, AccountOverride> | undefined
  readonly block?: BlockOverride | undefined
}

const texts: ReadonlyMap<number, string> = new Map([
  [txError.depth, "max call depth exceeded"],
  [txError.addressCollision, "contract address collision"],
  [txError.codeStoreOutOfGas, "contract creation code storage out of gas"],
  [txError.codeTooLarge, "evm: max code size exceeded"],
  [txError.outOfGas, "out of gas"],
  [txError.writeProtection, "evm: write protection"],
  [txError.reverted, "evm: execution reverted"]
])

/** A node's text for a failed execution. */
export const faultText = ({ txError: code = txError.vm }: Pick<CallResult, "txError">): string =>
  texts.get(code) ?? "VM error occurs while running smart contract"

const faultOf = (result: CallResult, gas: bigint): RpcFailure => {
  const { data, fault } = result
  if (fault === "revert" && data !== "0x") return revertFailure(data, revertReason(data))
  if (fault === "insufficient balance") {
    return failure(`err: insufficient balance for transfer (supplied gas ${gas})`)
  }
  if (fault === "time limit") return failure(`execution aborted (timeout = ${longestCall / 1_000}s)`)
  return failure(faultText(result))
}

/** The failure of prices that contradict each other. */
const priceFault = ({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArguments): RpcFailure | undefined => {
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    return failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
  }
  return maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined && maxFeePerGas < maxPriorityFeePerGas
    ? failure("MaxPriorityFeePerGas is greater than MaxFeePerGas")
    : undefined
}

/** What a node adds to a sender's balance for each unit of a call's gas: the price of the call, or the base fee. */
type Lent = "price" | "base fee"

/** The price of a call, which is twice the base fee where it names none, and the base fee of its block. */
const pricesOf = (
  chain: Chain,
  { gasPrice, maxFeePerGas }: CallArguments,
  block: number | undefined,
  overrides: Overrides
) =>
  Effect.map(
    block === undefined ? Effect.asSome(chain.head) : chain.block(block),
    (found) => {
      const { baseFeePerGas = 0n } = Option.match(found, {
        onNone: () => ({ baseFeePerGas: undefined }),
        onSome: (one) => blockFieldsOf(one, chain.unitPrice)
      })
      const baseFee = overrides.block?.baseFeePerGas ?? baseFeePerGas
      return { baseFee, price: gasPrice ?? maxFeePerGas ?? 2n * baseFee }
    }
  )

/**
 * Why a call's price or value can't be: the price is below the base fee of the call's block, or a sender who is lent something for
 * the gas could not pay the price and the value. A call without a price has twice the base fee.
 */
const impossiblePrice = (
  chain: Chain,
  args: CallArguments,
  block: number | undefined,
  overrides: Overrides,
  gas: bigint,
  lends: Lent = "price"
): Effect.Effect<string | undefined, Failure> =>
  Effect.gen(function*() {
    if ((args.gasPrice ?? args.maxFeePerGas) === 0n) return undefined
    const { baseFee, price } = yield* pricesOf(chain, args, block, overrides)
    const { from = zeroAddress, value = 0n } = args
    const address = Address.checksum(from)
    if (price < baseFee) {
      return `max fee per gas less than block base fee: address ${address}, maxFeePerGas: ${price}, baseFee: ${baseFee}`
    }
    const most = gas * price
    if (most + value >= 2n ** 256n) {
      return `insufficient funds for gas * price + value: address ${address} required balance exceeds 256 bits`
    }
    const balance = (yield* balanceOf(chain, from, block, overrides)) + gas * (lends === "price" ? price : baseFee)
    return balance < most
      ? "insufficient balance of the fee payer to pay for gas"
      : balance < most + value
      ? "insufficient balance for transfer"
      : undefined
  })

const overridesFault = ({ accounts = new Map() }: Overrides): RpcFailure | undefined => {
  for (const [address, { state, stateDiff }] of accounts) {
    if (state !== undefined && stateDiff !== undefined) {
      return failure(`account ${Address.checksum(address)} has both 'state' and 'stateDiff'`)
    }
  }
  return undefined
}

/** The height of a call's block, and what it overrides: the block that is `pending` has the next base fee. */
const placeOf = (chain: Chain, selector: Selector, overrides: Overrides) =>
  Effect.gen(function*() {
    const block = yield* stateHeight(chain, selector)
    if (selector !== "pending") return { block, overrides }
    const { baseFeePerGas } = yield* chain.nextBlock
    return { block, overrides: { ...overrides, block: { baseFeePerGas, ...overrides.block } } }
  })

/** The failure of more gas than a transaction may have. */
const gasFault = (chain: Chain, { gas }: CallArguments): Effect.Effect<void, RpcFailure> =>
  Effect.flatMap(chain.nextBlock, ({ gasLimit }) =>
    gas !== undefined && gas > gasLimit
      ? Effect.fail(failure(`gas limit ${gas} exceeds the upper limit ${gasLimit}`))
      : Effect.void)

/** The request of a call's arguments. */
const requestOf = (
  { accessList, authorizationList, data, from, gasPrice, input, maxFeePerGas, to, value }: CallArguments,
  block: number | undefined,
  overrides: Overrides
): CallRequest => ({
  movesValue: true,
  from,
  to,
  value,
  data: input ?? data,
  gasPrice: gasPrice ?? maxFeePerGas,
  accessList,
  authorizationList,
  block,
  overrides: overrides.accounts,
  blockOverride: overrides.block
})

/** The balance of an account at a block, as a call sees it. */
const balanceOf = (chain: Chain, owner: Hex, block: number | undefined, { accounts }: Overrides) =>
  Effect.map(
    chain.account(owner, block),
    (account) =>
      accounts?.get(owner)?.balance ?? Option.match(account, { onNone: () => 0n, onSome: ({ balance }) => balance })
  )

/** Fails if the fee payer that a call names could not pay for its gas. */
const checkFeePayer = (
  chain: Chain,
  { feePayer, gas = 0n, gasPrice, maxFeePerGas }: CallArguments,
  block: number | undefined,
  overrides: Overrides
): Effect.Effect<void, Failure> => {
  const price = gasPrice ?? maxFeePerGas ?? 0n
  return feePayer === undefined || price === 0n
    ? Effect.void
    : Effect.flatMap(
      balanceOf(chain, feePayer, block, overrides),
      (balance) =>
        balance < gas * price
          ? Effect.fail(failure("insufficient funds of the fee payer for gas * price"))
          : Effect.void
    )
}

/**
 * Checks what a node checks before it runs a call. Gives the request to run, with the gas of its execution, and the gas
 * of the transaction that it stands for. For a trace a node has other words, lends the sender the base fee alone, and
 * looks at the price before the gas.
 */
export const prepared = (
  chain: Chain,
  args: CallArguments,
  selector: Selector,
  given: Overrides,
  purpose: "call" | "trace" = "call"
) =>
  Effect.gen(function*() {
    const fault = priceFault(args) ?? overridesFault(given)
    if (fault !== undefined) return yield* fault
    const { block, overrides } = yield* placeOf(chain, selector, given)
    yield* checkFeePayer(chain, args, block, overrides)
    const { gas: supplied = mostGas } = args
    yield* gasFault(chain, args)
    const request = requestOf(args, block, overrides)
    const { intrinsic } = gasOf(request, chain.hardfork)
    const isTrace = purpose === "trace"
    if (!isTrace && supplied < intrinsic) {
      return yield* failure(`intrinsic gas too low: msg.gas ${supplied}, want ${intrinsic}`)
    }
    const problem = yield* impossiblePrice(chain, args, block, overrides, supplied, isTrace ? "base fee" : "price")
    if (problem !== undefined) {
      return yield* failure(isTrace ? `tracing failed: ${problem}` : `err: ${problem} (supplied gas ${supplied})`)
    }
    if (supplied < intrinsic) return yield* failure("tracing failed: intrinsic gas too low")
    const gas = supplied - intrinsic
    return isTrace
      ? {
        request: { ...request, gas, overrides: yield* afterBuying(chain, args, block, overrides, supplied) },
        supplied
      }
      : { request: { ...request, gas }, supplied }
  })

/** The accounts of a call that is traced: the sender has bought its gas, for which a node lent the base fee. */
const afterBuying = (
  chain: Chain,
  args: CallArguments,
  block: number | undefined,
  overrides: Overrides,
  gas: bigint
) =>
  Effect.gen(function*() {
    const { from = zeroAddress } = args
    const { baseFee, price } = yield* pricesOf(chain, args, block, overrides)
    const balance = (yield* balanceOf(chain, from, block, overrides)) + gas * (baseFee - price)
    return new Map([...overrides.accounts ?? [], [from, { ...overrides.accounts?.get(from), balance }]])
  })

const call = (chain: Chain, args: CallArguments, selector: Selector, overrides: Overrides): Run =>
  Effect.gen(function*() {
    const { request, supplied } = yield* prepared(chain, args, selector, overrides)
    const result = yield* Effect.zipLeft(chain.call(request), yieldToOthers)
    return result.fault === undefined ? result.data : yield* faultOf(result, supplied)
  })

/** What an execution costs, also one that fails once it has begun. */
const computationCost = (chain: Chain, args: CallArguments, selector: Selector): Run =>
  Effect.gen(function*() {
    const { request, supplied } = yield* prepared(chain, args, selector, {})
    const result = yield* Effect.zipLeft(chain.measure(request), yieldToOthers)
    return result.fault === "insufficient balance" || result.fault === "time limit"
      ? yield* faultOf(result, supplied)
      : quantity(result.computationCost)
  })

/** Which prices bound an estimate: by `klay` the gas price alone. */
export type PriceOfEstimate = "any price" | "gas price"

/** The most gas that the sender can pay for at its price. */
const affordable = (
  chain: Chain,
  { from = zeroAddress, gasPrice, maxFeePerGas, value = 0n }: CallArguments,
  block: number | undefined,
  overrides: Overrides,
  counts: PriceOfEstimate
): Effect.Effect<bigint | undefined, Failure> => {
  const price = gasPrice ?? (counts === "any price" ? maxFeePerGas : undefined) ?? 0n
  if (price === 0n) return Effect.succeed(undefined)
  return Effect.flatMap(balanceOf(chain, from, block, overrides), (balance) =>
    value >= balance
      ? Effect.fail(failure("insufficient funds for transfer"))
      : Effect.succeed((balance - value) / price))
}

const minGas = 21_000n

/**
 * The gas that a node's search between the least and the most runs first; nothing where even the most can't pay what is paid before
 * the execution.
 */
const firstTried = (most: bigint, intrinsic: bigint): bigint | undefined => {
  let low = minGas - 1n
  while (low + 1n < most) {
    const middle = (low + most) / 2n
    if (middle >= intrinsic) return middle
    low = middle
  }
  return most >= intrinsic ? most : undefined
}

/** The gas that a transaction needs, or why it would fail. */
export const estimate = (
  chain: Chain,
  args: CallArguments,
  selector: Selector,
  given: Overrides,
  counts: PriceOfEstimate = "any price"
): Effect.Effect<bigint, Failure> =>
  Effect.gen(function*() {
    const contradiction = priceFault(args)
    if (counts === "any price" && args.gasPrice !== undefined && contradiction !== undefined) {
      return yield* contradiction
    }
    yield* gasFault(chain, args)
    const fault = overridesFault(given)
    if (fault !== undefined) return yield* fault
    const { block, overrides } = yield* placeOf(chain, selector, given)
    yield* checkFeePayer(chain, args, block, overrides)
    const allowance = yield* affordable(chain, args, block, overrides, counts)
    // The first execution that is tried refuses the other prices that contradict each other; by `klay`, all of them.
    if (contradiction !== undefined) return yield* contradiction
    const asked = args.gas !== undefined && args.gas >= minGas ? args.gas : undefined
    const gas = BigInteger.min(asked ?? mostGas, allowance ?? mostGas)
    const request = { ...requestOf(args, block, overrides), gas }
    const first = firstTried(gas, gasOf(request, chain.hardfork).intrinsic)
    const problem = first === undefined ? undefined : yield* impossiblePrice(chain, args, block, overrides, first)
    if (problem !== undefined) return yield* failure(`err: ${problem} (supplied gas ${first})`)
    const found = yield* Effect.zipLeft(chain.estimateGas(request), yieldToOthers)
    switch (found.kind) {
      case "enough":
        return found.gas
      case "tooLittle":
        return yield* failure(`gas required exceeds allowance (${found.limit})`)
      case "fails":
        return yield* faultOf(found.result, first ?? gas)
    }
  })

const block = optional(blockNumberOrHash)
/** The accounts that differ for the time of a call, and the fields of its block that do. */
const accounts = optional(stateOverrides)
const fields = more(optional(blockOverrides))

const callMethod = (decoder: ParamDecoder<CallArguments>, accountOverrides: typeof accounts) =>
  method(
    [decoder, blockNumberOrHash, accountOverrides, fields],
    (chain, args, selector, accounts, blockFields) => call(chain, args, selector, { accounts, block: blockFields })
  )

const estimateGas = (decoder: ParamDecoder<CallArguments>, counts: PriceOfEstimate) =>
  method(
    [decoder, block, accounts, fields],
    (chain, args, selector = "latest", accounts, blockFields) =>
      Effect.map(estimate(chain, args, selector, { accounts, block: blockFields }, counts), quantity)
  )

/** Running code without a transaction. */
export const klayCalls: Methods = {
  call: callMethod(klayCall, more(accounts)),
  estimateGas: estimateGas(klayCall, "gas price"),
  estimateComputationCost: method([klayCall, blockNumberOrHash], computationCost)
}

/** The same with the parameters of `eth`. */
export const ethCalls: Methods = {
  call: callMethod(ethCall, accounts),
  estimateGas: estimateGas(ethCall, "any price"),
  estimateComputationCost: method([ethCall, blockNumberOrHash], computationCost)
}

const errorSelector = "0x08c379a0"
const panicSelector = "0x4e487b71"
const word = 64

const panics: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic panic"],
  [0x01n, "assert(false)"],
  [0x11n, "arithmetic underflow or overflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "enum overflow"],
  [0x22n, "invalid encoded storage byte array accessed"],
  [0x31n, "out-of-bounds array access; popping on an empty array"],
  [0x32n, "out-of-bounds access of an array or bytesN"],
  [0x41n, "out of memory"],
  [0x51n, "uninitialized function"]
])

const wordAt = (digits: string, at: number): bigint => BigInt(`0x${digits.slice(at, at + word)}`)

/** The reason of a revert, if its data is one of Solidity's two standard errors. */
export const revertReason = (data: Hex): string | undefined => {
  const digits = data.slice(10)
  if (data.startsWith(panicSelector) && digits.length === word) {
    const code = wordAt(digits, 0)
    return panics.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
  }
  if (!data.startsWith(errorSelector) || digits.length < 2 * word) return undefined
  const offset = wordAt(digits, 0)
  if (offset !== 32n) return undefined
  const length = wordAt(digits, word)
  if (length * 2n > BigInt(digits.length - 2 * word)) return undefined
  return Buffer.from(digits.slice(2 * word, 2 * word + 2 * Number(length)), "hex").toString("utf8")
}

/** The failure of the transaction that a node makes up of a call, with its hash: it is not signed. */
const applyFailure = (
  chain: Chain,
  args: CallArguments,
  price: bigint,
  reason: string
): Effect.Effect<never, Failure> =>
  Effect.gen(function*() {
    const { authorizationList, data = "0x", from = zeroAddress, gasPrice, input = data, to, value = 0n } = args
    const { maxFeePerGas = price } = args
    // A node leaves out who is warm anyway.
    const accessList = (args.accessList ?? []).filter(({ address, storageKeys }) =>
      storageKeys.length > 0 || (address !== from && address !== to)
    )
    const common = {
      chainId: args.chainId === undefined ? chain.chainId : Number(args.chainId),
      nonce: args.nonce ?? (yield* chain.pendingNonce(from)),
      gas: args.gas ?? mostGas,
      value,
      input,
      accessList,
      ...(to !== undefined && { to })
    }
    const tip = args.maxPriorityFeePerGas ?? (yield* suggestedTip(chain))
    const prices = { maxFeePerGas, maxPriorityFeePerGas: tip }
    const made: Result<Transaction.Transaction> = to !== undefined && authorizationList !== undefined
      ? Transaction.make({ type: "EthereumSetCode", ...common, ...prices, to, authorizationList })
      : gasPrice === undefined
      ? Transaction.make({ type: "EthereumDynamicFee", ...common, ...prices })
      : Transaction.make({ type: "EthereumAccessList", ...common, gasPrice })
    const hash = fromBytes(keccak_256(bytesOf(yield* unsignedForm(made))))
    return yield* failure(`failed to apply transaction: ${hash} ${reason}`)
  })

/** `price` is what a node suggests: it refuses a cap below half of that before it looks at the base fee. */
const argumentsFault = (args: CallArguments, price: bigint): RpcFailure | undefined => {
  const { data, input, maxFeePerGas, maxPriorityFeePerGas: tip = 0n, to } = args
  if (maxFeePerGas !== undefined && args.gasPrice === undefined && maxFeePerGas < price / 2n) {
    return failure(`maxFeePerGas (${quantity(maxFeePerGas)}) < BaseFee (${price})`)
  }
  if (data !== undefined && input !== undefined && data !== input) {
    return failure(
      "both \"data\" and \"input\" are set and not equal. Please use \"input\" to pass transaction call data"
    )
  }
  if (maxFeePerGas === undefined && args.gasPrice === undefined && tip > price) {
    return failure(`maxFeePerGas (${quantity(price)}) < maxPriorityFeePerGas (${quantity(tip)})`)
  }
  return to === undefined && (input ?? data ?? "0x") === "0x"
    ? failure("contract creation without any data provided")
    : priceFault(args)
}

const costOfList = (list: AccessList): bigint =>
  list.reduce((sum, { storageKeys }) => sum + 2_400n + 1_900n * BigInt(storageKeys.length), 0n)

const create = (chain: Chain, args: CallArguments, selector: Selector, given: Overrides): Run =>
  Effect.gen(function*() {
    const price = yield* suggestedPrice(chain)
    const fault = argumentsFault(args, price) ?? overridesFault(given)
    if (fault !== undefined) return yield* fault
    yield* gasFault(chain, args)
    const { block, overrides } = yield* placeOf(chain, selector, given)
    const offered = args.gasPrice ?? args.maxFeePerGas ?? price
    const problem = yield* impossiblePrice(
      chain,
      args.gasPrice === undefined ? { ...args, maxFeePerGas: offered } : args,
      block,
      overrides,
      args.gas ?? mostGas,
      "base fee"
    )
    if (problem !== undefined) return yield* applyFailure(chain, args, price, `err: ${problem}`)
    const request = requestOf({ ...args, gasPrice: offered }, block, overrides)
    const found = yield* chain.accessList({ ...request, gas: args.gas })
    if (found.kind === "tooLittle") return yield* applyFailure(chain, args, price, "err: intrinsic gas too low")
    const { accessList, gasUsed, result } = found
    if (result.fault === "insufficient balance") {
      return yield* applyFailure(chain, args, price, "err: insufficient balance for transfer")
    }
    return {
      accessList,
      ...(result.fault !== undefined && { error: faultText(result) }),
      // What fails without a revert takes all gas.
      gasUsed: quantity(
        result.fault === undefined || result.fault === "revert" ? gasUsed - costOfList(accessList) : gasUsed
      )
    }
  })

/**
 * Access lists as in the node's code: what `SLOAD`, `SSTORE`, calls and reads of other accounts touch, but neither the
 * sender, the target nor the precompiles, except for their slots. A failed execution is an answer too.
 *
 * `gasUsed` leaves out what the list itself costs, 2,400 for each address and 1,900 for each slot, which a transaction with the
 * list pays. That code's default is the pending block, which does not exist here: it is the latest, as in the chain's published
 * clients and in go-ethereum today.
 */
export const accessListMethods: Methods = {
  createAccessList: method(
    [ethCall, optional(blockNumberOrHash), more(accounts), fields],
    (chain, args, selector = "latest", accounts, blockFields) =>
      create(chain, args, selector, { accounts, block: blockFields })
  )
}
