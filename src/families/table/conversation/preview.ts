import { showChanges } from '../show/show-changes.ts';
import { showRows } from '../show/show-rows.ts';
import { cutText } from '../show/cut-text.ts';
import type { Change } from '../records/change.ts';
import type { Ground } from './ground.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import type { Plan } from './plan-draft.ts';
import { faultLines } from './fault-lines.ts';
import type { Draft } from './talk.ts';

const firstImported = 3; // records of a file that are shown

/** What would happen, in words and exactly; a person says yes to this and nothing else. */
export async function preview(
  ground: Ground,
  draft: Draft,
  plan: Plan,
  file: ReadImport | undefined,
): Promise<string> {
  const { changes } = plan;
  if (draft.operation === 'import') return previewImport(ground, plan, file);
  const head = `${headOf(draft, changes)} ${ground.table.name}?`;
  return `${head}\n${await showChanges(ground, changes)}\n${order(draft)}`;
}

function headOf(draft: Draft, changes: readonly Change[]): string {
  const count = recordCount(changes.length);
  if (draft.operation === 'undo') return `Take back the last change, ${countsOf(changes)}, in`;
  if (draft.operation === 'add') return `Add ${changes.length === 1 ? 'this record' : count} to`;
  const verb = draft.operation === 'delete' ? 'Delete' : 'Change';
  return `${verb} ${changes.length === 1 ? 'this record' : count} of`;
}

/** What taking back would do, by kind. */
function countsOf(changes: readonly Change[]): string {
  const kinds = { add: 'added again', update: 'set back', delete: 'removed' } as const;
  const parts = Object.entries(kinds).map(([kind, done]) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? '' : `${recordCount(count)} ${done}`;
  });
  return parts.filter((part) => part !== '').join(' and ');
}

async function previewImport(
  ground: Ground,
  { changes, found }: Plan,
  file: ReadImport | undefined,
): Promise<string> {
  const name = cutText(file?.file ?? 'the file', 100);
  const rows = changes
    .slice(0, firstImported)
    .flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const filled = ground.table.fields.filter((field) =>
    rows.some((row) => (row[field.name] ?? null) !== null),
  );
  const left = found - changes.length;
  const lines = [
    `Import ${recordCount(changes.length)} from ${name} into ${ground.table.name}?`,
    await showRows(ground, filled, rows),
    ...(changes.length > firstImported
      ? [`… and ${(changes.length - firstImported).toLocaleString('en')} more.`]
      : []),
    ...(left > 0 ? [`${recordCount(left)} with faults will be left out.`] : []),
    'Say yes or no.',
  ];
  return lines.join('\n');
}

function order({ operation }: Draft): string {
  return operation === 'add' || operation === 'update'
    ? 'Say yes, no, or what to change, as a field and its value.'
    : 'Say yes or no.';
}

/** As "1 record" and "1,200 records". */
export function recordCount(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'}`;
}

/** What is wrong with a draft, for whoever can correct it. */
export function faultText(ground: Ground, faults: Plan['faults'], total: number): string {
  return [
    `This cannot be written to ${ground.table.name} yet:`,
    ...faultLines(faults, total),
    'Say what it should be, as a field and its value, or say cancel.',
  ].join('\n');
}
