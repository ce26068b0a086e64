/** Runs the effects of a sandbox as promises. */
import { type DevAccount, revealPrivateKey } from "@effect-klaytn/local-chain/DevAccount"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Sandbox } from "../Sandbox.js"
import type { SandboxError } from "../SandboxError.js"

type Running = Context.Tag.Service<Sandbox>

/** Rejects with the error itself, whose message is meant for people. */
const promiseOf = async <A>(effect: Effect.Effect<A, unknown>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.squash(exit.cause)
  throw failure instanceof Error ? failure : new Error(String(failure))
}

/** Starts a sandbox in a scope that `stop` closes. Effects that are run after that reject. */
export const start = async (make: Effect.Effect<Running, SandboxError, Scope.Scope>) => {
  const scope = await promiseOf(Scope.make())
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => stopped ??= promiseOf(Scope.close(scope, Exit.void))
  try {
    const sandbox = await promiseOf(Scope.extend(make, scope))
    const run = <A>(effect: Effect.Effect<A, unknown>): Promise<A> =>
      stopped === undefined
        ? promiseOf(effect)
        : Promise.reject(new Error(`the sandbox at ${sandbox.url} is stopped: start another one with startSandbox()`))
    return { sandbox, run, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** An account with its key as text. */
export const accountOf = (name: string, account: DevAccount) => ({
  name,
  address: account.address,
  privateKey: revealPrivateKey(account)
})
