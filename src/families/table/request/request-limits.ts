/** What a request may have at most, whoever makes it, and what a page has unless said. */
export const requestLimits = {
  /** Records of one page. */
  mostRows: 1_000,
  mostSkipped: 1_000_000_000,
  pageLength: 20,
  /** Levels of a condition. */
  deepest: 16,
  /** Comparisons of a condition. */
  mostLeaves: 100,
} as const;
