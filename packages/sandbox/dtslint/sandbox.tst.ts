import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import type { Control, SendError, Service } from "@effect-klaytn/sandbox/Control"
import type {
  ControlFault,
  InvalidControl,
  NotThere,
  TooManyCredentials,
  TransactionFailed
} from "@effect-klaytn/sandbox/ControlError"
import type { Executed, NewCredential } from "@effect-klaytn/sandbox/ControlView"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import type { SandboxError } from "@effect-klaytn/sandbox/SandboxError"
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
    expect<SendError>().type.toBe<InvalidControl | NotThere | TransactionFailed | ControlFault>()
    expect(control.chain(1001).fund({ to: "alice", amount: 1n })).type.toBe<Effect.Effect<Executed, SendError>>()
    expect(control.createCredential).type.toBe<Effect.Effect<NewCredential, TooManyCredentials>>()
    expect(control.chain).type.not.toBeCallableWith(1)
    expect(control.chain(1001).fund).type.not.toBeCallableWith({ to: "alice", amount: 1 })
  })
})
