/** What a catalog is made for. */
export interface CatalogQuery {
  /** Decides which skills are shown when not all fit. */
  readonly request?: string;
  /** Only skills that can be loaded into a conversation. */
  readonly loadable?: true;
  readonly maxSkills?: number;
  readonly maxChars?: number;
}

/** A catalog as a model sees it, and what is not in it. */
export interface ShownCatalog {
  readonly text: string;
  readonly shown: number;
  /** Names, sorted in code units. */
  readonly omitted: readonly string[];
}
