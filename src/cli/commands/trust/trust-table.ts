import { paint, type Color } from '../../output/status.ts';
import { table, type Cell, type Column } from '../../output/table.ts';
import { oneLine } from '../../output/text.ts';
import type { Terminal } from '../../terminal.ts';
import { isFromServer } from '../../../core/skill.ts';
import type { ownTrustBook } from '../../../config/trust.ts';
import type { ListedProject, ListedSkill } from './listed.ts';

interface Listed {
  readonly skills: readonly ListedSkill[];
  readonly project: ListedProject | undefined;
  readonly entries: ReturnType<ReturnType<typeof ownTrustBook>['list']>;
}

interface Row {
  readonly state: string;
  readonly color: Color;
  readonly name: string;
  readonly digest: string;
  readonly what: string;
  readonly place: string;
}

const columns: readonly Column[] = [
  { title: 'TRUST' },
  { title: 'NAME', most: 40 },
  { title: 'DIGEST', leaves: 1 },
  { title: 'FOR', most: 50 },
  { title: 'PLACE' },
];

/** What asks for trust here, then what has it; empty when there is neither. */
export function trustTable({ skills, project, entries }: Listed, terminal: Terminal): string {
  const here = new Map(skills.map((skill) => [skill.digest, skill]));
  const rows = [
    ...skills.filter(({ trust }) => trust === 'needed').map(neededRow),
    ...(project !== undefined && project.uncounted.length > 0
      ? [projectRow(project, project.changed === true ? 'changed' : 'needed')]
      : []),
    ...entries.bundles.map(({ name, digest, dir }): Row => {
      const what = here.get(digest)?.files.join(', ') ?? '';
      return { state: 'granted', color: 'green', name, digest, what, place: dir };
    }),
    ...entries.leave.map(({ skill, digest, rule, dir }): Row => {
      return { state: 'leave', color: 'green', name: skill, digest, what: rule, place: dir };
    }),
    ...entries.projects.map((known) => {
      const files = known.digest === project?.digest ? project.files : [];
      return projectRow({ ...known, files }, 'granted');
    }),
    ...entries.pins.map(pinRow),
  ];
  if (rows.length === 0) return '';
  return table(
    columns,
    rows.map((row) => cellsOf(row, terminal)),
    terminal,
  );
}

function pinRow({ name, hash, at }: Listed['entries']['pins'][number]): Row {
  const [server = ''] = name.split('.');
  const what = `tool of the server ${server} as on ${new Date(at).toISOString().slice(0, 10)}`;
  return { state: 'tool', color: 'green', name, digest: hash, what, place: '' };
}

function neededRow({ name, source, digest = '', files, fault, changed, dir }: ListedSkill): Row {
  const state = changed === true ? 'changed' : 'needed';
  const nothing = isFromServer({ source, made: false }) ? 'its text' : 'scripts, which is empty';
  const what = fault === undefined ? files.join(', ') || nothing : `its folder ${fault}`;
  return { state, color: 'yellow', name, digest, what, place: dir };
}

function projectRow(
  { folder, digest, files }: Pick<ListedProject, 'folder' | 'digest' | 'files'>,
  state: 'needed' | 'changed' | 'granted',
): Row {
  const color = state === 'granted' ? 'green' : 'yellow';
  return { state, color, name: '.', digest, what: files.join(', ') || 'settings', place: folder };
}

function cellsOf({ state, color, name, digest, what, place }: Row, terminal: Terminal): readonly Cell[] {
  return [
    { text: state, paint: (text) => paint(text, color, terminal) },
    ...[name, digest.replace('sha256:', '').slice(0, 12), what, place].map((text) => ({
      text: oneLine(text),
    })),
  ];
}
