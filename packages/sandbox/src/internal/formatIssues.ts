/** What is wrong with an input, one line for each field. */
export const formatIssues = (
  issues: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly message: string }>
) =>
  issues.map(({ message, path }) => path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`).join(
    "; "
  )
