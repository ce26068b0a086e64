/** A file that is read in pieces. */
import type * as Stream from "effect/Stream"
import type { SinkError } from "../Sink.js"

export interface Source {
  readonly bytes: number
  /** Its bytes, or some of them. */
  readonly read: (offset?: number, bytes?: number) => Stream.Stream<Uint8Array, SinkError>
}
