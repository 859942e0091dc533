import { counted } from '../show/counted.ts';
import type { AssignedColumn } from './assign-columns.ts';
import { buildProposalPlan, type ProposalPlan } from './proposal-plan.ts';
import { isUnchanged, readConversion } from './statements/read-conversion.ts';
import type { SchemaContext } from './schema-context.ts';
import { groupOf, newStorage, type TypeGroup } from './storage.ts';
import { typeStatements, type TypeChange } from './statements/type-statements.ts';

/** Proposes conversions for fields whose values are not stored in the form that their type requires. */
export async function planTypes(context: SchemaContext): Promise<readonly ProposalPlan[]> {
  if (context.existing === undefined) return [];
  const plans: ProposalPlan[] = [];
  for (const column of context.columns) plans.push(...(await planType(context, column)));
  return plans;
}

async function planType(context: SchemaContext, column: AssignedColumn): Promise<readonly ProposalPlan[]> {
  const { executor, table, existing, stored } = context;
  const { field, isFit, recorded } = column;
  if (existing === undefined || (isFit && !isDoubtful(context, column))) return [];
  const storage = isFit ? column.storage : newStorage(executor.kind, field.type);
  const conversion = await readConversion(context, column, storage);
  if (isFit && isUnchanged(conversion)) return [];
  const change: TypeChange = { column, storage, conversion };
  const isForeign = executor.kind === 'sqlite' && !isFit && stored?.record.isOwn !== true;
  const statements = isForeign ? [] : await typeStatements(context, change);
  const { rows, unfit, unfitRows } = conversion;
  const was = recorded?.type ?? column.existing?.type.toLowerCase() ?? 'text';
  const obstacle =
    existing.isView || isForeign ? foreignObstacle(existing.isView) : unfitObstacle(unfitRows, unfit);
  return [
    buildProposalPlan(table, {
      kind: 'type',
      about: [field.name, field.type],
      isBlocking: true,
      text: `The field "${field.name}" is stored as ${was} but should be ${field.type}. ${counted(rows, 'value')} would be converted.`,
      statements,
      obstacle,
      record: (before) => ({
        ...before,
        fields: [
          ...before.fields.filter((entry) => entry.column !== column.name),
          { field: field.name, column: column.name, type: field.type, ...storage },
        ],
      }),
    }),
  ];
}

const plainGroups: ReadonlySet<TypeGroup> = new Set(['text', 'whole', 'decimal']);

/** Whether a column of a suitable type may still contain values that do not fit the field's type. */
function isDoubtful({ executor }: SchemaContext, { field, existing, recorded }: AssignedColumn): boolean {
  if (existing === undefined) return false;
  const group = groupOf(field.type);
  if (recorded !== undefined) return groupOf(recorded.type) !== group;
  return executor.kind === 'sqlite' && !plainGroups.has(group);
}

function foreignObstacle(isView: boolean): string {
  return isView
    ? 'The table is a view. Change the view, or change the type in the file.'
    : 'The table was not created by a skill. Change the column yourself, or change the type in the file.';
}

function unfitObstacle(rows: number, unfit: readonly string[]): string | undefined {
  if (rows === 0) return undefined;
  const shown = unfit.map((value) => `"${value}"`).join(', ');
  return `${counted(rows, 'value')} cannot be converted, such as ${shown}. Correct them first.`;
}
