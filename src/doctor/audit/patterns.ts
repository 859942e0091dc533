import type { Pattern } from './pattern.ts';
import { damagePatterns } from './patterns/damage.ts';
import { downloadPatterns } from './patterns/download.ts';
import { encodedPatterns } from './patterns/encoded.ts';
import { hiddenTextPatterns } from './patterns/hidden-text.ts';
import { orderPatterns } from './patterns/orders.ts';
import { secretPatterns } from './patterns/secrets.ts';

/** Everything that is looked for. */
export const patterns: readonly Pattern[] = [
  ...downloadPatterns,
  ...encodedPatterns,
  ...secretPatterns,
  ...orderPatterns,
  ...damagePatterns,
  ...hiddenTextPatterns,
];
