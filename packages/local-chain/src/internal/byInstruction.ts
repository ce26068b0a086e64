/** A figure of each instruction, by its number, from rows of instructions that follow one another. */
export const byInstruction = <A>(
  make: (figure: number) => A,
  rows: ReadonlyArray<readonly [first: number, figures: ReadonlyArray<number>]>
): ReadonlyMap<number, A> =>
  new Map(rows.flatMap(([first, figures]) => figures.map((figure, at) => [first + at, make(figure)] as const)))
