/** Contracts: calls and events, with names and arguments of any ABI. The public module types them. */
import * as Address from "@effect-klaytn/core/Address"
import type { HexData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Abi from "../../Abi.js"
import type { BlockSelector } from "../../BlockSelector.js"
import type { CallRequest } from "../../CallRequest.js"
import { AbiMismatch, type CallFailure, ContractReverted } from "../../ContractError.js"
import { gasMethods } from "../../GasMethods.js"
import { KlaytnNode, type ListOptions, type Service } from "../../KlaytnNode.js"
import type { Log } from "../../Log.js"
import * as LogRange from "../../LogRange.js"
import type { ExecutionReverted } from "../../RpcError.js"
import type * as Signer from "../../Signer.js"
import type { ReadFailure } from "../errors/failure.js"
import * as reverts from "../errors/reverts.js"
import * as abiCoder from "./abiCoder.js"

const decodeInput = Input.decode("node.contract", Schema.Struct({ address: Address.FromInput }))

type ReadOptions = Pick<CallRequest, "from" | "value"> & { readonly block?: BlockSelector | undefined }

interface WriteOptions extends Omit<Signer.Request, "to" | "input">, Signer.Options {
  readonly signer: Signer.Signer
}

/** A call of any function, whose result the public module types. */
interface Call {
  readonly address: Address.Address
  readonly name: string
  readonly request: Either.Either<CallRequest, AbiMismatch>
  readonly decode: (data: HexData) => Either.Either<unknown, AbiMismatch>
  readonly toError: (reverted: ExecutionReverted) => ContractReverted | ExecutionReverted
}

/** Asks a node, with the error that the ABI declares in the place of a revert. */
const ask = <A>(
  call: Call,
  use: (klay: Service["klay"], request: CallRequest) => Effect.Effect<A, ReadFailure>
): Effect.Effect<A, CallFailure, KlaytnNode> =>
  Effect.gen(function*() {
    const { klay } = yield* KlaytnNode
    return yield* use(klay, yield* call.request)
  }).pipe(Effect.catchTag("ExecutionReverted", (reverted) => Effect.fail(call.toError(reverted))))

const run = (call: Call, block: ReadOptions["block"]) =>
  Effect.flatMap(ask(call, (klay, request) => klay.call(request, block)), (data) => call.decode(data))

const estimate = (call: Call, block: ReadOptions["block"]) =>
  ask(call, (klay, request) => klay.estimateGas(request, block))

/** The error of the contract in a revert, if the ABI declares it. */
const revertError = (abi: Abi.Abi, address: Address.Address, name: string) => (reverted: ExecutionReverted) =>
  Option.match(abiCoder.declaredError(abi, reverted.revertData), {
    onNone: (): ExecutionReverted | ContractReverted => reverted,
    onSome: (found) => new ContractReverted({ address, name, reverted, errorName: found.name, args: found.args })
  })

/** Sends a call or a contract's code. Fails with the contract's own error if that is why it was not sent. */
const send = (
  { pollInterval, signer, within, ...request }: WriteOptions,
  call: Pick<Signer.Request, "to" | "input">,
  toError: Call["toError"]
) =>
  Effect.catchTag(signer.send({ ...request, ...call }, { within, pollInterval }), "NotSent", (error) => {
    const found = error.reason._tag === "ExecutionReverted" ? toError(error.reason) : undefined
    return Effect.fail(found?._tag === "ContractReverted" ? found : error)
  })

interface Search extends Omit<LogRange.RangeFilter, "address" | "topics"> {
  readonly where?: object | undefined
}

class AnyContract {
  constructor(readonly address: Address.Address, readonly abi: Abi.Abi) {}

  readonly read = (name: string, args: unknown, { block, ...options }: ReadOptions = {}) =>
    run(this.call(name, args, options), block)

  /** The two calls share a request. */
  readonly simulate = (name: string, args: unknown, { block, ...options }: ReadOptions = {}) =>
    Effect.gen(this, function*() {
      const call = this.call(name, args, options)
      const request = yield* call.request
      const [result, gas] = yield* Effect.all([run(call, block), estimate(call, block)], { concurrency: 2 })
      return { result, gas, request: { ...request, gas } }
    })

  readonly estimateGas = (name: string, args: unknown, { block, ...options }: ReadOptions = {}) =>
    estimate(this.call(name, args, options), block)

  readonly call = (name: string, args: unknown, options: Omit<ReadOptions, "block"> = {}): Call => {
    const { abi, address } = this
    return {
      address,
      name,
      request: Either.map(this.encode(name, args), (input): CallRequest => ({ ...options, to: address, input })),
      decode: (data) => this.#orMismatch(name, abiCoder.decodeResult(abi, name, args, data)),
      toError: revertError(abi, address, name)
    }
  }

  readonly encode = (name: string, args: unknown): Either.Either<HexData, AbiMismatch> =>
    this.#orMismatch(name, abiCoder.encodeCall(this.abi, name, args))

  readonly decodeLog = (log: Log) => log.address === this.address ? abiCoder.decodeLog(this.abi, log) : Option.none()

  readonly decodeLogs = (logs: ReadonlyArray<Log>) => logs.flatMap((log) => Option.toArray(this.decodeLog(log)))

  readonly topic = (event: string): Either.Either<string, AbiMismatch> =>
    this.#orMismatch(event, abiCoder.topicOf(this.abi, event))

  readonly events = (name: string, { where, ...search }: Search) =>
    Stream.unwrap(Effect.map(
      this.#orMismatch(name, abiCoder.encodeTopics(this.abi, name, where)),
      (topics) =>
        Stream.filterMap(
          LogRange.logs({ ...search, address: this.address, topics }),
          (log) => Option.filter(this.decodeLog(log), (event) => event.name === name)
        )
    ))

  readonly follow = (search: Omit<Search, "toBlock" | "where">) =>
    Stream.map(LogRange.follow({ ...search, address: this.address }), ({ fromBlock, logs, toBlock }) => ({
      events: this.decodeLogs(logs),
      fromBlock,
      toBlock,
      next: toBlock + 1n
    }))

  readonly write = (name: string, args: unknown, options: WriteOptions) =>
    Effect.gen(this, function*() {
      const call = this.call(name, args)
      const { input } = yield* call.request
      const sent = yield* send(options, { to: this.address, input }, call.toError)
      return { ...sent, events: this.decodeLogs(sent.receipt.logs) }
    })

  readonly decodeError = (reverted: ExecutionReverted | string) => decodeError(this.abi, reverted)

  #orMismatch<A>(name: string, outcome: Either.Either<A, string>): Either.Either<A, AbiMismatch> {
    return Either.mapLeft(outcome, (problem) => new AbiMismatch({ address: this.address, name, problem }))
  }
}

