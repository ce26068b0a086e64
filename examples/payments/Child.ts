/** The service as a process of its own, for those who want to see it stop. */
import * as Command from "@effect/platform/Command"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** The service did not start: what it wrote. */
export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

/** Starts a program, and waits until it listens. It is ended with the scope, unless it has ended before. */
export const start = (words: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const child = yield* Command.start(
      Command.make(process.execPath, ...words).pipe(Command.env({ ...environment, PORT: "0" }))
    )
    const output: Array<string> = []
    const url = yield* Deferred.make<string, NotStarted>()
    const read = Stream.merge(child.stdout, child.stderr).pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.runForEach((line) => {
        output.push(line)
        const [found] = /http:\/\/[\d.]+:\d+/.exec(line) ?? []
        return line.includes("Listening") && found !== undefined ? Deferred.succeed(url, found) : Effect.void
      }),
      Effect.ignore,
      Effect.zipRight(Deferred.fail(url, new NotStarted({ message: output.join("\n") })))
    )
    yield* Effect.forkScoped(read)
    return { child, output, url: yield* Deferred.await(url) }
  })
