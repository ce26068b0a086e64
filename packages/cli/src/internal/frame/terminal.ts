/** Runs the command on the process: its outputs, its signals, its exit code. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Scheduler from "effect/Scheduler"
import { exitCodes } from "../terminal/exitCode.js"
import * as Screen from "../terminal/Screen.js"
import { type Program, run } from "./main.js"

/** What is written to a closed output is lost without an error: the command decides whether it continues. */
const output = (stream: NodeJS.WriteStream, closed: Deferred.Deferred<void>): Screen.Output => ({
  write: (text) =>
    Effect.map(Deferred.isDone(closed), (isClosed) => {
      if (!isClosed) stream.write(text)
    }),
  flushed: Effect.async((resume) => {
    stream.write("", (error) => resume(Effect.succeed(error === undefined || error === null)))
  }),
  isTerminal: stream.isTTY,
  columns: stream.columns ?? 100,
  hasColors: stream.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb"
})

const outClosed = Deferred.unsafeMake<void>(FiberId.none)
const errorClosed = Deferred.unsafeMake<void>(FiberId.none)
const stopped = Deferred.unsafeMake<void>(FiberId.none)
process.stdout.on("error", () => Deferred.unsafeDone(outClosed, Effect.void))
process.stderr.on("error", () => Deferred.unsafeDone(errorClosed, Effect.void))

const screen: Screen.Screen["Type"] = {
  out: output(process.stdout, outClosed),
  error: output(process.stderr, errorClosed),
  closed: outClosed,
  stopped
}

/** Loaded when a command runs: they are half of what the command loads, and a page of help needs none of them. */
const services = Layer.unwrapEffect(
  Effect.map(Effect.promise(() => import("./services.js")), (found) => found.services)
)

/** Runs a program with these words, and ends the process with its exit code. */
export const start = (program: Omit<Program, "services">, words: ReadonlyArray<string>): void => {
  const fiber = Effect.runFork(
    run({ ...program, services }, words).pipe(
      Effect.provideService(Screen.Screen, screen),
      Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.stringLogger))),
      // The sandbox brings its own copy of Effect, which may be of another patch release.
      Effect.locally(FiberRef.versionMismatchErrorLogLevel, Option.none())
    ),
    // By default, 2,048 turns of a fiber pass before the process looks at signals, which takes seconds where SQLite answers at once.
    { scheduler: new Scheduler.MixedScheduler(8) }
  )

  let since: number | undefined
  let signal: "SIGINT" | "SIGTERM" | undefined
  /** A terminal sends Ctrl-C to all processes and a parent may pass it on, so only a later one forces the end. */
  const stop = (name: "SIGINT" | "SIGTERM") => (): void => {
    signal ??= name
    if (since === undefined) Deferred.unsafeDone(stopped, Effect.void)
    else if (performance.now() - since > 1000) process.exit(signal === "SIGTERM" ? 143 : 130)
    since ??= performance.now()
  }
  process.on("SIGINT", stop("SIGINT"))
  process.on("SIGTERM", stop("SIGTERM"))

  fiber.addObserver((exit) => {
    const code = Exit.isSuccess(exit) ? exitCodes[exit.value].code : exitCodes.interrupted.code
    process.exitCode = signal === "SIGTERM" && code === exitCodes.interrupted.code ? 143 : code
    // Should something still be open, such as a connection that is kept alive, it must not keep the command alive.
    setTimeout(() => process.exit(), 500).unref()
  })
}
