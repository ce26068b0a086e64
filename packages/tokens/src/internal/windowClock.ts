/** The time of the service while a table is read. */
import { MalformedResponse } from "@effect-klaytn/core/ServiceError"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How often the service is asked for its time at most, if its answers say times that are far from this machine's and from each other. */
const maxAsked = 3

/** The clock of one reading: its first answer says when the reading began, its last one when it ended. */
export class WindowClock {
  #first: ServiceTime.Reading | undefined
  #last: ServiceTime.Reading | undefined
  #isConfirmed = false

  constructor(private readonly began: number) {}

  readonly observe = (reading: ServiceTime.Reading): void => {
    if (this.#first === undefined) this.#first = reading
    else if (ServiceTime.isSame(this.#first, reading)) this.#isConfirmed = true
    this.#last = reading
  }

  /** When the reading began, in milliseconds: by the service's clock once it has answered. */
  from(): number {
    return this.began + (this.#first?.offsetMillis ?? 0)
  }

  /** Now: no earlier than by the first answer or the last, of which one may come from a proxy whose clock is behind. */
  get now(): Effect.Effect<number> {
    const offset = this.#first === undefined || this.#last === undefined
      ? 0
      : Math.max(this.#first.offsetMillis, this.#last.offsetMillis)
    return Effect.map(Clock.currentTimeMillis, (millis) => millis + offset)
  }

  /** Makes a request again until it agrees with the first answer, if that was far from this machine's time and stands alone. */
  agreed<E, R>(
    operation: string,
    request: Effect.Effect<unknown, E, R>
  ): Effect.Effect<void, E | MalformedResponse, R> {
    return Effect.gen(this, function*() {
      for (let asked = 1; asked < maxAsked && this.#isAlone(); asked++) yield* request
      if (!this.#isAlone()) return
      const [first, last] = [this.#first, this.#last].map((one) => Math.round((one?.offsetMillis ?? 0) / 1000))
      return yield* new MalformedResponse({
        operation,
        attempts: [],
        retrySafe: true,
        status: 200,
        path: ["Date"],
        expected: "the service's time, the same in two answers",
        actual: `times that are ${first} s and ${last} s from this machine's`
      })
    })
  }

  #isAlone(): boolean {
    return !this.#isConfirmed && ServiceTime.skewSeconds(this.#first) !== undefined
  }
}