export const make = Effect.fnUntraced(function*(options: { readonly address: string; readonly abi: Abi.Source }) {
  const { address } = yield* decodeInput({ address: options.address })
  return new AnyContract(address, yield* Abi.parse(options.abi))
})

export const deploy = Effect.fnUntraced(function*(
  { abi: source, args, bytecode, ...options }: WriteOptions & {
    readonly abi: Abi.Source
    readonly bytecode: string
    readonly args?: unknown
  }
) {
  const abi = yield* Abi.parse(source)
  // The zero address stands for a contract that is not there yet.
  const place = { address: Address.zero, name: "constructor" }
  const input = yield* Either.mapLeft(
    abiCoder.encodeDeployment(abi, bytecode, args),
    (problem) => new AbiMismatch({ ...place, problem })
  )
  const { receipt, transactionHash } = yield* send(options, { input }, revertError(abi, place.address, place.name))
  const { contractAddress } = receipt
  if (contractAddress === undefined) {
    return yield* new AbiMismatch({ ...place, problem: "the receipt names no contract" })
  }
  return { contract: new AnyContract(contractAddress, abi), receipt, transactionHash }
})

export const readAll = Effect.fnUntraced(
  function*(
    calls: ReadonlyArray<Call>,
    { block, ...options }: ListOptions & { readonly block?: bigint | undefined } = {}
  ) {
    const node = yield* KlaytnNode
    const blockNumber = block ?? (yield* node.klay.blockNumber())
    const requests = Array.getRights(calls.map(({ request }) => request))
    const args = requests.map((request) => [request, blockNumber] as const)
    const answers = yield* node.runEach(gasMethods.call, args, options)
    let at = 0
    const results = calls.map((call): Either.Either<unknown, CallFailure> =>
      Either.flatMap(call.request, (): Either.Either<unknown, CallFailure> => {
        const answer = answers[at++]
        if (answer === undefined) return Either.left(new AbiMismatch({ ...call, problem: "no answer" }))
        if (Either.isRight(answer)) return call.decode(answer.right)
        return Either.left(answer.left._tag === "ExecutionReverted" ? call.toError(answer.left) : answer.left)
      })
    )
    return { blockNumber, results }
  }
)

export const decodeError = (abi: Abi.Abi, reverted: ExecutionReverted | string) => {
  const { panic, reason, revertData } = typeof reverted === "string" ? reverts.read(reverted, abiCoder.clean) : reverted
  return Option.firstSomeOf([
    Option.map(abiCoder.declaredError(abi, revertData), (found) => ({ _tag: "Declared" as const, ...found })),
    Option.map(Option.fromNullable(panic), (code) => ({
      _tag: "Panic" as const,
      code,
      meaning: abiCoder.panicText(code)
    })),
    Option.map(Option.fromNullable(reason), (reason) => ({ _tag: "Reason" as const, reason }))
  ])
}
