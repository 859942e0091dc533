import { commonTerms } from './common-terms.ts';

/** What a term is taken for that few skills anywhere hold. */
const rare = 0.0005;

let shares: ReadonlyMap<string, number> | undefined;

/** In which part of skills in general a term stands: what a few skills alone cannot tell. */
export function shareInGeneral(term: string): number {
  shares ??= new Map(
    commonTerms.flatMap(({ percent, terms }) => terms.split(' ').map((one) => [one, percent / 100] as const)),
  );
  return shares.get(term) ?? rare;
}
