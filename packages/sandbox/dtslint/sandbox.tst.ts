import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import type { Transfer } from "@effect-klaytn/history/Transfer"
import type * as Contract from "@effect-klaytn/node/Contract"
import type { KlaytnNode } from "@effect-klaytn/node/KlaytnNode"
import type { Control, SendError, Service } from "@effect-klaytn/sandbox/Control"
import type {
  ControlFault,
  InvalidControl,
  NotFound,
  TooManyCredentials,
  TransactionFailed
} from "@effect-klaytn/sandbox/ControlError"
import type { Executed, NewCredential } from "@effect-klaytn/sandbox/ControlView"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import type { SandboxError } from "@effect-klaytn/sandbox/SandboxError"
import type * as Transaction from "@effect-klaytn/transaction/Transaction"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect, test } from "tstyche"

declare const control: Service

describe("a sandbox", () => {
  test("is a layer that needs nothing and fails in one way", () => {
    expect(Sandbox.layer()).type.toBe<Layer.Layer<Sandbox.Sandbox | Control, SandboxError>>()
    expect(Sandbox.clientConfig(1001)).type.toBe<Layer.Layer<ClientConfig, never, Sandbox.Sandbox>>()
    expect(Sandbox.clientConfig).type.not.toBeCallableWith(1)
  })

  test("tells what its controls can fail with", () => {
    expect<SendError>().type.toBe<InvalidControl | NotFound | TransactionFailed | ControlFault>()
    expect(control.chain(1001).fund({ to: "alice", amount: 1n })).type.toBe<Effect.Effect<Executed, SendError>>()
    expect(control.createCredential).type.toBe<Effect.Effect<NewCredential, TooManyCredentials>>()
    expect(control.chain).type.not.toBeCallableWith(1)
    expect(control.chain(1001).fund).type.not.toBeCallableWith({ to: "alice", amount: 1 })
  })
})

declare const transfer: Extract<Transfer, { readonly _tag: "FtTransfer" }>
declare const token: Contract.Contract<typeof abi>

const abi = [{
  type: "function",
  name: "balanceOf",
  stateMutability: "view",
  inputs: [{ name: "owner", type: "address" }],
  outputs: [{ name: "", type: "uint256" }]
}] as const

describe("what the history tells", () => {
  test("fits a transaction, the arguments of a contract, and the sandbox, as it is", () => {
    const { contract, from, to, transaction } = transfer
    const common = { nonce: 0n, gasPrice: 1n, gas: 1n, value: 0n }
    expect<typeof Transaction.make>().type.toBeCallableWith({ type: "ValueTransfer", ...common, from, to })
    expect(token.read("balanceOf", [from])).type.toBeAssignableTo<Effect.Effect<bigint, unknown, KlaytnNode>>()
    expect<Parameters<ReturnType<Sandbox.Sandbox["Type"]["chains"]["chain"]>["account"]>[0]>()
      .type.toBeAssignableFrom(contract.address)
    expect<Parameters<ReturnType<Sandbox.Sandbox["Type"]["chains"]["chain"]>["transaction"]>[0]>()
      .type.toBeAssignableFrom(transaction.transactionHash)
  })
})
