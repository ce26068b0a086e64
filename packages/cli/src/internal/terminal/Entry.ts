/** What docs/errors.md says of an error. */

export interface Entry {
  /** The class of the error, and its `_tag`. */
  readonly tag: string
  /** The heading that it stands under, such as "Of a send", and the paragraph below that, if there is one. */
  readonly section: string
  readonly lead: string
  /** Paragraphs. */
  readonly text: ReadonlyArray<string>
}
