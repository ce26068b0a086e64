/** The command in this process: its words, its environment, a wire in place of the network, and what it writes. */
import * as Testing from "@effect-klaytn/core/Testing"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { commands } from "../../src/internal/command/commands.js"
import { run } from "../../src/internal/frame/main.js"
import type { Subcommand } from "../../src/internal/frame/Subcommand.js"
import { exitCodes } from "../../src/internal/terminal/exitCode.js"
import * as Screen from "../../src/internal/terminal/Screen.js"

export const secret = "s3cr3t-never-printed"

/** A complete configuration. */
export const environment: Readonly<Record<string, string>> = {
  KLAYTN_CHAIN_ID: "1001",
  KLAYTN_ACCESS_KEY_ID: "KASK0EXAMPLE",
  KLAYTN_SECRET_ACCESS_KEY: secret,
  KLAYTN_HISTORY_URL: Testing.baseUrl,
  KLAYTN_TOKENS_URL: Testing.baseUrl,
  KLAYTN_WALLET_URL: Testing.baseUrl,
  KLAYTN_NODE_URL: Testing.baseUrl,
  KLAYTN_RESOURCE_URL: Testing.baseUrl
}

export interface World {
  /** All by default. */
  readonly commands?: ReadonlyArray<Subcommand>
  readonly environment?: Readonly<Record<string, string>>
  readonly wire?: Testing.Wire
  readonly client?: HttpClient.HttpClient
  readonly isTerminal?: boolean
  /** Done when standard output is closed. */
  readonly closed?: Deferred.Deferred<void>
  /** Done by a signal. */
  readonly stopped?: Deferred.Deferred<void>
  /** Gets what is written on standard error, also of a command that is interrupted. */
  readonly errors?: Array<string>
  /** The same of standard output. */
  readonly out?: Array<string>
}

export interface Ended {
  readonly code: number
  readonly out: string
  readonly error: string
}

const outputTo = (texts: Array<string>, isTerminal: boolean): Screen.Output => ({
  write: (text) => Effect.sync(() => void texts.push(text)),
  flushed: Effect.succeed(true),
  isTerminal,
  columns: 100,
  hasColors: isTerminal
})

/** Runs `klaytn` with these words. */
export const klaytn = (words: ReadonlyArray<string>, world: World = {}): Effect.Effect<Ended> => {
  const out = world.out ?? []
  const error = world.errors ?? []
  const isTerminal = world.isTerminal ?? false
  const client = Layer.sync(HttpClient.HttpClient, () => world.client ?? (world.wire ?? Testing.wire()).client)
  const services = Layer.mergeAll(client, NodeFileSystem.layer, NodePath.layer)
  return run({ commands: world.commands ?? commands, services }, words).pipe(
    Effect.provideServiceEffect(
      Screen.Screen,
      Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([closed, stopped]) => ({
        out: outputTo(out, isTerminal),
        error: outputTo(error, isTerminal),
        closed: world.closed ?? closed,
        stopped: world.stopped ?? stopped
      }))
    ),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(world.environment ?? environment)))),
    Effect.map((exit) => ({ code: exitCodes[exit].code, out: out.join(""), error: error.join("") }))
  )
}

/** A node that answers each method with a result as JSON text, or with an error object. */
export const node = (answers: Readonly<Record<string, string>>): Testing.Wire =>
  Testing.wire((sent) => {
    const { id, method }: { readonly id: number; readonly method: string } = JSON.parse(sent.body ?? "")
    const answer = answers[method] ?? `"error":{"code":-32601,"message":"the method ${method} does not exist"}`
    return Testing.text(200, `{"jsonrpc":"2.0","id":${id},${answer}}`, { "content-type": "application/json" })(sent)
  })

/** What was asked of a node: the method and its parameters. */
export const asked = (wire: Testing.Wire): ReadonlyArray<readonly [method: string, params: unknown]> =>
  wire.sent.map(({ body }) => {
    const { method, params }: { readonly method: string; readonly params: unknown } = JSON.parse(body ?? "")
    return [method, params] as const
  })
