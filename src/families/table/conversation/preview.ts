import { counted } from '../show/text.ts';
import { showChanges } from '../show/rows.ts';
import { showRows } from '../show/rows.ts';
import { cutText } from '../show/text.ts';
import type { Change, ChangeFault } from '../records/change.ts';
import type { TableContext } from '../table-context.ts';
import type { ReadImport } from '../transfer/import-records.ts';
import type { ChangePlan } from './plan.ts';
import type { RequestDraft } from './talk.ts';

const firstImported = 3; // The number of imported records to preview.

/** Describes the exact effect of a draft. The user is asked to confirm this description. */
export async function preview(
  context: TableContext,
  draft: RequestDraft,
  plan: ChangePlan,
  file: ReadImport | undefined,
): Promise<string> {
  const { changes } = plan;
  if (draft.operation === 'import') return previewImport(context, plan, file);
  const head = headOf(draft, changes, context.table.name);
  return [head, await showChanges(context, changes), ...leftLines(plan), order(draft)].join('\n');
}

function headOf({ operation }: RequestDraft, changes: readonly Change[], table: string): string {
  if (operation === 'undo') return `Undo the last change to ${table} (${countsOf(changes)})?`;
  const what = changes.length === 1 ? 'this record' : counted(changes.length, 'record');
  if (operation === 'add') return `Add ${what} to ${table}?`;
  return `${operation === 'delete' ? 'Delete' : 'Change'} ${what} of ${table}?`;
}

/** Describes how many records an undo affects, by kind of change. */
function countsOf(changes: readonly Change[]): string {
  const kinds = { add: 'added again', update: 'restored', delete: 'removed' } as const;
  const parts = Object.entries(kinds).map(([kind, done]) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? '' : `${counted(count, 'record')} ${done}`;
  });
  return parts.filter((part) => part !== '').join(' and ');
}

async function previewImport(
  context: TableContext,
  plan: ChangePlan,
  file: ReadImport | undefined,
): Promise<string> {
  const { changes } = plan;
  const name = cutText(file?.file ?? 'the file', 100);
  const rows = changes
    .slice(0, firstImported)
    .flatMap((change) => (change.kind === 'add' ? [change.after] : []));
  const filled = context.table.fields.filter((field) =>
    rows.some((row) => (row[field.name] ?? null) !== null),
  );
  const lines = [
    `Import ${counted(changes.length, 'record')} from ${name} into ${context.table.name}?`,
    await showRows(context, filled, rows),
    ...(changes.length > firstImported
      ? [`… and ${(changes.length - firstImported).toLocaleString('en')} more.`]
      : []),
    ...leftLines(plan),
    'Say yes or no.',
  ];
  return lines.join('\n');
}

function leftLines({ leftOut = 0 }: ChangePlan): readonly string[] {
  return leftOut === 0 ? [] : [`${counted(leftOut, 'record')} with errors will be left out.`];
}

function order({ operation }: RequestDraft): string {
  return operation === 'add' || operation === 'update'
    ? 'Say yes or no, or name a field and its new value to change something.'
    : 'Say yes or no.';
}

/** Describes a draft's faults to the user, who can correct them. */
export function faultText(context: TableContext, faults: ChangePlan['faults'], total: number): string {
  return [
    `This cannot be written to ${context.table.name} yet:`,
    ...faultLines(faults, total),
    'Enter the field and its correct value, or say "cancel".',
  ].join('\n');
}

/** Formats faults, one per line. If the faults are in several records, each line names its record. */
export function faultLines(faults: readonly ChangeFault[], total: number): readonly string[] {
  const isAboutOne = faults.every(({ index }) => index === faults[0]?.index);
  const lines = faults.map(({ index, line, message }) =>
    isAboutOne || line !== undefined ? `- ${message}` : `- Record ${index + 1}: ${message}`,
  );
  const more = total - faults.length;
  return more > 0 ? [...lines, `… and ${more.toLocaleString('en')} more.`] : lines;
}
