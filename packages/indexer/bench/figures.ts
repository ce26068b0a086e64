/** What the benches of the index measure with, and how they print. */

/** CPU time of this process, in seconds. */
export const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

/** The value below which a part of the values is; 0.5 is the median. */
export const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

export const print = (figure: string, fields: object): void =>
  void process.stdout.write(`${JSON.stringify({ figure, ...fields })}\n`)
