/** The annotation of a column with the version of the columns that the column came with. */
export const Since = Symbol.for("@effect-klaytn/exports/Since")
