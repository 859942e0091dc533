/** What a catalog is made for. */
export interface CatalogQuery {
  /** Decides which skills are shown when not all fit. */
  readonly request?: string;
  readonly maxSkills?: number;
  readonly maxCharacters?: number;
}

/** A catalog as a model sees it, and what is not in it. */
export interface ShownCatalog {
  readonly text: string;
  /** Names in the order of the text. */
  readonly shown: readonly string[];
  readonly omitted: readonly string[];
}
