/** What a newer program has stored is refused before anything is written. */
import { SinkError } from "../Sink.js"

export const newer = (what: string, found: number, known: number): SinkError =>
  new SinkError({
    reason: "newer",
    problem: `${what} have version ${found}, and this program knows versions up to ${known}; install the version of ` +
      "@effect-klaytn/exports (or of the command klaytn) that stored them, or a later one"
  })
