/**
 * The progress of a long job: one line that is redrawn on a terminal, a line of text now and then elsewhere. It
 * goes to standard error, so that standard output stays what the caller asked for.
 */

/**
 * A running job.
 *
 * @category models
 */
export interface Progress {
  readonly at: (done: number) => void
  readonly end: () => void
}

/**
 * The part of a stream that progress needs.
 *
 * @category models
 */
export interface Output {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

const number = (value: number): string => value.toLocaleString("en-US")

/**
 * Starts to report on `total` items. On a terminal at most ten times a second, elsewhere once for each tenth.
 *
 * @category constructors
 */
export const begin = (
  output: Output,
  what: string,
  total: number,
  now: () => number = () => performance.now()
): Progress => {
  const since = now()
  let shown = Number.NEGATIVE_INFINITY
  let tenths = 0
  let last = 0
  const text = (done: number): string => {
    const seconds = (now() - since) / 1000
    const rate = seconds > 0 ? `, ${number(Math.round(done / seconds))} a second` : ""
    return `${what}: ${number(done)} of ${number(total)} (${Math.floor(100 * done / Math.max(1, total))} %${rate})`
  }
  const show = (done: number): void => {
    if (output.isTTY === true) {
      if (now() - shown < 100) return
      shown = now()
      output.write(`\r\x1b[K${text(done)}`)
    } else if (Math.floor(10 * done / Math.max(1, total)) > tenths) {
      tenths = Math.floor(10 * done / Math.max(1, total))
      output.write(`${text(done)}\n`)
    }
  }
  return {
    at: (done) => {
      last = done
      show(done)
    },
    end: () => {
      if (output.isTTY === true) output.write(`\r\x1b[K${text(last)}\n`)
    }
  }
}
