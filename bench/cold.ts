import { rankOnce, register, showCatalog } from './agent.ts';
import { readAll } from './baseline.ts';
import type { Workload } from './data.ts';
import { alternate, ratioRow, type Row } from './measure.ts';
import type { Peer } from './peers.ts';

/**
 * D1: compares a cold start (discovery, parsing, registration and catalog) with walking and reading the same
 * files. The ranking index is measured separately.
 */
export async function cold(workload: Workload, others: readonly Peer[]): Promise<readonly Row[]> {
  const { root, name } = workload;
  const times = await alternate(15, { raw: () => readAll(root), ours: () => showCatalog(root) });
  const rows: Row[] = [ratioRow('D1', `cold, ${name}, against the raw read`, times.ours, times.raw, 2)];
  const index = await alternate(3, { without: () => register(root), ranked: () => rankOnce(root) });
  rows.push({
    id: 'D1',
    what: `the index of the ranking, ${name}`,
    figure: `${(index.ranked.median - index.without.median).toFixed(0)} ms more, once`,
  });
  for (const peer of others) {
    const both = await alternate(5, { raw: () => readAll(root), peer: () => peer.load(root) });
    const ratio = both.peer.median / both.raw.median;
    rows.push({
      id: 'D1',
      what: `the same, ${peer.name} (loads ${peer.load(root)}, we ${register(root)})`,
      figure: `${ratio.toFixed(2)} × (${both.peer.median.toFixed(0)} ms)`,
    });
  }
  return rows;
}
