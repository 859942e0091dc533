/** What a catalog may say of one skill. */
export interface CatalogEntry {
  /** The name that reaches it, qualified where that is needed. */
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  /** Where it can be read: an absolute path, or `skill:<name>` for one without a file. */
  readonly location: string;
  /** Pinned: it comes before every other when there is not enough room. */
  readonly always?: boolean | undefined;
}
