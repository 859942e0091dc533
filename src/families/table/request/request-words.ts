/** All request operations. */
export const operations = [
  ...(['list', 'show', 'count', 'sum', 'average', 'minimum', 'maximum', 'group', 'add', 'update'] as const),
  ...(['delete', 'import', 'export', 'undo', 'fields', 'next', 'previous'] as const),
] as const;

/** All comparisons that a condition can use. */
export const comparisons = [
  ...(['equals', 'not-equals', 'less', 'at-most', 'more', 'at-least', 'between', 'in', 'not-in'] as const),
  ...(['contains', 'not-contains', 'starts-with', 'ends-with', 'empty', 'not-empty'] as const),
] as const;

/** All measures that can be computed over records. */
export const measures = ['count', 'sum', 'average', 'minimum', 'maximum'] as const;
