import { hash } from 'node:crypto';

/** Makes one uuid after the other, always the same ones of the same seed: what was shown is what is written. */
export function createMadeIds(seed: string): () => string {
  let count = 0;
  return () => {
    const digits = hash('sha256', `${seed}:${count++}`);
    const variant = ((parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `4${digits.slice(13, 16)}`,
      `${variant}${digits.slice(17, 20)}`,
      digits.slice(20, 32),
    ].join('-');
  };
}
