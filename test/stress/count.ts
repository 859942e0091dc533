/** How often a long loop runs: `small` under `npm test`, `full` under `npm run stress` and `npm run fuzz`. */
export function count({ small, full }: { small: number; full: number }): number {
  return process.env['SKILLED_STRESS'] === 'full' ? full : small;
}
