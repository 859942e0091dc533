import { counted } from '../show/counted.ts';
import { showChanges } from '../show/show-changes.ts';
import { showRows } from '../show/show-rows.ts';
import { cutText } from '../show/cut-text.ts';
import type { Change } from '../records/change.ts';
import type { Ground } from '../ground.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import type { ChangePlan } from './plan.ts';
import { faultLines } from './fault-lines.ts';
import type { RequestDraft } from './talk.ts';

const firstImported = 3; // records of a file that are shown

/** What would happen, in words and exactly; a person says yes to this and nothing else. */
export async function preview(
  ground: Ground,
  draft: RequestDraft,
  plan: ChangePlan,
  file: ReadImport | undefined,
): Promise<string> {
  const { changes } = plan;
  if (draft.operation === 'import') return previewImport(ground, plan, file);
  const head = `${headOf(draft, changes)} ${ground.table.name}?`;
  return [head, await showChanges(ground, changes), ...leftLines(plan), order(draft)].join('\n');
}

function headOf(draft: RequestDraft, changes: readonly Change[]): string {
  const count = counted(changes.length, 'record');
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
    return count === 0 ? '' : `${counted(count, 'record')} ${done}`;
  });
  return parts.filter((part) => part !== '').join(' and ');
}

async function previewImport(
  ground: Ground,
  plan: ChangePlan,
  file: ReadImport | undefined,
): Promise<string> {
  const { changes } = plan;
  const name = cutText(file?.file ?? 'the file', 100);
  const rows = changes
    .slice(0, firstImported)
    .flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const filled = ground.table.fields.filter((field) =>
    rows.some((row) => (row[field.name] ?? null) !== null),
  );
  const lines = [
    `Import ${counted(changes.length, 'record')} from ${name} into ${ground.table.name}?`,
    await showRows(ground, filled, rows),
    ...(changes.length > firstImported
      ? [`… and ${(changes.length - firstImported).toLocaleString('en')} more.`]
      : []),
    ...leftLines(plan),
    'Say yes or no.',
  ];
  return lines.join('\n');
}

function leftLines({ leftOut = 0 }: ChangePlan): readonly string[] {
  return leftOut === 0 ? [] : [`${counted(leftOut, 'record')} with faults will be left out.`];
}

function order({ operation }: RequestDraft): string {
  return operation === 'add' || operation === 'update'
    ? 'Say yes, no, or what to change, as a field and its value.'
    : 'Say yes or no.';
}

/** What is wrong with a draft, for whoever can correct it. */
export function faultText(ground: Ground, faults: ChangePlan['faults'], total: number): string {
  return [
    `This cannot be written to ${ground.table.name} yet:`,
    ...faultLines(faults, total),
    'Say what it should be, as a field and its value, or say cancel.',
  ].join('\n');
}
