import type { RunArtifact } from '../../../views/run-result.ts';
import { table, type Column } from '../../output/table.ts';
import { oneLine } from '../../output/text.ts';
import type { Terminal } from '../../terminal.ts';

/** An artifact without what it holds. */
export function artifactJson({ text, data: _data, ...facts }: RunArtifact): Record<string, unknown> {
  return { ...facts, characters: text.length };
}

const columns: readonly Column[] = [
  { title: '#', isWhole: true },
  { title: 'NAME', most: 50 },
  { title: 'TYPE', leaves: 1 },
  { title: 'SIZE', isWhole: true },
  { title: 'SKILL', most: 30 },
  { title: 'FRAME', leaves: 2 },
];

/** What a run kept, a line each. */
export function artifactTable(artifacts: readonly RunArtifact[], terminal: Terminal): string {
  const rows = artifacts.map(({ number, name, mediaType, text, cut, skill, frameId }) =>
    [
      String(number),
      oneLine(name),
      oneLine(mediaType),
      `${text.length.toLocaleString('en-US')}${cut === true ? '+' : ''}`,
      oneLine(skill),
      frameId,
    ].map((cell) => ({ text: cell })),
  );
  return table(columns, rows, terminal);
}
