/** The limits that apply to every request, and the default page size. */
export const requestLimits = {
  /** The maximum number of records on a page. */
  maxRows: 1_000,
  maxSkipped: 1_000_000_000,
  pageLength: 20,
  /** The maximum nesting depth of a condition. */
  deepest: 16,
  /** The maximum number of comparisons in a condition. */
  maxLeaves: 100,
} as const;
