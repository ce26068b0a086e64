/** A sandbox whose chain 1001 tools reach by its URL alone. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"

export const open = async () => {
  const scope = Effect.runSync(Scope.make())
  const sandbox = await Effect.runPromise(
    Scope.extend(Sandbox.make({ seed: "tools", clock: { start: 1_700_000_000, step: 1 } }), scope)
  )
  return {
    url: sandbox.rpcUrl(1001) ?? "",
    /** Names of accounts with coin, and their addresses. */
    accounts: sandbox.accounts.map(({ address, name }) => ({ name, address })),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export type World = Awaited<ReturnType<typeof open>>
